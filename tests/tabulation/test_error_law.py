import math
from fractions import Fraction

import pytest
from flint import arb

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace, MedianOfUniforms
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.chance import chance
from leastnoise.tabulation.error_law import ErrorLaw
from leastnoise.tabulation.offset_average import OffsetAverage


def geometric(fall: Fraction, *, convex: bool) -> ErrorLaw:
    """P(error > t) = fall**(t+1), to 100 bits."""
    square = fall * (1 + fall) / (1 - fall) ** 2

    def inside(t: int) -> Interval:
        with balls.precision(128):
            return chance(1 - balls.ball(fall) ** (t + 1))

    return ErrorLaw(inside, square, typical=1, convex=convex)


@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("fall", [Fraction(1, 3), Fraction(9, 10), Fraction(999, 1000)])
def test_mean_brackets_the_truth(fall: Fraction, convex: bool) -> None:
    law, mean = geometric(fall, convex=convex), fall / (1 - fall)
    assert mean in law.mean
    assert law.mean.width <= mean / (500 if convex else 20)


def test_a_bounded_law_with_few_values_is_exact() -> None:
    law = ErrorLaw(lambda t: Interval.exactly(Fraction(t + 1, 4)), Fraction(7, 2), 1, bound=3)
    assert law.mean == Interval.exactly(Fraction(3, 2))
    assert law.quantile(1) == Interval.exactly(3)
    assert law.quantile("0.5") == Interval.exactly(1)
    assert law.quantile("0.51") == Interval.exactly(2)
    assert law.quantile(0) == Interval.exactly(0)
    assert law.within("1.9") == Interval.exactly(Fraction(1, 2))


def test_units_scale_everything() -> None:
    law = ErrorLaw(
        lambda t: Interval.exactly(Fraction(t + 1, 4)), Fraction(7, 2), 1, Fraction(1, 2), 3
    )
    assert law.mean == Interval.exactly(Fraction(3, 4))
    assert law.quantile("0.6") == Interval.exactly(1)
    assert law.within(1) == Interval.exactly(Fraction(3, 4))


def test_a_wide_bracket_gives_wide_answers_that_hold_the_truth() -> None:
    def doubtful(t: int) -> Interval:
        exact = 1 - Fraction(9, 10) ** (t + 1)
        return Interval(exact * Fraction(9, 10), min(exact * Fraction(11, 10), Fraction(1)))

    law = ErrorLaw(doubtful, Fraction(171), typical=9, bound=200)
    found = law.quantile("0.5")
    assert found.lower <= 6 <= found.upper
    assert found.width > 0
    assert Fraction(9) in law.mean


def test_what_lies_far_out_counts_in_the_mean() -> None:
    """2**90 with probability 2**−66, else 0: the mean is 2**24, all of it beyond the last place."""
    law = ErrorLaw(
        lambda t: Interval.exactly(1 if t >= 2**90 else 1 - Fraction(1, 2**66)),
        square=Fraction(2**180, 2**66),
        typical=1,
    )
    assert 2**24 in law.mean


def test_chances_are_rounded_outward() -> None:
    with balls.precision(256):
        third = chance(arb(1) / 3)
        assert chance(arb(2) ** -5000) == Interval(Fraction(0), Fraction(1, 2**128))
        assert chance(arb(-1)) == Interval.exactly(0)
        assert chance(arb(3)) == Interval.exactly(1)
    assert third.lower < Fraction(1, 3) < third.upper
    assert chance(arb("nan")) == Interval(Fraction(0), Fraction(1))


def test_without_a_bound_certainty_is_refused() -> None:
    law = geometric(Fraction(1, 2), convex=True)
    with pytest.raises(UnsupportedQuery, match="confidence"):
        law.quantile(1)
    with pytest.raises(InvalidParameter, match="confidence"):
        law.quantile("1.5")


def test_a_confidence_beyond_what_is_known_is_refused_and_does_not_hang() -> None:
    law = ErrorLaw(lambda _: Interval(Fraction(1, 2), Fraction(1)), Fraction(1), typical=1)
    with pytest.raises(UnsupportedQuery, match="closer to 1"):
        law.quantile("0.9")


@pytest.mark.parametrize("law", [DiscreteLaplace(3), DiscreteGaussian(40), MedianOfUniforms(3, 9)])
def test_averages_over_an_offset(law: DiscreteLaplace) -> None:
    """Against a sum over all values, for a function that falls."""
    reach = law.quantile("0.9999999999")
    average = OffsetAverage(law).of(lambda x: Interval.exactly(Fraction(1, 1 + x)))
    exact = sum(float(law.pmf(x)) / (1 + abs(x)) for x in range(-reach, reach + 1))
    assert float(average.lower) <= exact + 1e-9
    assert float(average.upper) >= exact - 1e-9
    assert average.width < Fraction(1, 20)


def test_an_average_of_one_is_one() -> None:
    for law in (DiscreteLaplace(100), MedianOfUniforms(12, 1000)):
        average = OffsetAverage(law).of(lambda _: Interval.exactly(1))
        assert average.lower > 1 - Fraction(1, 10**18)
        assert average.upper <= 1
        assert math.isclose(float(average.upper), 1)
