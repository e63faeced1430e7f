"""`PiecewiseLinearTradeoff`: a trade-off function made of straight lines, and its iterates."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable, Real, rational_real
from leastnoise.privacy.curves.curve import NEVER, at_least_zero, at_most_one

Corner = tuple[arb, arb]
"""A false-alarm rate x and the power of the best test there, 1 − f(x)."""

_CHECKING_BITS = 1024  # corners that agree so far are taken for a straight line
_ENOUGH_BITS = 80  # more than a float has, with room for what follows


@dataclass(frozen=True)
class TradeoffPoint:
    """A point of a trade-off function: of all tests with this false-alarm rate, the best misses."""

    false_alarm: Real
    missed_detection: Real


@dataclass(frozen=True)
class PiecewiseLinearTradeoff:
    r"""The trade-off function f through the given points, iterated `steps` times.

    Theorem: if f bounds every ordered pair of neighbours from below, then 1 − (1−f)∘…∘(1−f), with
    k factors, bounds every pair k steps apart; no better bound holds for all mechanisms with this
    f, if f is symmetric. Its hockey-stick δ(ε) is the largest 1 − g(x) − e^ε·x over its corners,
    all of which are x = 0, or a corner of f pulled back by up to k − 1 steps.
    Proof: docs/proofs/group_privacy.md, sections 1 and 3.

    The corners are never sorted and may coincide: a maximum does not mind, so nothing has to be
    decided between numbers that are equal.

    Args:
        points: from (0, f(0)) to (x, 0), with the false-alarm rate rising; convex.
        steps: how often 1 − f is applied; 1 gives f itself.

    References: DongRothSu2022, Theorem 2.14 (arXiv 1905.02383v3).

    Example:
        >>> curve = PiecewiseLinearTradeoff.of_approx(epsilon=1, delta="1e-6").iterate(5)
        >>> round(float(curve.delta(epsilon=5)), 8), round(float(curve.delta(epsilon=4)), 4)
        (8.579e-05, 0.4621)
    """

    points: tuple[TradeoffPoint, ...]
    steps: int = 1

    def __post_init__(self) -> None:
        if len(self.points) < 2 or not self._is_tradeoff():
            raise _check.refuse(
                "`points` must run from false alarm 0 to missed detection 0 on a convex curve",
                _check.shown(self.points),
                "List the corners of a trade-off function from left to right, each once.",
            )

    @classmethod
    def of_approx(cls, *, epsilon: Exact, delta: Exact) -> "PiecewiseLinearTradeoff":
        r"""The trade-off function of (ε, δ)-DP: max(0, 1 − δ − e^ε·x, e^−ε·(1 − δ − x))."""
        loss, leak = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
        middle = ExponentialRatio(ExponentialSum.of(1 - leak), 1 + ExponentialSum.exp(loss))
        zero, end = rational_real(0), rational_real(1 - leak)
        return cls(
            (TradeoffPoint(zero, end), TradeoffPoint(middle, middle), TradeoffPoint(end, zero))
        )

    def iterate(self, steps: SupportsIndex) -> "PiecewiseLinearTradeoff":
        """The bound for pairs `steps` times as far apart."""
        return replace(self, steps=self.steps * _check.integer_between(steps, "steps", 1))

    def missed_detection(self, false_alarm: Exact) -> Interval:
        """The least missed-detection rate at a false-alarm rate; the lower end is sound."""
        alarm = _check.probability(false_alarm, "false_alarm")
        missed = balls.enclosure(lambda: 1 - self._power(balls.ball(alarm)))
        return at_most_one(at_least_zero(missed))

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ at ε; the upper end is sound."""
        loss = _check.non_negative(epsilon, "epsilon")

        def largest() -> arb:
            factor, best = balls.ball(loss).exp(), arb(0)
            for alarm, power in self._corners():
                best = best.max(power - factor * alarm)
            return best

        return at_most_one(at_least_zero(balls.enclosure(largest)))

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε at δ, infinite if more than δ is given away; the upper end is sound."""
        leak = _check.delta(delta)
        if self._gives_away_more_than(leak):
            return NEVER
        found = balls.settle(lambda: self._steepest(leak), _logarithm)
        return Interval(Fraction(0), math.inf) if found is None else found

    def _gives_away_more_than(self, delta: Fraction) -> bool:
        if self.steps == 1:
            return self.points[0].missed_detection.compare(1 - delta) < 0
        return Computable(lambda: self._power(arb(0))).compare(delta) > 0

    def _steepest(self, delta: Fraction) -> arb:
        """e^ε: the steepest line from (0, δ) to a corner, at least 1."""
        best = arb(1)
        for alarm, power in self._corners():
            gain = power - balls.ball(delta)
            # A corner at x = 0 gives away no more than δ: that has been decided before.
            if not (gain < 0 or alarm.is_zero()):
                best = best.max(gain / alarm)
        return best

    def _is_tradeoff(self) -> bool:
        with balls.precision(_CHECKING_BITS):
            slopes = [slope for slope, _ in self._lines()]
            return (
                self.points[0].false_alarm.ball().contains(0)
                and self.points[-1].missed_detection.ball().contains(0)
                and all(slope.is_finite() and not slope < 0 for slope in slopes)
                and not any(before < after for before, after in pairwise(slopes))
            )

    def _lines(self) -> list[Corner]:
        """Slope and value at 0 of each line of 1 − f."""
        at = [(p.false_alarm.ball(), 1 - p.missed_detection.ball()) for p in self.points]
        slopes = [(high - low) / (right - left) for (left, low), (right, high) in pairwise(at)]
        starts = [power - slope * x for slope, (x, power) in zip(slopes, at, strict=False)]
        return list(zip(slopes, starts, strict=True))

    def _power(self, alarm: arb) -> arb:
        lines = self._lines()
        for _ in range(self.steps):
            alarm = _raised(alarm, lines)
        return alarm

    def _corners(self) -> Iterator[Corner]:
        lines = self._lines()
        yield arb(0), self._power(arb(0))
        for point in self.points[1:]:
            alarm = power = point.false_alarm.ball()
            pulled, raised = [], []
            for _ in range(self.steps):
                pulled.append(alarm)
                power = _raised(power, lines)
                raised.append(power)
                alarm = _pulled_back(alarm, lines)
            yield from zip(pulled, reversed(raised), strict=True)


def _raised(alarm: arb, lines: list[Corner]) -> arb:
    """(1 − f)(x), the least of its lines because it is concave."""
    best = arb(1)
    for slope, start in lines:
        best = best.min(start + slope * alarm)
    return best


def _pulled_back(power: arb, lines: list[Corner]) -> arb:
    """The least x ≥ 0 with (1 − f)(x) ≥ power."""
    best = arb(0)
    for slope, start in lines:
        best = best.max((power - start) / slope)
    return best


def _logarithm(value: arb) -> Interval | None:
    if value.is_finite() and value.rel_accuracy_bits() >= _ENOUGH_BITS:
        return at_least_zero(balls.interval(value.log()))
    return None
