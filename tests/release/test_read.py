"""Every kind of source gives the same answers; what cannot be a table is refused in words."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.measurement import Measurement

DATA = pa.table(
    {
        "who": pa.array(["ann", "bob", "ann", None, "eve", "eve"]),
        "city": pa.array(["Oslo", "Ås", None, "Oslo", "Oslo", "Oslo"]),
        "cost": pa.array([1.5, float("nan"), 3.0, 100.0, None, 7.25]),
        "year": pa.array([2023, 2024, 2024, 2024, 2023, 2023], pa.int32()),
        "late": pa.array([True, False, None, True, True, False]),
    }
)
# Otherwise truth values with gaps would be objects, whose type only their values could tell.
PANDAS = DATA.to_pandas().astype({"late": "boolean"})
TYPES: dict[str, ColumnType | str] = {"cost": "number", "year": ColumnType.INTEGER, "late": "truth"}


def parquet(folder: Path) -> Table:
    pq.write_table(DATA, folder / "it's.parquet")
    return read(folder / "it's.parquet", unit="who")


def parquet_pattern(folder: Path) -> Table:
    pq.write_table(DATA.slice(0, 2), folder / "a.parquet")
    pq.write_table(DATA.slice(2), folder / "b.parquet")
    (folder / "c.txt").write_text("no table")
    return read(f"{folder}/*.parquet", unit="who")


def parquet_folder(folder: Path) -> Table:
    pads.write_dataset(DATA, folder, format="parquet", max_rows_per_file=2, max_rows_per_group=2)
    return read(str(folder), unit="who")


def csv_file(folder: Path) -> Table:
    DATA.to_pandas().to_csv(folder / "a.csv", index=False)
    return read(folder / "a.csv", unit="who", types=TYPES)


def csv_zipped(folder: Path) -> Table:
    text = DATA.to_pandas().to_csv(index=False, sep=";")
    (folder / "a.csv.gz").write_bytes(gzip.compress(text.encode("utf-8-sig")))
    return read(folder / "a.csv.gz", unit="who", types=TYPES, delimiter=";")


def database(folder: Path) -> Table:
    path = folder / "data.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("data", DATA)
        connection.execute('CREATE SCHEMA "my s"; CREATE TABLE "my s"."t;--" AS FROM data')
    return read(path, unit="who", table=("my s", "t;--"))


def relation(_folder: Path) -> Table:
    connection = duckdb.connect()
    connection.register("data", DATA)
    return read(connection.sql("SELECT * FROM data"), unit="who")


SOURCES: list[Callable[[Path], Table]] = [
    parquet,
    parquet_pattern,
    parquet_folder,
    csv_file,
    csv_zipped,
    database,
    relation,
    lambda _: read(DATA, unit="who"),
    lambda _: read(pads.dataset(DATA), unit="who"),
    lambda _: read(PANDAS, unit="who"),
    lambda _: read(PANDAS.astype({"city": "category"}), unit="who"),
    lambda _: read(pl.from_arrow(DATA), unit="who"),
    lambda _: read(pl.from_arrow(DATA).lazy(), unit="who"),
]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_answers(source: Any, tmp_path: Path) -> None:
    table = source(tmp_path)
    asked = (CountRows(), CountUnits(), SumOf(col("cost"), Grid(lower=0, upper=8, bits=2)))
    bounds = Bounds(max_groups=2, max_rows=1)
    keys = Keys.of("city", ["Ås", "Bergen", "Oslo"])
    by_city, total, late = measure(
        table,
        [
            Measurement(asked, bounds, (col("city"),), keys),
            Measurement(asked, bounds, where=col("year") <= 2023),
            Measurement((CountRows(),), bounds, where=col("late") == True),  # noqa: E712
        ],
    )
    assert [t.tolist() for t in by_city.totals] == [[1, 0, 2], [1, 0, 2], [0, 0, 6 + 29 // 2]]
    assert [t.tolist() for t in total.totals] == [[2], [2], [6 + 29 // 2]]
    assert late.totals[0].tolist() == [2]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_has_the_same_columns(source: Any, tmp_path: Path) -> None:
    kinds = dict(source(tmp_path).schema.columns)
    text = ColumnType.TEXT
    number, integer, truth = ColumnType.NUMBER, ColumnType.INTEGER, ColumnType.TRUTH
    assert kinds == {"who": text, "city": text, "cost": number, "year": integer, "late": truth}


def test_partitioned_folders_make_text_columns(tmp_path: Path) -> None:
    scheme = pads.partitioning(pa.schema([("year", pa.int32())]), flavor="hive")
    pads.write_dataset(DATA, tmp_path / "visits", format="parquet", partitioning=scheme)
    table = read(tmp_path / "visits", unit="who")
    assert dict(table.schema.columns)["year"] is ColumnType.TEXT
    keys = Keys.of("year", ["2023", "2024"])
    bounds = Bounds(max_groups=2, max_rows=9)
    (answer,) = measure(table, [Measurement((CountRows(),), bounds, (col("year"),), keys)])
    assert answer.totals[0].tolist() == [3, 2]


def test_types_of_columns() -> None:
    connection = duckdb.connect()
    found = read(
        connection.sql(
            "SELECT 1::TINYINT a, 1::UBIGINT b, 1::DECIMAL(38,0) c, 1.5::DECIMAL(4,1) d, "
            "1::FLOAT e, DATE '2020-01-01' f, TIMESTAMP '2020-01-01' g, [1] h, {'x': 1} i, "
            "uuid() j, 'x'::BLOB k, TIMESTAMPTZ '2020-01-01 00:00:00+00' l, INTERVAL 1 DAY m"
        ),
        unit=None,
    )
    kinds = [kind.name[0] for _, kind in found.schema.columns]
    # Integer, Wide, Number, Date, Moment, Other, Text, Instant
    assert "".join(kinds) == "IWWNNDMOOTOIO"


def test_csv_fields_that_are_not_what_was_declared_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,age,when\n1,"4 2",2020-01-01\n2,,x\n3,12,"a ""b"", c"\n"4",1e3,\n')
    table = read(path, unit="id", types={"age": "number", "when": "date"})
    grid = Grid(lower=0, upper=10_000, bits=0)
    bounds = Bounds(max_groups=1, max_rows=1)
    ages, dates = measure(
        table,
        [
            Measurement((CountUnits(), SumOf(col("age"), grid)), bounds),
            Measurement((CountUnits(),), bounds, where=~col("when").is_null()),
        ],
    )
    assert [t.tolist() for t in ages.totals] == [[4], [1012]]
    assert dates.totals[0].tolist() == [1]


def test_nothing_of_the_data_is_in_a_table(tmp_path: Path) -> None:
    for source in SOURCES:
        folder = tmp_path / str(id(source))
        folder.mkdir()
        shown = repr(source(folder))
        assert not any(word in shown for word in ("ann", "Oslo", "7.25"))


REFUSED: list[tuple[Callable[[Path], object], str]] = [
    (lambda p: read(p / "none.parquet", unit=None), "no file there"),
    (lambda _: read("", unit=None), "an empty path"),
    (lambda p: read(p, unit=None), "no file there"),
    (lambda _: read("s3://bucket/a.parquet", unit=None), "on this machine"),
    (lambda _: read(DATA, unit="patient"), "must be in the table; got 'patient'. There are: 'who'"),
    (lambda _: read(DATA, unit="WHO"), "must be in the table"),
    (lambda _: read(DATA, unit="cost"), "column of integers or text"),
    (lambda _: read(duckdb.sql("SELECT 1 AS a"), unit=None, types={}), "must be left out"),
    (lambda _: read(DATA, unit=None, types={"cost": "text"}), "other columns have their types"),
    (lambda _: read(DATA, unit=None, types={"nobody": "text"}), "'nobody'"),
    (lambda _: read(DATA, unit=None, csv={}), "must be left out"),
    (lambda _: read(DATA, unit=None, table="t"), "must be left out"),
    (lambda _: read(3, unit=None), "a path, a pandas"),
    (lambda _: read(DATA.to_reader(), unit=None), "more than once"),
    (lambda _: read(DATA.append_column("WHO", DATA["who"]), unit=None), "differ by more than case"),
    (lambda _: read(pd.DataFrame([[1, 2]], columns=["a", "a"]), unit=None), "differ by more than"),
    (lambda _: read(pd.DataFrame(), unit=None), "must have columns"),
    (lambda p: read(_written(p, "a.db", b""), unit=None), "name of a table"),
    (lambda p: read(_written(p, "a[1].csv", b"a\n"), unit=None), "for a pattern"),
    (lambda p: read(_written(p, "a.xls", b"x"), unit=None), "must end in"),
    (lambda p: read(_written(p, "a.csv", b""), unit=None), "line of column names"),
    (lambda p: read(_written(p, "a.csv", b"\xff\xfe"), unit=None), "line of column names"),
    (
        lambda p: read(_written(p, "a.csv", "Größe\n1\n".encode("latin-1")), unit=None),
        "got bytes of another encoding in 'a.csv'. Say the encoding: .* or save the file as UTF-8",
    ),
    (
        lambda p: read(_written(p, "a.csv.gz", b"a\n"), unit=None),
        "cannot be unpacked.*Pack it anew",
    ),
    (lambda p: read(_written(p, "a.csv", b"a,A\n"), unit=None), "differ by more than case"),
    (lambda p: read(_written(p, "a.csv", b"a,\n"), unit=None), "must have a name"),
    (lambda p: read(_written(p, "a.csv", b"a\n"), unit=None, types={"b": "text"}), "'b'"),
    (lambda p: read(_written(p, "a.csv", b"a\n"), unit=None, types={"a": "int"}), "'integer'"),
    (lambda p: read(_written(p, "a.csv", b"a\n"), unit=None, types={"a": "other"}), "'integer'"),
    (lambda p: read(_written(p, "a.csv", b"a\n"), unit=None, delimiter="||"), "one character"),
]


def test_a_file_that_may_not_be_read_is_refused_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("leastnoise.release.measure.csv_lines.opened_bytes", denied)
    with pytest.raises(InvalidParameter, match=r"no right to read 'a.csv'. Ask whoever owns it"):
        read(_written(tmp_path, "a.csv", b"a\n"), unit=None)


def _written(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize(("attempt", "words"), REFUSED)
def test_what_cannot_be_a_table_is_refused(attempt: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=words.replace("(", r"\(")):
        attempt(tmp_path)


def test_parquet_columns_that_differ_by_case_are_refused(tmp_path: Path) -> None:
    nested = pa.array([{"x": 1, "X": 2}] * 6)
    pq.write_table(DATA.append_column("n", nested), tmp_path / "fine.parquet")
    assert read(tmp_path / "fine.parquet", unit="who").schema.names[-1] == "n"
    pq.write_table(DATA.append_column("Cost", DATA["cost"]), tmp_path / "bad.parquet")
    with pytest.raises(InvalidParameter, match="'cost' and 'Cost'"):
        read(tmp_path / "bad.parquet", unit="who")


@pytest.mark.parametrize("name", ["a.parquet", "a.duckdb"])
def test_files_that_are_not_what_they_are_named(name: str, tmp_path: Path) -> None:
    path = _written(tmp_path, name, b"secret 12345" * 100)
    with pytest.raises(BackendError) as caught:
        read(path, unit=None, table="t" if name.endswith("duckdb") else None)
    assert "secret" not in str(caught.value)


def test_a_table_of_a_database_that_is_open_elsewhere(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        with pytest.raises(BackendError, match="other connections"):
            read(tmp_path / "a.db", unit=None, table="t")
    assert read(tmp_path / "a.db", unit=None, table="t").schema.names == ("a",)
