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

    Where y is too small for that to converge fast, the first terms are summed one by one.

    Args:
        power: n ≥ 1.
        rate: a > 0.
        start: y ≥ 0.

    Example:
        >>> lerch_sum(1, Fraction(1), Fraction(0)).str(6, radius=False)
        '0.920674'
    """

    def term(k: int) -> arb:
        return _term(power, rate, start + k)

    if start == 0:
        return lerch_sum(power, rate, Fraction(1))
    if rate > _MOST_SMOOTH_RATE:
        return log_concave_sum(term, 0, ceil(power / rate - start))
    skipped = max(0, ceil(power / (3 - rate) - start))
    head = log_concave_sum(term, 0, skipped - 1, skipped - 1) if skipped else arb(0)
    return head + _euler_maclaurin(power, rate, start + skipped)


def _term(power: int, rate: Fraction, place: Fraction) -> arb:
    return ball(place) ** power * (-ball(rate * place)).exp()


def _euler_maclaurin(power: int, rate: Fraction, start: Fraction) -> arb:
    """The sum from a start with rate + power/start ≤ 3 < 2π."""
    a, y = ball(rate), ball(start)
    integral = (a * y).gamma_upper(power + 1) / a ** (power + 1)
    shrink = ((a + power / y) / (2 * arb.pi())) ** 2
    count, error = 0, arb(4)
    while not error < arb(2) ** -ctx.prec:
        count, error = count + 1, error * shrink
    series = arb("0.5")
    derivatives = _odd_taylor(power, a, y, count)
    for j, derivative in enumerate(derivatives, start=1):
        series -= arb.bernoulli(2 * j) / (2 * j) * derivative
    return integral * (1 + arb(0, error.upper())) + _term(power, rate, start) * series


def _odd_taylor(power: int, a: arb, y: arb, count: int) -> list[arb]:
    """The coefficients of t, t³, … in g(y + t)/g(y) = (1 + t/y)**power·exp(−a·t)."""
    binomial, exponential = [arb(1)], [arb(1)]
    for m in range(2 * count):
        binomial.append(binomial[-1] * (power - m) / ((m + 1) * y))
        exponential.append(exponential[-1] * -a / (m + 1))
    # Term by term: a fast product would round all coefficients as coarsely as the largest.
    return [
        sum((binomial[i] * exponential[m - i] for i in range(min(m, power) + 1)), arb(0))
        for m in range(1, 2 * count, 2)
    ]
