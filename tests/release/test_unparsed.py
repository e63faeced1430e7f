"""Fields that are not what was declared: missing everywhere, and counted with noise if asked."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leastnoise as ln
from leastnoise.auditing.plans import audit_plan
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.table import Table
from leastnoise.release.inspection import inspection
from leastnoise.release.measure.measure import measure
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, SumOf
from leastnoise.release.step.measurement import Measurement

TEXT = """who,age,cost,city
1,40,1.5,Oslo
1,forty,x,Oslo
1,0x10,,Oslo
2,,1_000,Oslo
3,inf,2,
x,bad,bad,Oslo
"""
TYPES = {"who": "integer", "age": "integer", "cost": "number"}


def table_of(folder: Path, text: str = TEXT, **more: Any) -> Table:
    (folder / "a.csv").write_text(text, "utf-8")
    return read(folder / "a.csv", **{"unit": "who", "types": TYPES, **more})


def exact(asked: Plan) -> list[int]:
    """What each question would say without noise."""
    wanted = [each for one in asked.questions for each in one.measurements(asked.bounded)]
    return [int(found.totals[0][0]) for found in measure(asked.table, wanted)]


def test_rows_are_counted_once_within_the_bounds_of_their_unit(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    assert exact(plan(table, max_rows=9).unparsed()) == [4]  # the row of nobody is nobody's
    assert exact(plan(table, max_rows=1).unparsed()) == [3]
    assert exact(plan(table, max_rows=9).unparsed(["cost"])) == [2]
    assert exact(plan(table, max_rows=9).unparsed(["cost"], max_rows=1)) == [2]
    assert exact(plan(table_of(tmp_path, unit=None)).unparsed()) == [5]


def test_it_is_priced_as_a_count(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    budget = ln.PureDP(epsilon=1)
    one, other = (
        asked.preview(budget)[0]
        for asked in (plan(table, max_rows=2).unparsed(), plan(table, max_rows=2).count())
    )
    assert (one.expected_error, one.interval) == (other.expected_error, other.interval)
    rows = pa.table({"who": [1, 1, 1, 2, 3], "age": ["x", "y", "z", "4", "w"]})
    small = read(rows, unit="who", types={"age": "integer"})
    found = audit_plan(plan(small, max_rows=2).unparsed(), orders=1)
    assert not found.violated, str(found)


def test_a_release_tells_it(tmp_path: Path) -> None:
    asked = plan(table_of(tmp_path), max_groups=1, max_rows=5).count().unparsed(name="bad")
    ledger = ln.Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=1000), begin=True, unit="who")
    found = asked.release(ln.PureDP(epsilon=500), ledger=ledger)
    assert found["bad"].values.tolist() == [4]
    assert "text that is not what was declared, in age, cost" in found.facts.questions[1].words


REFUSED: list[tuple[Any, str]] = [
    (lambda t: plan(t, max_rows=1).unparsed(["city"]), "Such are: 'age', 'cost'"),
    (lambda t: plan(t, max_rows=1).unparsed(["who"]), "Such are: 'age', 'cost'"),
    (lambda t: plan(t, max_rows=1).unparsed("age"), "must be a list"),
    (lambda t: plan(t).unparsed(), "max_rows"),
    (lambda _: plan(read(pd.DataFrame({"a": [1]}), unit=None)).unparsed(), "declare types"),
]


@pytest.mark.parametrize(("attempt", "words"), REFUSED)
def test_what_cannot_be_counted_is_refused(attempt: Any, words: str, tmp_path: Path) -> None:
    table = table_of(tmp_path)
    with pytest.raises(InvalidParameter, match=words):
        attempt(table)


class Stubborn:
    """What cannot be written."""

    def __str__(self) -> str:
        raise ValueError


OBJECTS: dict[str, tuple[list[Any], int, int]] = {  # how many do not parse, and do
    "integer": ([1, "2", 3.0, np.int64(4), Decimal("5"), "x", 1.5, Stubborn(), None, pd.NA], 3, 5),
    "number": ([1, "2.5", Decimal("1E+2"), np.float32(0.5), float("nan"), "1,5", "inf", [1]], 3, 4),
    "text": (["a", 7, Stubborn(), "\ud800", None, date(2024, 1, 1)], 2, 3),
    "truth": ([True, "no", 1, np.False_, "maybe", None], 1, 4),
    "date": ([date(2024, 1, 1), datetime(2024, 1, 1), datetime(2024, 1, 1, 5), pd.NaT,
              pd.Timestamp("2024-01-01"), "2024-01-01", "1.1.2024"], 2, 4),
    "moment": ([datetime(2024, 1, 1, 5), pd.Timestamp("2024-01-01"), "2024-01-01T05:00", 5], 1, 3),
}  # fmt: skip


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_are_what_they_are_declared_to_be(kind: str) -> None:
    values, bad, good = OBJECTS[kind]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object), "n": range(len(values))})
    table = read(frame, unit=None, types={"x": kind})
    assert table.schema.type_of(ln.col("x")) is ColumnType(kind)
    asked = plan(table).unparsed().count(where=~ln.col("x").is_null(), name="read")
    assert exact(asked) == [bad, good]
    assert frame["x"].dtype == object  # the given frame stays as it is


def test_objects_must_be_declared_if_they_are_used() -> None:
    frame = pd.DataFrame({"x": pd.Series(["a", "b"], dtype=object), "n": [1, 2]})
    table = read(frame, unit=None)
    assert exact(plan(table).count(where=ln.col("n") > 1)) == [1]
    attempts: list[Any] = [
        lambda: plan(table).count(by="x", keys=["a"]),
        lambda: plan(table).sum("x", lower=0, upper=1),
        lambda: plan(table).count(where=ln.col("x") == "a"),
        lambda: read(frame, unit="x"),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidParameter, match=r"'x', which nobody declared.*types={'x'"):
            attempt()


@pytest.mark.parametrize("lazy", [False, True])
def test_objects_of_polars_are_refused_by_name(lazy: bool) -> None:
    frame = pl.DataFrame({"a": pl.Series([Stubborn()], dtype=pl.Object), "b": [1]})
    with pytest.raises(InvalidParameter, match="no columns of Python objects; got 'a'"):
        read(frame.lazy() if lazy else frame, unit=None)


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_texts_in_other_frames_are_declared_alike(make: Any) -> None:
    table = read(make({"x": ["1", "x", None], "n": [1, 2, 3]}), unit=None, types={"x": "integer"})
    assert exact(plan(table).unparsed()) == [1]
    assert exact(plan(table).count(by="x", keys=[1])) == [1]
    plain = read(make({"x": ["1", "2"]}), unit=None)
    assert plain.schema.type_of(ln.col("x")) is ColumnType.TEXT


def test_the_names_of_folders_are_what_they_are_declared_to_be(tmp_path: Path) -> None:
    for year in ("2023", "2024", "other"):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table({"n": [1, 2]}), tmp_path / f"year={year}" / "a.parquet")
    plain = read(tmp_path, unit=None)
    assert plain.schema.type_of(ln.col("year")) is ColumnType.TEXT
    table = read(tmp_path, unit=None, types={"year": "integer"})
    years = Measurement((SumOf(ln.col("year"), Grid(lower=2000, upper=2100, bits=0)), CountRows()),
                        plan(table).bounds.over())  # fmt: skip
    assert measure(table, [years])[0].totals[0].tolist() == [2 * 2023 + 2 * 2024]
    assert exact(plan(table).unparsed()) == [2]
    digests = [plan(each).count().digest for each in (plain, table)]
    assert digests[0] != digests[1]


def test_moments_with_a_zone_in_text(tmp_path: Path) -> None:
    text = "at,n\n2024-01-01T23:30:00Z,1\n2024-01-02 00:30+01,x\n2024-01-01 23:30,3\n"
    (tmp_path / "a.csv").write_text(f"{text}2024-01-01T23:30:00+99:00,4\nbad\n", "utf-8")
    types = {"at": "moment with a zone", "n": "integer"}
    table = read(tmp_path / "a.csv", unit=None, types=types, zone="Europe/Oslo")
    asked = plan(table).unparsed().unparsed(["n"], name="n").unparsed(["at"], name="at")
    second = ln.col("at").day() == 2
    asked = asked.count(where=second, name="second").count(where=~second, name="other")
    assert exact(asked)[:4] == [3, 1, 2, 2]
    told = {(each.what, each.about): each.count for each in inspection(asked)}
    assert told["lines left out", ""] == 1
    assert told["fields that do not parse", "at"] == 2


LABS = """visit_id,level,taken
10,0.5,2024-01-01T10:00:00Z
10,high,2024-01-02T10:00:00Z
10,low,noon
11,0.25,noon
12,bad,2024-01-02T10:00:00Z
99,bad,noon
x,bad,noon
"""
SCHEMA = {
    "patients": "id\n1\n2\n",
    "visits": "id,patient_id\n10,1\n11,2\n12,\n",
    "labs": LABS,
}


def labs_in(folder: Path) -> Table:
    """Results of visits of patients: rows 1 to 4 belong to somebody."""
    for name, text in SCHEMA.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    whole = {"id": {"type": "integer"}, "patient_id": {"type": "integer"}}
    taken = {"visit_id": {"type": "integer"}, "level": {"type": "number"}}
    taken["taken"] = {"type": "moment with a zone"}
    path = {name: str(folder / f"{name}.csv") for name in SCHEMA}
    tables: dict[str, Any] = {
        "patients": {"path": path["patients"], "columns": {"id": whole["id"]}},
        "visits": {
            "path": path["visits"], "refers": {"patient_id": "patients.id"}, "columns": whole,
        },
        "labs": {"path": path["labs"], "refers": {"visit_id": "visits.id"}, "columns": taken},
    }  # fmt: skip
    found = ln.dataset(name="clinic", unit="patients.id", tables=tables, zone="Europe/Oslo")
    return found.table("labs")


def test_fields_of_rows_that_keys_lead_to_people(tmp_path: Path) -> None:
    """Rows of nobody count nowhere, and their fields do not either."""
    table = labs_in(tmp_path)
    asked = plan(table, max_rows=9).unparsed().unparsed(["level"], name="levels")
    assert asked.questions[0].groups.where is not None
    assert exact(asked) == [3, 2]
    assert exact(plan(table, max_rows=1).unparsed()) == [2]  # of one unit, one row
    with pytest.raises(InvalidParameter, match="Such are: 'level', 'taken'"):
        plan(table, max_rows=9).unparsed(["visit_id"])
    told = {(each.what, each.about): each.count for each in inspection(asked)}
    assert told["fields that do not parse", "level"] >= 2
