"""Stairs: sums against points, the cut exactly at delta, and draws against chances."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.stats import chi2

from leastnoise.noise.source import Source
from leastnoise.noise.stairs import Stairs, cut_off, power_sum, uniform_array
from leastnoise.numbers.exponential import ExponentialSum

SHAPES = [Stairs(1, 1, F(1)), Stairs(3, 2, F(1, 2)), Stairs(5, 5, F(2)), Stairs(4, 1, F(1, 3))]


@pytest.mark.parametrize("stairs", SHAPES)
def test_sums_are_those_of_the_points(stairs: Stairs) -> None:
    weights = [math.exp(-stairs.rate * stairs.level(i)) for i in range(200)]
    gap = 1 - math.exp(-stairs.rate)
    for stop in (0, 1, 2, 3, 4, 7, 20, 199):
        assert float(stairs.sum_below(stop).ball()) == pytest.approx(gap * sum(weights[:stop]))


def test_levels_count_drops() -> None:
    assert [Stairs(3, 2, F(1)).level(i) for i in range(9)] == [0, 0, 1, 1, 1, 2, 2, 2, 3]


@pytest.mark.parametrize("stairs", [*SHAPES, Stairs(1, 1, F(0))])
@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 20), F(1, 2), F(9, 10)])
@pytest.mark.parametrize("distance", [1, 3, 4])
def test_the_cut_leaks_exactly_delta_and_no_smaller_one_does(
    stairs: Stairs, delta: F, distance: int
) -> None:
    if not stairs.rate and delta < F(1, 100):
        return
    epsilon = stairs.rate * -(-distance // stairs.period)
    cut = cut_off(stairs, distance, epsilon, delta)
    assert cut.radius is not None
    assert 0 < float(cut.edge.ball()) <= 1 + 1e-12
    assert cut.hockey_stick(epsilon, distance).compare(delta) == 0
    if cut.radius > (distance + 1) // 2:
        whole = ExponentialSum.of(1)
        smaller = Stairs(
            stairs.period, stairs.width, stairs.rate, cut.radius - 1, type(cut.edge)(whole, whole)
        )
        assert smaller.hockey_stick(epsilon, distance).compare(delta) > 0


def test_a_smaller_shift_leaks_less() -> None:
    cut = cut_off(Stairs(1, 1, F(1, 4)), 4, F(1), F(1, 100))
    leaks = [float(cut.hockey_stick(F(1), d).ball()) for d in range(1, 5)]
    assert leaks == sorted(leaks)


@pytest.mark.parametrize(
    "stairs",
    [
        Stairs(3, 2, F(1, 2)),
        cut_off(Stairs(1, 1, F(1, 2)), 1, F(1, 2), F(1, 50)),
        cut_off(Stairs(1, 1, F(1, 100)), 5, F(1, 20), F(1, 4)),
        cut_off(Stairs(1, 1, F(0)), 3, F(0), F(1, 5)),
    ],
)
def test_draws_have_the_chances(stairs: Stairs) -> None:
    """A false alarm has chance 1e-9."""
    count = 40_000
    drawn = stairs.sample(count, Source())
    reach = stairs.radius if stairs.radius is not None else 30
    places = [k for k in range(-reach, reach + 1) if float(stairs.pmf(k).ball()) * count >= 10]
    expected = np.array([float(stairs.pmf(k).ball()) * count for k in places])
    found = np.array([(drawn == k).sum() for k in places])
    rest = np.array([count - expected.sum(), count - found.sum()])
    statistic = ((found - expected) ** 2 / expected).sum()
    if rest[0] > 1:
        statistic += (rest[1] - rest[0]) ** 2 / rest[0]
    else:
        assert rest[1] <= 60
    assert chi2.sf(statistic, len(places)) > 1e-9


def test_wide_draws_are_python_integers() -> None:
    drawn = Stairs(2**62, 2**61, F(1, 100)).sample(50, Source())
    assert max(map(abs, drawn.tolist())) > 2**62
    assert all(isinstance(each, int) for each in drawn.tolist())


def test_uniform_integers_stay_below_their_bound() -> None:
    for bound in (1, 3, 2**62, 2**62 + 1, 2**80):
        drawn = uniform_array(bound, 100, Source()).tolist()
        assert min(drawn) >= 0 and max(drawn) < bound
    assert len(set(uniform_array(2**80, 100, Source()).tolist())) == 100


@pytest.mark.parametrize("order", range(6))
def test_power_sums(order: int) -> None:
    assert [power_sum(order, n) for n in range(8)] == [
        sum(i**order for i in range(n)) for n in range(8)
    ]
