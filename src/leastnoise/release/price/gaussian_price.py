r"""What discrete Gaussian noise on a whole plan costs, priced as noise on the line.

Going from (ε, δ) to zCDP and back costs about 15 % of the variance at ε = 1, δ = 10⁻⁶. Noise on a
lattice is a little worse than noise on the line, and that can be bounded directly.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from leastnoise.privacy.gaussian import gaussian_mu

_SMOOTHINGS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_BITS = 24
_WAYS = 3
_FINE = Fraction(2**16, 2**16 + 1)


class GaussianPrice(NamedTuple):
    r"""A way to price Gaussian noise on integers.

    Theorem: let a release add to each coordinate i of an integer vector discrete Gaussian noise
    with parameter V_i > s, where s ≥ 1 is an integer. Let neighbours differ in at most m
    coordinates, by w_i, with Σ w_i²/(V_i − s) ≤ μ², and let κ = m·2^(3−14s) ≤ 1/2. If N(0, 1) and
    N(μ, 1) are (ε, (δ − κ)/(1 − κ))-indistinguishable, the release is (ε, δ)-DP.
    Proof: docs/proofs/correlated_noise.md, Theorem 4, whose proof goes coordinate by coordinate;
    docs/proofs/allocation.md says the rest.

    Attributes:
        smoothing: s.
        square: μ², rounded down.
    """

    smoothing: int
    square: Fraction

    def parameter(self, reach: int, share: Fraction) -> Fraction:
        """V for numbers that move by `reach` in squares, of a part of μ²; rounded up."""
        return shortened_up(self.smoothing + reach / (self.square * share))

    def fine(self, share: Fraction) -> Fraction:
        """ρ for noise with parameters of 2^24 and more, of a part of μ²: s is 64 there at most."""
        return 1 / shortened_up(2 / (self.square * share * _FINE))


def shortened_up(number: Fraction) -> Fraction:
    """A positive number with 24 bits, at least as large: people read it in reports."""
    length = number.numerator.bit_length() - number.denominator.bit_length()
    step = Fraction(2) ** (length - _BITS)
    return math.ceil(number / step) * step


def gaussian_prices(epsilon: Fraction, delta: Fraction, changed: int) -> Sequence[GaussianPrice]:
    """Ways with little smoothing: it makes noise; too little of it takes too much of δ.

    Args:
        epsilon: of the budget.
        delta: of the budget.
        changed: m, how many coordinates change between neighbours.
    """
    leaks = ((each, Fraction(8 * changed, 1 << 14 * each)) for each in _SMOOTHINGS)
    small = [(smoothing, leak) for smoothing, leak in leaks if leak < delta / 2]
    return [
        GaussianPrice(smoothing, _greatest_mu(epsilon, (delta - leak) / (1 - leak)) ** 2)
        for smoothing, leak in small[:_WAYS]
    ]


@lru_cache(maxsize=64)
def _greatest_mu(epsilon: Fraction, delta: Fraction) -> Fraction:
    return Fraction(gaussian_mu(epsilon, delta).lower)
