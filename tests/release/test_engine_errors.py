"""What engines say is shown if it is about the plan or the schema, and never if it may be data."""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.errors import BackendError
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.location import (
    DuckDBFile,
    Frame,
    ParquetFiles,
    PostgresTable,
    SparkFrame,
)
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.quiet_errors import quiet
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import fill
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement
from tests.ledger.postgres import server

SECRET = "hunter2"
SHOWN = "before it read any row"
ONE = Bounds(max_groups=1, max_rows=1)


def told(action: Callable[[], object]) -> str:
    """What a user is told of a failure, after a look for the secret wherever it could be."""
    with pytest.raises(BackendError) as failed:
        action()
    error = failed.value
    everything = "".join(traceback.format_exception(error))
    assert SECRET not in everything
    assert (error.__cause__, error.__context__) == (None, None)
    assert (SHOWN in str(error)) != ("withheld" in str(error))
    return str(error)


def counted(table: Table) -> object:
    asked = Measurement((CountRows(),), ONE, where=~col("name").is_null())
    return measure(table, [asked])


def asked(location: Any, text: str) -> Callable[[], object]:
    """A query that the session is given in place of ours."""

    def action() -> object:
        with opened(location) as session:
            return session.fetch(fill(text, session.scan(("name",))), 0, 1)

    return action


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as link:
        link.execute(f"CREATE TABLE t AS SELECT '{SECRET}' || i AS name, i FROM range(9) r(i)")
        link.execute("CREATE VIEW cast_name AS SELECT CAST(name AS INTEGER) AS name FROM t")
        link.execute("CREATE VIEW raised AS SELECT CAST(error(name) AS TEXT) AS name FROM t")
        link.execute("CREATE TABLE gone (name TEXT); CREATE VIEW v AS SELECT name FROM gone")
        link.execute("DROP TABLE gone")
        link.execute(f"CREATE TYPE mood AS ENUM ('{SECRET}', 'b')")
        link.execute("CREATE TABLE e AS SELECT CAST('b' AS mood) AS name")
    return path


def test_duckdb_names_what_is_missing(database: Path) -> None:
    words = told(lambda: read(database, unit=None, table="patients"))
    assert SHOWN in words
    assert "Table with name patients does not exist" in words
    words = told(lambda: read(database, unit=None, table="v"))
    assert "Table with name gone does not exist" in words
    table = read(database, unit=None, table="t")
    with duckdb.connect(str(database)) as link:
        link.execute("DROP TABLE t")
    assert "Table with name t does not exist" in told(lambda: counted(table))


@pytest.mark.parametrize("name", ["cast_name", "raised"])
def test_duckdb_does_not_say_what_rows_hold(database: Path, name: str) -> None:
    table = read(database, unit=None, table=name)
    assert "withheld" in told(lambda: counted(table))


FAILING = [
    "SELECT SUM(CAST(name || '' AS INTEGER)) AS t0 FROM {}",
    "SELECT COUNT(*) AS t0 FROM {} WHERE error(name) IS NULL",
]


@pytest.mark.parametrize("text", FAILING)
def test_no_failing_query_says_what_rows_hold(text: str, database: Path, tmp_path: Path) -> None:
    rows = pa.table({"name": [SECRET, "x"]})
    pq.write_table(rows, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text(f"name\n{SECRET}\nx\n", "utf-8")
    places: list[Any] = [
        DuckDBFile(str(database), ("t",)),
        ParquetFiles((str(tmp_path / "a.parquet"),), False),
        read(tmp_path / "a.csv", unit=None).location,
        Frame(rows),
        Frame(pd.DataFrame({"name": pd.Categorical([SECRET, "x"])})),
    ]
    for location in places:
        assert "withheld" in told(asked(location, text))


def test_what_duckdb_plans_is_shown_but_for_lists_of_values(database: Path) -> None:
    wrong = "SELECT SUM(age) AS t0 FROM {}"
    words = told(asked(DuckDBFile(str(database), ("t",)), wrong))
    assert '"age" not found' in words
    listing = "SELECT SUM(name) AS t0 FROM {}"  # the type's name is the list of its values
    assert "withheld" in told(asked(DuckDBFile(str(database), ("e",)), listing))
    frame = pd.DataFrame({"name": pd.Categorical([SECRET, "x"])})
    assert "withheld" in told(asked(Frame(frame), listing))


def test_words_are_one_safe_line() -> None:
    def fail() -> None:
        raise ValueError

    with pytest.raises(BackendError) as failed:
        quiet(fail, "X", said=lambda _: f"a\x1b[31m{'b' * 999}\n{SECRET}")
    assert SECRET not in str(failed.value)
    assert "\x1b" not in str(failed.value)
    assert len(str(failed.value)) < 600


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server() as found:
        if found is None:
            pytest.skip("this machine has no PostgreSQL to start")
        with psycopg.connect(found, autocommit=True) as link:
            for text in POSTGRES:
                statement: Any = text
                link.execute(statement)
        yield found


POSTGRES = [
    f"CREATE TABLE t AS SELECT '{SECRET}' || i AS name, i FROM generate_series(1, 9) i",
    "CREATE VIEW cast_name AS SELECT CAST(name AS integer) AS name FROM t",
    "CREATE VIEW named AS SELECT CAST(CAST(name AS regclass) AS text) AS name FROM t",
    "CREATE FUNCTION f(x text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN "
    "RAISE EXCEPTION 'relation % does not exist', (SELECT name FROM public.t LIMIT 1) "
    "USING ERRCODE = '42P01'; END $$",
    "CREATE VIEW folded AS SELECT public.f('x') AS name FROM t",
    "CREATE VIEW by_row AS SELECT public.f(name) AS name FROM t",
    "CREATE ROLE reader LOGIN",
]


@pytest.mark.parametrize("name", ["cast_name", "named", "folded", "by_row"])
def test_postgres_does_not_say_what_rows_hold(url: str, name: str) -> None:
    table = read(url, unit=None, table=name)
    assert "withheld" in told(lambda: counted(table))


def test_postgres_names_what_is_missing_or_forbidden(url: str) -> None:
    wrong = "SELECT SUM(age) AS t0 FROM {}"
    assert 'column "age" does not exist' in told(asked(PostgresTable(url, ("t",)), wrong))
    with psycopg.connect(url) as link:
        host, port, name = link.info.host, link.info.port, link.info.dbname
    reader = f"postgresql:///{name}?host={host}&port={port}&user=reader"

    def looked() -> object:
        with opened(PostgresTable(reader, ("t",))) as session:
            return session.scan(("name",))

    words = told(looked)
    assert "permission denied for table t" in words


def test_spark_names_what_is_missing_and_not_what_rows_hold(spark: Any, tmp_path: Path) -> None:
    words = told(lambda: read(f"{tmp_path}/nowhere", unit=None, session=spark))
    assert "PATH_NOT_FOUND" in words
    frame = spark.createDataFrame(pa.table({"name": [SECRET, "x"]}))
    words = told(asked(SparkFrame(frame), "SELECT SUM(age) AS t0 FROM {}"))
    assert "UNRESOLVED_COLUMN" in words
    for text in (
        "SELECT SUM(CAST(name AS INT)) AS t0 FROM {}",
        "SELECT COUNT(raise_error(name)) AS t0 FROM {}",
    ):
        assert "withheld" in told(asked(SparkFrame(frame), text))


def test_spark_does_not_say_how_folders_are_named(spark: Any, tmp_path: Path) -> None:
    for folder in (f"who={SECRET}", f"other={SECRET}/deeper=1"):
        (tmp_path / folder).mkdir(parents=True)
        pq.write_table(pa.table({"n": [1]}), tmp_path / folder / "a.parquet")
    told(lambda: read(tmp_path, unit=None, session=spark))
