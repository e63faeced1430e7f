"""One binomial variable against another, and the Laplace sums that come down to it."""

from fractions import Fraction
from math import comb

import pytest
from flint import arb
from scipy.stats import binom

from leastnoise.noise.vectors.laplace_sum import laplace_sum_tail
from leastnoise.numeric import ball as balls
from leastnoise.numeric.binomial_race import Binomial, exceeds


def binomial(trials: int, success: Fraction) -> Binomial:
    return Binomial(trials, balls.ball(success), balls.ball(1 - success))


@pytest.mark.parametrize(("n", "p"), [(0, "1/2"), (1, "1/3"), (5, "9/10"), (12, "1/100")])
@pytest.mark.parametrize(("m", "q"), [(0, "1/2"), (3, "1/2"), (9, "99/100"), (20, "1/7")])
def test_small_cases_are_exact(n: int, p: str, m: int, q: str) -> None:
    def chance(trials: int, success: Fraction, k: int) -> Fraction:
        return comb(trials, k) * success**k * (1 - success) ** (trials - k)

    one, other = Fraction(p), Fraction(q)
    exact = sum(
        (
            chance(n, one, t) * chance(m, other, s)
            for t in range(n + 1)
            for s in range(min(t, m + 1))
        ),
        Fraction(0),
    )
    with balls.precision(128):
        found = exceeds(binomial(n, one), binomial(m, other))
        assert found.contains(balls.ball(exact))
        assert found.rad() < arb(2) ** -100


@pytest.mark.parametrize(("n", "m"), [(10_000, 30_000), (200_000, 600_000)])
def test_large_cases_agree_with_scipy(n: int, m: int) -> None:
    with balls.precision(128):
        found = float(exceeds(binomial(n, Fraction(1, 3)), binomial(m, Fraction(1, 9))))
    likely = range(int(n / 3 - 10 * n**0.5), int(n / 3 + 10 * n**0.5))
    expected = sum(binom.pmf(likely, n, 1 / 3) * binom.cdf([t - 1 for t in likely], m, 1 / 9))
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rate", ["1", "5", "1/40", "50"])
def test_both_ways_to_the_laplace_sum_agree(rate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact, d = Fraction(rate), 700
    mean = int(d / (float(exact) if exact < 1 else 1))
    places = [0, 1, mean // 2, mean, mean + 100, 3 * mean]
    with balls.precision(256):
        every = [laplace_sum_tail(d, exact, m) for m in places]
        monkeypatch.setitem(laplace_sum_tail.__globals__, "_MANY", 1)
        likely = [laplace_sum_tail(d, exact, m) for m in places]
        assert all(one.overlaps(other) for one, other in zip(every, likely, strict=True))
        assert all(value.rad() < arb(2) ** -200 for value in likely)
