"""The ledger at scale: what one more charge costs after 10^6 lines, and many writers at once.

python -m benchmarks.ledger; `python -m benchmarks.ledger 100000` for another number of lines.
"""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from struct import Struct
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
WRITERS, CHARGES, RATE, CORES = 64, 40, 200, 2
_REPORT = Struct("id")  # charges that were granted, and seconds of processor time
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
    noted = ledger.charge(costs, purpose="its seal is noted").seal
    calls: dict[str, Callable[[], object]] = {
        "open": lambda: Ledger(place),
        "charge": lambda: ledger.charge(costs, purpose="one more"),
        "require": lambda: ledger.require(costs),
        "remaining": lambda: ledger.remaining,
        "kept, in a new object": lambda: Ledger(place).kept("answers"),
        "require, for answers": lambda: ledger.require(costs, answers="answers"),
        "contains, 41 lines back": lambda: ledger.contains(noted),
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
        granted, seconds, ours, theirs = _crowd(url, cost)
        ledger = Ledger(url)
        assert ledger.verify() == sum(granted) == asked - 10
        assert ledger.remaining == PureDP(epsilon=0)
        figure = asked / seconds
        yield Row(
            f"{WRITERS} writers on PostgreSQL, {asked} charges", f"{figure:.0f} a second",
            "none lost, none too many", figure, unit="a second", sense="at least", target=RATE,
        )  # fmt: skip
        spent = 1000 * (ours + theirs) / asked
        yield Row(
            f"{WRITERS} writers on PostgreSQL, one charge", f"{spent:.2f} ms",
            f"processor time; {1000 * theirs / asked:.2f} ms of it the server's", spent,
            unit="ms", sense="at most", target=1000 * CORES / RATE,
        )  # fmt: skip


def _crowd(url: str, cost: PureDP) -> tuple[list[int], float, float, float]:
    """How many each of the writers was granted, and the seconds from a common start.

    Then the processor time from there on: that of all writers, and the server's for them.
    """
    (waiting, start), (reports, report) = os.pipe(), os.pipe()
    children = []
    for _ in range(WRITERS):
        child = os.fork()
        if not child:
            ledger = Ledger(url)
            os.write(report, b"!")
            os.read(waiting, 1)
            os.write(report, _REPORT.pack(*_granted(ledger, cost)))
            os.read(waiting, 1)  # its server's time is looked at
            os._exit(0)
        children.append(child)
    for _ in children:  # all of them are connected
        os.read(reports, 1)
    before, begun = _server_time(url), perf_counter()
    os.write(start, b"!" * WRITERS)
    told = [_REPORT.unpack(os.read(reports, _REPORT.size)) for _ in children]
    seconds, theirs = perf_counter() - begun, _server_time(url) - before
    os.write(start, b"!" * WRITERS)
    for child in children:
        os.waitpid(child, 0)
    return [granted for granted, _ in told], seconds, sum(spent for _, spent in told), theirs


def _granted(ledger: Ledger, cost: PureDP) -> tuple[int, float]:
    granted, begun = 0, process_time()
    for _ in range(CHARGES):
        try:
            ledger.charge(cost, purpose="together")
        except BudgetExceeded:
            continue
        granted += 1
    return granted, process_time() - begun


def _server_time(url: str) -> float:
    """The processor time of all processes of a server on this machine, in seconds."""
    from psycopg import connect  # noqa: PLC0415 - an extra

    with connect(url) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        ).fetchall()
    ticks = 0
    for (process,) in found:
        with suppress(FileNotFoundError):  # it has ended
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])  # as a user, and as the system
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(markdown(list(ledger_rows(*map(int, sys.argv[1:])))))
