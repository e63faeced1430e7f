r"""Values that are written in questions: numbers, texts, truth values and dates, exact."""

from datetime import date, datetime
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from leastnoise import _check

Value: TypeAlias = int | Fraction | str | bool | date
"""What a column may be compared with."""

MOST_TEXT = 1000
"""Longer texts are no keys and nothing to compare with."""

_MOST_DECIMALS = 12  # other numbers are written as quotients


class Relation(Enum):
    """How two values are compared."""

    EQUAL = "="
    UNEQUAL = "<>"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


def is_storable(text: str) -> bool:
    """Whether every engine can hold a text, unchanged: no NUL, no half of a surrogate pair."""
    if len(text) > MOST_TEXT or "\x00" in text:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def checked_value(value: object) -> Value:
    """A value to compare with, exact.

    Raises:
        InvalidParameter: not a number, text, truth value or date.
    """
    if isinstance(value, bool) or type(value) in {date, datetime}:  # not pandas' kin, such as NaT
        return value  # type: ignore[return-value]
    if isinstance(value, str):
        if is_storable(value):
            return str(value)
        raise _check.refuse(
            f"a text to compare with must have at most {MOST_TEXT} characters, no NUL, and be "
            "valid Unicode",
            f"{_check.shown(value)} of {len(value)} characters",
            "Shorten it, or leave out what is not text.",
        )
    number = _check.rational(value, "value")  # type: ignore[arg-type]
    return number.numerator if number.denominator == 1 else number


def written_value(value: Value) -> str:
    """A value as people write it; different ones of a kind are written differently.

    Example:
        >>> written_value(Fraction(1, 10)), written_value(date(2026, 3, 5)), written_value("Oslo")
        ('0.1', '2026-03-05', "'Oslo'")
        >>> written_value(True), written_value(Fraction(1, 3)), written_value(datetime(2026, 3, 5))
        ('yes', '1/3', '2026-03-05 00:00:00')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, Fraction):
        return _written_fraction(value)
    return repr(value) if isinstance(value, str) else str(value)


def _written_fraction(value: Fraction) -> str:
    """Exact: as a decimal with a few digits, if it is one."""
    tenths = value * 10**_MOST_DECIMALS
    if tenths.denominator != 1:
        return str(value)
    whole, rest = divmod(abs(tenths.numerator), 10**_MOST_DECIMALS)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest:0{_MOST_DECIMALS}d}".rstrip("0").removesuffix(".")
