"""One release sees one state of the data, and says so if it did not."""

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
from leastnoise.release.ask.expression import col
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement

BOUNDS = Bounds(max_groups=1, max_rows=1)
COUNT = Measurement((CountRows(),), BOUNDS)
DATA = pa.table({"id": list(range(20)), "k": ["x"] * 20})


def stable(data: Any, **options: Any) -> bool:
    with DuckDBSession(read(data, unit="id", **options).location) as session:  # type: ignore[arg-type]
        return session.rereads


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE SCHEMA other; CREATE TABLE t(id INT, k TEXT); CREATE TABLE other.v(id INT);"
            "CREATE VIEW v AS SELECT *, random() AS r FROM t; CREATE VIEW other.t AS FROM main.t;"
            "CREATE TABLE g(id INT, k DOUBLE GENERATED ALWAYS AS (random()));"
            'CREATE TABLE "é"(id INT); CREATE VIEW "É" AS SELECT 1 AS id;'
        )
    return path


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("t", True),
        ("T", True),
        (("MAIN", "t"), True),
        ("v", False),
        ("V", False),
        (("Main", "V"), False),
        (("other", "v"), True),
        (("OTHER", "T"), False),
        ("g", False),
        ("G", False),
        ("é", False),
        ("É", False),
    ],
)
def test_only_stored_tables_are_looked_at_twice(table: Any, expected: bool, database: Path) -> None:
    assert stable(database, table=table) is expected


class Derived(pd.DataFrame):  # type: ignore[misc]
    """Whose columns may be computed."""


IN_MEMORY: list[tuple[Callable[[], Any], bool]] = [
    (lambda: DATA, True),
    (lambda: DATA.to_batches()[0], True),
    (DATA.to_pandas, True),
    (lambda: pl.from_arrow(DATA), True),
    (lambda: pl.from_arrow(DATA).lazy(), False),
    (lambda: pads.dataset(DATA), False),
    (lambda: Derived(DATA.to_pandas()), False),
    (lambda: duckdb.connect().sql("SELECT 1 AS id"), False),
]


@pytest.mark.parametrize(("make", "expected"), IN_MEMORY)
def test_only_plain_frames_are_looked_at_twice(make: Any, expected: bool) -> None:
    data = make()
    data = data if not isinstance(data, Derived) else renamed(data)
    assert stable(data) is expected


def renamed(data: Derived) -> Derived:
    """As if from the library itself, which is all that `read` asks."""
    Derived.__module__ = "pandas.derived"
    return data


def test_a_computed_table_is_bounded_in_one_look(database: Path) -> None:
    """The units change with each look: only a query that bounds what it counts gives 1."""
    with duckdb.connect(database) as connection:
        connection.execute(
            "CREATE VIEW w AS SELECT CASE WHEN random() < 0.5 THEN i ELSE 0 END::INT AS id "
            "FROM range(1000) r(i)"
        )
    table = read(database, unit="id", table="W")
    for _ in range(5):
        counted, cells = measure(table, [COUNT, Histograms((Grouping(()),), 1)])
        assert 300 < counted.totals[0][0] < 700
        assert cells.totals[0].shape == (1,)


def parquet(path: Path, rows: int) -> None:
    pq.write_table(DATA.slice(0, rows), path)


def text(path: Path, rows: int) -> None:
    path.write_text("id,k\n" + "".join(f"{i},x\n" for i in range(rows)))


FILES = [("a.parquet", parquet), ("a.csv", text)]


@pytest.mark.parametrize(("name", "write"), FILES)
@pytest.mark.parametrize("change", ["grown", "touched", "replaced", "gone"])
def test_files_that_change_between_looks_are_refused(
    name: str, write: Any, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    write(path, 10)
    table = read(path, unit="id")
    write(path, 20)  # before the release: what is there now counts

    def meanwhile(_: OneRowUnits, where: Any) -> bool:
        assert where is None
        if change == "grown":
            with path.open("ab") as file:
                file.write(b"1,x\n" * 1000)
        elif change == "touched":
            path.touch()
        elif change == "replaced":
            write(tmp_path / "new", 20)
            (tmp_path / "new").rename(path)
        return False

    assert measure(table, [COUNT])[0].totals[0].tolist() == [20]
    monkeypatch.setattr(OneRowUnits, "under", meanwhile)
    if change == "gone":
        monkeypatch.setattr(OneRowUnits, "under", lambda *_: False)
        progress = lambda *_: path.unlink()  # noqa: E731
    else:
        progress = None
    with pytest.raises(BackendError, match=r"must not change while they are read|failed"):
        measure(table, [COUNT], progress=progress)


def test_a_database_that_is_replaced_is_refused(database: Path) -> None:
    table = read(database, unit="id", table="t")
    with pytest.raises(BackendError, match="must not change"):
        measure(table, [COUNT], progress=lambda *_: database.touch())


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,k\n1,2\n")
    table = read(path, unit="id")
    path.write_text("k,id\n1,2\n")
    with pytest.raises(InvalidParameter, match="same header"):
        measure(table, [COUNT])
    pq.write_table(DATA, tmp_path / "a.parquet")
    table = read(tmp_path / "a.parquet", unit="id")
    pq.write_table(DATA.set_column(1, "k", pa.array(range(20))), tmp_path / "a.parquet")
    with pytest.raises(BackendError, match="Read the table again"):
        measure(table, [Measurement((CountRows(),), BOUNDS, where=col("k") == "x")])
