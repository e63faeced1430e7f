"""Text is compared, grouped and told apart by its bytes, whatever a column was declared to be."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement

BOUNDS = Bounds(max_groups=5, max_rows=5)
SPELLINGS = ["Oslo", "oslo", "OSLO", "Ösló", "oslo "]
COLLATIONS = ["NOCASE", "NOACCENT", "NFC", "NOACCENT.NOCASE", "de", "tr", "NOCASE.NOACCENT.de"]


def collated(path: Path, collation: str, table: str) -> Table:
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE t(id INT, k TEXT COLLATE {collation})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(SPELLINGS)))
        connection.execute("CREATE VIEW v AS SELECT * FROM t")
    return read(path, unit="id", table=table)


def relation(setting: str) -> Table:
    connection = duckdb.connect()
    connection.execute(f"SET default_collation = '{setting}'")
    connection.register("data", pa.table({"id": list(range(5)), "k": SPELLINGS}))
    return read(connection.sql("SELECT id, k FROM data"), unit="id")


@pytest.mark.parametrize("collation", COLLATIONS)
@pytest.mark.parametrize("table", ["t", "v"])
def test_one_row_counts_under_one_spelling(collation: str, table: str, tmp_path: Path) -> None:
    compare_by_bytes(collated(tmp_path / "a.db", collation, table))


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT"])
def test_a_relation_whose_connection_folds_case(collation: str) -> None:
    compare_by_bytes(relation(collation))


@pytest.mark.parametrize(
    "kind", ["ENUM('OSLO', 'Oslo', 'oslo', 'oslo ', 'Ösló', 'z')", "TEXT COLLATE NOCASE"]
)
def test_lists_of_values_compare_by_bytes(kind: str, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as connection:
        connection.execute(f"CREATE TABLE t(id INT, k {kind})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(SPELLINGS)))
    compare_by_bytes(read(tmp_path / "a.db", unit="id", table="t"))


def compare_by_bytes(table: Table) -> None:
    keys = Keys.of("k", [*SPELLINGS, "osLO", "Oslö"])
    public = Measurement((CountRows(), CountUnits()), BOUNDS, (col("k"),), keys)
    private = Measurement((CountUnits(),), BOUNDS, (col("k"),))
    cells = Histograms((Grouping((col("k"),)), Grouping((col("k"),), keys)), 5)
    each = [Measurement((CountRows(),), BOUNDS, where=col("k") == word) for word in SPELLINGS]
    some = Measurement((CountRows(),), BOUNDS, where=col("k").isin(["oSLO", "Oslo"]))
    below = Measurement((CountRows(),), BOUNDS, where=col("k") < "a")
    found = measure(table, [public, private, *each, some, below, cells])
    assert [t.tolist() for t in found[0].totals] == [[1] * 5 + [0, 0]] * 2
    assert sorted(found[1].rows) == sorted((word,) for word in SPELLINGS)
    assert [answer.totals[0].tolist() for answer in found[2:9]] == [[1]] * 6 + [[2]]
    assert sorted(found[9].rows) == sorted((word,) for word in SPELLINGS)
    assert found[10].totals[0].tolist() == [WEIGHT] * 5 + [0, 0]


@pytest.mark.parametrize("collation", COLLATIONS)
@pytest.mark.parametrize("rows", [1, 3])
def test_two_spellings_are_two_units(collation: str, rows: int, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as connection:
        connection.execute(f"CREATE TABLE t(k TEXT COLLATE {collation})")
        connection.executemany("INSERT INTO t VALUES (?)", [[word] for word in SPELLINGS] * rows)
    table = read(tmp_path / "a.db", unit="k", table="t")
    asked: list[Any] = [
        Measurement((CountUnits(), CountRows()), Bounds(max_groups=1, max_rows=1)),
        Histograms((Grouping(()),), 1),
    ]
    counted, cells = measure(table, asked)
    assert [t.tolist() for t in counted.totals] == [[5], [5]]
    assert cells.totals[0].tolist() == [rows * 5 * (WEIGHT // rows)]


def test_units_that_are_uuids(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT uuid() AS id FROM range(7)")
        connection.execute("INSERT INTO t FROM t")
    table = read(tmp_path / "a.db", unit="id", table="t")
    (found,) = measure(table, [Measurement((CountUnits(),), BOUNDS)])
    assert found.totals[0].tolist() == [7]
