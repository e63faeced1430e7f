"""From a query and a ledger to an answer: propose, `run`, estimate. Nothing calls back up.

An answer that the ledger has already is shown again, free. A charge whose answer was not stored is
finished, free. Everything else is a new charge.
"""

from datetime import datetime
from json import loads

from leastnoise.ledger.costs import Asked, history, require
from leastnoise.ledger.ledger import ANSWER, Ledger, StoredAnswer
from leastnoise.ledger.meters import Meters
from leastnoise.ledger.records import MOST_ATTEMPTS, Request
from leastnoise.ledger.store import Entry
from leastnoise.noise.source import system_source
from leastnoise.numbers.errors import EngineError, InvalidInput, LedgerError
from leastnoise.numbers.exact import Exact, whole, written
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.choose_noise import Choice, Word, choose
from leastnoise.release.measurement import Part, Proposal
from leastnoise.release.notes import Note, notes_of
from leastnoise.release.preview import Preview
from leastnoise.release.query import Select
from leastnoise.release.result import Result, Terms
from leastnoise.release.run import STAGE, run
from leastnoise.report.numbers import percent
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.sources import fingerprint


def preview(
    select: Select,
    ledger: Ledger,
    *,
    epsilon: Exact | None,
    rho: Exact | None,
    noise: Word,
    expected_rows: int | None,
) -> Preview:
    """What a release would give and cost."""
    meters = _meters(select, ledger)
    asked = Asked.of(meters, epsilon, rho)
    rows = None if expected_rows is None else whole(expected_rows, "expected_rows")
    return Preview(select, choose([select], asked, noise, meters), asked, meters, ledger.name, rows)


def release(
    select: Select,
    ledger: Ledger,
    *,
    epsilon: Exact | None,
    rho: Exact | None,
    noise: Word,
    analyst: str | None,
    again: bool,
    data_version: str | None,
) -> Result:
    """The answer of a query, new or as it was stored."""
    meters = _meters(select, ledger)
    asked = Asked.of(meters, epsilon, rho)
    request = _request(select, asked, noise, analyst, data_version)
    before, notes = ledger.store.find(request), tuple[Note, ...]()
    if before and not again:
        entry, choice = before[-1], _charged(select, before[-1])
        if STAGE in entry.stored:
            return _shown_again(select, ledger, entry, choice, request, data_version)
        number = _run(select, ledger, request, choice, entry.number)
    else:
        number = None
        while number is None:
            choice = choose([select], asked, noise, meters)
            require(meters, choice.proposal.price, asked, select.title, ledger.name)
            notes = _closing(meters, choice, ledger.name)
            number = _run(select, ledger, request, choice, None)
            meters = _meters(select, ledger)  # if somebody else was charged meanwhile: anew
    assert number is not None
    result = _result(select, ledger, choice, number, notes)
    _store_answer(ledger, number, result)
    return result


def _closing(meters: Meters, choice: Choice, ledger: str) -> tuple[Note, ...]:
    """The note of a Laplace release after which no Gaussian one fits."""
    after, guarantee = meters.after(choice.proposal.price), meters.total.guarantee
    if isinstance(guarantee, ZCDP) or not guarantee.delta or after.b_holds or not meters.b_holds:
        return ()
    left = written(guarantee.epsilon - (after.epsilon or 0))
    text = f'{ledger} now accepts only Laplace noise, without groups="auto": epsilon {left} in all.'
    return (Note("laplace_only", text),)


def _request(
    select: Select, asked: Asked, noise: Word, analyst: str | None, data_version: str | None
) -> Request:
    if analyst is not None and (not isinstance(analyst, str) or not analyst.strip()):
        raise InvalidInput('analyst is a name: analyst="ann".')
    identity = {
        "queries": [select.identity],
        "amount": str(asked),
        "noise": noise,
        "data_version": data_version,
    }
    shown = {
        "title": select.title,
        "sql": [select.sql],
        "amount": written(asked.amount),
        "analyst": analyst,
    }
    return Request(identity, shown, fingerprint(select.relation.tables))


def _run(
    select: Select, ledger: Ledger, request: Request, choice: Choice, unfinished: int | None
) -> int | None:
    """The number of the charge, its totals stored; None if the ledger has moved on."""
    store = ledger.store
    try:
        with DuckDB(select.relation.tables) as engine:
            found = run(
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
        open_charges = [entry for entry in store.find(request) if STAGE not in entry.stored]
        if not open_charges:
            raise
        failed = open_charges[-1]
    else:
        return None if found is None else found[0]
    raise LedgerError(_stopped(select, ledger, failed))


def _stopped(select: Select, ledger: Ledger, entry: Entry) -> str:
    cost = percent(_costs(ledger)[entry.number])
    left = MOST_ATTEMPTS - entry.attempts
    times = f"{left} times" if left > 1 else "once"
    rerun = (
        f"Run the same release again: it continues and costs nothing more. It can be continued "
        f"{times}; after that the {cost} are lost."
        if left
        else f"It was continued {MOST_ATTEMPTS} times and is closed; the {cost} are lost."
    )
    return (
        f'"{select.title}" was charged ({cost}) but stopped before its answer was stored. {rerun}\n'
        "The reason is not shown, because it may depend on private data. Look at memory, disk space, "
        "the connection, and whether files changed during the run."
    )


def _charged(select: Select, entry: Entry) -> Choice:
    """The proposal of a charge, with the noise that it has for ever."""
    noise = entry.charge.noise
    parts = []
    for sizes in noise["sizes"]:
        measurement = select.measurement(over_limit=bool(sizes["units"]))
        units = int(sizes["units"]) if sizes["units"] else None
        parts.append(Part(measurement, tuple(map(int, sizes["totals"])), units))
    return Choice(Proposal(noise["family"], tuple(parts), entry.price), "as it was charged")


def _costs(ledger: Ledger) -> dict[int, float]:
    """The part of the ledger that every charge was."""
    entries = ledger.store.entries
    prices = (entry.price for entry in entries.values())
    found = history(ledger.store.header.total, prices)
    return {number: float(cost) for number, (cost, _) in zip(entries, found, strict=True)}


def _result(
    select: Select, ledger: Ledger, choice: Choice, number: int, extra: tuple[Note, ...] = ()
) -> Result:
    """The answer from the stored totals of a charge."""
    store, proposed = ledger.store, choice.proposal
    text = store.stored(number, STAGE)
    assert text is not None
    (found,), (part,) = loads(text), proposed.parts
    entry = store.entries[number]
    in_rho = isinstance(ledger.guarantee, ZCDP)
    request = entry.charge.request
    terms = Terms(
        ledger=ledger.name,
        number=number,
        asked=f"{'rho' if in_rho else 'epsilon'} {request.shown['amount']}",
        price=entry.price,
        cost=_costs(ledger)[number],
        left=float(1 - store.meters.spent),
        reason=choice.reason,
        in_rho=in_rho,
        head=entry.line.hash,
    )
    notes = [*extra, *notes_of(select, part, proposed.family, found)]
    return Result(select, part, proposed.family, found, terms, tuple(notes))


def _store_answer(ledger: Ledger, number: int, result: Result) -> None:
    """Keeps what was shown, for `ledger.entries`."""
    if ANSWER not in ledger.store.entries[number].stored:
        ledger.store.put_once(number, ANSWER, StoredAnswer(result.view()).text())


def _shown_again(
    select: Select,
    ledger: Ledger,
    entry: Entry,
    choice: Choice,
    request: Request,
    data_version: str | None,
) -> Result:
    """An answer that was stored, if the data are those that it is about."""
    when = datetime.fromisoformat(entry.time).astimezone()
    names = ", ".join(table.name for table in select.relation.tables)
    if data_version is None and (
        request.source is None or request.source != entry.charge.request.source
    ):
        why = (
            "a frame does not show whether its data have changed"
            if request.source is None
            else f"{names} has changed since"
        )
        raise InvalidInput(
            f"this was answered on {when:%-d %b %Y}, but {why}. Nothing was read or charged.\n"
            f'  New answer for new data:  ln.read(..., data_version="{datetime.now():%Y-%m-%d}")\n'
            f"  Old answer:               ledger.entries[{entry.number}].result"
        )
    version = "" if data_version is None else f" (data_version {data_version})"
    text = f"Answered on {when:%-d %b %Y} at {when:%H:%M}{version} and shown again; nothing was charged."
    if data_version is None:
        text += "\nThe data have not changed. For new noise at the full price: again=True."
    result = _result(select, ledger, choice, entry.number, (Note("stored", text),))
    _store_answer(ledger, entry.number, result)
    return result


def _meters(select: Select, ledger: Ledger) -> Meters:
    if not isinstance(ledger, Ledger):
        raise InvalidInput(
            f'The ledger is a {type(ledger).__name__}. Open one:  ln.Ledger("flights.ledger")'
        )
    if select.unit != ledger.privacy_unit:
        raise InvalidInput(
            f"{ledger.name} protects each {ledger.privacy_unit}, and the data each {select.unit}. "
            "Use the ledger of that privacy unit, or name the unit so:  "
            f'privacy_unit={{"{ledger.privacy_unit}": ...}}'
        )
    ledger.store.refresh()
    return ledger.store.meters
