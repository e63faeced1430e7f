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
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from leastnoise.ledger.records import MOST_ATTEMPTS, Charge, Request, canonical, digest
from leastnoise.ledger.store import Store
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput, LeastNoiseError, LedgerError
from leastnoise.release.draw import noisy_totals
from leastnoise.release.gate import admit
from leastnoise.release.measurement import NORM, Drawn, Measurement, Part, Proposal
from leastnoise.release.shared_draws import noise_of
from leastnoise.tables.contributions import Norm, rows_sql, totals_sql
from leastnoise.tables.dialect import DUCKDB, Fragment
from leastnoise.tables.engines.engine import Engine
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import (
    Filtered,
    Mapped,
    OfUnit,
    OnUnit,
    Public,
    Referring,
    Relation,
    Stacked,
    WithPublic,
)
from leastnoise.tables.schema import Table, as_text


def open_schedule(
    proposal: Proposal, request: Request, engine: Engine, store: Store, *, after: int
) -> int | None:
    """The number of the charge for all periods; None if the ledger has moved on. Reads no rows."""
    charge = _charge(proposal, request)
    for part in proposal.parts:
        engine.prepare(_totals(part, part, NORM[proposal.family], engine))
    return store.charge(charge, after)


def draw_period(
    proposal: Proposal,
    request: Request,
    number: int,
    period: str,
    engine: Engine,
    store: Store,
    source: Source,
) -> None:
    """Draws a period of a charge and stores its noisy totals, unless they are stored already.

    The charge can be tried three times for each period that was drawn, and three times more.
    """
    charge, family = _charge(proposal, request), proposal.family
    before = store.entries[number].charge
    if before.noise != charge.noise or not before.price.covers(charge.price):
        raise LedgerError(
            "This schedule was charged for other noise, or for tables that were described in another "
            "way. Read them as they were read then. Nothing was read."
        )
    while period not in (earlier := drawn(store, number)):
        store.attempt(number, MOST_ATTEMPTS * (len(earlier) + 1))
        found = []
        for part in proposal.parts:
            own, both = (of_periods(part, each) for each in ([period], [period, *earlier]))
            rows = engine.integers(_totals(own, both, NORM[family], engine))
            found.append(noisy_totals(own, rows, [], family, source))
        text = canonical({"period": period, "parts": found})
        store.put_once(number, str(len(earlier) + 1), text)


def drawn(store: Store, number: int) -> dict[str, list[Any]]:
    """The noisy totals of the periods of a charge that were drawn, in this order."""
    found: dict[str, list[Any]] = {}
    while (text := store.stored(number, str(len(found) + 1))) is not None:
        body = json.loads(text)
        found[body["period"]] = body["parts"]
    return found


def of_periods(part: Part, periods: Sequence[str]) -> Part:
    """The part with the groups of some periods, one period after another."""
    groups = part.measurement.groups
    assert isinstance(groups, Groups)
    keys = [key for period in periods for key in groups.keys if as_text(key[0]) == period]
    if not keys:
        raise LeastNoiseError("The schedule has no such period. Please report this as a bug.")
    measured = replace(part.measurement, groups=Groups(groups.by, tuple(keys)))
    return replace(part, measurement=measured)


def _totals(own: Part, both: Part, norm: Norm, engine: Engine) -> Fragment:
    """The totals of a period's groups. Behind them stand those that use up the limits."""
    measured = both.measurement
    assert isinstance(measured.groups, Groups) and isinstance(own.measurement.groups, Groups)
    return totals_sql(
        measured.relation,
        measured.groups,
        measured.totals,
        norm,
        measured.limits(norm),
        engine.scan,
        engine.dialect,
        shown=len(own.measurement.groups),
    )


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
    if not isinstance(measured.groups, Groups) or not measured.groups.by:
        raise InvalidInput('A schedule needs known groups, so not groups="auto".')
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


def only_grows(relation: Relation) -> bool:
    """Whether new rows of its tables only ever add rows to it, and change none."""
    match relation:
        case OfUnit() | Public():
            return True
        case Referring(parent=source) | Filtered(source=source) | Mapped(source=source):
            return only_grows(source)
        case WithPublic() | OnUnit():
            both = only_grows(relation.left) and only_grows(relation.right)
            return both and relation.kind in ("inner", "semi")
        case Stacked(parts):
            return all(map(only_grows, parts))
        case _:
            return False


def _digest(measured: Measurement) -> str:
    """Of which rows are counted, in which groups, within which limit; not of where tables are."""
    assert isinstance(measured.groups, Groups)
    totals = measured.totals
    rows = rows_sql(measured.relation, measured.groups, totals, _by_name, DUCKDB)
    kinds = [type(each).__name__ for each in totals]
    return digest(canonical([rows.text, repr(rows.values), kinds, repr(measured.limit)]))


def _by_name(table: Table, columns: list[str]) -> Fragment:
    """A table by what it is called and how its columns are read."""
    unit = [] if table.unit is None else [table.unit]
    types = [(name, str(table.schema[name].type)) for name in [*columns, *unit]]
    return Fragment(repr((table.name, table.unit, table.time_zone, types)))
