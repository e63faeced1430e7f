"""Conditions with SQL's three truth values: the same rows as a plain engine finds, always."""

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Condition
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.sql.rows.condition_of import condition_of

SCHEMA = Schema(
    [
        ("n", ColumnType.INTEGER),
        ("m", ColumnType.INTEGER),
        ("t", ColumnType.TEXT),
        ("b", ColumnType.TRUTH),
    ]
)
ROWS = [
    (n, m, t, b)
    for n in (None, 0, 1, 2)
    for m in (None, 1)
    for t in (None, "a", "ab")
    for b in (None, True, False)
]

numbers = st.sampled_from(["n", "m", "n + m", "n * 2 - 1", "coalesce(n, 5)", "-n"])
signs = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
leaves = st.one_of(
    st.builds("{} {} {}".format, numbers, signs, st.integers(-1, 3)),
    st.builds("{1} {0} {2}".format, signs, st.integers(0, 2), numbers),
    st.builds("{} {} {}".format, numbers, signs, numbers),
    st.builds("{} IS {}NULL".format, numbers, st.sampled_from(["", "NOT "])),
    st.builds("{} {}IN (0, 2)".format, numbers, st.sampled_from(["", "NOT "])),
    st.builds("{} {}BETWEEN 0 AND 1".format, numbers, st.sampled_from(["", "NOT "])),
    st.builds(
        "t {}LIKE {}".format, st.sampled_from(["", "NOT "]), st.sampled_from(["'a%'", "'b'"])
    ),
    st.builds("t {} 'a'".format, signs),
    st.sampled_from(["b", "NOT b", "b IS TRUE", "b IS NOT FALSE", "b = TRUE", "TRUE", "1 = 2"]),
    st.builds("CASE WHEN {} > 0 THEN m ELSE n END = 1".format, numbers),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("(NOT {})".format, inner),
        st.builds("(({}) IS TRUE)".format, inner),
        st.builds("(({}) IS NOT FALSE)".format, inner),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE r (i INT, n BIGINT, m BIGINT, t VARCHAR, b BOOLEAN)")
    connection.executemany(
        "INSERT INTO r VALUES (?, ?, ?, ?, ?)", [(i, *row) for i, row in enumerate(ROWS)]
    )
    yield connection
    connection.close()


def condition_or_refusal(text: str) -> Condition | str:
    try:
        return condition_of(text, SCHEMA)
    except InvalidParameter as refusal:
        return str(refusal)


@given(text=conditions)
def test_rows_are_those_of_which_sql_says_true(
    engine: duckdb.DuckDBPyConnection, text: str
) -> None:
    expected = engine.execute(f"SELECT i FROM r WHERE {text} ORDER BY i").fetchall()
    found = condition_or_refusal(text)
    if isinstance(found, str):
        always = len(expected) == len(ROWS) and "always true" in found
        assert always or (not expected and "never true" in found), found
        return
    fragment = condition_sql(found, SCHEMA, DUCKDB)
    query = f"SELECT i FROM r WHERE {fragment.text} ORDER BY i"
    assert engine.execute(query, list(fragment.parameters)).fetchall() == expected


@given(text=conditions)
def test_not_is_true_where_sql_says_false(engine: duckdb.DuckDBPyConnection, text: str) -> None:
    test_rows_are_those_of_which_sql_says_true.hypothesis.inner_test(engine, f"NOT ({text})")  # type: ignore[attr-defined]
