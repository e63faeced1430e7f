"""Lines about answers and plans are found by an index: others are not read, these are checked."""

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from leastnoise.cli import budget as budget_command
from leastnoise.errors import LedgerError
from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import linked
from leastnoise.privacy import PureDP
from leastnoise.web import budget_view
from tests.cli.run import run
from tests.ledger.lines_read import lines_read

COST = PureDP(epsilon="0.01")
FREE = hashlib.sha256(b"free").hexdigest()
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
    read = lines_read(monkeypatch)
    ledger = Ledger(place)
    assert ledger.kept("some") == "these"
    assert ledger.kept("others") is None
    assert [found.number for found in ledger.charges_for("a plan")] == [11]
    assert ledger.charges_for("another") == ledger.charges_for("") == []
    # The last one and the one before are what opening believes; each of the others is held
    # against the line before it.
    assert set(read) == {10, 11, 21, 22}
    ledger.charge(COST, answers="owed", unit="row", neighbours="add_remove", purpose="new")
    read.clear()
    assert ledger.require(COST, answers="owed", unit="row", neighbours="add_remove")
    # What need not be paid for again is a part of the chain up to its end.
    assert set(read) == {22, 23}


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


def forged(place: Path, number: int) -> tuple[str, str]:
    """A line that says that other answers were paid for, as a line of this number says it."""
    with closing(sqlite3.connect(place)) as connection:
        (text,) = connection.execute("SELECT text FROM line WHERE number = 11").fetchone()
        (before,) = connection.execute("SELECT hash FROM line WHERE number = 10").fetchone()
    text = text.replace('"number":11', f'"number":{number}').replace('"some"', '"free"')
    return text.replace('"a plan"', f'"{FREE}"'), before


def assert_nothing_is_free(ledger: Ledger) -> None:
    uses: list[Callable[[], object]] = [
        lambda: ledger.require(COST, answers="free", unit="row", neighbours="add_remove"),
        lambda: ledger.charge(COST, answers="free", **TOLD),
        lambda: ledger.charge_for("free"),  # what gives schedules their right to draw
    ]
    for use in uses:
        with pytest.raises(LedgerError, match="lines must follow"):
            use()


@pytest.mark.parametrize("number", [0, -7])
def test_lines_before_the_first_are_none(place: Path, number: int) -> None:
    """Who may add lines, and change none, could put them where nobody who goes on would look."""
    text, _ = forged(place, number)
    rows = [(number - 1, "{}", "made up"), (number, text, linked("made up", text))]
    with closing(sqlite3.connect(place)) as connection:
        connection.executemany("INSERT INTO line VALUES (?, ?, ?)", rows)
        connection.commit()
    assert_nothing_is_free(Ledger(place))
    with pytest.raises(LedgerError, match="lines must follow"):
        Ledger(place).charges_for(FREE)


def test_a_changed_line_pays_for_nothing(place: Path) -> None:
    """It follows from the line before, and the next one does not follow from it."""
    text, before = forged(place, 11)
    changed(
        place, f"UPDATE line SET text = '{text}', hash = '{linked(before, text)}' WHERE number = 11"
    )
    assert_nothing_is_free(Ledger(place))


def test_stored_answers_that_were_written_anew_pay_for_nothing(place: Path) -> None:
    """With its line they are shown, and `verify` finds it; no noise is drawn for them."""
    before = Ledger(place).history()[10].seal
    told = hashlib.sha256(b"false").hexdigest()
    text = f'{{"event":"kept","name":"free","number":12,"sha256":"{told}","time":""}}'
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("INSERT INTO release VALUES ('free', 'false')")
        connection.commit()
    changed(
        place, f"UPDATE line SET text = '{text}', hash = '{linked(before, text)}' WHERE number = 12"
    )
    ledger = Ledger(place)
    assert ledger.kept("free") == "false"
    about: dict[str, Any] = {"unit": "row", "neighbours": "add_remove"}
    assert ledger.require(COST, answers="free", **about) is None  # a charge would be new
    assert ledger.charge_for("false") is None
    with pytest.raises(LedgerError, match="lines must follow"):
        ledger.require(COST, answers="some", **about)  # nor is a line hidden by it forgotten
    with pytest.raises(LedgerError, match="lines must follow"):
        ledger.verify()


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
