"""One charge for many periods, drawn one at a time: a unit's limit is for all of them together.

A schedule is a measurement whose groups begin with a period. Each draw takes the totals of one
period and subtracts, unit by unit, what the periods that were drawn before have used of the limit,
whatever their dates (`contributions`, `shown`). Which these are is read from the ledger, and the
n-th draw is stored as stage "n": of two at once one is kept, and the other draws again.

Theorem. If rows are only ever added to the tables, all draws together move by at most what one
measurement of all periods would, so the gate's price for that one holds: however late rows come,
and in whatever order periods are drawn. Proof page: docs/proofs/schedules.md.

So a relation is refused in which a new row can take another one away (`only_grows`), and a charge
holds a digest of what is measured, so that all its draws measure the same.

Trusted.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from leastnoise.ledger.records import Charge, Request, canonical, digest
from leastnoise.ledger.store import Store
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput, LeastNoiseError, LedgerError
from leastnoise.release.draw import noisy_totals
from leastnoise.release.gate import admit
from leastnoise.release.measurement import Drawn, Measurement, Part, Proposal
from leastnoise.release.run import statement
from leastnoise.release.shared_draws import noise_of
from leastnoise.tables.contributions import rows_sql
from leastnoise.tables.dialect import DUCKDB, Fragment
from leastnoise.tables.engines.engine import Engine
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import only_grows
from leastnoise.tables.schema import CsvFiles, Table, as_text


def draw_period(
    proposal: Proposal,
    request: Request,
    period: str,
    engine: Engine,
    store: Store,
    source: Source,
    *,
    after: int,
    number: int | None = None,
    remarks: Mapping[str, str | None],
) -> int | None:
    """The number of the charge, the period's noisy totals stored; None if the ledger has moved on.

    Args:
        proposal: what to measure in all periods, with which noise, at which price.
        request: what was asked for, as the ledger shows it.
        period: which period to draw, unless it was drawn already.
        engine: where the rows are.
        store: the ledger.
        source: where the noise comes from.
        after: the last line of the ledger on which the proposal was made.
        number: of the charge, if there is one.
        remarks: what is stored beside the totals; no data.
    """
    charge, family = _charge(proposal, request), proposal.family

    def measured(part: Part, earlier: Iterable[str]) -> tuple[Part, Fragment]:
        """A part in the period, and its totals behind which stand those that use up the limits."""
        own, both = of_periods(part, [period]), of_periods(part, [period, *earlier])
        shown = len(own.measurement.groups)  # type: ignore[arg-type]
        return own, statement(both, family, engine, shown=shown)

    for part in proposal.parts:
        engine.prepare(measured(part, [])[1])
    if number is None:
        number = store.charge(charge, after)
        if number is None:
            return None
    before = store.entries[number].charge
    if before.noise != charge.noise or not before.price.covers(charge.price):
        raise LedgerError(
            "This schedule was charged for other noise, for tables that were described in another "
            "way, or by another version of leastnoise. Nothing was read."
        )
    earlier = drawn(store, number)
    if period not in earlier:
        store.attempt(number, period)
    while period not in earlier:
        found = []
        for part in proposal.parts:
            own, totals = measured(part, earlier)
            found.append(noisy_totals(own, engine.integers(totals), [], family, source))
        text = canonical({"period": period, "parts": found, "remarks": remarks})
        store.put_once(number, str(len(earlier) + 1), text)
        earlier = drawn(store, number)
    return number


def drawn(store: Store, number: int) -> dict[str, Any]:
    """What was stored of the periods of a charge that were drawn, in this order."""
    found: dict[str, Any] = {}
    while (text := store.stored(number, str(len(found) + 1))) is not None:
        body = json.loads(text)
        found[body["period"]] = body
    return found


def of_periods(part: Part, periods: Iterable[str]) -> Part:
    """The part with the groups of some periods, one period after another."""
    groups = part.measurement.groups
    assert isinstance(groups, Groups)
    found: dict[tuple[str | None, ...], list[Any]] = {(period,): [] for period in periods}
    for key in groups.keys:
        found.get(tuple(map(as_text, key[:1])), []).append(key)
    if not all(found.values()):
        raise LeastNoiseError("The schedule has no such period. Please report this as a bug.")
    kept = Groups(groups.by, tuple(key for keys in found.values() for key in keys))
    return replace(part, measurement=replace(part.measurement, groups=kept))


def _charge(proposal: Proposal, request: Request) -> Charge:
    """The charge of a schedule, if the gate admits it as one measurement of all periods."""
    parts = admit(proposal).proposal.parts
    for part in parts:
        check(part.measurement)
    if proposal.draws:
        raise LeastNoiseError("The periods of a schedule share no draw. Please report this.")
    measured = [_digest(part.measurement) for part in parts]
    return Charge(request, noise_of(proposal) | {"measured": measured}, proposal.price)


def check(measured: Measurement) -> None:
    """Refuses what cannot be drawn one period at a time."""
    if not isinstance(measured.groups, Groups):
        raise InvalidInput('A schedule needs known groups, so not groups="auto". List them.')
    if isinstance(measured.limit, Drawn) or measured.over_limit:
        raise InvalidInput(
            "A schedule needs a limit for all its periods together:\n"
            "  .agg(max_contributions=600, max_per_group=80, ...)"
        )
    if not only_grows(measured.relation):
        raise InvalidInput(
            "A new row could change or take away rows of an earlier period, and then nobody knows "
            "what these used of the limit. A schedule takes inner joins, EXISTS and UNION ALL; no "
            "GROUP BY in a subquery, no LEFT JOIN, no NOT EXISTS."
        )


def _digest(measured: Measurement) -> str:
    """Of which rows are counted, in which groups, within which limit; not of where tables are."""
    assert isinstance(measured.groups, Groups)
    totals = measured.totals
    rows = rows_sql(measured.relation, measured.groups, totals, _by_name, DUCKDB)
    kinds = [type(each).__name__ for each in totals]
    limit = [repr(measured.limit), measured.in_common]
    return digest(canonical([rows.text, repr(rows.values), kinds, limit]))


def _by_name(table: Table, columns: list[str]) -> Fragment:
    """A table by what it is called and how its columns are read."""
    unit, place = [] if table.unit is None else [table.unit], table.place
    types = [(name, str(table.schema[name].type)) for name in [*columns, *unit]]
    form = (place.delimiter, place.decimal) if isinstance(place, CsvFiles) else ()
    return Fragment(repr((table.name, table.unit, table.time_zone, types, form)))
