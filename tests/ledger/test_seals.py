"""A seal is looked up: lines since must lead from it to the end and add up; no others are read."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from leastnoise.errors import LedgerError
from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import linked
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.sqlite_store import _SQLiteTransaction
from leastnoise.privacy import GDP, ZCDP, ApproxDP, PureDP
from tests.ledger.lines_read import lines_read

COST = PureDP(epsilon="0.01")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Twenty charges."""
    place = tmp_path / "budget.db"
    ledger = Ledger(place, total=PureDP(epsilon=1), begin=True)
    for _ in range(20):
        ledger.charge(COST, purpose="x")
    return place


def seals(place: Path) -> list[str]:
    """Of the header and of all lines."""
    ledger = Ledger(place)
    return [ledger.id, *(entry.seal for entry in ledger.history())]


def done(place: Path, statement: str, *rows: tuple[object, ...]) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER IF EXISTS line_stays")
        connection.executemany(statement, rows)
        connection.commit()


def test_only_lines_since_are_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted, read = seals(place)[17], lines_read(monkeypatch)
    assert Ledger(place, seal=noted).contains(noted)
    assert set(read) == {16, 17, 18, 19, 20}  # it follows from the one before
    read.clear()
    assert not Ledger(place).contains("0" * 64)
    assert set(read) == {19, 20}  # as on opening


def test_every_line_of_any_past_is_found(tmp_path: Path) -> None:
    """Also those before the first charge, before a cap, and before a way of adding up closed."""
    total = ApproxDP(epsilon=1, delta="1e-6")
    ledger = Ledger(tmp_path / "budget.db", total=total, begin=True)
    ledger.keep("early", "a text")
    ledger.charge([ApproxDP(epsilon="0.5", delta="1e-9"), ZCDP(rho="1e-4")], purpose="x")
    ledger.cap("analyst", "ann", PureDP(epsilon="0.6"))
    labels = {"analyst": "ann"}
    ledger.charge(PureDP(epsilon="0.1"), purpose="x", labels=labels, unit="row")
    ledger.charge(GDP(mu="1e-4"), purpose="with no price by ε and δ", unit="row")
    ledger.charge(PureDP(epsilon="1e-9"), purpose="x", labels=labels, unit="row")
    found = seals(tmp_path / "budget.db")
    assert len(found) == 7
    assert all(map(ledger.contains, found))


def test_a_changed_line_breaks_the_chain_for_its_own_seal_and_those_before(place: Path) -> None:
    noted = seals(place)
    done(place, "UPDATE line SET text = replace(text, '\"x\"', '\"y\"') WHERE number = ?", (10,))
    assert Ledger(place).contains(noted[15])
    for number in (10, 5):
        with pytest.raises(LedgerError, match="lines must follow"):
            Ledger(place).contains(noted[number])
    with pytest.raises(LedgerError, match="lines must follow"):
        Ledger(place).verify()


def test_a_line_that_was_written_anew_has_another_seal(place: Path) -> None:
    """Whoever writes all later lines anew cannot keep their seals, nor put the old line aside."""
    noted = seals(place)
    with closing(sqlite3.connect(place)) as connection:
        rows = connection.execute("SELECT number, text, hash FROM line ORDER BY 1").fetchall()
    before, anew = noted[14], []
    for number, text, _ in rows[14:]:
        other = text.replace('"x"', '"y"')
        before = linked(before, other)
        anew.append((other, before, number))
    done(place, "UPDATE line SET text = ?, hash = ? WHERE number = ?", *anew)
    stranger = Ledger(place)
    assert stranger.verify() == 20
    assert [stranger.contains(each) for each in noted] == [True] * 15 + [False] * 6
    with pytest.raises(LedgerError, match="seal that was noted"):
        Ledger(place, seal=noted[15])
    done(place, "INSERT INTO line VALUES (?, ?, ?)", (0, *rows[14][1:]))
    with pytest.raises(LedgerError, match="lines must follow"):
        Ledger(place, seal=noted[15])


def test_a_guess_is_not_believed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the totals at a seal are not found, every line is added up."""
    noted, asked = seals(place)[17], list[int]()
    steps = Seen.steps

    def counted(self: Seen, transaction: _SQLiteTransaction) -> object:
        asked.append(self.number)
        return steps(self, transaction)

    monkeypatch.setattr(Seen, "steps", counted)
    assert Ledger(place).contains(noted)
    assert not asked
    monkeypatch.setattr("leastnoise.ledger.totals.Totals.before", lambda totals, _: totals)
    assert Ledger(place).contains(noted)
    assert asked == [20]
