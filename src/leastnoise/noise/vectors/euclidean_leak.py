r"""What noise with density ∝ exp(−‖y‖) on R^d leaks about a shift, in rigorous brackets."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isqrt

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_CELLS = 4096
_PRECISION = 96


@lru_cache(maxsize=256)
def laplace_leak(dimension: int, distance: Fraction, epsilon: Fraction) -> Interval:
    r"""The hockey-stick divergence at ε of the density ∝ e^(−‖y‖) and its copy moved by `distance`.

    Theorem: for ε < D = distance it is ∫ g(r)·(F(c₁(r)) − e^ε·F(c₂(r))) dr, where g is the density
    of Gamma(d), F(c) the chance that a uniform direction has first coordinate ≤ c,
    c₁(r) = (D² − ε²)/(2rD) − ε/D, which falls, and c₂(r) = −ε/D − (D² − ε²)/(2rD), which rises.
    So on a cell of radii F(c₁) and F(c₂) lie between their values at the ends, and the cells'
    chances times these bracket the integral. Beyond the last cell both are at F(−ε/D) at most.
    Proof: docs/proofs/optimal_vectors.md, section 9.

    Example:
        >>> print(laplace_leak(10, Fraction(2), Fraction(1)).upper < Fraction(1, 20))
        True
    """
    if epsilon >= distance:
        return Interval.exactly(0)
    with balls.precision(_PRECISION):
        lower, upper = _sums(dimension, balls.ball(distance), balls.ball(epsilon))
        found = balls.interval(lower.union(upper))
    return Interval(max(Fraction(0), Fraction(found.lower)), Fraction(found.upper))


def _sums(dimension: int, distance: arb, epsilon: arb) -> tuple[arb, arb]:
    """The integral with each integrand at the far end of its cells, and at the near end."""
    farthest = dimension + 12 * isqrt(dimension) + 40
    radii = [balls.ball(Fraction(farthest * i, _CELLS)) for i in range(1, _CELLS + 1)]
    chances = [arb(0), *(radius.gamma_lower(arb(dimension), 1) for radius in radii)]
    slope = (distance**2 - epsilon**2) / (2 * distance)
    lean, factor = epsilon / distance, epsilon.exp()
    values = [arb(1)]
    for radius in radii:
        here = _direction(dimension, slope / radius - lean)
        values.append(here - factor * _direction(dimension, -lean - slope / radius))
    near = sum(((b - a) * v for (a, b), v in zip(pairwise(chances), values, strict=False)), arb(0))
    far = sum(
        ((b - a) * v for (a, b), v in zip(pairwise(chances), values[1:], strict=True)), arb(0)
    )
    rest, end = 1 - chances[-1], _direction(dimension, -lean)
    return far + rest * end * (1 - factor), near + rest * values[-1]


def _direction(dimension: int, cosine: arb) -> arb:
    """P(U₁ ≤ cosine) for a uniform point U of the unit sphere; either sign alone if d = 1."""
    place = (1 + cosine) / 2
    if place <= 0:
        return arb(0)
    if place >= 1:
        return arb(1)
    if dimension == 1:
        return arb("0.5")
    half = arb(dimension - 1) / 2
    within: arb = place.beta_lower(half, half, 1)
    return within
