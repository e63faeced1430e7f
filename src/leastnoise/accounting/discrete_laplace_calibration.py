"""The least discrete Laplace noise for a target."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse, straddle


def discrete_laplace_scale(
    *, epsilon: Exact, delta: Exact = 0, sensitivity: SupportsIndex
) -> Interval:
    r"""The least scale of discrete Laplace noise that is (ε, δ)-DP; the upper end is sound.

    Theorem: for δ = 0 it is exactly Δ/ε. For δ > 0 the divergence at ε falls as the scale grows,
    so the least scale is a root, bracketed to 2**-60 of itself.
    Proof: discrete Laplace noise of a greater scale is that of a smaller one plus independent
    noise, so it is never less private; docs/proofs/gaussian.md, section 5.

    Args:
        epsilon: ε ≥ 0, positive if δ = 0.
        delta: δ in [0, 1).
        sensitivity: Δ, an integer ≥ 1.

    Example:
        >>> discrete_laplace_scale(epsilon="0.5", sensitivity=1)
        Interval(2)
        >>> discrete_laplace_scale(epsilon="0.5", delta="0.01", sensitivity=1)
        Interval(1.93761904270292, 1.93761904270293)
    """
    distance = _check.integer_between(sensitivity, "sensitivity", 1)
    exact_epsilon, target = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
    if not target:
        return Interval.exactly(distance / _check.positive(epsilon, "epsilon"))

    def compare(scale: Fraction) -> int:
        leak = DiscreteLaplace(scale).shape.hockey_stick(exact_epsilon, distance)
        return -leak.compare(target)

    return monotone_inverse(compare, *straddle(compare, Fraction(distance)))
