"""Numbers as people type them become exact: integers and fractions, never floats.

A float stands for the decimal that it prints as: 0.1 is 1/10. NaN, infinity and truth values are
refused in words. `Checked` does this for the fields of a frozen dataclass.

Trusted.
"""

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from fractions import Fraction
from math import inf
from numbers import Rational, Real
from typing import Any, Generic, TypeVar, overload

from leastnoise.numbers.errors import InvalidInput

Exact = int | float | str | Fraction | Decimal
"""What may be typed for a number."""

Given = TypeVar("Given")
Kept = TypeVar("Kept")

_MOST_WHOLE = 10**60
_MOST_DIGITS = 400  # of a typed number, point and exponent written out


def exact(value: Exact, name: str = "the number") -> Fraction:
    """The number that was typed, as a fraction.

    >>> exact(0.1), exact("1e-6"), exact(3)
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(3, 1))
    """
    if isinstance(value, bool):
        raise InvalidInput(f"{name} is {value}. Give a number.")
    if isinstance(value, Rational):  # a numpy integer inside a Fraction would overflow
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal | str):
        return _of_text(str(value), name)
    if isinstance(value, Real):
        return _of_text(float.__repr__(value) if isinstance(value, float) else str(value), name)
    raise InvalidInput(f"{name} is a {type(value).__name__}. Give a number.")


def _of_text(text: str, name: str) -> Fraction:
    try:
        whole, slash, below = text.partition("/")
        top, bottom = Decimal(whole), Decimal(below) if slash else Decimal(1)
        finite = top.is_finite() and bottom.is_finite() and bottom != 0
    except (InvalidOperation, ValueError):
        finite = False
    if not finite or "_" in text:
        raise InvalidInput(f"{name} is {text[:40]!r}. Give a finite number.")
    if max(abs(top.adjusted()), abs(bottom.adjusted())) > _MOST_DIGITS or len(text) > _MOST_DIGITS:
        raise InvalidInput(f"{name} has more than {_MOST_DIGITS} digits. Round it.")
    return Fraction(top) / Fraction(bottom)


def positive(value: Exact, name: str) -> Fraction:
    """A number above 0."""
    number = exact(value, name)
    if number <= 0:
        raise InvalidInput(f"{name} is {written(number)}. Give a number above 0.")
    return number


def non_negative(value: Exact, name: str) -> Fraction:
    """A number of at least 0."""
    number = exact(value, name)
    if number < 0:
        raise InvalidInput(f"{name} is {written(number)}. Give 0 or more.")
    return number


def probability(value: Exact, name: str) -> Fraction:
    """A number from 0 to 1."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise InvalidInput(f"{name} is {written(number)}. Give a number from 0 to 1.")
    return number


def inside(value: Exact, name: str) -> Fraction:
    """A number strictly between 0 and 1."""
    number = exact(value, name)
    if not 0 < number < 1:
        raise InvalidInput(f"{name} is {written(number)}. Give a number between 0 and 1.")
    return number


def whole(value: Exact, name: str, *, least: int = 1, most: int = _MOST_WHOLE) -> int:
    """A whole number from `least` to `most`."""
    number = exact(value, name)
    if number.denominator != 1 or number < least:
        raise InvalidInput(f"{name} is {written(number)}. Give a whole number from {least} on.")
    if number > most:
        shown = f"{most:,}" if most < _MOST_WHOLE else "10^60"
        raise InvalidInput(f"{name} is above {shown}. Give a smaller one.")
    return int(number)


def truth_value(given: bool, name: str) -> bool:
    """True or False; other things may look like either."""
    if not isinstance(given, bool):
        raise InvalidInput(f"{name} is {given!r:.40}. Give True or False.")
    return given


def renyi_order(value: Exact, name: str = "order") -> Fraction | float:
    """An order of a Renyi divergence: a number from 1 on, or infinity."""
    if isinstance(value, float) and value == inf:
        return inf
    number = exact(value, name)
    if number < 1:
        raise InvalidInput(f"{name} is below 1. Give 1, more, or math.inf.")
    return number


def written(number: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    """A fraction as people write it: exactly if that is short, else to 15 digits.

    >>> written(Fraction(1, 10)), written(Fraction(1, 10**7)), written(Fraction(1, 3))
    ('0.1', '1e-07', '1/3')
    """
    try:
        text = repr(float(number)).removesuffix(".0")
    except OverflowError:
        text = "inf"
    if text != "inf" and Fraction(text) == number:
        return text
    if len(str(number.denominator)) <= 6 and abs(number) < 10**12:
        return str(number)
    context = Context(prec=15, rounding=rounding, Emin=-(10**9), Emax=10**9)
    return str(context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize())


class Checked(Generic[Given, Kept]):
    """Field of a frozen dataclass: the constructor takes `Given`, the attribute holds `Kept`.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Coin:
    ...     chance: Checked[Exact, Fraction] = Checked(probability)
    >>> Coin(0.25).chance
    Fraction(1, 4)
    """

    def __init__(self, check: Callable[[Given, str], Kept], default: Given | None = None) -> None:
        self._check, self._default = check, default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> Given: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> Kept: ...
    def __get__(self, owner: object, kind: type | None = None) -> Any:
        if owner is not None:
            return owner.__dict__[self._name]
        if self._default is None:  # how a dataclass learns that there is no default
            raise AttributeError(self._name)
        return self._default

    def __set__(self, owner: object, value: Given) -> None:
        owner.__dict__[self._name] = self._check(value, self._name)
