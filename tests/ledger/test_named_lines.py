"""Lines about answers and plans are found by an index: others are not read, these are checked."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from leastnoise.cli import budget as budget_command
from leastnoise.errors import LedgerError
from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import Line
from leastnoise.ledger.sqlite_store import _SQLiteTransaction
from leastnoise.privacy import PureDP
from leastnoise.web import budget_view
from tests.cli.run import run

COST = PureDP(epsilon="0.01")
TOLD: dict[str, Any] = {
    "purpose": "x",
    "digest": "a plan",
    "unit": "row",
    "neighbours": "add_remove",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Ten charges, then one for answers, which are stored, then ten more."""
    place = tmp_path / "budget.db"
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    for _ in range(10):
        ledger.charge(COST, purpose="before")
    ledger.charge(COST, answers="some", **TOLD)
    ledger.keep("some", "these")
    for _ in range(10):
        ledger.charge(COST, purpose="after")
    return place


def changed(place: Path, statement: str) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER line_stays")
        connection.execute(statement)
        connection.commit()


def test_no_other_line_is_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    lines = _SQLiteTransaction.lines

    def counted(self: _SQLiteTransaction, first: int, most: int) -> list[Line]:
        found = lines(self, first, most)
        read.extend(line.number for line in found)
        return found

    monkeypatch.setattr(_SQLiteTransaction, "lines", counted)
    ledger = Ledger(place)
    assert ledger.kept("some") == "these"
    assert ledger.kept("others") is None
    found = ledger.require(COST, answers="some", unit="row", neighbours="add_remove")
    assert found is not None
    assert found.number == 11
    assert ledger.charges_for("a plan") == [found]
    assert ledger.charges_for("another") == ledger.charges_for("") == []
    # The last one and the one before are what opening believes; each of the others is held
    # against the line before it.
    assert set(read) == {10, 11, 21, 22}


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE line SET text = replace(text, '"purpose":"x"', '"purpose":"y"')""",
        "UPDATE line SET hash = 'another' WHERE number = 10",
        "DELETE FROM line WHERE number = 10",
        "UPDATE line SET number = 0 WHERE number = 11",
    ],
)
def test_a_line_that_does_not_follow_is_not_used(place: Path, statement: str) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER line_lasts")
    changed(place, statement)
    ledger = Ledger(place)
    for use in (
        lambda: ledger.require(COST, answers="some", unit="row", neighbours="add_remove"),
        lambda: ledger.charges_for("a plan"),
        lambda: ledger.kept("some"),
    ):
        with pytest.raises(LedgerError, match="lines must follow"):
            use()


def test_a_line_that_is_nothing_is_about_nothing(place: Path) -> None:
    """It is in the chain's way all the same."""
    changed(place, "UPDATE line SET text = 'nothing' WHERE number = 11")
    ledger = Ledger(place)
    assert ledger.charges_for("a plan") == []
    assert ledger.kept("some") == "these"
    with pytest.raises(LedgerError):
        ledger.verify()


def test_ledgers_of_earlier_versions_get_the_index(place: Path) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP INDEX line_by_answers")
        connection.execute("DROP INDEX line_by_plan")
    assert Ledger(place).kept("some") == "these"
    with closing(sqlite3.connect(place)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert {"line_by_answers", "line_by_plan"} <= names


def test_of_a_long_ledger_the_last_lines_are_looked_at(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("budget", place).output
    assert "22 lines, checked: none was changed." in whole
    monkeypatch.setattr(budget_command, "_CHECKED", 5)
    monkeypatch.setattr(budget_command, "_SHOWN", 3)
    told = " ".join(run("budget", place).output.split())
    assert "22 lines; the last 5 were checked: none was changed. --verify checks all." in told
    assert "… and 19 lines before these" in told
    assert '"number": 1,' in run("budget", place, "--json").output
    monkeypatch.setattr(budget_view, "_MOST_LINES", 4)
    facts = budget_view.budget_facts(place)
    assert facts["count"] == 22
    assert [line["number"] for line in facts["lines"]] == [19, 20, 21, 22]
