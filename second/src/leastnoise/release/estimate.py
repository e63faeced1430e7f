"""From noisy totals to answers: values, standard errors and intervals.

Nothing here touches data: the totals have their noise, and its laws are public. Intervals are for
the answer that the table gives with the limit applied. A limit can only lower a count, so counts,
and sums that cannot be negative, take four parts of the risk below and one above.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.ledger.meters import Family
from leastnoise.noise.sums import NoiseSum
from leastnoise.release.measurement import Part
from leastnoise.tables.contributions import ONE
from leastnoise.tables.totals import Above, Below, Centred, Present, Total

Floats = NDArray[np.float64]
Coefficients = Mapping[Total, Any]
"""For each total its coefficient: a number, or one for each group."""

_STEPS = 60  # of a bisection: as exact as doubles are
_FAR = 20  # standard errors: few intervals end beyond


class SharedSums(Protocol):
    """The noise of totals that comes from draws that they share: sums of it, with their law."""

    def has(self, coefficients: Mapping[Total, Any]) -> bool:
        """Whether the noise of a sum is among it."""

    def sum(self, coefficients: Mapping[Total, Any]) -> NoiseSum:
        """The noise of a sum of totals."""

    def quantile(self, coefficients: Mapping[Total, Any], risk: float) -> float:
        """The x with P(noise of a sum of totals > x) = risk."""


@dataclass(frozen=True)
class Measured:
    """Noisy totals by group, in rows or steps, with the size of their noise.

    Attributes:
        family: the law of the noise.
        values: for each total one number for each group.
        sizes: for each total the standard deviation (Gaussian) or the scale (Laplace); for each
            histogram one for each level.
        limited: whether a limit may have lowered the totals.
        cells: for each histogram the rows in the cells of every group, level by level.
        groups: how many groups there are.
        shared: of totals whose noise comes from draws that they share, that noise and its place.
    """

    family: Family
    values: Mapping[Total, Floats]
    sizes: Mapping[Any, Any]
    limited: bool
    cells: Mapping[Any, Sequence[Floats]] = field(default_factory=dict)
    groups: int = 1
    shared: SharedSums | None = None

    def deviation(self, coefficients: Coefficients) -> Floats:
        """The standard deviation of the noise of a sum of totals; one number, or one for each group."""
        if self.shared is not None and self.shared.has(coefficients):
            return np.asarray(self.shared.sum(coefficients).deviation)
        return standard_deviation(self.family, self._sizes(coefficients))

    def tail(self, coefficients: Coefficients, x: Floats) -> Floats:
        """P(noise of a sum of totals > x) for x >= 0."""
        if self.shared is not None and self.shared.has(coefficients):
            return np.asarray(self.shared.sum(coefficients).tail(x))
        return tail(self.family, self._sizes(coefficients), x)

    def quantile(self, coefficients: Coefficients, risk: float) -> Floats:
        """The x with P(noise of a sum of totals > x) = risk; one number, or one for each group."""
        if self.shared is None or not self.shared.has(coefficients):
            return quantiles(self.family, self._sizes(coefficients), risk)
        names, columns = [*coefficients], np.broadcast_arrays(*coefficients.values())
        rows = (
            dict(zip(names, each, strict=True))
            for each in zip(*map(np.ravel, columns), strict=True)
        )
        found = [self.shared.quantile(each, risk) for each in rows]
        return np.array(found).reshape(columns[0].shape)

    def _sizes(self, coefficients: Coefficients) -> Floats:
        """The sizes of the independent noises in a sum; `Above` and `Below` for a pair of totals."""
        sizes: list[Floats] = []
        pairs: dict[Total, list[Any]] = {}
        for total, c in coefficients.items():
            if total in self.sizes:
                sizes.append(np.abs(np.asarray(c, dtype=np.float64)) * self.sizes[total])
                continue
            for own, factor in parts_of(total, self.sizes):
                pairs.setdefault(own, []).append(np.asarray(c, dtype=np.float64) * factor)
        sizes += [np.abs(np.sum(cs, axis=0)) * self.sizes[own] for own, cs in pairs.items()]
        return np.stack(np.broadcast_arrays(*sizes), axis=-1)


def parts_of(total: Total, measured: Iterable[Total]) -> list[tuple[Total, float]]:
    """Of a total that was measured as `Above` and `Below`: these, with coefficients.

    Above = h * rows + y and Below = h * rows - y, summed up.
    """
    for each in measured:
        if (
            type(each) is Above
            and each.value == getattr(total, "value", None)
            and each.where == total.where
        ):
            below = Below(each.where, each.value, each.lower, each.upper)
            if isinstance(total, Present):
                return [(each, 0.5 / each.half), (below, 0.5 / each.half)]
            if type(total) is Centred and (total.lower, total.upper) == (each.lower, each.upper):
                return [(each, 0.5), (below, -0.5)]
    raise KeyError(total)


def in_rows(totals: Sequence[int]) -> Floats:
    """Stored totals, in rows or steps."""
    return np.array([each / ONE for each in totals], dtype=np.float64)


def noise_sizes(part: Part, family: Family) -> list[float]:
    """The standard deviation (Gaussian) or the scale (Laplace) of every total, in rows or steps.

    NaN where the noise is shared with other totals.
    """
    power = 0.5 if family == "gaussian" else 1
    return [float(size) ** power / ONE if isinstance(size, int) else np.nan for size in part.noise]


@dataclass(frozen=True)
class Answers:
    """Estimates for every group: the value, an interval around it, and the standard error."""

    value: Floats
    low: Floats
    high: Floats
    standard_error: Floats

    def of_rows(self, rows: Sequence[int]) -> "Answers":
        """Of some groups, in an order."""
        fields = (self.value, self.low, self.high, self.standard_error)
        return Answers(*(each[list(rows)] for each in fields))

    def within(self, least: float, greatest: float) -> "Answers":
        """With the intervals cut to what is possible, and nowhere less than half an error wide.

        Where noise contradicts everything that is possible, nothing else would be left of one.
        """
        near, room = np.clip(self.value, least, greatest), self.standard_error / 2
        low = np.clip(np.minimum(self.low, near - room), least, greatest)
        high = np.clip(np.maximum(self.high, near + room), least, greatest)
        return Answers(self.value, low, high, self.standard_error)

    def rounded(self) -> "Answers":
        """The same to four digits of the standard error: further ones are noise."""
        power = np.floor(np.log10(np.maximum(self.standard_error, 1e-300))) - 3
        unit = 10.0 ** -np.minimum(power, 0)
        fields = (self.value, self.low, self.high, self.standard_error)
        return Answers(*(np.round(each * unit) / unit for each in fields))


def tail(family: Family, sizes: Floats, x: Floats) -> Floats:
    """P(noise > x) for x >= 0, of a sum of independent noises with these sizes (last axis).

    Sizes of Laplace noise that are nearly equal are taken 0.1 % apart, upward: the sum of
    exponentials then has no cancellation, and the answer is too large by about as much.
    """
    if family == "gaussian":
        from scipy.special import ndtr

        spread = np.sqrt((sizes**2).sum(axis=-1))
        found: Floats = ndtr(-x / np.maximum(spread, 1e-300))
        return found
    scales = _apart(sizes)
    squares = scales**2
    above = np.zeros(np.broadcast_shapes(x.shape, scales.shape[:-1]))
    for i in range(scales.shape[-1]):
        weight = np.ones(scales.shape[:-1])
        for j in range(scales.shape[-1]):
            if j != i:
                weight = weight * squares[..., i] / (squares[..., i] - squares[..., j])
        above = above + weight * np.exp(-x / scales[..., i]) / 2
    return above


def _apart(sizes: Floats) -> Floats:
    """Scales in rising order, each at least 0.1 % above the one before."""
    scales: Floats = np.sort(np.abs(sizes), axis=-1)
    scales = np.maximum(scales, scales[..., -1:] * 1e-6 + 1e-300)
    for i in range(1, scales.shape[-1]):
        scales[..., i] = np.maximum(scales[..., i], scales[..., i - 1] * 1.001)
    return scales


def quantile(family: Family, sizes: Sequence[float], risk: float) -> float:
    """The x with P(noise > x) = risk, for a risk of at most 1/2."""
    return float(quantiles(family, np.array(sizes), risk))


def quantiles(family: Family, sizes: Floats, risk: float) -> Floats:
    """The same of several sums of independent noises with these sizes (last axis)."""
    if family == "gaussian":
        from scipy.special import ndtri

        return np.asarray(np.sqrt((sizes**2).sum(axis=-1)) * -ndtri(risk))
    if sizes.shape[-1] == 1:
        return np.asarray(sizes[..., 0] * -log(2 * risk))
    low: Floats = np.zeros(sizes.shape[:-1])
    high: Floats = np.abs(sizes).sum(axis=-1) * (log(1 / risk) + sizes.shape[-1])
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = tail(family, sizes, middle) > risk
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


def standard_deviation(family: Family, sizes: Floats) -> Floats:
    """Of a sum of independent noises with these sizes (last axis)."""
    spread: Floats = np.sqrt((sizes**2).sum(axis=-1) * (1 if family == "gaussian" else 2))
    return spread


class Estimator(Protocol):
    """How an answer is computed from noisy totals."""

    @property
    def totals(self) -> tuple[Total, ...]:
        """The totals that it needs."""

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group."""


@dataclass(frozen=True, eq=False)
class Linear:
    """A sum of totals with coefficients.

    Attributes:
        coefficients: for each total its coefficient.
        sign: 1 if the answer cannot be negative, -1 if it cannot be positive, else 0.
    """

    coefficients: Mapping[Total, Fraction]
    sign: int

    @classmethod
    def of(cls, total: Total, *, sign: int) -> "Linear":
        """One total as it is."""
        return cls({total: Fraction(1)}, sign)

    @property
    def totals(self) -> tuple[Total, ...]:
        """The totals that it needs."""
        return tuple(self.coefficients)

    @property
    def floats(self) -> dict[Total, float]:
        """The coefficients that are not 0."""
        return {total: float(c) for total, c in self.coefficients.items() if c}

    def risks(self, level: float, *, limited: bool) -> tuple[float, float]:
        """The risks below and above that an interval takes."""
        risk = 1 - level
        if not limited or not self.sign:
            return risk / 2, risk / 2
        return (0.8 * risk, 0.2 * risk) if self.sign > 0 else (0.2 * risk, 0.8 * risk)

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group."""
        terms = (float(c) * measured.values[total] for total, c in self.coefficients.items())
        value: Floats = np.sum([*terms], axis=0)
        below, above = self.risks(level, limited=measured.limited)
        low = value - measured.quantile(self.floats, below)
        high = value + measured.quantile(self.floats, above)
        error = np.full_like(value, measured.deviation(self.floats))
        least, greatest = (0 if self.sign == sign else sign * -np.inf for sign in (1, -1))
        return Answers(value, low, high, error).within(least, greatest)


@dataclass(frozen=True, eq=False)
class Ratio:
    """A quotient of two sums of totals that lies between two ends, if they are known.

    The interval holds every m for which numerator - m * denominator, whose noise has a known law, is
    no surprise.
    """

    numerator: Mapping[Total, Fraction]
    denominator: Mapping[Total, Fraction]
    low: Fraction | None
    high: Fraction | None

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """The totals that it needs."""
        return tuple(dict.fromkeys((*self.denominator, *self.numerator)))

    def noise(self, m: Floats) -> dict[Total, Floats]:
        """The coefficients of numerator - m * denominator, for each m."""
        return {
            each: float(self.numerator.get(each, 0)) - m * float(self.denominator.get(each, 0))
            for each in self.totals
        }

    def _sides(self, measured: Measured) -> tuple[Floats, Floats]:
        """Numerator and denominator of every group."""
        top, bottom = (
            np.sum([float(c) * measured.values[total] for total, c in part.items()], axis=0)
            for part in (self.numerator, self.denominator)
        )
        return top, bottom

    def margin(self, measured: Measured, level: float) -> float:
        """The margin to expect of the first group, where the denominator is far above its noise."""
        top, bottom = self._sides(measured)
        widths = measured.quantile(self.noise(top / bottom), (1 - level) / 2) / np.abs(bottom)
        most = np.inf if self.low is None or self.high is None else float(self.high - self.low)
        return float(min(widths[0], most))

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group."""
        top, bottom = self._sides(measured)
        known = bottom != 0 if self.low is None or self.high is None else bottom > 0
        value = np.where(known, top / np.where(known, bottom, 1), 0)
        far = 1e6 * (np.abs(value) + 1)
        low = -far + value if self.low is None else np.full_like(top, float(self.low))
        high = far + value if self.high is None else np.full_like(top, float(self.high))
        value = np.clip(np.where(known, value, (low + high) / 2), low, high)

        def plausible(m: Floats) -> NDArray[np.bool_]:
            chance = measured.tail(self.noise(m), np.abs(top - m * bottom))
            return np.asarray((chance >= (1 - level) / 2) | ~known)

        error = measured.deviation(self.noise(value)) / np.abs(np.where(known, bottom, 1e-300))
        error = np.minimum(error, (high - low) / 2)
        ends = [_boundary(plausible, value, end, error) for end in (low, high)]
        if self.low is None:
            ends[0] = np.where(ends[0] <= low, -np.inf, ends[0])
        if self.high is None:
            ends[1] = np.where(ends[1] >= high, np.inf, ends[1])
        least, greatest = (
            sign * np.inf if end is None else float(end)
            for sign, end in ((-1, self.low), (1, self.high))
        )
        return Answers(value, ends[0], ends[1], error).within(least, greatest)


def _boundary(
    plausible: Callable[[Floats], NDArray[np.bool_]],
    inside: Floats,
    outside: Floats,
    error: Floats,
) -> Floats:
    """Where plausibility ends on the way from the value to an end of the range."""
    reaches = plausible(outside)
    way = np.minimum(np.abs(outside - inside), _FAR * error)
    middle = inside + np.sign(outside - inside) * way
    holds = plausible(middle)
    near, far = np.where(holds, middle, inside), np.where(holds, outside, middle)
    for _ in range(_STEPS // 2):
        middle = (near + far) / 2
        holds = plausible(middle)
        near, far = np.where(holds, middle, near), np.where(holds, far, middle)
    return np.where(reaches, outside, far)
