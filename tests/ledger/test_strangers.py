"""Lines written by another hand with the right hashes: read strictly, refused soon."""

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter, LedgerError
from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import linked
from leastnoise.privacy import ApproxDP, PureDP
from tests.time_limit import time_limit

CHARGE = {
    "number": 1,
    "time": "2026-01-01T00:00:00.000+00:00",
    "event": "charge",
    "cost": {"kind": "pure", "epsilon": "1/10"},
    "purpose": "a table",
    "labels": {},
    "digest": "",
}


def ledger_with(place: Path, text: str) -> None:
    """A ledger whose first line is that text, with a hash that fits."""
    Ledger(place, total=PureDP(epsilon=1), begin=True)
    with closing(sqlite3.connect(place)) as connection:
        header = connection.execute("SELECT text FROM header").fetchone()[0]
        row = (1, text, linked(linked("", header), text))
        connection.execute("INSERT INTO line VALUES (?, ?, ?)", row)
        connection.commit()


def test_a_true_line_is_read(tmp_path: Path) -> None:
    ledger_with(tmp_path / "budget.db", json.dumps(CHARGE))
    ledger = Ledger(tmp_path / "budget.db")
    assert ledger.spent == PureDP(epsilon="0.1")
    assert "budget.db" in repr(ledger)


HUGE = "1e999999999"  # ten to this power does not fit into any memory
BROKEN: dict[str, Any] = {
    "another number": CHARGE | {"number": 2},
    "another event": CHARGE | {"event": "refund"},
    "no cost": {name: value for name, value in CHARGE.items() if name != "cost"},
    "an empty list of costs": CHARGE | {"cost": []},
    "an unknown guarantee": CHARGE | {"cost": {"kind": "trust", "epsilon": "0"}},
    "a guarantee of text": CHARGE | {"cost": "nothing"},
    "a negative cost": CHARGE | {"cost": {"kind": "pure", "epsilon": "-1"}},
    "a cost without end": CHARGE | {"cost": {"kind": "pure", "epsilon": HUGE}},
    "a cost divided by nothing": CHARGE | {"cost": {"kind": "pure", "epsilon": "1/0"}},
    "a cost that is no text": CHARGE | {"cost": {"kind": "pure", "epsilon": 0.1}},
    "labels that are none": CHARGE | {"labels": 3},
    "a cap without limit": {"number": 1, "time": "", "event": "cap", "label": "a", "value": "b"},
    "a list": [1, 2],
    "a number": 1,
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_lines_with_right_hashes(tmp_path: Path, name: str) -> None:
    ledger_with(tmp_path / "budget.db", json.dumps(BROKEN[name]))
    with time_limit(10), pytest.raises(LedgerError, match="line 1"):
        Ledger(tmp_path / "budget.db")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"number": 1e999}', "\x00"])
def test_lines_that_are_no_json(tmp_path: Path, text: str) -> None:
    ledger_with(tmp_path / "budget.db", text)
    with pytest.raises(LedgerError, match="line 1"):
        Ledger(tmp_path / "budget.db")


def header_of(place: Path, change: str, to: str) -> None:
    Ledger(place, total=PureDP(epsilon=1), begin=True)
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER header_stays")
        connection.execute("UPDATE header SET text = replace(text, ?, ?)", (change, to))
        connection.commit()


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ('"epsilon":"1"', f'"epsilon":"{HUGE}"'),
        ('"kind":"pure"', '"kind":"trust"'),
        ('"dataset":""', '"dataset":' + "[" * 100_000),
        ("version 4", "version 9"),
    ],
)
def test_broken_headers(tmp_path: Path, change: str, to: str) -> None:
    header_of(tmp_path / "budget.db", change, to)
    with time_limit(10), pytest.raises(LedgerError, match="header"):
        Ledger(tmp_path / "budget.db")


def test_labels_and_places_of_other_kinds(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", total=ApproxDP(epsilon=1, delta="1e-6"), begin=True)
    with pytest.raises(InvalidParameter, match="labels"):
        ledger.charge(PureDP(epsilon="0.1"), purpose="x", labels=["ann"])  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="path"):
        Ledger("no\0path", total=PureDP(epsilon=1), begin=True)
    ledger.require(PureDP(epsilon=1))
    assert ledger.history() == []


def test_costs_that_no_text_can_hold(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=1), begin=True)
    with pytest.raises(InvalidParameter, match="digits"):
        ledger.charge(PureDP(epsilon=Fraction(1, 10**5000)), purpose="a very long number")
    assert ledger.history() == []
