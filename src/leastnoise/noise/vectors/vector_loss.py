"""The privacy loss of vector noise: whole drops of the weight, each worth the same."""

from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from flint import arb

from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.real import Real
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.lattice_variable import (
    LatticeMasses,
    LatticePart,
    LatticeVariable,
)

_MOST_DROPS = 512  # each is a loss of its own


class DroppingShape(Protocol):
    """Weights that fall by one factor e^−rate per drop."""

    @property
    def rate(self) -> Fraction:
        """What one drop is worth."""

    def pure_epsilon(self, distance: int) -> Fraction:
        """The greatest loss at a distance, a whole number of drops."""

    def divergence(self, epsilon: Fraction, distance: int) -> Real:
        """The hockey-stick divergence of the worst shift."""


def vector_loss(shape: DroppingShape, distance: int) -> PrivacyLoss:
    r"""The loss at the worst shift of a distance, which is worst for every ε at once.

    Theorem: the loss is n·rate for integers |n| ≤ N. With δₙ = δ(n·rate), the chance under the
    shifted law of a loss above n·rate is (δₙ − δₙ₊₁)/(e^((n+1)·rate) − e^(n·rate)), for between
    neighbouring values of the loss δ is linear in e^ε; and the pair is symmetric, because
    x ↦ shift − x exchanges the two laws.
    """
    most = int(shape.pure_epsilon(distance) / shape.rate)
    if most > _MOST_DROPS:
        raise UnsupportedQuery(
            f"`distance` must span at most {_MOST_DROPS} drops of the weight; got {most}. "
            "Ask for delta at this distance, or use PrivacyLoss.worst_case with its epsilon."
        )
    leaks = [shape.divergence(n * shape.rate, distance) for n in range(most)]

    def masses() -> LatticeMasses:
        return _masses([leak.ball() for leak in leaks], shape.rate)

    part = LatticePart(shape.rate, -most, most, masses)
    variable = LatticeVariable(((part, 1),))
    return PrivacyLoss(variable, None, lambda size: vector_loss(shape, distance * size))


class CutShape(Protocol):
    """Weights that fall by one factor e^−rate per drop and end at a radius."""

    @property
    def rate(self) -> Fraction:
        """What one drop is worth."""

    @property
    def drops(self) -> int:
        """How many drops there are."""

    def divergence(self, epsilon: Fraction, distance: int) -> Real:
        """The hockey-stick divergence of the worst shift."""

    def escape(self, distance: int) -> Real:
        """The chance of an infinite loss at that shift."""


def cut_vector_loss(shape: CutShape, distance: int) -> PrivacyLoss:
    """The same for a law that ends at a radius, whose loss is infinite with some probability."""
    most = shape.drops
    if most > _MOST_DROPS:
        raise UnsupportedQuery(
            f"a cut-off norm law must have at most {_MOST_DROPS} drops to be priced as a loss; got "
            f"{most}. Find its delta with law.delta, then use PrivacyLoss.worst_case."
        )
    leaks = [shape.divergence(n * shape.rate, distance) for n in range(most)]
    escape = shape.escape(distance)

    def masses() -> LatticeMasses:
        return _masses([leak.ball() for leak in leaks], shape.rate, escape.ball())

    part = LatticePart(shape.rate, -most, most, masses)
    variable = LatticeVariable(((part, 1),))
    return PrivacyLoss(variable, None, lambda size: cut_vector_loss(shape, distance * size))


def _masses(leaks: list[arb], rate: Fraction, infinite: arb | int = 0) -> LatticeMasses:
    growth = balls.ball(rate).exp()
    above, power = [], arb(1)
    for high, low in pairwise([*(leak - infinite for leak in leaks), arb(0)]):
        there = (high - low) / (power * (growth - 1))
        above.append(high + power * there)
        power *= growth
    rises = [high - low for high, low in pairwise([*above, arb(0)])]
    falls = [rise * (-balls.ball(rate * (n + 1))).exp() for n, rise in enumerate(rises)]
    zero = 1 - sum(rises, arb(0)) - sum(falls, arb(0)) - infinite
    return LatticeMasses(-len(rises), (*falls[::-1], zero, *rises), arb(infinite))
