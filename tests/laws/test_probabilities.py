"""pmf, tail, cdf, moments and quantiles tell one story."""

from fractions import Fraction

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric import Interval
from tests.laws.examples import EXAMPLES, NEGLIGIBLE, SMALL, Example, probabilities, window

LEVELS = [Fraction(0), *(Fraction(n, 1000) for n in (1, 101, 499, 731, 949, 999))]
each_small = pytest.mark.parametrize("example", SMALL, ids=str)
each = pytest.mark.parametrize("example", EXAMPLES, ids=str)


def minus(a: Interval, b: Interval) -> Interval:
    return Interval(a.lower - b.upper, a.upper - b.lower)


def meet(a: Interval, b: Interval) -> bool:
    return a.lower <= b.upper and b.lower <= a.upper


def is_tight(value: Interval) -> bool:
    return value.width <= value.upper / 2**60


def places(law: LatticeLaw) -> list[int]:
    far = law.quantile("0.999")
    return [*range(-3, 4), -far, far, far + 1, 2 * far + 1, far // 2, -(far // 3)]


@each_small
def test_pmf_sums_to_one(example: Example) -> None:
    law = example.law
    parts = probabilities(law).values()
    missing = NEGLIGIBLE if law.support is None else 0
    assert sum(part.lower for part in parts) <= 1 <= sum(part.upper for part in parts) + missing


@each_small
def test_pmf_is_never_negative_and_vanishes_only_off_the_support(example: Example) -> None:
    law = example.law
    assert all(part.lower >= 0 for part in probabilities(law).values())
    ends = window(law)[0], window(law)[-1]
    assert all(law.pmf(k).lower > 0 for k in ends)
    if law.support is not None:
        assert law.pmf(ends[0] - 1) == law.pmf(ends[1] + 1) == Interval.exactly(0)
        assert law.tail(ends[1] + 1) == law.cdf(ends[0] - 1) == Interval.exactly(0)
        assert law.tail(ends[0]) == law.cdf(ends[1]) == Interval.exactly(1)


@each
def test_tail_falls_by_the_pmf(example: Example) -> None:
    law = example.law
    for k in places(law):
        assert meet(minus(law.tail(k), law.tail(k + 1)), law.pmf(k))


@each
def test_cdf_and_tail_share_out_the_whole(example: Example) -> None:
    law = example.law
    for k in places(law):
        together = law.cdf(k) + law.tail(k + 1)
        assert 1 in together


@each
def test_answers_are_tight(example: Example) -> None:
    law = example.law
    for k in places(law):
        assert is_tight(law.pmf(k))
        assert is_tight(law.tail(k))
    assert all(is_tight(law.moment(order)) for order in (1, 2, 3))


@each_small
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_moments_are_sums(example: Example, order: int) -> None:
    law = example.law
    parts = probabilities(law)
    lower = sum(abs(k) ** order * part.lower for k, part in parts.items())
    upper = sum(abs(k) ** order * part.upper for k, part in parts.items())
    # Beyond the window 2**-100 of the mass is left; far less than 2**-60 of any moment's sum.
    slack = upper / 2**60 if law.support is None else 0
    assert lower <= law.moment(order).upper
    assert law.moment(order).lower <= upper + slack


@each
def test_moment_zero_is_one(example: Example) -> None:
    assert example.law.moment(0) == Interval.exactly(1)


@each_small
def test_variance_is_centred(example: Example) -> None:
    law = example.law
    parts = probabilities(law).items()
    mean = sum(k * (part.lower + part.upper) / 2 for k, part in parts)
    square = sum(k * k * (part.lower + part.upper) / 2 for k, part in parts)
    assert float(law.variance) == pytest.approx(float(square - mean**2), rel=1e-14)


@each
@pytest.mark.parametrize("level", LEVELS)
def test_quantile_is_the_least_sufficient(example: Example, level: Fraction) -> None:
    law = example.law
    m = law.quantile(level)

    def within(most: int) -> Interval:
        return minus(law.cdf(most), law.cdf(-most - 1))

    assert m >= 0
    assert within(m).upper >= level
    assert m == 0 or within(m - 1).lower < level


@each
def test_quantile_one_is_the_radius_or_refused(example: Example) -> None:
    law = example.law
    if law.support is None:
        with pytest.raises(UnsupportedQuery):
            law.quantile(1)
    else:
        assert law.quantile(1) == max(map(abs, law.support))
