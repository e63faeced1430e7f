"""From queries and a ledger to answers: propose, `run`, estimate. Nothing calls back up.

An answer that the ledger has already is shown again, free. A charge whose answer was not stored is
finished, free. Everything else is a new charge.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from json import loads
from tempfile import TemporaryDirectory

from leastnoise.ledger.costs import Asked, history, require, require_cap
from leastnoise.ledger.ledger import ANSWER, Ledger, StoredAnswer, analyst_name
from leastnoise.ledger.meters import Meters
from leastnoise.ledger.records import MOST_ATTEMPTS, Request
from leastnoise.ledger.store import Entry
from leastnoise.noise.source import system_source
from leastnoise.numbers.errors import EngineError, InvalidInput, LedgerError
from leastnoise.numbers.exact import Exact, whole, written
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.choose_noise import Choice, Word, choose
from leastnoise.release.marginal_tables import consistent
from leastnoise.release.measurement import Part, Proposal, Selection, Shared
from leastnoise.release.notes import Note, left_out, notes_of
from leastnoise.release.preview import Preview
from leastnoise.release.query import Select
from leastnoise.release.result import Result, Terms
from leastnoise.release.run import GROUPS, LIMITS, TOTALS, run, with_groups, with_limits
from leastnoise.release.shared_draws import of_json
from leastnoise.report.numbers import percent
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.schema import Table
from leastnoise.tables.sources import fingerprint

NO_REASON = (
    "The reason is not shown, because it may depend on private data. Look at memory, disk space, "
    "the connection, and whether files changed during the run."
)
"""Why a release that stopped does not say more."""


@dataclass(frozen=True, eq=False)
class Asking:
    """What is asked at once: one query, or the queries of a plan.

    Attributes:
        selects: the queries by name.
        weights: what each gets of the budget beside the others.
        title: what the release is called in the ledger.
        data_version: a name for the data.
    """

    selects: Mapping[str, Select]
    weights: tuple[Fraction, ...]
    title: str
    data_version: str | None

    @property
    def tables(self) -> list[Table]:
        """Every table once."""
        found = (t for select in self.selects.values() for t in select.relation.tables)
        return list(dict.fromkeys(found))

    def choice(self, asked: Asked, noise: Word, meters: Meters) -> Choice:
        """The noise of all queries."""
        return choose([*self.selects.values()], asked, noise, meters, self.weights)


def preview(
    asking: Asking,
    ledger: Ledger,
    *,
    epsilon: Exact | None,
    rho: Exact | None,
    noise: Word,
    expected_rows: int | None,
) -> Preview:
    """What a release would give and cost."""
    meters = meters_of(asking, ledger)
    asked = Asked.of(meters, epsilon, rho)
    rows = None if expected_rows is None else whole(expected_rows, "expected_rows")
    choice = asking.choice(asked, noise, meters)
    return Preview(
        asking.selects, asking.weights, asking.title, choice, asked, meters, ledger.name, rows
    )


def release(
    asking: Asking,
    ledger: Ledger,
    *,
    epsilon: Exact | None,
    rho: Exact | None,
    noise: Word,
    analyst: str | None,
    again: bool,
) -> dict[str, Result]:
    """The answers, new or as they were stored."""
    meters = meters_of(asking, ledger)
    asked = Asked.of(meters, epsilon, rho)
    request = _request(asking, asked, noise, analyst)
    before, notes = ledger.store.find(request), tuple[Note, ...]()
    if before and not again:
        entry = before[-1]
        if TOTALS in entry.stored:
            note = _shown_again(asking, entry, request)
            return _results(asking, ledger, entry.number, "as it was charged", (note,))
        choice = charged(asking, entry)
        number = _run(asking, ledger, request, choice, entry.number)
    else:
        number = None
        while number is None:
            choice = asking.choice(asked, noise, meters)
            price = choice.proposal.price
            require(meters, price, asked, asking.title, ledger.name)
            require_cap(ledger.store, analyst, price, asked, asking.title, ledger.name)
            left = laplace_left(meters, choice)
            text = f'{ledger.name} now accepts only Laplace noise, without groups="auto": epsilon '
            notes = () if left is None else (Note("laplace_only", f"{text}{left} in all."),)
            number = _run(asking, ledger, request, choice, None)
            meters = meters_of(asking, ledger)  # if somebody else was charged meanwhile: anew
    assert number is not None
    return _results(asking, ledger, number, choice.reason, notes)


def trial(
    asking: Asking, ledger: Ledger, *, epsilon: Exact | None, rho: Exact | None, noise: Word
) -> dict[str, Result]:
    """A release from rows about nobody, charged to a ledger that is thrown away."""
    meters_of(asking, ledger)
    promise, name = ledger.guarantee, ledger.privacy_unit
    with TemporaryDirectory(prefix="leastnoise-") as folder:
        path = os.path.join(folder, "trial.ledger")
        if isinstance(promise, ZCDP):
            delta = ledger.store.header.total.delta_of_groups
            own = Ledger.create(path, privacy_unit=name, rho=promise.rho, delta=delta or None)
        else:
            own = Ledger.create(
                path, privacy_unit=name, epsilon=promise.epsilon, delta=promise.delta
            )
        found = release(
            asking, own, epsilon=epsilon, rho=rho, noise=noise, analyst=None, again=False
        )
    note = Note("trial", "A trial on public or made-up rows. Nothing was charged.")
    return {key: replace(each, notes=(note, *each.notes)) for key, each in found.items()}


def laplace_left(meters: Meters, choice: Choice) -> str | None:
    """The epsilon that is left after a Laplace release, if no Gaussian noise fits any more."""
    after, guarantee = meters.after(choice.proposal.price), meters.total.guarantee
    if isinstance(guarantee, ZCDP) or not guarantee.delta or after.b_holds or not meters.b_holds:
        return None
    left = guarantee.epsilon - (after.epsilon or 0)
    return written(left) if left else None


def _request(asking: Asking, asked: Asked, noise: Word, analyst: str | None) -> Request:
    selects = asking.selects.values()
    identity = {
        "queries": [select.identity for select in selects],
        "weights": [*map(str, asking.weights)],
        "amount": str(asked),
        "noise": noise,
        "data_version": asking.data_version,
    }
    shown = {
        "title": asking.title,
        "sql": [select.sql for select in selects],
        "amount": written(asked.amount),
        "analyst": None if analyst is None else analyst_name(analyst),
    }
    return Request(identity, shown, fingerprint(asking.tables))


def _run(
    asking: Asking, ledger: Ledger, request: Request, choice: Choice, unfinished: int | None
) -> int | None:
    """The number of the charge, its totals stored; None if the ledger has moved on."""
    store = ledger.store
    try:
        with DuckDB(asking.tables) as engine:
            return run(
                choice.proposal,
                request,
                engine,
                store,
                system_source(),
                after=store.last,
                unfinished=unfinished,
            )
    except (EngineError, MemoryError, OSError):
        store.refresh()
        open_charges = [entry for entry in store.find(request) if TOTALS not in entry.stored]
        if not open_charges:
            raise
        failed = open_charges[-1]
    raise LedgerError(_stopped(asking, ledger, failed))


def _stopped(asking: Asking, ledger: Ledger, entry: Entry) -> str:
    cost = percent(costs(ledger)[entry.number])
    left = MOST_ATTEMPTS - entry.attempts
    times = f"{left} times" if left > 1 else "once"
    rerun = (
        f"Run the same release again: it continues and costs nothing more. It can be continued "
        f"{times}; after that the {cost} are lost."
        if left
        else f"It was continued {MOST_ATTEMPTS} times and is closed; the {cost} are lost."
    )
    return (
        f'"{asking.title}" was charged ({cost}) but stopped before its answer was stored. {rerun}\n'
        f"{NO_REASON}"
    )


def charged(asking: Asking, entry: Entry) -> Choice:
    """The proposal of a charge, with the noise that it has for ever."""
    noise, parts = entry.charge.noise, list[Part]()
    family, laws = noise["family"], iter(noise["parts"])
    for select in asking.selects.values():
        first, ahead = len(parts), next(laws)
        measured = select.measurements(family, over_limit="units" in ahead)
        for place, (measurement, _) in enumerate(measured):
            own = ahead if not place else next(laws)
            selection = own.get("selection")
            follows = place and ("exponent" in ahead or "selection" in ahead)
            leader = first if follows else None
            if select.together is not None and parts and parts[0].exponent is not None:
                leader = 0
            parts.append(
                Part(
                    measurement,
                    tuple(
                        Shared(*each) if isinstance(each, list) else int(each)
                        for each in own["totals"]
                    ),
                    int(own["units"]) if "units" in own else None,
                    Fraction(own["exponent"]) if "exponent" in own else None,
                    None if selection is None else _selection(selection),
                    leader,
                )
            )
    draws = tuple(map(of_json, noise.get("draws", ())))
    return Choice(Proposal(family, tuple(parts), entry.price, draws), "as it was charged")


def _selection(body: Mapping[str, str]) -> Selection:
    numbers = {name: Fraction(text) for name, text in body.items()}
    delta = numbers.pop("delta")
    return Selection(delta=delta, **{name: int(each) for name, each in numbers.items()})


def costs(ledger: Ledger) -> dict[int, float]:
    """The part of the ledger that every charge was."""
    entries = ledger.store.entries
    prices = (entry.price for entry in entries.values())
    found = history(ledger.store.header.total, prices)
    return {number: float(cost) for number, (cost, _) in zip(entries, found, strict=True)}


def _results(
    asking: Asking, ledger: Ledger, number: int, reason: str, extra: tuple[Note, ...] = ()
) -> dict[str, Result]:
    """The answers from the stored totals of a charge."""
    store = ledger.store
    entry = store.entries[number]
    proposed = charged(asking, entry).proposal
    parts, family = proposed.parts, proposed.family
    if GROUPS in entry.stored:
        parts = with_groups(parts, loads(store.stored(number, GROUPS) or ""))
    if LIMITS in entry.stored:
        parts = with_limits(parts, loads(store.stored(number, LIMITS) or ""), family)
    found = loads(store.stored(number, TOTALS) or "")
    terms = terms_of(ledger, number, reason)
    together = next(iter(asking.selects.values())).together
    if together is not None:
        found = consistent(together, proposed.draws, found)
    results, at = {}, 0
    for name, select in asking.selects.items():
        count = select.count_of_parts
        own, totals = parts[at : at + count], found[at : at + count]
        select, at = select.as_found(own[0].measurement), at + count  # noqa: PLW2901
        notes = (*extra, *notes_of(select, own, proposed.draws, family, totals))
        results[name] = Result(select, own, proposed.draws, family, totals, terms, notes)
    if together is not None:
        last = next(reversed(results))
        note = left_out(together.names)
        results[last] = replace(results[last], notes=(*results[last].notes, note))
    if ANSWER not in entry.stored:
        views = [result.view() for result in results.values()]
        store.put_once(number, ANSWER, StoredAnswer(tuple(views)).text())
    return results


def terms_of(ledger: Ledger, number: int, reason: str, together: str = "") -> Terms:
    """The terms of a charge; with words behind what was asked, if it is for more than is shown."""
    entry, in_rho = ledger.store.entries[number], isinstance(ledger.guarantee, ZCDP)
    return Terms(
        ledger=ledger.name,
        number=number,
        asked=f"{'rho' if in_rho else 'epsilon'} {entry.charge.request.shown['amount']}{together}",
        price=entry.price,
        cost=costs(ledger)[number],
        left=float(1 - ledger.store.meters.spent),
        reason=reason,
        in_rho=in_rho,
        head=entry.line.hash,
    )


def _shown_again(asking: Asking, entry: Entry, request: Request) -> Note:
    """The note of an answer that was stored, if the data are those that it is about."""
    names = ", ".join(table.name for table in asking.tables)
    if asking.data_version is None and (
        request.source is None or request.source != entry.charge.request.source
    ):
        why = (
            "a frame does not show whether its data have changed"
            if request.source is None
            else f"{names} has changed since"
        )
        when = datetime.fromisoformat(entry.time).astimezone()
        raise InvalidInput(
            f"this was answered on {when:%-d %b %Y}, but {why}. Nothing was read or charged.\n"
            f'  New answer for new data:  ln.read(..., data_version="{datetime.now():%Y-%m-%d}")\n'
            f"  Old answer:               ledger.entries[{entry.number}].result"
        )
    text = answered(entry.time, asking.data_version)
    if asking.data_version is None:
        text += "\nThe data have not changed. For new noise at the full price: again=True."
    return Note("stored", text)


def answered(time: str, data_version: str | None) -> str:
    """The sentence of an answer that is shown again."""
    when = datetime.fromisoformat(time).astimezone()
    version = "" if data_version is None else f" (data_version {data_version})"
    return f"Answered on {when:%-d %b %Y} at {when:%H:%M}{version} and shown again; nothing was charged."


def meters_of(asking: Asking, ledger: Ledger) -> Meters:
    """What the ledger has spent, read anew; refuses a ledger of another privacy unit."""
    if not isinstance(ledger, Ledger):
        raise InvalidInput(
            f'The ledger is a {type(ledger).__name__}. Open one:  ln.Ledger("flights.ledger")'
        )
    for select in asking.selects.values():
        if select.unit != ledger.privacy_unit:
            raise InvalidInput(
                f"{ledger.name} protects each {ledger.privacy_unit}, and the data each "
                f"{select.unit}. Use the ledger of that privacy unit, or name the unit so:  "
                f'privacy_unit={{"{ledger.privacy_unit}": ...}}'
            )
    ledger.store.refresh()
    return ledger.store.meters
