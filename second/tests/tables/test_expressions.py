"""Expressions: their types, extents, texts and SQL."""

from datetime import date, datetime
from fractions import Fraction
from functools import reduce
from typing import Any

import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import DUCKDB
from leastnoise.tables.expressions import DEEPEST, LONGEST, Call, Case, Column, Expression, Literal
from leastnoise.tables.functions import FUNCTIONS
from leastnoise.tables.schema import Type

INT, X, S, D, T, B = (
    Column("c", kind)
    for kind in (Type.INTEGER, Type.NUMBER, Type.TEXT, Type.DATE, Type.TIMESTAMP, Type.BOOLEAN)
)


def test_a_value_is_cast_where_others_have_another_type() -> None:
    assert INT.sql_as(Type.NUMBER, DUCKDB).text == 'CAST("c" AS DOUBLE)'
    assert X.sql_as(Type.NUMBER, DUCKDB).text == '"c"'
    assert D.sql_as(Type.TIMESTAMP, DUCKDB).text == 'CAST("c" AS TIMESTAMP)'
    whole = 'CAST("c" AS DOUBLE)'
    assert Call("/", (INT, X)).sql(DUCKDB).text == f'({whole} / NULLIF("c", 0))'
    assert Call("/", (X, INT)).sql(DUCKDB).text == f'("c" / NULLIF({whole}, 0))'
    rounded = Call("round_to", (INT, Literal(2))).sql(DUCKDB).text
    assert rounded == f"round({whole}, CAST(CAST(? AS BIGINT) AS INTEGER))"
    for sign in "+-*":
        assert Call(sign, (INT, X)).sql(DUCKDB).text == f'({whole} {sign} "c")'
    for name in ("nullif", "coalesce", "least", "greatest", "=", "<>", "<", "<=", ">", ">=", "in"):
        assert whole in Call(name, (INT, X)).sql(DUCKDB).text, name
    assert whole in Call("clip", (INT, Literal(Fraction(1)), Literal(2))).sql(DUCKDB).text
    assert Call("=", (INT, X)).sql(DUCKDB).text == f'({whole} = "c")'
    assert (
        Call("+", (INT, INT)).sql(DUCKDB).text == 'TRY_CAST(CAST("c" AS HUGEINT) + "c" AS BIGINT)'
    )


def test_the_deepest_part_and_the_number_of_parts_count() -> None:
    deep: Expression = B
    for _ in range(DEEPEST - 2):
        deep = Call("not", (deep,))
    assert Call("and", (B, deep))._extent == (DEEPEST, DEEPEST + 1)
    assert Case(((B, X),), Call("abs", (X,)))._extent == (3, 5)
    for both in ((B, Call("not", (deep,))), (Call("not", (deep,)), B)):
        with pytest.raises(InvalidInput, match=f"{DEEPEST + 1} deep"):
            Call("and", both)
    with pytest.raises(InvalidInput, match=f"{LONGEST + 1} parts"):
        Case(tuple((B, X) for _ in range(LONGEST // 2)))
    with pytest.raises(InvalidInput, match=f"{DEEPEST + 1} deep"):
        Case(((Call("and", (B, deep)), X),))


LEAST = {
    **dict.fromkeys(["+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "nullif", "round_to", "starts_with",
                     "contains", "date_trunc", "days_between"], (2, 2)),
    **dict.fromkeys(["and", "or", "least", "greatest", "coalesce", "concat", "in"], (2, None)),
    **dict.fromkeys(["clip", "substring"], (3, 3)),
}  # fmt: skip
"""How many arguments a function takes at least and at most, if not one."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_number_of_arguments(name: str) -> None:
    least, most = LEAST.get(name, (1, 1))
    for count in range(6):
        if least <= count <= (most or 5):
            assert count == 1 or name in LEAST
            continue
        with pytest.raises(InvalidInput, match=f"takes .* arguments and has {count} here"):
            Call(name, tuple(S for _ in range(count)))


TEXTS: list[tuple[Expression, str]] = [
    (Literal(True), "TRUE"), (Literal(7), "7"), (Literal(Fraction(1, 2)), "0.5"), (Literal("it's"), "'it''s'"),
    (Literal(date(2020, 1, 2)), "DATE '2020-01-02'"), (Literal(datetime(2020, 1, 2, 3)), "TIMESTAMP '2020-01-02 03:00:00'"),
    (Column("a b", Type.TEXT), '"a b"'), (Column('a"b', Type.TEXT), '"a""b"'),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "text"), TEXTS)
def test_expressions_are_shown_as_sql(expression: Expression, text: str) -> None:
    assert str(expression) == text


def test_literals_are_equal_in_type_and_value() -> None:
    assert Literal(1) == Literal(1) and Literal(1) != Literal(2)
    assert Literal(1) != Literal(True) and Literal(1) != Literal(Fraction(1)) and Literal(1) != INT


TYPES: list[tuple[Any, Type]] = [
    (Literal(2**63 - 1), Type.INTEGER), (Literal(-(2**63) + 1), Type.INTEGER), (Literal(2**63), Type.NUMBER),
    (Literal(-(2**63)), Type.NUMBER), (Literal(Fraction(2)), Type.NUMBER), (Literal(False), Type.BOOLEAN),
    (Literal(datetime(2020, 1, 1)), Type.TIMESTAMP), (Literal(date(2020, 1, 1)), Type.DATE), (Literal(""), Type.TEXT),
    (Call("coalesce", (INT, X)), Type.NUMBER), (Call("coalesce", (D, T)), Type.TIMESTAMP), (Call("+", (INT, INT)), Type.INTEGER),
    (Call("/", (INT, INT)), Type.NUMBER), (Call("least", (D, D)), Type.DATE), (Call("=", (INT, X)), Type.BOOLEAN),
    (Case(((B, INT),), X), Type.NUMBER), (Case(((B, S),)), Type.TEXT),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "kind"), TYPES)
def test_every_expression_has_a_type(expression: Expression, kind: Type) -> None:
    assert expression.type is kind


@pytest.mark.parametrize("number", [Fraction(2) ** 200, -Fraction(2) ** 200, Fraction(1, 2**200), Fraction(0)])  # fmt: skip
def test_numbers_up_to_the_ends_of_a_column_are_literals(number: Fraction) -> None:
    assert Literal(number).size == (200, 200)
    if number:
        for beyond in (number * Fraction(3, 2), number / Fraction(3, 2)):
            if not Fraction(1, 2**200) <= abs(beyond) <= 2**200:
                with pytest.raises(InvalidInput, match="too large or too small"):
                    Literal(beyond)


def test_numbers_may_be_as_large_and_as_small_as_doubles_are_and_no_more() -> None:
    four: Expression = Call("*", (Call("*", (X, X)), Call("*", (X, X))))
    large = reduce(lambda inner, name: Call(name, (inner, INT)), ["*", "*", "*", "+", "+"], four)
    small = reduce(lambda inner, name: Call(name, (inner, INT)), ["/", "/", "/", "*", "*"], four)
    assert (four.size, large.size, small.size) == ((803, 803), (1000, 912), (936, 1000))
    assert Call("round_to", (small, Literal(2))).size == (937, 60)
    whole = reduce(lambda inner, _: Call("*", (inner, INT)), range(14), Call("/", (INT, INT)))
    assert whole.size == (975, 79)
    inverse = Call("/", (INT, whole))
    assert inverse.size == (144, 976)
    for name, inner in (("+", large), ("/", small), ("*", whole), ("/", inverse)):
        with pytest.raises(InvalidInput, match="range of double precision"):
            Call(name, (inner, INT))


DECLARE = "c holds such values, declare it:\n  columns="


@pytest.mark.parametrize(("name", "arguments", "hint"), [
    ("=", (S, INT), DECLARE + '{"c": "integer"}'), ("=", (D, S), DECLARE + '{"c": "date"}'), ("abs", (S,), DECLARE + '{"c": "number"}'),
    ("hour", (S,), DECLARE + '{"c": "timestamp"}'), ("=", (Literal("1"), INT), None), ("lower", (INT,), None), ("abs", (D,), None),
    ("=", (INT, B), None), ("lower", (Literal(1),), None),
])  # fmt: skip
def test_a_column_of_text_may_have_to_be_declared(
    name: str, arguments: Any, hint: str | None
) -> None:
    with pytest.raises(InvalidInput) as caught:
        Call(name, arguments)
    assert ("declare it" in str(caught.value)) is (hint is not None)
    assert str(caught.value).endswith(hint or "")


@pytest.mark.parametrize(("name", "arguments", "place", "ends"), [
    ("round_to", (X, INT), 1, (-15, 15)), ("substring", (S, INT, Literal(1)), 1, (1, 2**31 - 1)),
    ("substring", (S, Literal(1), INT), 2, (0, 2**31 - 1)),
])  # fmt: skip
def test_some_arguments_are_constants_in_a_range(
    name: str, arguments: Any, place: int, ends: tuple[int, int]
) -> None:
    def made(value: int) -> Call:
        return Call(name, (*arguments[:place], Literal(value), *arguments[place + 1 :]))

    for end, beyond in ((ends[0], ends[0] - 1), (ends[1], ends[1] + 1)):
        made(end)
        with pytest.raises(InvalidInput, match="is not a constant"):
            made(beyond)
    with pytest.raises(InvalidInput, match="is not a constant"):
        Call(name, arguments)


def test_periods_and_ends_of_a_clip_are_constants() -> None:
    for period in ("day", "week", "month", "quarter", "year"):
        assert Call("date_trunc", (Literal(period), T)).type is Type.DATE
    for name, arguments in (("date_trunc", (S, D)), ("date_trunc", (Literal("hour"), T)), ("clip", (X, X, Literal(1))),
                            ("clip", (X, Literal(1), X))):  # fmt: skip
        with pytest.raises(InvalidInput, match="is not a constant"):
            Call(name, arguments)
