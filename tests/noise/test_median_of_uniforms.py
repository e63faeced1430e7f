"""`MedianOfUniforms`: enumeration, exact moments and divergences, and both ways of sampling."""

from collections import Counter
from fractions import Fraction
from itertools import product
from statistics import median
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.errors import InvalidParameter
from leastnoise.noise.laws import median_of_uniforms
from leastnoise.noise.laws.median_of_uniforms import MedianOfUniforms
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source
from tests.scripted import CountingSource, NoEntropy, ScriptedSource, words
from tests.statistical.goodness_of_fit import DRAWS, FALSE_ALARM, fit

SHAPES = [(0, 1), (0, 6), (1, 1), (1, 5), (2, 7), (5, 4), (12, 30)]
each_shape = pytest.mark.parametrize(("order", "radius"), SHAPES)


def chances(order: int, radius: int) -> dict[int, Fraction]:
    law = MedianOfUniforms(order, radius)
    found = {k: law.pmf(k) for k in range(-radius, radius + 1)}
    assert all(part.is_exact for part in found.values())
    return {k: Fraction(part.lower) for k, part in found.items()}


@pytest.mark.parametrize(("order", "radius"), [(0, 3), (1, 1), (1, 3), (2, 1), (2, 2), (3, 1)])
def test_pmf_counts_all_lists(order: int, radius: int) -> None:
    lists = product(range(-radius, radius + 1), repeat=2 * order + 1)
    counted = Counter(median(drawn) for drawn in lists)
    everything = counted.total()
    expected = {k: Fraction(count, everything) for k, count in counted.items()}
    assert chances(order, radius) == expected


@each_shape
def test_pmf_sums_to_one_and_tail_is_its_sum(order: int, radius: int) -> None:
    law, found = MedianOfUniforms(order, radius), chances(order, radius)
    assert sum(found.values()) == 1
    for k in range(-radius - 2, radius + 3):
        above = sum(chance for j, chance in found.items() if j >= k)
        assert law.tail(k) == Interval.exactly(above)
    assert law.pmf(radius + 1) == law.pmf(-radius - 1) == Interval.exactly(0)


@each_shape
def test_pmf_is_symmetric_and_log_concave(order: int, radius: int) -> None:
    found = chances(order, radius)
    assert all(found[k] == found[-k] for k in found)
    for k in range(1 - radius, radius):
        assert found[k] ** 2 >= found[k - 1] * found[k + 1]


@each_shape
@pytest.mark.parametrize("power", [1, 2, 3, 8, 64])
def test_moments_are_exact_sums(order: int, radius: int, power: int) -> None:
    expected = sum(chance * abs(k) ** power for k, chance in chances(order, radius).items())
    assert MedianOfUniforms(order, radius).moment(power) == Interval.exactly(expected)


@pytest.mark.parametrize("order", [0, 1, 4, 12])
@pytest.mark.parametrize("radius", [2**40, 2**62 - 1])
def test_moments_of_a_vast_law_are_those_of_the_beta_law(order: int, radius: int) -> None:
    """E|Y|**s = B((s+1)/2, a+1)/B(1/2, a+1) for the density (1 − y²)**a, up to 1/radius."""
    law = MedianOfUniforms(order, radius)
    for power in (1, 2, 3, 64):
        beta = mpmath.beta((power + 1) / 2, order + 1) / mpmath.beta(0.5, order + 1)
        moment = Fraction(law.moment(power).lower) / radius**power
        assert float(moment) == pytest.approx(float(beta), rel=1e-10)


@each_shape
@pytest.mark.parametrize("epsilon", ["0", "1/10", "1", "4"])
def test_hockey_stick_is_the_sum(order: int, radius: int, epsilon: str) -> None:
    law, found = MedianOfUniforms(order, radius), chances(order, radius)
    with mpmath.workdps(50):
        factor = mpmath.exp(number(Fraction(epsilon)))
        parts = {k: number(chance) for k, chance in found.items()}
        for shift in (1, -1, 2, -3, 2 * radius, 2 * radius + 1, -5 * radius):
            leak = sum(max(0, part - factor * parts.get(k - shift, 0)) for k, part in parts.items())
            answer = law.hockey_stick(epsilon, shift)
            assert abs(number(Fraction(answer.lower)) - leak) < mpmath.mpf(10) ** -20
            assert answer.lower <= answer.upper


def number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


@each_shape
def test_total_variation_is_decided_exactly(order: int, radius: int) -> None:
    """At ε = 0 everything is rational: the claim holds with equality and fails just below."""
    law, found = MedianOfUniforms(order, radius), chances(order, radius)
    exact = sum(max(Fraction(0), p - found.get(k - 1, Fraction(0))) for k, p in found.items())
    assert law.delta(0, 1) == Interval.exactly(exact)
    assert law.verify(sensitivity=1, epsilon=0, delta=exact)
    assert not law.verify(sensitivity=1, epsilon=0, delta=exact - Fraction(1, 10**200))


def test_disjoint_copies_leak_everything() -> None:
    law = MedianOfUniforms(4, 100)
    assert law.delta(3, 201) == Interval.exactly(1)
    assert law.delta(3, 200).upper < 1


@pytest.mark.parametrize("radius", [10**9, 2**62 - 1])
def test_divergence_of_a_vast_law(radius: int) -> None:
    """Against quadrature of the density (1 − y²)**3 at a shift of a tenth of the radius."""
    law, shift = MedianOfUniforms(3, radius), radius // 10
    factor = mpmath.exp(0.5)

    def density(y: mpmath.mpf) -> mpmath.mpf:
        return max(mpmath.mpf(0), 1 - y * y) ** 3 / mpmath.beta(0.5, 4)

    def leak(y: mpmath.mpf) -> mpmath.mpf:
        return density(y) - factor * density(y - 0.1)

    with mpmath.workdps(20):
        edge = mpmath.findroot(leak, (-0.9, 0.5), solver="bisect")
    expected = mpmath.quad(leak, [-1, -0.9, edge])
    assert float(law.delta("0.5", shift)) == pytest.approx(float(expected), rel=1e-6)


def test_order_zero_is_uniform() -> None:
    law = MedianOfUniforms(order=0, radius=3)
    assert {law.pmf(k) for k in range(-3, 4)} == {Interval.exactly(Fraction(1, 7))}
    assert law.delta(0, 2) == law.delta(1, 2) == Interval.exactly(Fraction(2, 7))


def test_a_long_law_is_the_median_of_its_draws() -> None:
    """Radius 2**20 draws 64-bit words modulo 2**21 + 1; word 5 is −2**20 + 5, and so on."""
    law = MedianOfUniforms(order=1, radius=2**20)
    source = ScriptedSource(words(5, 2**21, 7, 100, 3, 2**21 + 1))
    assert (law.sample(2, source) + 2**20).tolist() == [7, 3]
    assert source.left == 0


def test_a_short_law_is_drawn_from_a_table() -> None:
    source = CountingSource()
    MedianOfUniforms(order=10, radius=50).sample(10**4, source)
    assert source.given < 4 * 10**4  # 21 uniform integers each would take 84 · 10**4


def test_chunks_are_all_filled() -> None:
    radius = 10**6
    drawn = MedianOfUniforms(order=50, radius=radius).sample(5000)
    assert drawn.shape == (5000,)
    assert np.unique(drawn).size > 4000
    assert np.abs(drawn).max() <= radius


@pytest.mark.parametrize("radius", [1, 2, 1023, 1024, 2**62 - 1])
def test_samples_stay_inside(radius: int) -> None:
    drawn = MedianOfUniforms(order=1, radius=radius).sample(2000)
    assert drawn.dtype == np.int64
    assert -radius <= drawn.min() <= drawn.max() <= radius


def draws(order: int, radius: int) -> NDArray[np.int64]:
    return MedianOfUniforms(order, radius).shape.sample(DRAWS, Source())


# The first is drawn from a table, the second by its definition.
SAMPLED = [(3, 100), (3, 10**4), (0, 10**4)]
each_sampled = pytest.mark.parametrize(("order", "radius"), SAMPLED)


@each_sampled
def test_samples_fit(order: int, radius: int) -> None:
    assert fit(draws(order, radius), MedianOfUniforms(order, radius)) >= FALSE_ALARM


@each_sampled
@pytest.mark.parametrize("percent", [90, 110])
def test_scale_off_by_a_tenth_is_rejected(order: int, radius: int, percent: int) -> None:
    drawn = draws(order, radius * percent // 100)
    assert fit(drawn, MedianOfUniforms(order, radius)) < FALSE_ALARM


def test_both_ways_of_sampling_have_one_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(median_of_uniforms, "_TABLE_POINTS", 0)
    assert fit(draws(3, 100), MedianOfUniforms(3, 100)) >= FALSE_ALARM


BAD_ORDERS = [-1, 101, 1.0, "1", True, None, float("nan"), float("inf"), Fraction(2)]
BAD_RADII = [0, -5, 2**62, 3.0, "abc", False, None, float("nan"), float("inf")]


@pytest.mark.parametrize("order", BAD_ORDERS, ids=repr)
def test_bad_orders_are_refused_before_entropy_is_drawn(order: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"`order` must .*; got"):
        MedianOfUniforms(order, 5).sample(3, source=NoEntropy())


@pytest.mark.parametrize("radius", BAD_RADII, ids=repr)
def test_bad_radii_are_refused_before_entropy_is_drawn(radius: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"`radius` must .*; got"):
        MedianOfUniforms(1, radius).sample(3, source=NoEntropy())
