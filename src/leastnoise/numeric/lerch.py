r"""Σ (y+k)**n·exp(−a·(y+k)) over k ≥ 0: Lerch's transcendent at a negative integer order.

Normalisers and tails of norm laws in ℓ∞ are such sums. Summed term by term they cost time in
proportion to the scale of the noise; by Euler–Maclaurin they cost the same at every scale.
"""

from fractions import Fraction
from math import ceil

from flint import arb, ctx

from leastnoise.numeric.ball import ball
from leastnoise.numeric.log_concave import log_concave_sum

# Beyond this rate a sum has few terms, and Euler–Maclaurin would converge slowly or not at all.
_MOST_SMOOTH_RATE = Fraction(3, 2)


def lerch_sum(power: int, rate: Fraction, start: Fraction) -> arb:
    r"""Σ (start+k)**power·exp(−rate·(start+k)) over k ≥ 0, as a ball at the working precision.

    Theorem (Euler–Maclaurin): with g(y) = yⁿ·e^(−ay) and y > 0 the sum equals
    ∫g + g(y)/2 − Σ B₂ⱼ/(2j)!·g^(2j−1)(y) over j ≤ p, up to an error of at most
    4·((a + n/y)/2π)^(2p)·∫g, the integrals from y to ∞.
    Proof: the remainder is at most |B₂ₚ|/(2p)!·∫|g^(2p)|, where |B₂ₚ|/(2p)! ≤ 4/(2π)^(2p), and
    Leibniz's rule gives |g^(m)(y)| ≤ (a + n/y)^m·g(y), which falls as y grows.

    Where y is too small for that to converge, the first terms are summed one by one.

    Args:
        power: n ≥ 1.
        rate: a > 0.
        start: y ≥ 0.

    Example:
        >>> Fraction(1, 2) * 0 == 0 and lerch_sum(1, Fraction(1), Fraction(0)).str(6, radius=False)
        '0.920674'
    """

    def term(k: int) -> arb:
        place = start + k
        return ball(place) ** power * (-ball(rate * place)).exp()

    if start == 0:
        return lerch_sum(power, rate, Fraction(1))
    if rate > _MOST_SMOOTH_RATE:
        return log_concave_sum(term, 0, ceil(power / rate - start))
    skipped = max(0, ceil(power / (3 - rate) - start))
    smooth = _euler_maclaurin(power, rate, start + skipped)
    return smooth + _head(term, skipped) if skipped else smooth


def _head(term: "Terms", count: int) -> arb:
    """The first `count` terms, which increase: from the largest down until they stop mattering."""
    return log_concave_sum(lambda k: term(count - 1 - k) if k < count else arb(0), 0, 0)
