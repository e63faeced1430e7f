"""ln(p/q) at one outcome, for two laws of one kind."""

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from flint import acb, arb

from leastnoise import _check
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.continuous_staircase import ContinuousStaircase
from leastnoise.privacy.laws.density import Density
from leastnoise.privacy.laws.finite_law import FiniteLaw
from leastnoise.privacy.laws.laplace import Laplace
from leastnoise.privacy.laws.normal import Normal


def loss_between(p: Any, q: Any, output: Any) -> Interval:
    """The loss at an outcome; both laws are of the kind of the first."""
    if isinstance(p, FiniteLaw):
        return _finite(p, q, output)
    place = _check.rational(output, "output")
    match p:
        case Normal():
            return _scaled(_normal(q, place) - _normal(p, place), q.variance / p.variance, 2)
        case Laplace():
            return _scaled(_laplace(q, place) - _laplace(p, place), q.scale / p.scale, 1)
        case ContinuousStaircase():
            return Interval.exactly(p.epsilon * (_level(q, place) - _level(p, place)))
        case _:
            return _density(p, q, place)


def _finite(p: FiniteLaw, q: FiniteLaw, output: Hashable) -> Interval:
    mine, theirs = p.weights.get(output), q.weights.get(output)
    if mine is None and theirs is None:
        raise _check.refuse(
            "`output` must be possible under one of the laws",
            _check.shown(output),
            "What neither law can yield has no loss.",
        )
    if theirs is None:
        return Interval(math.inf, math.inf)
    if mine is None:
        return Interval(-math.inf, -math.inf)
    if not (mine * q.total - theirs * p.total).terms:
        return Interval.exactly(0)

    def compute() -> arb:
        return (mine.ball() * q.total.ball() / (theirs.ball() * p.total.ball())).log()

    return balls.enclosure(compute)


def _scaled(exponents: Fraction, ratio: Fraction, root: int) -> Interval:
    """A difference of exponents, and the logarithm of a root of the quotient of scales."""
    if ratio == 1:
        return Interval.exactly(exponents)
    return balls.enclosure(lambda: balls.ball(exponents) + balls.ball(ratio).log() / root)


def _normal(law: Normal, place: Fraction) -> Fraction:
    return (place - law.mean) ** 2 / (2 * law.variance)


def _laplace(law: Laplace, place: Fraction) -> Fraction:
    return abs(place - law.mean) / law.scale


def _level(law: ContinuousStaircase, place: Fraction) -> int:
    """How many drops lie at or before a place."""
    return max(0, math.floor(abs(place - law.mean) / law.sensitivity - law.gamma) + 1)


def _density(p: Density, q: Density, place: Fraction) -> Interval:
    for law in (p, q):
        if not law.breaks[0] <= place <= law.breaks[-1]:
            raise _check.refuse(
                "`output` must lie in the windows of both laws",
                _check.shown(place),
                "Beyond its window nothing is known of a density.",
            )

    def compute() -> arb:
        there = acb(balls.ball(place))
        return (p.log_density(there, False) - q.log_density(there, False)).real

    return balls.enclosure(compute)
