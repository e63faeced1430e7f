"""Derived columns in plans: exactly what the library's own expressions can say, and no code."""

from fractions import Fraction

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.expression import (
    Constant,
    Indicator,
    Term,
    coalesce,
    col,
    least,
    when,
)
from leastnoise.release.file.plan_expression import plan_expression


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("age", col("age")),
        ("price * quantity", col("price") * col("quantity")),
        ("2 * a - (b + 1)", 2 * col("a") - (col("b") + 1)),
        ("-a", -1 * col("a")),
        ("a - -1", col("a") - -1),
        ("year(born)", col("born").year()),
        ("2026 - year(born)", 2026 - col("born").year()),
        ('col("odd name") + 1', col("odd name") + 1),
        ('hour(col("when seen"))', col("when seen").hour()),
        ("a / b", col("a") / col("b")),
        ("1 / 4 * a", Fraction(1, 4) * col("a")),
        ("floor(age / 10) * 10", (col("age") / 10).floor() * 10),
        ("round(a, -2)", col("a").round(-2)),
        ("least(a, b, 3)", least(col("a"), col("b"), 3)),
        ("lower(trim(city))", col("city").trim().lower()),
        ("coalesce(city, 'unknown')", coalesce(col("city"), "unknown")),
        ("like(city, 'O%')", Indicator(col("city").like("O%"))),
        ("age >= 18", Indicator(col("age") >= 18)),
        ("5 < a <= b", Indicator((Constant(Fraction(5)) < col("a")) & (col("a") <= col("b")))),
        ("0 if a < b else a", when(col("a") < col("b"), 0).otherwise(col("a"))),
        (
            "'x' if a == 1 else 'y' if not b in ['q', 'r'] else 'z'",
            when(col("a") == 1, "x").when(~col("b").isin(["q", "r"]), "y").otherwise("z"),
        ),
        (
            "1 if smoker == True and contains(s, 't') or a != b else 0",
            when(
                ((col("smoker") == True) & col("s").contains("t"))  # noqa: E712 - a condition
                | col("a").differs(col("b")),
                1,
            ).otherwise(0),
        ),
    ],
)
def test_what_can_be_said(text: str, term: Term) -> None:
    assert plan_expression(text) == term


def test_numbers_are_taken_as_written() -> None:
    assert str(plan_expression("a * 0.1")) == "(a * 0.1)"
    assert plan_expression("1 + 2 - a") == 3 - col("a")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1 + 1",
        "a ** 2",
        "a.b",
        "a[0]",
        "f(a)",
        "__import__('os').system('true')",
        "col(a)",
        "col('a', 'b')",
        "year(a, b)",
        "year(x=a)",
        "True + a",
        "'text'",
        "a if b else c",
        "lambda: 0",
        "(a := 1)",
        "a; b",
        "a and b",
        "a < True",
        "a in b",
        "a is b",
        "1 / 0 * a",
        "substring(a, 0)",
        "floor(a, b)",
        "like(a, b)",
        "~a",
        "1j * a",
        "a +",
        "(" * 300 + "a" + ")" * 300,
        "a\x00",
        "a" * 2000,
        "+".join(["a"] * 40),
        "1e400000000 * a",
        "float('inf')",
    ],
)
def test_what_cannot(text: str) -> None:
    with pytest.raises(InvalidParameter):
        plan_expression(text)
