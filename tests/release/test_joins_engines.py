"""On every engine joined rows are what the reference says, over many small databases at once."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import (
    DuckDBFile,
    Frame,
    Joined,
    ParquetFiles,
    PostgresTable,
    SparkFrame,
    StoredLocation,
)
from leastnoise.release.measure.backends.joined import JoinedSession
from leastnoise.release.measure.rows.rows import Rows
from leastnoise.release.measure.rows.stored import OWNER
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from tests.release.join_shapes import PUBLIC, SCHEMAS, databases, shapes, shapes_by_name
from tests.release.joined_reference import Database, Row, counted, evaluated

KINDS = {ColumnType.INTEGER: pa.int64(), ColumnType.TEXT: pa.string()}


def every_shape(where: Callable[[str], StoredLocation]) -> dict[str, Rows]:
    return shapes(where) | shapes_by_name(where)


NAMES = list(every_shape(lambda name: ParquetFiles((name,), partitioned=False)))
ON_SPARK = (  # each takes seconds, and each says something that the others do not
    "referring, keeping",
    "public left",
    "child left parent",
    "parent semi own",
    "parent anti child",
    "siblings",
    "stacked",
)
APART = {"key", "who", "fk"}


def sample(count: int) -> list[Database]:
    """Databases of which no two share a key or an owner, so that one query can hold all."""
    chosen = Random(18).sample(list(databases()), count)
    return [
        {table: [_apart(row, number) for row in rows] for table, rows in each.items()}
        for number, each in enumerate(chosen, start=1)
    ]


def _apart(row: Row, number: int) -> Row:
    return {
        column: value if column not in APART or value is None else 10 * number + value
        for column, value in row.items()
    }


MANY, SOME = sample(1000), sample(100)


def tables(every: list[Database]) -> dict[str, pa.Table]:
    """All databases as one; what is public is the same in all."""
    found = {name: [row for each in every for row in each[name]] for name in SCHEMAS}
    return {name: arrow(name, rows) for name, rows in (found | {"public": PUBLIC}).items()}


def arrow(name: str, rows: list[Row]) -> pa.Table:
    kinds = SCHEMAS[name].columns
    return pa.table({c: pa.array([row[c] for row in rows], KINDS[kind]) for c, kind in kinds})


def check(shape: Rows, every: list[Database]) -> None:
    """Compares owners and rows, with all columns."""
    expected: Counter[Any] = Counter()
    for each in every:
        expected.update(counted(evaluated(shape, each)))
    names = sorted(shape.schema.names)
    with JoinedSession(Joined(shape)) as session:
        assert session.schema() == shape.table().schema
        columns = joined(", ", (session.dialect.identifier(each) for each in (OWNER, *names)))
        query = fill("SELECT {} FROM {}", columns, session.scan((OWNER, *names)))
        found = rows_of(session, query)
        session.refuse_changed()
    assert counted((row[0], dict(zip(names, row[1:], strict=True))) for row in found) == expected
    assert expected


def rows_of(session: JoinedSession, query: Fragment) -> list[tuple[Any, ...]]:
    ran = session._engine._run(query)  # type: ignore[attr-defined]
    for method in ("fetchall", "collect"):
        ran = getattr(ran, method)() if hasattr(ran, method) else ran
    return [tuple(row) for row in ran]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoredLocation]:
    """One table of each kind that DuckDB reads."""
    place = tmp_path_factory.mktemp("joined")
    found = tables(MANY)
    pq.write_table(found["parents"], place / "parents.parquet")
    with duckdb.connect(place / "a.db") as connection:
        connection.register("found", found["children"])
        connection.execute("CREATE TABLE children AS SELECT * FROM found")
    return {
        "parents": ParquetFiles((str(place / "parents.parquet"),), partitioned=False),
        "children": DuckDBFile(str(place / "a.db"), ("children",)),
        "public": Frame(found["public"]),
    }


@pytest.mark.parametrize("name", NAMES)
def test_files_frames_and_a_database(name: str, files: dict[str, StoredLocation]) -> None:
    check(every_shape(files.__getitem__)[name], MANY)


@pytest.fixture(scope="module")
def url(empty_postgres: str) -> str:
    with psycopg.connect(empty_postgres) as connection:
        for name, table in tables(SOME).items():
            kinds = ", ".join(
                f"{column} {'text' if kind is ColumnType.TEXT else 'bigint'}"
                for column, kind in SCHEMAS[name].columns
            )
            connection.execute(f"CREATE TABLE {name} ({kinds})")
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
    return empty_postgres


@pytest.mark.parametrize("name", NAMES)
def test_postgres(name: str, url: str) -> None:
    check(every_shape(lambda table: PostgresTable(url, (table,)))[name], SOME)


def test_spark(spark: Any) -> None:
    frames = {name: SparkFrame(spark.createDataFrame(t)) for name, t in tables(SOME).items()}
    found = shapes(frames.__getitem__)
    for name in ON_SPARK:
        check(found[name], SOME)
