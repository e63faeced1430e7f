"""Charges and ledgers for the tests, and a way to damage a file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Price
from leastnoise.ledger.records import Charge, Request

TOTALS: dict[str, Any] = {"privacy_unit": "person", "epsilon": 6, "delta": "1e-6"}
SMALL = Price.gaussian(Fraction(1, 100))


def request(name: str = "q") -> Request:
    shown = {"title": name, "sql": [f"SELECT {name}"], "amount": "1", "analyst": None}
    return Request({"query": name}, shown)


def charge(price: Price = SMALL, name: str = "q") -> Charge:
    return Charge(request(name), {"family": "gaussian", "sizes": []}, price)


def charged(ledger: Ledger, price: Price = SMALL, name: str = "q") -> int:
    """The number of a charge that nobody else can be in the way of."""
    ledger.store.refresh()
    number = ledger.store.charge(charge(price, name), ledger.store.last)
    assert number is not None
    return number


def a_ledger(path: Path) -> Ledger:
    """Six lines: two charges, an attempt, and what three stages gave."""
    ledger = Ledger.create(path, **TOTALS)
    charged(ledger, name="first")
    ledger.store.put_once(1, "totals", "[11,12]")
    charged(ledger, Price.pure(Fraction(1, 10)), name="second")
    ledger.store.attempt(2)
    ledger.store.put_once(2, "totals", "[21,22]")
    ledger.store.put_once(2, "answer", '{"a":2}')
    return ledger


@contextmanager
def unlocked(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that may change anything, as somebody with an editor can."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in names.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        yield connection


def rows(path: Path) -> list[list[tuple[Any, ...]]]:
    """All that a ledger file says."""
    tables = (
        "text FROM header LIMIT 1",
        "number, text, hash FROM line",
        "charge, name, content FROM stage",
    )
    with closing(sqlite3.connect(path)) as connection:
        return [sorted(connection.execute(f"SELECT {table}")) for table in tables]
