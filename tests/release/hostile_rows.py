"""Rows on which engines fail or disagree, for every function to be tried on."""

from datetime import date, datetime
from math import inf, nan
from typing import Any

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema

SCHEMA = Schema(
    [
        ("x", ColumnType.NUMBER),
        ("y", ColumnType.NUMBER),
        ("n", ColumnType.INTEGER),
        ("m", ColumnType.INTEGER),
        ("s", ColumnType.TEXT),
        ("t", ColumnType.TEXT),
        ("b", ColumnType.TRUTH),
        ("d", ColumnType.DATE),
        ("e", ColumnType.DATE),
        ("at", ColumnType.MOMENT),
    ]
)

NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1.005, 0.1, 1 / 3,
    5e-324, -5e-324, 2.0**-200, 2.0**-201, 1e-61, 2.0**52, 2.0**52 + 1, 2.0**53, 2.0**53 + 2,
    -(2.0**52) - 0.5, 2.0**62, 2.0**63, -(2.0**63), 1e15 + 0.5, 123456.789, -123456.789, 1e30,
    -1e30, 2.0**200, 2.0**201, 1e300, -1e300, 1.7976931348623157e308, inf, -inf, nan, None, 7.0,
    10.0,
]  # fmt: skip
INTEGERS = [
    0, 1, -1, 2, -2, 6, 7, 8, -7, -8, 41, 2**31 - 1, -(2**31), 2**53, 2**53 + 1, -(2**53) - 1,
    2**63 - 1, -(2**63), None, 1000, 999,
]  # fmt: skip
TEXTS = [
    "", " ", "a", "A", "Oslo", "  Oslo  ", "\tOslo\n", "\u00a0Oslo\u3000", "straße", "STRASSE",
    "ẞ", "İstanbul", "ISTANBUL", "ıI", "ΑΣ", "ας", "e\u0301té", "été", "日本語", "😀 smile 😀",
    "a%b", "a_b", "a~b", "~", "~~", "a\\b", "\\", "%", "_", "100%", "it's", '"', "x" * 1000,
    "é" * 1001, "AbC" * 400, "line\nbreak", "\u202eabc", "NULL", None, "ÅÄÖåäö", "Zz", "\x7f",
]  # fmt: skip
DAYS = [
    date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), date(1969, 12, 31), None,
    date(1970, 1, 1), date(1582, 10, 10), date(2023, 3, 1), date(2024, 12, 30), date(2000, 6, 15),
]  # fmt: skip
MOMENTS = [
    datetime(2024, 2, 29, 23, 59, 59, 999999), datetime(1, 1, 1), datetime(9999, 12, 31, 23), None,
    datetime(1969, 12, 31, 7), datetime(2024, 3, 31, 2, 30), datetime(1582, 10, 10, 12),
]  # fmt: skip
TRUTHS = [True, False, None]

ROWS: list[dict[str, Any]] = [
    {
        "x": NUMBERS[i % len(NUMBERS)],
        "y": NUMBERS[(i * 5 + i // len(NUMBERS) + 3) % len(NUMBERS)],
        "n": INTEGERS[i % len(INTEGERS)],
        "m": INTEGERS[(i * 4 + i // len(INTEGERS)) % len(INTEGERS)],
        "s": TEXTS[i % len(TEXTS)],
        "t": TEXTS[(i * 5 + i // len(TEXTS)) % len(TEXTS)],
        "b": TRUTHS[i % 3],
        "d": DAYS[i % len(DAYS)],
        "e": DAYS[(i * 3 + i // len(DAYS)) % len(DAYS)],
        "at": MOMENTS[i % len(MOMENTS)],
    }
    for i in range(88)
]
"""Each value of a list beside different ones of the others."""
