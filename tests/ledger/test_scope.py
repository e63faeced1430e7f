"""One ledger, one unit: promises about different data, units or neighbours do not add up."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter, LedgerError
from leastnoise.ledger import Charge, Ledger, Scope
from leastnoise.release.result.plan_release import PlanRelease

TENTH = ln.PureDP(epsilon="0.1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "visits.parquet"
    rows = "SELECT 7 AS person, 8 AS line, 'Oslo' AS city FROM range(1000)"
    with duckdb.connect() as database:
        database.execute(f"COPY ({rows}) TO '{file}' (FORMAT parquet)")
    return file


def begun(place: Path, **about: Any) -> Ledger:
    return Ledger(place, total=ln.PureDP(epsilon=3), begin=True, **about)


def released(ledger: Ledger, data: Path, **about: Any) -> PlanRelease:
    table = ln.read(data, **{"unit": "person", **about})
    return ln.plan(table, max_rows=1).count().release(TENTH, ledger=ledger)


OTHERS: list[dict[str, Any]] = [
    {"unit": None},
    {"unit": "line"},
    {"unit": "city"},
    {"neighbours": "replace"},
    {"unit": None, "neighbours": "replace"},
]


@pytest.mark.parametrize("other", OTHERS)
def test_the_first_release_says_what_a_ledger_is_about(
    place: Path, data: Path, other: dict[str, Any]
) -> None:
    """A person with a thousand rows moves a promise about rows by a thousand."""
    ledger = begun(place)
    released(ledger, data)
    for each in (ledger, Ledger(place)):
        with pytest.raises(LedgerError, match="do not add up"):
            released(each, data, **other)
    assert len(ledger.history()) == 1
    released(Ledger(place), data)


@pytest.mark.parametrize("other", OTHERS)
def test_a_ledger_may_be_begun_for_a_unit(place: Path, data: Path, other: dict[str, Any]) -> None:
    ledger = begun(place, unit="person", neighbours="add_remove")
    with pytest.raises(LedgerError, match="do not add up"):
        released(ledger, data, **other)
    assert ledger.history() == []
    released(ledger, data)


def test_another_dataset_is_refused(place: Path, data: Path) -> None:
    ledger = begun(place, dataset="clinic")
    with pytest.raises(LedgerError, match="'clinic', and got 'staff'"):
        released(ledger, data, dataset="staff")
    with pytest.raises(LedgerError, match=r"names no dataset.*read\(…, dataset=…\)"):
        released(ledger, data)
    assert released(ledger, data, dataset="clinic").facts.dataset == "clinic"


def test_a_name_that_comes_later_holds_from_then_on(place: Path, data: Path) -> None:
    ledger = begun(place)
    released(ledger, data)
    released(ledger, data, dataset="clinic")
    assert Ledger(place).dataset == "clinic"
    with pytest.raises(LedgerError, match="one body of data"):
        released(ledger, data, dataset="staff")
    with pytest.raises(LedgerError, match="one body of data"):
        Ledger(place, dataset="staff")


def test_stored_answers_are_for_their_own_data(place: Path, data: Path) -> None:
    ledger = begun(place, dataset="clinic")
    for name, refused in (("clinic", False), ("clinic", False), ("staff", True), ("", True)):
        asked = ln.plan(ln.read(data, unit="person", dataset=name), max_rows=1).count()
        if refused:
            with pytest.raises(LedgerError, match="one body of data"):
                asked.release(TENTH, ledger=ledger, store=True)
        else:
            assert asked.release(TENTH, ledger=ledger, store=True).entry.number == 1


def test_data_may_move(place: Path, data: Path, tmp_path: Path) -> None:
    ledger = begun(place, dataset="clinic")
    released(ledger, data, dataset="clinic")
    released(ledger, data.rename(tmp_path / "moved.parquet"), dataset="clinic")
    assert len(ledger.history()) == 2


def test_charges_by_hand(place: Path) -> None:
    ledger = begun(place, dataset="clinic")
    ledger.charge(TENTH, purpose="says nothing")
    full: dict[str, Any] = {"dataset": "clinic", "unit": "person", "neighbours": "replace"}
    event = ledger.charge(TENTH, purpose="says all", **full).event
    assert isinstance(event, Charge)
    assert event.about == Scope(**full)
    ledger.charge(TENTH, purpose="says nothing again")
    for other in ({"unit": "visit"}, {"neighbours": "add_remove"}, {"dataset": "staff"}):
        with pytest.raises(LedgerError):
            ledger.charge(TENTH, purpose="other", **full | other)
        with pytest.raises(LedgerError):
            ledger.require(TENTH, **full | other)
    with pytest.raises(InvalidParameter, match="add_remove"):
        ledger.charge(TENTH, purpose="unknown", neighbours="bounded")
    with pytest.raises(InvalidParameter, match="printable"):
        ledger.charge(TENTH, purpose="unknown", unit="two\nlines")
    assert len(ledger.history()) == 3


@pytest.mark.parametrize("version", [1, 2])
def test_ledgers_of_earlier_versions_learn_it(place: Path, data: Path, version: int) -> None:
    begun(place)
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER header_stays")
        (text,) = connection.execute("SELECT text FROM header").fetchone()
        body = json.loads(text) | {"format": f"leastnoise ledger, version {version}"}
        for name in ("id", *(("mode", "accounts") if version == 1 else ())):
            del body[name]
        connection.execute("UPDATE header SET text = ?", (json.dumps(body),))
        connection.commit()
    ledger = Ledger(place)
    ledger.charge(TENTH, purpose="as ever")
    released(ledger, data)
    with pytest.raises(LedgerError, match="do not add up"):
        released(ledger, data, unit=None)


def test_two_clients_cannot_settle_it_differently(place: Path, data: Path) -> None:
    """Each opened the ledger when nothing was said yet."""
    first, second = begun(place), Ledger(place)
    released(first, data)
    with pytest.raises(LedgerError, match="do not add up"):
        second.charge(TENTH, purpose="late", unit="row", neighbours="add_remove")
