"""The ledger at scale: what one more charge costs after 10^6 lines, and many writers at once.

python -m benchmarks.ledger; `python -m benchmarks.ledger 100000` for another number of lines.
"""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.row import Row, markdown
from leastnoise.errors import BudgetExceeded
from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import Line, linked, written
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.place import store_of
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import Transaction
from leastnoise.ledger.tally import Tally
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

LINES = 10**6
REPETITIONS = 40
MOST_MS = 5
WRITERS, CHARGES, RATE = 64, 40, 200
_TOTAL = ApproxDP(epsilon=3, delta="1e-6")
_BOTH = (ApproxDP(epsilon="1e-7", delta=0), ZCDP(rho="1e-14"))
MODES: dict[str, tuple[dict[str, Any], tuple[Guarantee, ...]]] = {
    "pure": ({"total": PureDP(epsilon=3)}, (PureDP(epsilon="1e-7"),)),
    "zcdp": ({"total": ZCDP(rho=1)}, (ZCDP(rho="1e-7"),)),
    "mixed, two members": ({"total": _TOTAL}, _BOTH),
    "mixed, three members": (
        {"total": _TOTAL, "split": {"approximate": "0.4", "zcdp": "0.2", "gdp": "0.4"}},
        (PureDP(epsilon="1e-7"), GDP(mu="1e-7")),
    ),
}


def ledger_rows(lines: int = LINES) -> Iterator[Row]:
    """Processor time of one call after so many lines, and charges a second of many writers."""
    for name, (options, costs) in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "budget.db"
            long_ledger(place, lines, options, costs)
            yield from _call_rows(f"Ledger of {lines:,} lines, {name}", place, costs)
    yield from writer_rows()


def long_ledger(
    place: Path, lines: int, options: dict[str, Any], costs: tuple[Guarantee, ...]
) -> None:
    """A ledger with so many lines: the last by a charge, those before as earlier versions did."""
    seen = Ledger(place, begin=True, **options)._seen
    event = Charge(costs, "monthly table", {}, "")
    before = seen.hash
    start, end = written(Entry(0, "2026-01-01T00:00:00.000+00:00", event), "").text.split(
        '"number":0'
    )

    def rows() -> Iterator[tuple[int, str, str]]:
        nonlocal before
        for number in range(1, lines):
            text = f'{start}"number":{number}{end}'
            before = linked(before, text)
            yield number, text, before

    with closing(sqlite3.connect(place)) as connection:
        # Triggers and indexes are made again on opening; a million lines are faster without.
        made = "SELECT type, name FROM sqlite_master WHERE tbl_name = 'line' AND sql IS NOT NULL"
        for kind, name in connection.execute(f"{made} AND type <> 'table'").fetchall():
            connection.execute(f"DROP {kind} {name}")
        connection.executemany("INSERT INTO line VALUES (?, ?, ?)", rows())
        connection.commit()
    once = seen.totals.after(event)
    tallies = tuple(_times(each, lines - 1) for each in once.tallies)
    known = Seen(seen.header, lines - 1, before, replace(once, tallies=tallies))

    def charged(transaction: Transaction) -> Line:
        known.appended(transaction, event)
        (line,) = transaction.lines(lines, 1)
        return line

    store_of(place).locked(charged)  # a Ledger would add all lines up first


def _times(tally: Tally, times: int) -> Tally:
    """After the same charge so many times."""
    sums = tuple(each and tuple(amount * times for amount in each) for each in tally.sums)
    return replace(tally, sums=sums)


def _call_rows(case: str, place: Path, costs: tuple[Guarantee, ...]) -> Iterator[Row]:
    ledger = Ledger(place)
    calls: dict[str, Callable[[], object]] = {
        "open": lambda: Ledger(place),
        "charge": lambda: ledger.charge(costs, purpose="one more"),
        "require": lambda: ledger.require(costs),
        "remaining": lambda: ledger.remaining,
        "kept, in a new object": lambda: Ledger(place).kept("answers"),
        "require, for answers": lambda: ledger.require(costs, answers="answers"),
        "charges for a plan": lambda: ledger.charges_for("digest"),
    }
    for name, call in calls.items():
        call()
        start = process_time()
        for _ in range(REPETITIONS):
            call()
        spent = 1000 * (process_time() - start) / REPETITIONS
        yield Row(
            f"{case}: {name}", f"{spent:.2f} ms", "processor time", spent,
            unit="ms", sense="at most", target=MOST_MS,
        )  # fmt: skip


def writer_rows() -> Iterator[Row]:
    """Processes that charge one ledger on a PostgreSQL server which syncs every commit."""
    from tests.ledger.postgres import server  # noqa: PLC0415 - a server for tests

    with server(sync=True) as url:
        if url is None:
            return
        asked = WRITERS * CHARGES
        cost = PureDP(epsilon=Fraction(1, asked))
        # Less than they ask for: some of the last charges must be refused.
        Ledger(url, total=PureDP(epsilon=1 - 10 * cost.epsilon), begin=True)
        granted, seconds = _crowd(url, cost)
        ledger = Ledger(url)
        assert ledger.verify() == sum(granted) == asked - 10
        assert ledger.remaining == PureDP(epsilon=0)
        figure = asked / seconds
        yield Row(
            f"{WRITERS} writers on PostgreSQL, {asked} charges", f"{figure:.0f} a second",
            "none lost, none too many", figure, unit="a second", sense="at least", target=RATE,
        )  # fmt: skip


def _crowd(url: str, cost: PureDP) -> tuple[list[int], float]:
    """How many each of the writers was granted, and the seconds from a common start."""
    (waiting, start), (reports, report) = os.pipe(), os.pipe()
    children = []
    for _ in range(WRITERS):
        child = os.fork()
        if not child:
            ledger = Ledger(url)
            os.write(report, b"!")
            os.read(waiting, 1)
            os.write(report, bytes([_granted(ledger, cost)]))
            os._exit(0)
        children.append(child)
    for _ in children:  # all of them are connected
        os.read(reports, 1)
    begun = perf_counter()
    os.write(start, b"!" * WRITERS)
    granted = [os.read(reports, 1)[0] for _ in children]
    seconds = perf_counter() - begun
    for child in children:
        os.waitpid(child, 0)
    return granted, seconds


def _granted(ledger: Ledger, cost: PureDP) -> int:
    granted = 0
    for _ in range(CHARGES):
        try:
            ledger.charge(cost, purpose="together")
        except BudgetExceeded:
            continue
        granted += 1
    return granted


if __name__ == "__main__":
    print(markdown(list(ledger_rows(*map(int, sys.argv[1:])))))
