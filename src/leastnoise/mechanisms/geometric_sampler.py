"""Samplers of one-sided geometric noise, made once per rate."""

from fractions import Fraction
from functools import lru_cache

from leastnoise.randomness.geometric import Geometric


@lru_cache(maxsize=32)
def geometric_sampler(rate: Fraction) -> Geometric:
    """Draws G with P(G ≥ n) = exp(−rate·n), exactly; its tables never change."""
    return Geometric(rate)
