"""Sums of powers times exponentials, against the terms one by one."""

from fractions import Fraction

import pytest
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.lerch import lerch_sum
from leastnoise.numeric.log_concave import log_concave_sum


def term(power: int, rate: Fraction, place: Fraction) -> arb:
    return balls.ball(place) ** power * (-balls.ball(rate * place)).exp()


def one_by_one(power: int, rate: Fraction, start: Fraction) -> arb:
    """Until far beyond the largest term, where the rest is less than 2**-140 of the sum."""
    count = int((power + 140 + 20 * power**0.5) / rate) + 10
    return sum((term(power, rate, start + k) for k in range(count)), arb(0))


@pytest.mark.spread(50)
@pytest.mark.parametrize("power", [0, 1, 2, 3, 10, 60])
@pytest.mark.parametrize("rate", ["1/50", "1/3", "1", "7/5", "3/2", "8/5", "5"])
@pytest.mark.parametrize("start", ["1/7", "1/2", "3", "401/3"])
def test_lerch_sum(power: int, rate: str, start: str) -> None:
    with balls.precision(192):
        found = lerch_sum(power, Fraction(rate), Fraction(start))
        expected = one_by_one(power, Fraction(rate), Fraction(start))
        assert found.rel_accuracy_bits() > 60
        # The ball must hold the true sum, which is a hair above the sum of the first terms.
        assert found.overlaps(expected * (1 + arb(0, arb(2) ** -120)))


def test_the_first_place_may_be_zero() -> None:
    with balls.precision(128):
        found = lerch_sum(3, Fraction(1, 2), Fraction(0))
        assert found.overlaps(one_by_one(3, Fraction(1, 2), Fraction(0)))


@pytest.mark.parametrize(("power", "scale"), [(10**5, 1), (10**5, 1000), (10**6, 7), (3, 10**12)])
def test_large_powers_and_scales_keep_their_precision(power: int, scale: int) -> None:
    with balls.precision(128):
        rate, half = Fraction(1, scale), Fraction(1, 2)
        whole = lerch_sum(power, rate, half)
        assert whole.rel_accuracy_bits() > 80
        places = [half + k for k in range(5)]
        head = sum((term(power, rate, place) for place in places), arb(0))
        assert (whole - head).overlaps(lerch_sum(power, rate, half + 5))


@pytest.mark.parametrize("first", [0, 3, 40, 200])
@pytest.mark.parametrize("peak", [0, 40, 90])
def test_log_concave_sum(first: int, peak: int) -> None:
    with balls.precision(128):
        found = log_concave_sum(lambda k: arb(2) ** -abs(k - 40), first, peak)
        below = 2 - arb(2) ** (first - 40) if first <= 40 else arb(0)
        above = arb(1) if first <= 40 else arb(2) ** (41 - first)
        assert found.overlaps(below + above)
        assert found.rel_accuracy_bits() > 100


def test_log_concave_sum_with_an_end() -> None:
    with balls.precision(64):
        assert log_concave_sum(lambda k: arb(k + 1), 0, 0, 9).contains(55)
        assert log_concave_sum(lambda k: arb(k + 1), 0, 9, 9).contains(55)
