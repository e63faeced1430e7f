"""Names, keys and paths that try to be SQL; failures that would quote data; too little memory."""

import re
import traceback
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Column, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import DuckDBFile, Frame
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.measure import measure, pass_query, pass_totals
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumOf,
)
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from tests.release.fuzz import FLOATS
from tests.release.reference import Row, expected, place
from tests.release.sessions import pass_of

BOUNDS = Bounds(max_groups=2, max_rows=2)
GRID = Grid(lower=0, upper=100)
HOSTILE = [
    'a"; DROP TABLE t; --',
    "a'; SELECT getenv('HOME'); --",
    '"',
    '""',
    "k0",
    "u",
    "n",
    "select",
    "{}",
    "?",
    "$1",
    "%s",
    "%",
    "ünï códe 🦊",
    "a b",
    "\\",
    "/* x */",
    "x" * 200,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_column_names(name: str) -> None:
    data = pa.table({name: ["x", "y", "x"], "v": [1.0, 2.0, 3.0]})
    for unit in (name, None):
        asked = Measurement(
            (CountRows(), SumOf(col("v"), Grid(lower=0, upper=4, bits=0))),
            BOUNDS,
            (Column(name),),
            Keys.of(name, ["y", "x"]),
            Column(name).isin(["x", "y"]) & (Column(name) != "z"),
        )
        (answer,) = measure(read(data, unit=unit), [asked])
        assert [t.tolist() for t in answer.totals] == [[1, 2], [2, 4]]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_summed_columns_and_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{re.sub('[/*?]', '', name)[:50]}.csv"
    quoted = '"' + name.replace('"', '""') + '"'
    path.write_text(f"id,{quoted}\n1,3\n2,4\n1,\n", encoding="utf-8")
    table = read(path, unit="id", types={name: "number"})
    grid = Grid(lower=0, upper=9, bits=0)
    (answer,) = measure(table, [Measurement((SumOf(Column(name), grid),), BOUNDS)])
    assert answer.totals[0].tolist() == [7]


def test_hostile_keys_are_values() -> None:
    keys = [*HOSTILE, "", " ", "NULL", "x\n", "a\u0301", "\u00e1"]
    data = pa.table({"who": list(range(len(keys))), "k": keys})
    public = Measurement((CountUnits(),), BOUNDS, (col("k"),), Keys.of("k", keys))
    private = Measurement((CountUnits(),), BOUNDS, (col("k"),))
    shown, found = measure(read(data, unit="who"), [public, private])
    assert shown.totals[0].tolist() == [1] * len(keys)
    assert sorted(found.rows) == sorted((key,) for key in keys)
    each = [Measurement((CountUnits(),), BOUNDS, where=col("k") == key) for key in keys]
    assert [a.totals[0].tolist() for a in measure(read(data, unit="who"), each)] == [[1]] * len(
        keys
    )


@pytest.mark.parametrize("bad", ["\ud800", "a\x00b", "x" * 1001])
def test_texts_no_engine_can_hold_are_refused(bad: str) -> None:
    with pytest.raises(InvalidParameter):
        Keys.of("k", [bad])
    with pytest.raises(InvalidParameter):
        _ = col("k") == bad


def test_the_session_reaches_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "mine.parquet")
    with DuckDBSession(read(tmp_path / "mine.parquet", unit=None).location) as session:  # type: ignore[arg-type]
        connection = session._connection
        for attempt in [
            f"SELECT * FROM read_csv('{tmp_path}/other.csv')",
            f"SELECT * FROM '{tmp_path}/other.csv'",
            f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
            f"ATTACH '{tmp_path}/new.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
            "SET lock_configuration = false",
            "SET allowed_paths = ['/']",
            "SELECT * FROM tmp_path",
        ]:
            with pytest.raises(duckdb.Error):
                connection.execute(attempt)
        assert connection.execute("SELECT current_setting('TimeZone')").fetchone() == ("UTC",)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.parquet", "other.csv"]


def test_errors_say_nothing_the_engine_said() -> None:
    connection = duckdb.connect()
    table = read(connection.sql("SELECT CAST('SECRET 4242' || i AS INT) AS id FROM range(9) r(i)"),
                 unit="id")  # fmt: skip
    with pytest.raises(BackendError) as caught:
        measure(table, [Measurement((CountRows(),), BOUNDS)])
    shown = "".join(traceback.format_exception(caught.value))
    assert "SECRET" not in shown
    assert "4242" not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_data_that_vanish_are_an_error_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1]}), path)
    table = read(path, unit="id")
    path.unlink()
    with pytest.raises(BackendError, match="Check that the file exists"):
        measure(table, [Measurement((CountRows(),), BOUNDS)])


def test_temporary_folders_go_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    measure(read(pa.table({"id": [1]}), unit="id"), [Measurement((CountRows(),), BOUNDS)])
    with pytest.raises(BackendError):
        DuckDBSession(DuckDBFile(str(tmp_path / "none.db"), ("t",)))
    assert list(tmp_path.iterdir()) == []


# Values at the edges.

EDGES = [*FLOATS, float("nan"), float("inf"), float("-inf"), -1e-320, 2.5, 3.5, -2.5, 1e19, None]


@pytest.mark.parametrize("bits", [-900, -40, -1, 0, 3, 31])
@pytest.mark.parametrize("unit", ["id", None])
def test_every_edge_has_its_place(bits: int, unit: str | None) -> None:
    half = 2.0 ** (30 - bits)
    grid = Grid(lower=-half, upper=half / 2, bits=bits)
    data = pa.table({"id": list(range(len(EDGES))), "v": pa.array(EDGES, pa.float64())})
    keys = Keys.of("id", range(len(EDGES)))
    asked = (SumOf(col("v"), grid), DistanceBelow(col("v"), grid), DistanceAbove(col("v"), grid))
    (answer,) = measure(read(data, unit=unit), [Measurement(asked, BOUNDS, (col("id"),), keys)])
    places = [None if e is None or e != e else place(e, grid) for e in EDGES]  # noqa: PLR0124
    assert answer.totals[0].tolist() == [p or 0 for p in places]
    assert answer.totals[1].tolist() == [0 if p is None else p - grid.least for p in places]
    assert answer.totals[2].tolist() == [0 if p is None else grid.most - p for p in places]


def test_one_double_alone_is_misplaced() -> None:
    grid = Grid(lower=-4, upper=4, bits=0)
    near = [np.nextafter(h, s) for h in (0.5, -0.5, 1.5, 2.5, -1.5, 3.5) for s in (-9, 9)]
    values = [*near, 0.5, -0.5, 1.5, 0.25, -0.25, 0.0, 5e-324]
    misplaced = [v for v in values if place(v, grid) != grid.place(Fraction(v))]
    assert misplaced == [0.5 - 2.0**-54]


def test_totals_beyond_64_bits_are_exact() -> None:
    grid = Grid(lower=0, upper=2**31, bits=0)
    connection = duckdb.connect()
    table = read(connection.sql("SELECT 1 AS id, 1e300 AS v FROM range(5000)"), unit="id")
    bounds = Bounds(max_groups=1, max_rows=2**20)
    (answer,) = measure(table, [Measurement((SumOf(col("v"), grid),), bounds)])
    assert answer.totals[0].tolist() == [5000 * 2**31]
    wide = DuckDBSession._fetch  # the halves of 62 bits, on numbers no table here could reach
    with DuckDBSession(Frame(pa.table({"a": [1]}))) as session:
        numbers = [2**100 + 1, -(2**100) - 1, 2**63, -(2**62), -1, 0]
        values = ", ".join(f"({n}::HUGEINT)" for n in numbers)
        found = wide(session, Fragment(f"SELECT t0 FROM (VALUES {values}) AS v(t0)"), 0, 1)
    assert sorted(found.totals[0].tolist()) == sorted(numbers)


@pytest.mark.parametrize("unit", ["id", None])
@pytest.mark.parametrize("by", [(), (col("k"),)])
@pytest.mark.parametrize("ids", [[], [None, None, None]])
def test_tables_of_nothing(unit: str | None, by: tuple[Column, ...], ids: list[None]) -> None:
    kinds = pa.array(["x"] * len(ids), pa.string())
    data = pa.table({"id": pa.array(ids, pa.string()), "k": kinds})
    counted = len(ids) if unit is None else 0
    private, public = (
        measure(read(data, unit=unit), [Measurement((CountRows(),), BOUNDS, by, keys)])[0]
        for keys in (None, Keys.of("k", ["x", "y"]) if by else None)
    )
    assert public.totals[0].tolist() == ([counted, 0] if by else [counted])
    assert len(private.rows) == (int(counted > 0) if by else 1)


# Memory and plans.


def many_pairs(rows: int, units: int) -> duckdb.DuckDBPyRelation:
    return duckdb.connect().sql(
        f"SELECT hash(i) % {units} AS id, repeat('long ', 50) || (hash(i, 7) % 1000) AS k, "
        f"(hash(i, 9) % 100)::DOUBLE AS v FROM range({rows}) AS r(i)"
    )


def test_the_window_is_not_rewritten_into_one_that_cannot_spill(tmp_path: Path) -> None:
    many_pairs(1000, 10).write_parquet(str(tmp_path / "a.parquet"))
    table = read(tmp_path / "a.parquet", unit="id")
    asked = pass_of(Measurement((CountRows(),), BOUNDS, (col("k"),)))
    with DuckDBSession(table.location) as session:  # type: ignore[arg-type]
        plan = session.explain(pass_query(table, asked, 3, session).query())
    assert "WINDOW" in plan.upper()
    assert "arg_min" not in plan.lower()


def test_little_memory_spills_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    many_pairs(400_000, 100_000).write_parquet(str(tmp_path / "a.parquet"))
    table = read(tmp_path / "a.parquet", unit="id")
    asked = (CountRows(), CountUnits(), SumOf(col("v"), Grid(lower=0, upper=99)))
    one = pass_of(Measurement(asked, Bounds(max_groups=2, max_rows=1), (col("k"),)))
    found = []
    for memory in (2**27, None):
        session = DuckDBSession(table.location, memory=memory)  # type: ignore[arg-type]
        with session:
            (answered,) = pass_totals(table, one, 3, session)
            # The folder is made for the first rows that are put there, and stays until the end.
            spilled = list((tmp_path / "temporary").glob("*/spilled"))
        assert bool(spilled) == (memory is not None)
        columns = [total.tolist() for total in answered.totals]
        found.append(sorted(zip(answered.rows, *columns, strict=True)))
    assert found[0] == found[1]
    assert sum(row[2] for row in found[0]) > 180_000


def test_histograms_and_clips_spill_too(tmp_path: Path) -> None:
    many_pairs(300_000, 60_000).write_parquet(str(tmp_path / "a.parquet"))
    table = read(tmp_path / "a.parquet", unit="id")
    asked: list[Measurement | Histograms] = [
        Histograms((Grouping((col("k"),)), Grouping((Bin(col("v"), GRID, 50),))), 2),
        Measurement((CountRows(), SumOf(col("v"), GRID)), Clip(max_norm=2), (col("k"),)),
    ]
    found = [
        [
            sorted(zip(tuple(each.rows) * (1 if each.rows != ((),) else 50),
                       *(total.tolist() for total in each.totals), strict=True))
            for each in measure(table, asked, memory=memory)
        ]
        for memory in (2**26, None)
    ]  # fmt: skip
    assert found[0] == found[1]
    assert [len(each) for each in found[0]] == [1000, 50, 1000]


def test_the_reference_has_no_part_in_the_engine() -> None:
    rows: list[Row] = [{"id": "a", "k": "x"}, {"id": "a", "k": "y"}, {"id": None, "k": "x"}]
    measurement = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("k"),))
    assert expected(rows, "id", measurement, lambda _, key: key) == {("x",): [1]}
