"""Audits of neighbouring tables where tables lie: DuckDB files, files, PostgreSQL, Spark.

Each engine leaves out every unit in turn. What a mistake of an engine would look like, such as a
collation that takes two units for one, must be found there.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leastnoise as ln
from leastnoise.auditing import PlanAudit, audit_measurements, audit_plan
from leastnoise.auditing.neighbouring_tables import neighbouring_tables
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Column, col
from leastnoise.release.ask.location import DuckDBFile
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.sources import Stored, owned
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.plan import Plan
from leastnoise.release.questions.count import Count
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement
from tests.auditing.test_plans import (
    HOSTILE,
    LEAST,
    MOST,
    PUBLIC,
    OneRowOnly,
    everything,
    everything_by_row,
)
from tests.release.fuzz import arrow

# PySpark warns of the newest pandas, which nothing here makes it use.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")

COLUMNS = "who {0}, city {0}, year bigint, smoker boolean, cost {1}, visits bigint"
FEW = HOSTILE[-12:]  # of four units, one without a name, and a row that is nobody's
CITIES = ["Oslo", "oslo", "OSLO"]
KINDS = [Neighbours.ADD_REMOVE, Neighbours.REPLACE]


# DuckDB.


def stored(path: Path, *statements: str, data: pa.Table | None = None) -> str:
    """A DuckDB file with a table t of hostile rows, if there are some, and more."""
    with duckdb.connect(str(path)) as database:
        if data is not None:
            database.register("given", data)
            database.execute(f"CREATE TABLE t ({COLUMNS.format('VARCHAR', 'DOUBLE')})")
            database.execute("INSERT INTO t SELECT * FROM given")
        for each in statements:
            database.execute(each)
    return str(path)


@pytest.mark.parametrize("neighbours", KINDS)
@pytest.mark.parametrize("unit", ["who", None])
def test_a_duckdb_file_moves_as_the_same_rows_in_memory_do(
    tmp_path: Path, unit: str | None, neighbours: Neighbours
) -> None:
    rows = arrow(HOSTILE if unit else FEW)
    path = stored(tmp_path / "t.duckdb", "CREATE VIEW v AS SELECT * FROM t", data=rows)
    here = read_and_audited(rows, unit, neighbours)
    for name in ("t", "v"):
        there = read_and_audited(path, unit, neighbours, table=name)
        assert there.movements == here.movements
        assert there.pairs == here.pairs


@pytest.mark.parametrize("kind", ["parquet", "csv", "relation"])
@pytest.mark.parametrize("unit", ["who", None])
def test_files_and_relations_move_as_the_same_rows_in_memory_do(
    tmp_path: Path, kind: str, unit: str | None
) -> None:
    rows = [each for each in FEW if each["who"] != ""]  # in text files that is a missing name
    data = arrow(rows).drop_columns(["city"]).append_column("city", pa.array(["Oslo"] * len(rows)))
    options: dict[str, Any] = {}
    given: Any = str(tmp_path / f"t.{kind}")
    if kind == "parquet":
        pq.write_table(data, given)
    elif kind == "csv":
        duckdb.from_arrow(data).write_csv(given)
        options["types"] = {
            "who": "text", "year": "integer", "smoker": "truth", "cost": "number",
            "visits": "integer", "city": "text",
        }  # fmt: skip
    else:
        given = duckdb.connect().from_arrow(data)
    there = read_and_audited(given, unit, Neighbours.ADD_REMOVE, **options)
    here = read_and_audited(data, unit, Neighbours.ADD_REMOVE)
    assert (there.violated, there.pairs) == (False, here.pairs)
    # Numbers that are written as text and read again move on a grid of their own.
    assert kind == "csv" or there.movements == here.movements


def test_a_budget_is_held_against_what_a_file_tells(tmp_path: Path) -> None:
    path = stored(tmp_path / "t.duckdb", data=arrow(HOSTILE))
    tables = ln.read(path, unit="who", table="t"), ln.read(arrow(HOSTILE), unit="who")
    plans = [
        ln.plan(each, max_groups=2, max_rows=2)
        .count(by="city", keys=PUBLIC)
        .sum("visits", lower=0, upper=10)
        for each in tables
    ]
    there, here = (audit_plan(each, budget=ln.ZCDP(rho="0.1"), orders=1) for each in plans)
    assert there.leak is not None
    assert not there.violated
    assert there.leak == here.leak
    assert there.leak.found.lower > 0


def test_duplicates_shown_by_a_view_are_bounded(tmp_path: Path) -> None:
    again = " UNION ALL ".join(["SELECT * FROM t"] * 3)
    path = stored(tmp_path / "t.duckdb", f"CREATE VIEW v AS {again}", data=arrow(FEW))
    found = read_and_audited(path, "who", Neighbours.ADD_REMOVE, table="v")
    assert not found.violated, str(found)
    by_row = read_and_audited(path, None, Neighbours.ADD_REMOVE, table="t")
    assert by_row.pairs == len(FEW), "equal rows are rows of their own"


COLLATED = {
    "nocase": ("ann", "ANN"),
    "noaccent": ("andre", "andr\u00e9"),
    "nfc": ("\u00e5s", "a\u030as"),
}


@pytest.mark.parametrize("order", COLLATED)
def test_units_that_a_collation_takes_for_one_are_left_out_alone(
    tmp_path: Path, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = COLLATED[order]
    path = stored(
        tmp_path / "t.duckdb",
        f"CREATE TABLE t (who VARCHAR COLLATE {order}, city VARCHAR COLLATE {order})",
        f"INSERT INTO t VALUES ('{one}', 'Oslo'), ('{other}', 'Bergen'), (NULL, 'Oslo')",
    )
    assert_collation_is_found(ln.read(path, unit="who", table="t"), f"COLLATE {order}", monkeypatch)


def assert_collation_is_found(table: Table, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves too far; if text compared by its collation, it would and it is found.

    Two units that are bounded as if they were one have one city together: with one of them left
    out it is the other's, and two cells change where one is claimed to.
    """
    asked = [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("city"),))]
    found = audit_measurements(table, asked, orders=1)
    assert (found.violated, found.pairs) == (False, 2)

    def mistaken(self: Dialect, part: Fragment, kind: str) -> Fragment:
        return fill(f"(CAST({{}} AS {kind}) {order if kind == self.text else ''})", part)

    monkeypatch.setattr(Dialect, "cast", mistaken)
    assert audit_measurements(table, asked, orders=1).violated


# PostgreSQL.


@pytest.fixture
def url(empty_postgres: str) -> Iterator[str]:
    yield empty_postgres
    run(empty_postgres, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            text: Any = each
            connection.execute(text)


def filled(url: str, *statements: str, text: str = "text") -> None:
    """A table t of a few hostile rows, and more."""
    run(url, f"CREATE TABLE t ({COLUMNS.format(text, 'float8')})", *statements)
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        rows = [tuple(row.values()) for row in FEW]
        cursor.executemany("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s)", rows)


@pytest.mark.parametrize("neighbours", KINDS)
@pytest.mark.parametrize("unit", ["who", None])
def test_postgresql_moves_no_farther_than_claimed(
    url: str, unit: str | None, neighbours: Neighbours
) -> None:
    filled(
        url,
        "CREATE VIEW v AS SELECT * FROM t",
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM t WITH NO DATA",
    )
    run(url, "REFRESH MATERIALIZED VIEW m")
    for name in ("t", "v", "m"):
        found = read_and_audited(url, unit, neighbours, table=name)
        assert not found.violated, str(found)
        assert any(each.moved.total for each in found.movements)
        units = 4 if unit else len(FEW)
        pairs = units * (units - 1) // 2 if neighbours is Neighbours.REPLACE else units
        assert found.pairs == pairs


def test_duplicates_shown_by_a_view_of_postgresql_are_bounded(url: str) -> None:
    again = " UNION ALL ".join(["SELECT * FROM t"] * 3)
    filled(url, f"CREATE VIEW v AS {again}")
    assert not read_and_audited(url, "who", Neighbours.ADD_REMOVE, table="v").violated


def test_a_claim_that_forgets_duplicates_is_refuted_on_postgresql(url: str) -> None:
    filled(url)
    assert forgetful(ln.read(url, unit="who", table="t")).violated


ICU = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"


def test_icu_collations_are_looked_through(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run(
        url,
        ICU,
        "CREATE TABLE t (who text COLLATE loose, city text COLLATE loose)",
        "INSERT INTO t VALUES ('ann', 'Oslo'), ('ÂNN', 'Bergen'), (NULL, 'Oslo')",
    )
    assert_collation_is_found(
        ln.read(url, unit="who", table="t"), "COLLATE public.loose", monkeypatch
    )


def test_arrays_enums_and_padded_text_beside_what_is_asked(url: str) -> None:
    """Questions about arrays and enums are refused; a table that has some is audited."""
    run(
        url,
        ICU,
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE TABLE t (who char(6), city char(9) COLLATE loose, moods mood[], mood mood, n int)",
        "INSERT INTO t VALUES ('ann', 'Oslo', '{sad,ok}', 'ok', 1), ('ann ', 'oslo', NULL, NULL, 2)"
        ", ('ann', 'OSLO', '{}', 'sad', 3), ('Ann', 'Oslo ', '{NULL}', 'ok', NULL)"
        ", (E'ann\\t', E'Oslo\\n', '{ok}', 'sad', 9), (NULL, 'Oslo', '{ok}', 'sad', 9)",
    )
    for unit, units in (("who", 3), (None, 6)):
        table = ln.read(url, unit=unit, table="t")
        wide = 2 if unit else 1
        plan = ln.plan(table, max_groups=wide, max_rows=1)
        found = audit_plan(
            plan.count(by="city", keys=CITIES).sum("n", lower=0, upper=5).count(name="all")
        )
        assert not found.violated, str(found)
        assert found.pairs == 3 * units
        assert found.movements[0].reached
        for name in ("moods", "mood"):
            with pytest.raises(InvalidParameter, match=name):
                audit_plan(plan.count(by=name, keys=["ok"]))


# Spark.


def test_spark_moves_no_farther_than_claimed_and_a_forgetful_claim_is_refuted(spark: Any) -> None:
    frame = spark.createDataFrame(arrow(FEW))
    table = ln.read(frame.union(frame), unit="who")
    plan = ln.plan(table, max_groups=2, max_rows=2).sum("visits", lower=LEAST, upper=MOST)
    found = audit_plan(
        plan.count(by="city", keys=PUBLIC).variance("cost", lower=0, upper=9), orders=1
    )
    assert (found.violated, found.pairs) == (False, 4)
    assert any(each.reached for each in found.movements)
    assert forgetful(table).violated


@pytest.mark.slow
def test_rows_of_spark_are_left_out_one_by_one(spark: Any) -> None:
    table = ln.read(spark.createDataFrame(arrow(FEW[-4:])), unit=None)
    plan = ln.plan(table, max_groups=1, max_rows=1).count(by="city", keys=PUBLIC)
    found = audit_plan(plan, orders=1)
    assert (found.violated, found.pairs) == (False, 4)
    assert found.movements[0].reached


def test_collations_of_spark_are_looked_through(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.sql(
        "SELECT who COLLATE UTF8_LCASE AS who, city COLLATE UTF8_LCASE AS city FROM "
        "VALUES ('ann', 'Oslo'), ('ANN', 'Bergen'), (NULL, 'Oslo') AS t(who, city)"
    )
    assert_collation_is_found(ln.read(frame, unit="who"), "COLLATE UTF8_LCASE", monkeypatch)


@pytest.mark.slow
def test_tasks_that_fail_and_are_tried_again_count_once(spark: Any, tmp_path: Path) -> None:
    """Each task shows its rows and then fails, the first time."""
    frame = fragile(spark.createDataFrame(arrow(FEW)), str(tmp_path))
    table = ln.read(frame, unit="who")
    plan = ln.plan(table, max_groups=2, max_rows=2).count(by="city", keys=PUBLIC)
    found = audit_plan(plan, orders=1)
    assert (found.violated, found.pairs) == (False, 4)
    assert found.movements == audit_plan(over(plan, arrow(FEW)), orders=1).movements
    assert any(each.name.endswith("-1") for each in tmp_path.iterdir()), "nothing was tried again"


def fragile(frame: Any, folder: str) -> Any:
    """The same rows, from tasks that fail once each and leave a file for every attempt."""

    def shown(batches: Any) -> Any:
        from pathlib import Path

        from pyspark import TaskContext

        task = TaskContext.get()
        attempt = task.attemptNumber()
        Path(folder, f"{task.stageId()}-{task.partitionId()}-{attempt}").touch()
        yield from batches
        if attempt == 0:
            raise RuntimeError("a disk failed")

    return frame.mapInArrow(shown, frame.schema)


def over(plan: Plan, data: pa.Table) -> Plan:
    """The same questions about a table in memory."""
    return replace(plan, table=ln.read(data, unit=plan.table.unit))


# What is the same on all.


def read_and_audited(
    given: Any, unit: str | None, neighbours: Neighbours, **options: Any
) -> PlanAudit:
    table = ln.read(given, unit=unit, neighbours=neighbours, **options)
    return audit_plan(small(table) if unit else everything_by_row(table), orders=1)


def small(table: Table) -> Plan:
    """A few questions of each kind of pass."""
    plan = everything(table, max_groups=2, max_rows=2)
    return replace(plan, questions=(*plan.questions[:8], *plan.questions[10:12]))


def forgetful(table: Table) -> PlanAudit:
    """Of a plan with a question that believes that nobody has two rows in a group."""
    plan = ln.plan(table, max_groups=2, max_rows=2).count(by="city", keys=PUBLIC)
    honest = plan.questions[0]
    assert isinstance(honest, Count)
    wrong = OneRowOnly(honest.name, honest.groups, honest.units, honest.importance)
    return audit_plan(replace(plan, questions=(wrong,)), orders=1)


def test_no_more_than_64_units_are_left_out(tmp_path: Path) -> None:
    made = "CREATE TABLE t AS SELECT i AS who FROM range({}) r(i)"
    for units, unit in ((65, "who"), (65, None)):
        path = stored(tmp_path / f"{units}{unit}.duckdb", made.format(units))
        with pytest.raises(InvalidParameter, match="at most 64 units"):
            audit_plan(ln.plan(ln.read(path, unit=unit, table="t"), max_rows=1).count())
    most = stored(tmp_path / "most.duckdb", made.format(64), "INSERT INTO t VALUES (NULL)")
    tables, _ = neighbouring_tables(ln.read(most, unit="who", table="t"))
    assert len(tables) == 65


def test_a_column_may_have_any_name(tmp_path: Path) -> None:
    odd = 'CREATE TABLE t AS SELECT i AS "who ""%s""?", i AS n, i AS nn, i AS N3 FROM range(3) r(i)'
    path = stored(tmp_path / "t.duckdb", odd)
    for unit in ('who "%s"?', None):
        table = ln.read(path, unit=unit, table="t")
        plan = ln.plan(table, max_groups=1, max_rows=1).sum(Column("nn"), lower=0, upper=2)
        found = audit_plan(plan)
        assert (found.violated, found.pairs) == (False, 9)
        assert found.movements[0].reached


def test_stored_tables_that_are_joined_are_refused(tmp_path: Path) -> None:
    path = stored(tmp_path / "t.duckdb", "CREATE TABLE t AS SELECT 1 AS who, 2 AS n")
    found = ln.read(path, unit=None, table="t")
    assert isinstance(found.location, DuckDBFile)
    rows = owned(Stored("people", found.location, found.schema), "who", called="who")
    with pytest.raises(InvalidParameter, match="joined are audited in memory"):
        audit_plan(ln.plan(rows.table(), max_groups=1, max_rows=1).count())
