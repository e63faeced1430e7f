"""Fragments of SQL, bound values, and DuckDB's spelling."""

from fractions import Fraction

import pytest

from leastnoise.tables.dialect import DUCKDB, Fragment, fill, joined
from leastnoise.tables.schema import Type


def test_values_keep_the_order_of_their_markers() -> None:
    one, two = Fragment("a = ?", (1,)), Fragment("b IN (?, ?)", (2, 3))
    assert fill("{} OR {}", two, one) == Fragment("b IN (?, ?) OR a = ?", (2, 3, 1))
    assert joined(" AND ", [one, two, one]) == Fragment(
        "a = ? AND b IN (?, ?) AND a = ?", (1, 2, 3, 1)
    )
    assert joined(", ", []) == Fragment("") == fill("")
    for wrong in ("{}", "{} {} {}"):
        with pytest.raises(ValueError, match="zip"):
            fill(wrong, one, two)
    assert repr(Fragment("?", ("secret",))) == "Fragment(text='?')"


def test_names_mean_nothing() -> None:
    assert DUCKDB.name('a"b; DROP').text == '"a""b; DROP"'
    assert DUCKDB.name("temp", "main", "x").text == '"temp"."main"."x"'


def test_numbers_are_bound_as_doubles_and_integers() -> None:
    assert DUCKDB.value(Fraction(1, 4), Type.NUMBER) == Fragment("CAST(? AS DOUBLE)", (0.25,))
    (bound,) = DUCKDB.value(3, Type.NUMBER).values
    assert type(bound) is float
    assert DUCKDB.value(3, Type.INTEGER) == Fragment("CAST(? AS BIGINT)", (3,))
    assert DUCKDB.value(None, Type.NUMBER) == Fragment("CAST(? AS DOUBLE)", (None,))
    assert DUCKDB.whole(2**100) == Fragment("CAST(? AS HUGEINT)", (2**100,))
    assert DUCKDB.array((1, None), Type.INTEGER) == Fragment(
        "unnest(CAST(? AS BIGINT[]))", ([1, None],)
    )


@pytest.mark.parametrize(("bound", "name"), [
    (1, "TINYINT"), (127, "TINYINT"), (128, "INTEGER"), (2**31 - 1, "INTEGER"), (2**31, "BIGINT"), (2**40, "BIGINT"),
])  # fmt: skip
def test_the_shortest_type_holds_the_greatest_number(bound: int, name: str) -> None:
    assert DUCKDB.shortest(bound) == name
