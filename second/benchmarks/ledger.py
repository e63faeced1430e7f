"""A ledger of 100,000 lines: to open it, and to charge one release more."""

import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import leastnoise as ln
from benchmarks import Row, medians
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Price
from leastnoise.ledger.records import Charge, Line, Request

LINES = 10**5
PRICE = Price.gaussian(Fraction(1, 10**9))


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """Opening and charging."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "long.ledger"
        _filled(path)
        opened = medians({"open": lambda: ln.Ledger(path)})["open"]
        store, numbers = ln.Ledger(path).store, count(LINES)
        charged = medians({"charge": lambda: store.charge(_charge(next(numbers)), store.last)}, 25)
        synced = 1000 * median(_sync(Path(folder) / "probe") for _ in range(25))
    yield Row(f"open a ledger of {LINES:,} lines", opened.clock, most=1, unit="s",
              note=f"{opened.busy:.2g} s of processor")  # fmt: skip
    used = 1000 * charged["charge"].busy
    yield Row("charge it, on the disk", 1000 * charged["charge"].clock, most=5, unit="ms",
              note=f"{used:.2g} ms of processor; a sync takes {synced:.1f} ms")  # fmt: skip


def _sync(path: Path) -> float:
    """Seconds until a page is on the disk."""
    with path.open("wb") as file:
        file.write(bytes(4096))
        file.flush()
        start = perf_counter()
        os.fsync(file.fileno())
        return perf_counter() - start


def _charge(number: int) -> Charge:
    noise = {"family": "gaussian", "parts": [{"totals": [str(10**15)] * 3}]}
    identity = {"queries": [{"rows": "flights", "groups": ["carrier"], "number": number}]}
    shown = {"title": "flights by carrier", "sql": ["SELECT COUNT(*) FROM flights"], "amount": "1"}
    return Charge(Request(identity, shown), noise, PRICE)


def _filled(path: Path) -> None:
    """All lines in one transaction: one by one, each would wait for the disk."""
    store = Ledger.create(path, privacy_unit="plane", epsilon=6, delta=1e-6).store
    head = store.head
    with store.transaction(write=True) as transaction:
        for number in range(1, LINES + 1):
            line = Line.write(_charge(number), number, "2026-11-19T00:00:00+00:00", head)
            transaction.append(line)
            head = line.hash
