r"""Moments of stairs in closed form.

With F(n) = Σ i**p over i < n and drops at D(m) = width + m·period, summation by parts gives

    Σ i**p·w(i) = Σₘ (b**m − b**(m+1))·F(D(m)),        b = e**−rate,

and F(D(m)) is a polynomial in m of degree p + 1. Written in the basis C(m, j) it sums to
Σₘ b**m·C(m, j) = b**j/(1 − b)**(j+1). A cut-off replaces the tail of the sum.
"""

from fractions import Fraction
from math import comb

from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.numeric.power_sum import power_sum


def geometric_polynomial_sum(rate: Fraction, values: list[int]) -> ExponentialSum:
    r"""(1 − b)**n · Σₘ (1 − b)·b**m·P(m) over m ≥ 0, b = e**−rate, n = len(values) − 1.

    P is the polynomial of degree at most n with P(0), …, P(n) = values.
    """
    degree = len(values) - 1
    gap = ExponentialSum.of(1) - ExponentialSum.exp(-rate)
    total, gap_power = ExponentialSum.of(0), ExponentialSum.of(1)
    for j in range(degree, -1, -1):
        difference = sum((-1) ** (j - i) * comb(j, i) * values[i] for i in range(j + 1))
        total += ExponentialSum.exp(-rate * j) * gap_power * difference
        gap_power *= gap
    return total


def stairs_power_sum(
    order: int, period: int, width: int, rate: Fraction, stop: int | None
) -> tuple[ExponentialSum, ExponentialSum]:
    """Σ i**order·w(i) over 0 ≤ i < stop, no cut-off applied, as numerator and denominator."""
    if stop is not None and (not rate or stop <= width):
        return ExponentialSum.of(power_sum(order, stop)), ExponentialSum.of(1)

    def from_drop(first: int) -> ExponentialSum:
        drops = range(width + first * period, width + (first + order + 2) * period, period)
        return geometric_polynomial_sum(rate, [power_sum(order, drop) for drop in drops])

    gap = ExponentialSum.of(1) - ExponentialSum.exp(-rate)
    under = ExponentialSum.of(1)
    for _ in range(order + 1):
        under *= gap
    if stop is None:
        return from_drop(0), under
    passed = (stop - 1 - width) // period + 1
    remaining = ExponentialSum.exp(-rate * passed)
    last = under * power_sum(order, stop)
    return from_drop(0) + remaining * (last - from_drop(passed)), under
