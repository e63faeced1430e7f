"""A ledger is begun once, on purpose, where it lasts; a past that changes is refused."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import InvalidParameter, LedgerError, LedgerMissing
from leastnoise.ledger import Ledger
from leastnoise.privacy import PureDP

ONE, TENTH = PureDP(epsilon=1), PureDP(epsilon="0.1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


@pytest.mark.parametrize(
    "place",
    [
        ":memory:", Path(":memory:"), ":MEMORY:", "", " ", ":", "file::memory:", "file:x",
        "FILE:x?mode=memory", "file:budget.db?mode=memory&cache=shared", "sqlite:///x",
        "mysql://user:word@host/x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("begin", [True, False])
def test_places_that_forget(
    place: Any, begin: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidParameter, match="a file that lasts") as refused:
        Ledger(place, total=ONE, begin=begin)
    assert "word" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["/dev/null", "/dev/zero", "/dev/stdin"])
def test_devices_keep_nothing(place: str) -> None:
    if not Path(place).exists() or Path(place).is_file():
        pytest.skip("no such device")
    with pytest.raises(LedgerError, match="not a file"):
        Ledger(place, total=ONE, begin=True)


def test_names_that_look_special_but_are_files(tmp_path: Path) -> None:
    for name in (":memory:", "file:x", "a?mode=memory", "a#b", "100%41", "naïve file"):
        Ledger(tmp_path / name, total=ONE, begin=True).charge(ONE, purpose="all")
        assert (tmp_path / name).exists()
        assert Ledger(tmp_path / name).remaining == PureDP(epsilon=0)


def test_a_missing_ledger_is_not_begun_by_looking(place: Path) -> None:
    for given in ({}, {"total": ONE}):
        with pytest.raises(LedgerMissing, match="leastnoise budget begin"):
            Ledger(place, **given)  # type: ignore[arg-type]
        assert not place.exists()
    place.touch()  # a program that died while it began one
    with pytest.raises(LedgerMissing):
        Ledger(place, total=ONE)
    Ledger(place, total=ONE, begin=True)


def test_a_ledger_is_begun_once(place: Path) -> None:
    Ledger(place, total=ONE, begin=True).charge(ONE, purpose="all")
    with pytest.raises(InvalidParameter, match="begun once"):
        Ledger(place, total=ONE, begin=True)
    assert Ledger(place, total=ONE).remaining == PureDP(epsilon=0)


def test_another_programs_database_is_left_alone(place: Path) -> None:
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(LedgerError, match="something else"):
        Ledger(place, total=ONE, begin=True)
    with pytest.raises(LedgerMissing):
        Ledger(place)


def test_a_change_of_folder_is_no_change_of_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger("budget.db", total=ONE, begin=True)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert ledger.charge(ONE, purpose="all").number == 1
    assert not (tmp_path / "other" / "budget.db").exists()


def with_past(place: Path) -> Ledger:
    ledger = Ledger(place, total=ONE, begin=True)
    for _ in range(3):
        ledger.charge(TENTH, purpose="a table")
    ledger.keep("abc", "a release")
    return ledger


def triggers_gone(connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (name,) in rows:
        connection.execute(f"DROP TRIGGER {name}")


def changed(place: Path, *statements: str) -> None:
    with closing(sqlite3.connect(place)) as connection:
        triggers_gone(connection)
        for statement in statements:
            connection.execute(statement)
        connection.commit()


USES: list[Callable[[Ledger], object]] = [
    lambda ledger: ledger.history(),
    lambda ledger: ledger.remaining,
    lambda ledger: ledger.spent,
    lambda ledger: ledger.balances,
    lambda ledger: ledger.seal,
    lambda ledger: ledger.contains("x"),
    lambda ledger: ledger.kept("abc"),
    lambda ledger: ledger.keep("new", "text"),
    lambda ledger: ledger.remaining_for("analyst", "ann"),
    lambda ledger: ledger.require(TENTH),
    lambda ledger: ledger.charge(TENTH, purpose="x"),
    lambda ledger: ledger.cap("analyst", "ann", TENTH),
]


@pytest.mark.parametrize("use", USES)
def test_a_live_object_refuses_a_past_that_shrank(place: Path, use: Any) -> None:
    ledger = with_past(place)
    changed(place, "DELETE FROM line WHERE number > 1")
    with pytest.raises(LedgerError):
        use(ledger)


@pytest.mark.parametrize("use", USES)
def test_a_live_object_refuses_another_ledger_in_its_place(place: Path, use: Any) -> None:
    ledger = with_past(place)
    place.unlink()
    with pytest.raises(LedgerMissing):
        use(ledger)
    with_past(place)
    with pytest.raises(LedgerError):
        use(ledger)


def test_seals(place: Path) -> None:
    ledger = Ledger(place, total=ONE, begin=True)
    noted = [ledger.seal, *(ledger.charge(TENTH, purpose="x").seal for _ in range(3))]
    assert noted[-1] == ledger.seal
    assert [entry.seal for entry in ledger.history()] == noted[1:]
    assert all(map(ledger.contains, noted))
    for seal in noted:
        assert Ledger(place, seal=seal).spent == PureDP(epsilon="0.3")
    changed(place, "DELETE FROM line WHERE number = 3")
    with pytest.raises(LedgerError, match="line 3 does not"):
        Ledger(place)  # the totals are those after it
    changed(place, "DELETE FROM totals")
    shorter = Ledger(place)
    assert [shorter.contains(seal) for seal in noted] == [True, True, True, False]
    assert not shorter.contains("")
    with pytest.raises(LedgerError, match="seal that was noted"):
        Ledger(place, seal=noted[-1])
    place.unlink()
    with pytest.raises(InvalidParameter, match="no past"):
        Ledger(place, total=ONE, begin=True, seal=noted[0])


@pytest.mark.parametrize("table", ["line", "release", "header"])
def test_a_dropped_table_does_not_come_back_empty(place: Path, table: str) -> None:
    with_past(place)
    changed(place, f"DROP TABLE {table}")
    with pytest.raises(LedgerError):
        Ledger(place).kept("abc")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE release SET content = '999999'",
        "REPLACE INTO release VALUES ('abc', '999999')",
        "DELETE FROM release",
        "UPDATE release SET digest = 'other'",
    ],
)
def test_stored_releases_are_in_the_chain(place: Path, statement: str) -> None:
    ledger = with_past(place)
    with (
        closing(sqlite3.connect(place)) as connection,
        pytest.raises(sqlite3.Error, match="append only"),
    ):
        connection.execute(statement)
    changed(place, statement)
    for each in (ledger, Ledger(place)):
        with pytest.raises(LedgerError, match="stored release must be what a line"):
            each.kept("abc")
        with pytest.raises(LedgerError, match="stored release must be what a line"):
            each.keep("abc", "again")


def test_releases_stored_by_another_hand(place: Path) -> None:
    with_past(place)
    changed(place, "INSERT INTO release VALUES ('forged', '999999')")
    with pytest.raises(LedgerError, match="by another hand"):
        Ledger(place).kept("forged")


def test_a_stored_release_and_its_line_come_together(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leastnoise.ledger.sqlite_store import _SQLiteTransaction

    ledger = with_past(place)

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_SQLiteTransaction, "append", cut)
    with pytest.raises(KeyboardInterrupt):
        ledger.keep("new", "text")
    monkeypatch.undo()
    assert ledger.kept("new") is None
    ledger.keep("new", "text")
    assert ledger.kept("new") == "text"


@pytest.mark.parametrize("table", ["header", "line"])
def test_replacing_is_no_way_around(place: Path, table: str) -> None:
    with_past(place)
    with closing(sqlite3.connect(place)) as connection:
        row = connection.execute(f"SELECT * FROM {table}").fetchone()
        marks = ", ".join("?" * len(row))
        with pytest.raises(sqlite3.Error, match="append only"):
            connection.execute(f"REPLACE INTO {table} VALUES ({marks})", row)
