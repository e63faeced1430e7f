"""Tables of a dataset are asked as they are described, along the keys to their unit."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.location import PostgresTable
from leastnoise.release.ask.table import Table
from leastnoise.release.dataset.dataset import Dataset
from tests.release.dataset.clinic import CLINIC, clinic_in


@pytest.fixture
def data(tmp_path: Path) -> Dataset:
    return ln.dataset(clinic_in(tmp_path))


def test_a_table_with_the_unit_in_a_column_is_read_as_it_is(data: Dataset) -> None:
    visits = data.table("visits")
    assert (visits.unit, visits.whose, visits.dataset) == ("patient_id", "patients.id", "clinic")
    assert visits.fact("cost").upper == 5000


def test_all_tables_have_one_scope(data: Dataset) -> None:
    assert len({data.table(name).scope for name in data.private}) == 1


def test_owners_are_found_along_keys(data: Dataset) -> None:
    table = data.table("lab_results")
    assert table.whose == "patients.id"
    assert table.schema.names[1:] == ("visit_id", "level")
    assert table.fact("level").upper == 1


def test_columns_of_others_stand_beside(data: Dataset) -> None:
    table = data.table("lab_results", join=["patients", "visits"])
    assert "patients.age" in table.schema.names
    assert table.fact("patients.age").upper == 110
    assert table.fact("visits.city").values == ("Oslo", "Bergen")
    plan = data.plan("visits", join=["patients", "cities"]).mean("patients.age", by="cities.region")
    assert plan.questions[0].groups.public_keys is not None
    assert plan.questions[0].groups.public_keys.rows == (("East",), ("West",))


@pytest.mark.parametrize("join", [["lab_results"], ["patients", "patients"], ["nobody"]])
def test_only_what_is_referred_to_stands_beside(data: Dataset, join: list[str]) -> None:
    with pytest.raises(InvalidParameter):
        data.table("visits", join=join)


def test_a_public_table_that_nothing_refers_to(data: Dataset) -> None:
    with pytest.raises(InvalidParameter, match="referred to by one column"):
        data.table("patients", join="cities")


def test_public_tables_are_not_asked(data: Dataset) -> None:
    with pytest.raises(InvalidParameter, match="which is public"):
        data.plan("cities")
    assert data.public_rows("cities").schema.names == ("name", "region")
    with pytest.raises(InvalidParameter, match="which is private"):
        data.public_rows("visits")


def test_a_plan_has_the_bounds_of_the_dataset(data: Dataset) -> None:
    assert data.plan("visits").bounds.numbers == {"max_groups": 2, "max_rows": 8}
    assert data.plan("visits", max_rows=1).bounds.numbers == {"max_groups": 2, "max_rows": 1}
    with pytest.raises(InvalidParameter, match="one table"):
        data.plan()


def test_every_row_may_be_a_unit(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    made = ln.dataset(tables={"a": str(tmp_path / "a.csv")}, unit="row", name="a")
    assert made.plan().table.unit is None
    with pytest.raises(InvalidParameter, match="a unit that has a name"):
        made.rows("a")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("columns.age", "columns.agee", "'agee'"),
        ("columns.region = {values", "columns.regio = {values", "'regio'"),
        ('refers = {visit_id = "visits.id"}\n', 'refers = {visit = "visits.id"}\n', "'visit'"),
    ],
)
def test_columns_must_be_there(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in CLINIC
    made = ln.dataset(clinic_in(tmp_path, CLINIC.replace(old, new)))
    with pytest.raises(InvalidParameter, match=words):
        [made.leaf(name) for name in made.described]


def test_types_must_be_those_that_are_declared() -> None:
    frame = pandas.DataFrame({"id": [1], "age": [2.5]})
    said = {"a": {"data": frame, "columns": {"age": {"type": "integer"}}}}
    with pytest.raises(InvalidParameter, match=r"'a.age' must hold what is declared, 'integer'"):
        ln.dataset(tables=said, unit="a.id", name="a").table("a")


def test_objects_of_pandas_are_what_is_declared() -> None:
    frame = pandas.DataFrame({"id": [1, 2], "city": ["Oslo", None], "day": ["2024-01-31", "x"]})
    frame = frame.astype({"city": object, "day": object})
    kinds = {
        "city": {"type": "text"},
        "day": {"type": "date", "range": ["2024-01-01", "2024-12-31"]},
    }
    made = ln.dataset(tables={"a": {"data": frame, "columns": kinds}}, unit="a.id", name="a")
    assert [kind.value for _, kind in made.schema("a").columns] == ["integer", "text", "date"]


def test_files_as_they_come(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("who;cost\nann;1.234,5\n", "latin-1")
    (tmp_path / "x.toml").write_text("""
[dataset]
name = "x"
unit = "v.who"
[tables.v]
path = "v.csv"
csv = {delimiter = ";", decimal = ",", thousands = ".", encoding = "latin-1"}
columns.cost = {type = "number", range = [0, 5000]}
""")
    plan = ln.dataset(tmp_path / "x.toml").plan("v", max_rows=1).sum("cost", name="s")
    ledger = ln.Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=10**8), begin=True)
    released = plan.release(ln.PureDP(epsilon=10**6), ledger=ledger)
    assert released["s"].values[0] == pytest.approx(1234.5, abs=0.1)


def test_truths_of_joined_tables(data: Dataset, tmp_path: Path) -> None:
    """With so much budget that noise is below a half, the exact counts of the joins are seen."""
    huge = ln.PureDP(epsilon=10**6)
    ledger = ln.Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=10**8), begin=True)
    plan = data.plan("lab_results", join=["patients", "visits"], measure_cut=False)
    made = plan.count().count(by="visits.city").count(by="patients.sex").sum("level", name="s")
    release = made.release(huge, ledger=ledger)
    assert round(release["count"].values[0]) == 3  # of four: 99 refers to nothing
    assert [round(each) for each in release["count by visits.city"].values] == [3, 0]
    assert [round(each) for each in release["count by patients.sex"].values] == [2, 1, 0]
    assert release["s"].values[0] == pytest.approx(1.5, abs=0.01)


def test_time_stamps_are_read_in_the_zone_of_the_dataset() -> None:
    when = pandas.to_datetime(["2024-07-31 23:30"]).tz_localize("UTC")
    stays = {
        "data": pandas.DataFrame({"who": [1], "at": when}),
        "columns": {"at": {"type": "moment"}},
    }
    made = ln.dataset(tables={"stays": stays}, unit="stays.who", name="x", zone="Europe/Oslo")
    assert made.schema("stays").columns[1][1].value == "moment"


def test_tables_that_are_joined_lie_on_one_engine(data: Dataset) -> None:
    far = Table(
        schema=data.schema("visits"),
        unit=None,
        neighbours="add_remove",
        location=PostgresTable("postgresql://nowhere/clinic", ("visits",)),
    )
    moved = replace(data, _read={"visits": far})
    assert moved.table("visits").unit == "patient_id"  # one table needs no other
    with pytest.raises(InvalidParameter, match="'lab_results' and 'visits' on several"):
        moved.plan("lab_results")
    with pytest.raises(InvalidParameter, match="one engine"):
        moved.plan("visits", join="cities")


def test_what_is_said_to_be_unique_is_checked(tmp_path: Path) -> None:
    path = clinic_in(tmp_path)
    assert ln.dataset(path).table("visits", join=["cities"]).schema.names
    with (tmp_path / "cities.csv").open("a") as cities:
        cities.write("Oslo,West\n,East\n,East\n")
    asks: list[Callable[[Dataset], object]] = [
        lambda data: data.public_rows("cities"),
        lambda data: data.table("visits", join=["cities"]),
        lambda data: data.sql("SELECT COUNT(*) FROM visits JOIN cities ON city = name"),
    ]
    for ask in asks:
        with pytest.raises(InvalidParameter, match="rows that repeat name"):
            ask(ln.dataset(path))
    (tmp_path / "cities.csv").write_text("name,region\nOslo,East\n,East\n,East\n")
    assert ln.dataset(path).public_rows("cities").schema.names
