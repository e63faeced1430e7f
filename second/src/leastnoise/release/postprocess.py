"""Arithmetic on answers, and the choice of rows by them: HAVING, ORDER BY, LIMIT.

Everything here works on released numbers, so it costs no privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from leastnoise.numbers.errors import UnsupportedSQL
from leastnoise.release.estimate import (
    Answers,
    Estimator,
    Floats,
    Linear,
    Measured,
    Ratio,
    quantile,
)
from leastnoise.release.kinds import histograms_of
from leastnoise.release.quantiles import Histogram
from leastnoise.tables.totals import Total

Sign = Literal["+", "-", "*", "/"]
Operand = Estimator | Fraction

_MANY = 8  # noises from which a sum of Laplace noises is taken as normal


def combined(sign: Sign, left: Operand, right: Operand) -> Operand:
    """The answer that arithmetic on two answers, or on an answer and a number, gives."""
    if sign == "/" and right == 0:
        raise UnsupportedSQL("A number is divided by 0.")
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        numbers = {"+": left + right, "-": left - right, "*": left * right}
        return _moderate(numbers[sign] if sign != "/" else left / right)
    if sign == "*" and isinstance(right, Fraction):
        left, right = right, left
    if isinstance(left, Linear) and isinstance(right, Linear) and sign in ("+", "-"):
        return _added(left, right, Fraction(1 if sign == "+" else -1))
    if sign == "*" and isinstance(left, Fraction) and isinstance(right, Linear):
        return _scaled(right, left)
    if sign == "/" and isinstance(left, Linear) and isinstance(right, Fraction):
        return _scaled(left, 1 / right)
    if sign == "-" and left == 0 and isinstance(right, Linear):
        return _scaled(right, Fraction(-1))
    if sign == "/" and isinstance(left, Linear) and isinstance(right, Linear):
        return Ratio(left.coefficients, right.coefficients, None, None)
    if (
        sign == "*"
        and isinstance(left, Fraction)
        and isinstance(right, Ratio)
        and right.low is None
    ):
        numerator = {total: _moderate(left * c) for total, c in right.numerator.items()}
        return Ratio(numerator, right.denominator, None, None)
    return Combined(sign, left, right)


def _moderate(number: Fraction) -> Fraction:
    """A number that doubles can compute with."""
    if number and not Fraction(1, 10**60) <= abs(number) <= 10**60:
        raise UnsupportedSQL("A number is too large or too small to compute with.")
    return number


def _scaled(linear: Linear, factor: Fraction) -> Linear:
    sign = linear.sign * ((factor > 0) - (factor < 0))
    found = {total: _moderate(factor * c) for total, c in linear.coefficients.items()}
    return Linear(found, sign)


def _added(left: Linear, right: Linear, factor: Fraction) -> Linear:
    coefficients = dict(left.coefficients)
    for total, c in right.coefficients.items():
        coefficients[total] = coefficients.get(total, Fraction(0)) + factor * c
    same = left.sign == factor * right.sign
    return Linear(coefficients, left.sign if same else 0)


@dataclass(frozen=True, eq=False)
class Combined:
    """Arithmetic on two answers whose common law is not known.

    Each side takes half of the risk; the interval holds the result for all values in their
    intervals, so it is at least as sure as it says.
    """

    sign: Sign
    left: Operand
    right: Operand

    @property
    def totals(self) -> tuple[Total, ...]:
        """Those of both sides."""
        return tuple(dict.fromkeys(t for each in self._estimators for t in each.totals))

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        """Those of both sides."""
        return tuple(dict.fromkeys(h for each in self._estimators for h in histograms_of(each)))

    @property
    def _estimators(self) -> list[Estimator]:
        return [each for each in (self.left, self.right) if not isinstance(each, Fraction)]

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group."""
        each_level = 1 - (1 - level) / len(self._estimators)
        a, b = (self._side(each, measured, each_level) for each in (self.left, self.right))
        with np.errstate(all="ignore"):
            value = self._apply(a.value, b.value)
            corners = [self._apply(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
            low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
            slopes = self._slopes(a.value, b.value)
            error = np.hypot(slopes[0] * a.standard_error, slopes[1] * b.standard_error)
        if self.sign == "/":
            holds_zero = (b.low <= 0) & (b.high >= 0)
            low, high = np.where(holds_zero, -np.inf, low), np.where(holds_zero, np.inf, high)
        fields = (value, low, high, error)
        value, low, high, error = (np.where(np.isnan(each), np.inf, each) for each in fields)
        return Answers(np.where(np.isfinite(value), value, 0), low, high, error)

    def _side(self, side: Operand, measured: Measured, level: float) -> Answers:
        if not isinstance(side, Fraction):
            return side.answers(measured, level)
        same = np.full(measured.groups, float(side))
        return Answers(same, same, same, np.zeros(measured.groups))

    def _apply(self, x: Floats, y: Floats) -> Floats:
        match self.sign:
            case "+":
                return x + y
            case "-":
                return x - y
            case "*":
                return x * y
            case "/":
                return x / y

    def _slopes(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        one = np.ones_like(x)
        match self.sign:
            case "+" | "-":
                return one, one
            case "*":
                return y, x
            case "/":
                return 1 / y, x / y**2


@dataclass(frozen=True, eq=False)
class OfTotal:
    """The part that each group has of the sum over all groups that are shown."""

    of: Linear

    @property
    def totals(self) -> tuple[Total, ...]:
        """Those of what is shared out."""
        return self.of.totals

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group: the x for which (1 - x) * own - x * others is no surprise."""
        terms = (float(c) * measured.values[total] for total, c in self.of.coefficients.items())
        own: Floats = np.sum([*terms], axis=0)
        total, count = own.sum(), len(own)
        if total <= 0:
            unknown = np.full(count, 0.5)
            return Answers(unknown, unknown * 0, unknown * 2, unknown)
        value = np.clip(own / total, 0, 1)
        own_sd = measured.deviation(self.of.floats)
        error = own_sd * np.sqrt((1 - value) ** 2 + (count - 1) * value**2) / total
        one = measured.quantile(self.of.floats, (1 - level) / 2) / float(own_sd)
        normal = quantile("gaussian", [1.0], (1 - level) / 2)
        margin = error * (normal if count > _MANY else max(one, normal))
        return Answers(value, np.maximum(value - margin, 0), np.minimum(value + margin, 1), error)


@dataclass(frozen=True)
class Outer:
    """Which rows are shown, and in which order, by released values.

    Attributes:
        having: (column, sign, number): rows for which all of these hold.
        order: (column, whether from the greatest down), the first one first.
        limit: how many rows are shown at most.
    """

    having: tuple[tuple[str, str, Fraction], ...] = ()
    order: tuple[tuple[str, bool], ...] = ()
    limit: int | None = None

    def rows(self, columns: dict[str, Sequence[object]], count: int) -> list[int]:
        """The numbers of the rows that are shown, in order."""
        kept = [
            i for i in range(count) if all(self._meets(columns, i, *test) for test in self.having)
        ]
        for name, down in reversed(self.order):
            values = columns[name]
            missing = [i for i in kept if values[i] is None]
            present = [i for i in kept if values[i] is not None]
            present.sort(key=lambda i: values[i], reverse=down)  # type: ignore[arg-type, return-value]
            kept = present + missing
        return kept if self.limit is None else kept[: self.limit]

    @staticmethod
    def _meets(
        columns: dict[str, Sequence[object]], row: int, name: str, sign: str, number: Fraction
    ) -> bool:
        value = Fraction(float(columns[name][row]))  # type: ignore[arg-type]
        match sign:
            case "<":
                return value < number
            case "<=":
                return value <= number
            case ">":
                return value > number
            case ">=":
                return value >= number
            case "=":
                return value == number
            case _:
                return value != number
