"""Bounding is left out only where it changes nothing."""

from typing import Any

import pyarrow as pa
import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.measure import one_row_units
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement

UNIQUE: list[list[Any]] = [
    ["a", "b", "", "A"],
    [1, 2, 3, 4],
    [-7, 0, 5, 3],
    [-(2**63), 2**63 - 1, 0, 1],
    [None, 1, None, 2],
    [None, None, None, None],
]
REPEATED: list[list[Any]] = [["a", "b", "c", "a"], [1, 2, 3, 1], [2**62, 0, 1, 2**62], [-1] * 4]


def said(ids: list[Any], where: Any = None) -> bool:
    table = read(pa.table({"id": ids, "n": [1, 2, 3, 4]}), unit="id")
    with DuckDBSession(table.location) as session:  # type: ignore[arg-type]
        return OneRowUnits(table, session).under(where)


@pytest.mark.parametrize("sample", [1, 100])
def test_only_repeated_units_need_bounding(sample: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_row_units, "_SAMPLE", sample)
    for ids in UNIQUE:
        kind = pa.string() if isinstance(ids[0], str) else pa.int64()
        assert said(pa.array(ids, kind))
    for ids in REPEATED:
        assert not said(ids)
        assert said(ids, col("n").isin([1, 2])) == (ids != [-1] * 4)


def test_without_a_map_of_bits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_row_units, "_MOST_SPAN", 0)
    assert said([1, 2, 3, 4])
    assert not said([1, 2, 3, 3])


def test_a_table_of_rows_and_one_that_is_computed_are_not_looked_at() -> None:
    import polars as pl

    for data, unit in ((pl.DataFrame({"id": [1]}), None), (pl.LazyFrame({"id": [1]}), "id")):
        table = read(data, unit=unit)
        with DuckDBSession(table.location) as session:  # type: ignore[arg-type]
            assert not OneRowUnits(table, session).under(None)


@pytest.mark.parametrize("ids", [[4, 2, 3, None, 1], [4, 2, 3, 4, 1]])
def test_answers_are_those_of_bounding(ids: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    data = pa.table({"id": ids, "k": ["x", "y", "x", "x", None], "v": [1.5, 9.0, None, 2.0, 3.0]})
    asked = Measurement(
        (CountRows(), CountUnits(), SumOf(col("v"), Grid(lower=0, upper=4, bits=1))),
        Bounds(max_groups=1, max_rows=1),
        (col("k"),),
    )
    counted = Histograms((Grouping((col("k"),)),), 1)

    def answers() -> list[Any]:
        return [
            sorted(zip(each.rows, *(t.tolist() for t in each.totals), strict=True))
            for each in measure(read(data, unit="id"), [asked, counted])
        ]

    skipped = answers()
    monkeypatch.setattr(OneRowUnits, "under", lambda *_: False)
    assert skipped == answers()
    if None in ids:
        assert skipped[1] == [(("x",), 2 * WEIGHT), (("y",), WEIGHT)]


def test_the_map_of_bits_is_duckdbs_own() -> None:
    assert DUCKDB.different


def test_after_looks_in_vain_nothing_is_looked_at_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Any] = []
    look = OneRowUnits._look

    def counted(self: OneRowUnits, where: Any) -> bool:
        looks.append(where)
        return look(self, where)

    monkeypatch.setattr(OneRowUnits, "_look", counted)
    table = read(pa.table({"who": [1, 1, 2], "n": [0, 0, 9]}), unit="who")
    asked = [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), where=col("n") < each)
             for each in range(10)]  # fmt: skip
    with DuckDBSession(table.location) as session:  # type: ignore[arg-type]
        found = OneRowUnits(table, session)
        assert [found.under(each.where) for each in asked] == [True] + [False] * 9
        assert len(looks) == 10  # one was worth it
        found = OneRowUnits(table, session)
        assert not any(found.under(each.where) for each in asked[1:])
        assert len(looks) == 10 + 4
    assert [each.totals[0][0] for each in measure(table, asked)] == [0] + [1] * 9
