r"""Divergences of a law on the integers from its own shifted copy: D_α(X ‖ X + shift).

Stairs (discrete Laplace, staircase and their truncations) and the discrete Gaussian have closed
forms; generalised Gaussians and laws with bounded support are summed. Proofs:
docs/proofs/divergences.md.
"""

import math
from fractions import Fraction
from typing import Protocol, SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.generalized_gaussian_divergence import generalized_gaussian_renyi
from leastnoise.noise.shapes.generalized_gaussian_shape import GeneralizedGaussianShape
from leastnoise.noise.shapes.shape import Shape
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.theta import theta
from leastnoise.privacy.laws.continuous_staircase import stairs_renyi
from leastnoise.privacy.laws.finite_law import at_least_0
from leastnoise.privacy.laws.stair_runs import StairRuns
from leastnoise.privacy.order import Order, renyi_order


class HasShape(Protocol):
    """A law of noise on the integers."""

    @property
    def shape(self) -> Shape:
        """Its mathematics."""


_INFINITE = Interval(math.inf, math.inf)
_MOST_POINTS = 1 << 16  # some seconds of exact sums


def shift_renyi(law: HasShape, order: Exact, shift: SupportsIndex) -> Interval:
    r"""The Rényi divergence of X from X + shift, of any order α > 0 (1 and math.inf included).

    Theorem: for α ≥ 1 and shift ≠ 0 it is infinite for every law of bounded support. For the
    discrete Gaussian of parameter σ² it is
    α·d²/(2σ²) − ln(Θ(0)/Θ(α·d))/(α − 1) with Θ(x) = Σₖ exp(−(k−x)²/(2σ²)):
    exactly α·d²/(2σ²) if α·d is an integer (so for Kullback–Leibler), less for other α > 1, and
    *more* for other α < 1.
    Proof: docs/proofs/divergences.md.

    Args:
        law: a law of noise.
        order: α > 0.
        shift: an integer d.

    Raises:
        UnsupportedQuery: the law has too many points to sum and no closed form.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> shift_renyi(DiscreteLaplace(scale=2), 2, 1)
        Interval(0.227336293802645, 0.227336293802646)
        >>> shift_renyi(DiscreteLaplace(scale=2), math.inf, 3)
        Interval(1.5)
    """
    return shape_renyi(law.shape, renyi_order(order), _check.integer(shift, "shift"))


def shape_renyi(shape: Shape, alpha: Order, moved: int) -> Interval:
    """`shift_renyi` for arguments already checked."""
    if not moved:
        return Interval.exactly(0)
    if alpha >= 1 and shape.support is not None:
        return _INFINITE
    match shape:
        case Stairs() as stairs:
            return _stairs(stairs, alpha, abs(moved))
        case GaussianShape() as gaussian:
            return _gaussian(gaussian.sigma_squared, alpha, moved)
        case GeneralizedGaussianShape() as between:
            return generalized_gaussian_renyi(between, alpha, abs(moved))
        case _:
            return _bounded(shape, Fraction(alpha), moved)


def shift_kl(law: HasShape, shift: SupportsIndex) -> Interval:
    r"""The Kullback–Leibler divergence of X from X + shift.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> shift_kl(DiscreteLaplace(scale=2), 1)
        Interval(0.122459331201854, 0.122459331201855)
    """
    return shift_renyi(law, 1, shift)


def shift_total_variation(law: HasShape, shift: SupportsIndex) -> Interval:
    r"""The greatest P(X ∈ A) − P(X + shift ∈ A) over all sets A of integers.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> shift_total_variation(DiscreteLaplace(scale=2), 1)
        Interval(0.244918662403709, 0.24491866240371)
    """
    moved = _check.integer(shift, "shift")
    if not moved:
        return Interval.exactly(0)
    return law.shape.hockey_stick(Fraction(0), moved).interval()


def _stairs(stairs: Stairs, order: Order, distance: int) -> Interval:
    runs = StairRuns(
        period=Fraction(stairs.period),
        width=Fraction(stairs.width),
        rate=stairs.rate,
        shift=Fraction(distance),
        tick=1,
        radius=stairs.radius,
    )
    if order == math.inf:
        return Interval.exactly(runs.greatest_loss())
    if stairs.radius is None:
        return stairs_renyi(runs, Fraction(order))
    if distance > 2 * stairs.radius:
        return _INFINITE
    alpha = Fraction(order)
    return at_least_0(lambda: _cut_stairs(stairs, runs, alpha).log() / balls.ball(alpha - 1))


def _cut_stairs(stairs: Stairs, runs: StairRuns, order: Fraction) -> arb:
    """Σ p^order·q^(1−order), taking off what the lighter outermost atoms of p and q lack."""
    radius, distance = Fraction(stairs.radius or 0), runs.shift
    edge, rate = stairs.edge.ball(), stairs.rate
    inner = runs.level(abs(distance - radius)), runs.level(radius)
    mine = balls.ball(-rate * (order * inner[1] + (1 - order) * inner[0])).exp()
    theirs = balls.ball(-rate * (order * inner[0] + (1 - order) * inner[1])).exp()
    mine_kept, theirs_kept = edge ** balls.ball(order), edge ** balls.ball(1 - order)
    lacking = mine * (1 - mine_kept) + theirs * (1 - theirs_kept)
    if distance == 2 * radius:
        # One point only, outermost for both.
        lacking = mine * (1 - mine_kept * theirs_kept)
    return (runs.power_sum(order) - lacking) * stairs.pmf(0).ball()


def _gaussian(variance: Fraction, order: Order, shift: int) -> Interval:
    if order == math.inf:
        return _INFINITE
    alpha = Fraction(order)
    plain, place = alpha * shift * shift / (2 * variance), alpha * shift % 1
    if not place:
        return Interval.exactly(plain)

    def divergence() -> arb:
        rate = balls.ball(1 / (2 * variance))
        gap = (theta(rate, Fraction(0)) / theta(rate, place)).log()
        return balls.ball(plain) - gap / balls.ball(alpha - 1)

    return at_least_0(divergence)


def _bounded(shape: Shape, order: Fraction, shift: int) -> Interval:
    """The sum over all common points, for an order below 1."""
    if shape.support is None:
        raise UnsupportedQuery(
            "a law without bound must be stairs or Gaussian for its Rényi divergence; got "
            f"a {type(shape).__name__}. Ask for its hockey-stick divergence."
        )
    low, high = shape.support
    points = range(max(low, low + shift), min(high, high + shift) + 1)
    if len(points) > _MOST_POINTS:
        raise UnsupportedQuery(
            f"a law must have at most {_MOST_POINTS} points to be summed; got {len(points)}. "
            "Use a coarser lattice."
        )
    chances = [(shape.pmf(k), shape.pmf(k - shift)) for k in points]
    shared = [(p, q) for p, q in chances if p.compare(0) > 0 and q.compare(0) > 0]
    if not shared:
        return _INFINITE

    def divergence() -> arb:
        mine, theirs = balls.ball(order), balls.ball(1 - order)
        total = sum((p.ball() ** mine * q.ball() ** theirs for p, q in shared), arb(0))
        return -total.log() / theirs

    return at_least_0(divergence)
