"""Every function, comparison and connective over hostile values, against plain Python."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from functools import reduce
from itertools import product
from math import isfinite
from typing import Any, cast

import pyarrow as pa
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.sql import expression_of
from leastnoise.tables.dialect import fill, joined
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import (
    DEEPEST,
    LONGEST,
    Call,
    Case,
    Column,
    Expression,
    Literal,
    columns_of,
)
from leastnoise.tables.functions import FUNCTIONS, PARTS
from leastnoise.tables.schema import Table, Type
from leastnoise.tables.sources import find_table
from tests import reference

VALUES: dict[Type, list[Any]] = {
    Type.INTEGER: [0, 1, -1, 2, 3, -7, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), None],
    Type.NUMBER: [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 4503599627370497.5, 1e15, 1e308, -1e308, 5e-324,
                  2.0**200, 2.0**-200, float("inf"), -float("inf"), float("nan"), None],
    Type.TEXT: ["", " ", "a", "A", " a ", "ab", "ß", "é", "é", "İ", "ǆ", "日本", "a\tb", "%", "_", "\\", "'", "🙂x", None],
    Type.DATE: [date(1, 1, 1), date(4, 2, 29), date(2020, 2, 29), date(2020, 12, 31), date(2021, 1, 3), date(9999, 12, 31), None],
    Type.TIMESTAMP: [datetime(1, 1, 1), datetime(2020, 2, 29, 23, 59, 59, 999999), datetime(2021, 1, 4), datetime(9999, 12, 31, 12), None],
    Type.BOOLEAN: [True, False, None],
}  # fmt: skip
ARROW = {Type.INTEGER: pa.int64(), Type.NUMBER: pa.float64(), Type.TEXT: pa.string(), Type.DATE: pa.date32(),
         Type.TIMESTAMP: pa.timestamp("us"), Type.BOOLEAN: pa.bool_()}  # fmt: skip
LETTER = {
    Type.INTEGER: "i",
    Type.NUMBER: "x",
    Type.TEXT: "s",
    Type.DATE: "d",
    Type.TIMESTAMP: "t",
    Type.BOOLEAN: "b",
}


def rows_of(one: Type, other: Type) -> tuple[Table, list[dict[str, Any]]]:
    """Every pair of values of two types, as columns i1 and x2, or whatever the types are."""
    names = f"{LETTER[one]}1", f"{LETTER[other]}2"
    rows = [
        {names[0]: a, names[1]: b, "k": k}
        for k, (a, b) in enumerate(product(VALUES[one], VALUES[other]))
    ]
    schema = pa.schema({names[0]: ARROW[one], names[1]: ARROW[other], "k": pa.int64()})
    return find_table(pa.Table.from_pylist(rows, schema=schema), name="t"), rows


EXPRESSIONS: dict[tuple[Type, Type], list[str]] = {
    (Type.INTEGER, Type.INTEGER): ["i1 + i2", "i1 - i2", "i1 * i2", "i1 / i2", "i1 % i2", "abs(i1)", "-i1", "floor(i1)", "round(i1)",
        "least(i1, i2)", "greatest(i1, i2, 3)", "clip(i1, -5, 5)", "coalesce(i1, i2, 7)", "nullif(i1, i2)", "i1 = i2", "i1 <> i2",
        "i1 < i2", "i1 <= i2", "i1 > i2", "i1 >= i2", "i1 IN (1, 2, i2)", "i1 BETWEEN -1 AND i2", "i1 IS NULL", "i1 NOT IN (1, 2)",
        "i1 * i1 * 0.5", "CASE WHEN i1 > 1 THEN i2 WHEN i2 IS NULL THEN 0.5 END"],
    (Type.NUMBER, Type.NUMBER): ["x1 + x2", "x1 - x2", "x1 * x2", "x1 / x2", "abs(x1)", "-x1", "floor(x1)", "ceil(x1)", "round(x1)",
        "least(x1, x2)", "greatest(x1, x2)", "clip(x1, -1.5, 1e3)", "coalesce(x1, 0.5)", "nullif(x1, x2)", "x1 = x2", "x1 < x2",
        "x1 >= x2", "x1 IN (0, 0.1, x2)", "x1 * x2 * x1 * x2", "x1 / x2 / x2", "(x1 + x2) - x1", "1 / (x1 - x2)"],
    (Type.INTEGER, Type.NUMBER): ["i1 + x2", "i1 * x2", "i1 / x2", "i1 = x2", "i1 < x2", "least(i1, x2)", "coalesce(i1, x2)",
        "CASE WHEN x2 > 0 THEN i1 ELSE x2 END"],
    (Type.TEXT, Type.TEXT): ["lower(s1)", "upper(s1)", "length(s1)", "trim(s1)", "substring(s1, 1, 1)", "substring(s1, 2, 5)",
        "concat(s1, s2)", "s1 || s2", "starts_with(s1, s2)", "contains(s1, s2)", "s1 = s2", "s1 < s2", "s1 >= s2", "s1 IN ('a', 'b', s2)",
        "least(s1, s2)", "coalesce(s1, s2)", "nullif(s1, s2)", "s1 <> 'a'", "s1 IS NOT NULL"],
    (Type.DATE, Type.TIMESTAMP): [*(f"date_trunc('{p}', d1)" for p in ("day", "week", "month", "quarter", "year")),
        *(f"date_trunc('{p}', t2)" for p in ("day", "week", "month", "quarter", "year")), *(f"{p}(d1)" for p in PARTS if p != "hour"),
        *(f"{p}(t2)" for p in PARTS), "d1 = t2", "d1 < t2", "d1 >= '2020-02-29'", "t2 < '2021-01-04'", "coalesce(d1, t2)"],
    (Type.BOOLEAN, Type.BOOLEAN): ["b1 AND b2", "b1 OR b2", "NOT b1", "b1 = b2", "b1 <> b2", "b1 AND NOT b2 OR b1 IS NULL",
        "coalesce(b1, b2)", "CASE WHEN b1 THEN b2 ELSE NOT b2 END"],
}  # fmt: skip


@pytest.mark.parametrize("types", EXPRESSIONS, ids=lambda types: "-".join(types))
def test_functions_over_hostile_values(types: tuple[Type, Type]) -> None:
    table, rows = rows_of(*types)
    cleaned = [reference.cleaned_row(table, row) for row in rows]
    made = [expression_of(text, table.schema, "a test") for text in EXPRESSIONS[types]]
    if types == (Type.DATE, Type.TIMESTAMP):
        made.append(
            Call("days_between", tuple(Column(n, table.schema[n].type) for n in ("d1", "t2")))
        )
    found = values_of(table, made)
    for place, expression in enumerate(made):
        for row in cleaned:
            got, expected = found[row["k"]][place], reference.evaluate(expression, row)
            assert plain(got) == plain(expected), (str(expression), row)
            assert not isinstance(got, float) or isfinite(got)


def values_of(table: Table, made: list[Expression]) -> dict[int, list[Any]]:
    with DuckDB([table]) as engine:
        shown = joined(", ", (each.sql(engine.dialect) for each in made))
        names = list(table.schema)
        rows: list[Any] = engine.candidates(
            fill("SELECT {}, k FROM {} AS t", shown, engine.scan(table, names))
        )
    return {k: values for *values, k in rows}


def plain(value: Any) -> Any:
    """With the type, and one zero."""
    return type(value), value + 0.0 if isinstance(value, float) else value


def test_every_function_is_tried() -> None:
    tried = set[str]()

    def walk(expression: Expression) -> None:
        if isinstance(expression, Call):
            tried.add(expression.name)
        for part in expression.parts:
            walk(part)

    for types, texts in EXPRESSIONS.items():
        table, _ = rows_of(*types)
        for text in texts:
            walk(expression_of(text, table.schema, "a test"))
    assert {*FUNCTIONS} - tried <= {"round_to", "days_between"}


def test_rounding_to_decimals() -> None:
    table, rows = rows_of(Type.NUMBER, Type.NUMBER)
    made = [expression_of(f"round(x1, {n})", table.schema, "a test") for n in (-2, 0, 1, 3)]
    found = values_of(table, made)
    for row in rows:
        x = reference.cleaned(row["x1"], Type.NUMBER)
        for n, value in zip((-2, 0, 1, 3), found[row["k"]], strict=True):
            assert (value is None) is (x is None)
            if value is not None and abs(x) < 2.0**150:
                assert abs(Fraction(value) - Fraction(x)) <= Fraction(10) ** -n / 2 + abs(
                    Fraction(x)
                ) * Fraction(1, 2**50)
    assert {name for each in made for name in (c.name for c in columns_of(each))} == {"x1"}


INT, X, S, D, B = (
    Column("c", kind) for kind in (Type.INTEGER, Type.NUMBER, Type.TEXT, Type.DATE, Type.BOOLEAN)
)
WRONG: list[tuple[Any, str]] = [
    (lambda: Call("sqrtt", (X,)), "no function"),
    (lambda: Call("abs", ()), "takes 1 arguments and has 0"),
    (lambda: Call("abs", (X, X)), "takes 1 arguments and has 2"),
    (lambda: Call("coalesce", (X,)), "at least 2"),
    (lambda: Call("abs", (S,)), "takes integer or number there"),
    (lambda: Call("and", (B, INT)), "takes boolean there"),
    (lambda: Call("=", (S, INT)), "different types"),
    (lambda: Call("<", (B, B)), "in order"),
    (lambda: Call("substring", (S, Literal(0), Literal(1))), "is not a constant"),
    (lambda: Call("substring", (S, INT, Literal(1))), "is not a constant"),
    (lambda: Call("date_trunc", (Literal("hour"), D)), "day, week, month, quarter, year"),
    (lambda: Call("clip", (X, X, Literal(1))), "is not a constant"),
    (lambda: Call("hour", (D,)), "takes timestamp there"),
    (lambda: Case(((INT, X),)), "is no condition"),
    (lambda: Case(((B, X),), S), "different types"),
    (lambda: Literal(None), "NULL"),
    (lambda: Literal(Fraction(2) ** 201), "too large or too small"),
    (lambda: Literal(Fraction(1, 2**201)), "too large or too small"),
    (lambda: Column("c", Type.OTHER), "cannot be used"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_an_expression_that_exists_has_types_that_fit(make: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


def test_numbers_stay_within_doubles() -> None:
    """A product of columns may be as large as 2^200 times 2^200 and so on; a fifth one is one too many."""
    product_ = reduce(lambda found, _: Call("*", (found, X)), range(3), cast(Expression, X))
    with pytest.raises(InvalidInput, match="range of double precision"):
        Call("*", (product_, X))
    assert product_.size == (803, 803)
    assert Call("/", (X, INT)).size == (201, 265)
    assert Call("+", (X, INT)).size == (201, 253)
    assert Call("coalesce", (product_, INT)).size == (803, 803)
    assert Case(((B, X),), INT).size == (200, 200)
    assert Call("floor", (product_,)).size == (64, 0)


def test_expressions_have_an_end() -> None:
    deep: Expression = B
    with pytest.raises(InvalidInput, match=f"{DEEPEST + 1} deep"):
        deep = reduce(lambda inner, _: Call("not", (inner,)), range(DEEPEST), deep)
    with pytest.raises(InvalidInput, match="are the most"):
        Call("in", (INT, *[Literal(i) for i in range(LONGEST)]))
    Call("in", (INT, *[Literal(i) for i in range(LONGEST - 2)]))


def test_literals_of_other_types_are_other_literals() -> None:
    assert Literal(1) == Literal(1)
    assert len({Literal(1), Literal(True), Literal(Fraction(1)), Literal(1)}) == 3
    assert replace(Literal(1), value=2) == Literal(2)
    assert Literal(2**63).type is Type.NUMBER
