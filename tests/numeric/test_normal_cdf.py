"""The normal law and the theta function against 50-digit arithmetic."""

from fractions import Fraction

import pytest
from flint import arb
from mpmath import erfc, exp, mpf, pi, sqrt

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import straddle
from leastnoise.numeric.normal_cdf import (
    mills_ratio,
    normal_cdf,
    normal_density,
    normal_quantile,
)
from leastnoise.numeric.theta import theta


def near(found: Interval, truth: mpf) -> bool:
    ends = (
        mpf(Fraction(end).numerator) / Fraction(end).denominator
        for end in (found.lower, found.upper)
    )
    return all(abs(end - truth) < mpf(10) ** -20 * abs(truth) for end in ends)


@pytest.mark.parametrize("x", ["-30", "-3", "-0.001", "0", "2.5", "12"])
def test_normal_law(x: str) -> None:
    place = mpf(x)
    tail, height = erfc(place / sqrt(2)) / 2, exp(-(place**2) / 2) / sqrt(2 * pi)
    assert near(balls.enclosure(lambda: normal_cdf(-arb(x))), tail)
    assert near(balls.enclosure(lambda: normal_density(arb(x))), height)
    if place > 0:
        assert near(balls.enclosure(lambda: mills_ratio(arb(x))), tail / height)
    with balls.precision(512):
        assert normal_quantile(normal_cdf(-arb(x))).overlaps(arb(x))


def test_far_out_it_is_a_bound_and_always_finite() -> None:
    assert normal_cdf(arb(-5000)) < arb(2) ** -700000
    assert normal_cdf(arb(10) ** 300).overlaps(arb(1))
    assert normal_cdf(arb("nan")).contains(0)


@pytest.mark.parametrize("rate", ["0.001", "0.7", "2.9", "3.1", "40", "5000"])
@pytest.mark.parametrize("place", ["0", "1/3", "1/2", "-17/5"])
def test_theta(rate: str, place: str) -> None:
    exact = Fraction(place)
    x, r = mpf(exact.numerator) / exact.denominator, mpf(rate)
    window = range(-500 - 4, 500)
    truth = sum((exp(-r * (k - x) ** 2) for k in window), mpf(0))
    assert near(balls.enclosure(lambda: theta(arb(rate), exact)), truth)


def test_straddle_goes_both_ways() -> None:
    def compare(x: Fraction) -> int:
        return (x > 10) - (x < 10)

    for start in ("1/1000", "10", "12345"):
        low, high = straddle(compare, Fraction(start))
        assert low <= 10 <= high
        assert high <= 4 * low
