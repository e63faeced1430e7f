"""The search: the figures of plans, and prices that the laws themselves prove."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from random import Random

import pytest

from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import (
    UNITS,
    Block,
    Box,
    Diamond,
    KNormNoise,
    Simplex,
)
from leastnoise.noise.joint_tables import variance
from leastnoise.noise.sums import noise_of
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.privacy.conversion import squared_mu
from leastnoise.workloads.joint_design import (
    Group,
    even_importance,
    gaussian_group,
    pure_groups,
    weighted_variance,
)

F = Fraction
S = 1 << 20


def price(groups: Sequence[Group], reach: Sequence[Block]) -> Fraction:
    """Epsilon, proved by the laws; every vector is in exactly one group."""
    assert sorted(place for group in groups for place in group.places) == [*range(len(reach))]
    found = F(0)
    for group in groups:
        assert not isinstance(group.law, CentredGaussian)
        found += group.law.epsilon([reach[place] for place in group.places])
    return found


def mean_variance(groups: Sequence[Group], reach: Sequence[Block | Ball]) -> float:
    return weighted_variance(groups, even_importance(reach)) / len(reach)


@pytest.mark.parametrize(
    ("k", "most"), [(1, 1.842), (2, 3.164), (5, 8.17), (10, 20.318), (20, 58.75), (50, 281.7)]
)
def test_counts_under_pure_epsilon(k: int, most: float) -> None:
    reach = [Box(0, 1)] * k
    groups = pure_groups(reach, F(1))
    assert price(groups, reach) == 1 and len(groups) == 1
    assert mean_variance(groups, reach) <= most


@pytest.mark.parametrize(("k", "most"), [(1, 1.92), (10, 20.5), (20, 60)])
def test_counts_in_steps_of_the_weights(k: int, most: float) -> None:
    reach = [Box(0, S)] * k
    groups = pure_groups(reach, F(1))
    assert price(groups, reach) == 1
    assert mean_variance(groups, reach) <= most * S**2


@pytest.mark.parametrize(
    ("k", "most", "mu"),
    [
        (10, 4.3315, F(1)),
        (100, 548, squared_mu(F(1), F(9, 10**7))),
        (20, 135.1, squared_mu(F(1), F(9, 10**7))),
    ],
)
def test_counts_under_gaussian_noise(k: int, most: float, mu: Fraction) -> None:
    reach = [Box(0, S)] * k
    group = gaussian_group(reach, mu)
    assert isinstance(group.law, CentredGaussian)
    assert mu * F(999_999, 10**6) < group.law.squared_mu(reach) <= mu
    assert mean_variance([group], reach) <= most * S**2
    assert mean_variance([group], reach) == pytest.approx(
        (k + k**0.5) ** 2 / (4 * k) / float(mu) * S**2, rel=1e-5
    )


@pytest.mark.parametrize("unit", [1, S])
def test_a_mixed_plan(unit: int) -> None:
    """5 counts, 3 lists of 20 groups, 2 sums: 51.6 (the best split without joint noise: 200)."""
    reach = [Box(0, unit)] * 5 + [Simplex(20, unit)] * 3 + [Box(0, unit)] * 2
    groups = pure_groups(reach, F(1))
    assert F(999_999, 10**6) < price(groups, reach) <= 1
    assert mean_variance(groups, reach) <= 51.6 * unit**2
    assert [len(group.places) for group in groups] == [7, 3]


def test_count_and_mean_of_the_same_groups() -> None:
    """As totals from both ends of the range, one of which is 2h for each row: half of the variance.

    Two separate measurements at epsilon/2 have 8 for the count.
    """
    h, groups = 7, 12
    reach: list[Block] = [Simplex(2 * groups, 2 * h * S)]
    (group,) = pure_groups(reach, F(1))
    count = noise_of([group.law], {(0, 0, 0): 1 / (2 * h), (0, 0, 1): 1 / (2 * h)})
    total = noise_of([group.law], {(0, 0, 0): 0.5, (0, 0, 1): -0.5})
    assert price([group], reach) == 1
    assert count.deviation**2 == pytest.approx(4 * S**2, rel=0.01)
    assert total.deviation**2 == pytest.approx(4 * h**2 * S**2, rel=0.01)


def test_long_lists_and_large_plans() -> None:
    reach: list[Block] = [Simplex(5000, S), Diamond(300, S), Box(0, S), UNITS, Simplex(64, S)]
    groups = pure_groups(reach, F(1, 7))
    assert F(999_999, 7 * 10**6) < price(groups, reach) <= F(1, 7)
    alone = [group.law for group in groups if isinstance(group.law, LaplaceNoise)]
    assert {law.block.cells for law in alone} >= {5000, 300}
    many = [Box(0, S * (1 + i % 9)) for i in range(900)]
    groups = pure_groups(many, F(1))
    assert price(groups, many) <= 1 and len(groups) > 1


def test_sums_that_go_up_and_down_alike_have_one_counter() -> None:
    reach = [Box(-3 * S, 3 * S)] * 5
    (group,) = pure_groups(reach, F(1))
    assert isinstance(group.law, KNormNoise) and group.law.counters == 1
    assert variance(group.law, 0) <= 14.01 * (3 * S) ** 2


def test_importance_moves_noise() -> None:
    reach: list[Block] = [Simplex(8, S), Simplex(8, S), Box(0, 90 * S)]
    even, uneven = (pure_groups(reach, F(1), importance) for importance in (None, [1.0, 1.0, 1e-9]))
    assert weighted_variance(uneven, [1, 1, 1e-9]) <= weighted_variance(even, [1, 1, 1e-9])
    one, other = (
        gaussian_group(reach, F(1), importance) for importance in (None, [1.0, 1.0, 1e-9])
    )
    assert variance(other.law, 0) < variance(one.law, 0)


def test_random_plans_keep_their_price_and_beat_splitting() -> None:
    for seed in range(25):
        rng = Random(seed)
        reach: list[Block] = []
        for _ in range(rng.randint(2, 12)):
            unit = S * rng.randint(1, 5)
            kinds: list[Block] = [Box(0, unit), Box(-unit, unit), Diamond(6, unit)]
            reach.append(rng.choice([*kinds, Simplex(rng.randint(2, 30), unit)]))
        groups = pure_groups(reach, F(1))
        assert F(999, 1000) < price(groups, reach) <= 1
        size = [max(-b.low, b.high) if isinstance(b, Box) else b.total for b in reach]
        split = sum((2.0 * u * u) ** (1 / 3) for u in size) ** 3  # the best shares of noise apart
        assert weighted_variance(groups, even_importance(reach)) <= 1.02 * split
        group = gaussian_group(reach, F(1))
        assert isinstance(group.law, CentredGaussian)
        assert F(99_999, 10**5) < group.law.squared_mu(reach) <= 1
        assert weighted_variance([group], even_importance(reach)) <= 1.0001 * sum(size) ** 2


def test_gaussian_noise_of_lists_is_that_of_their_length() -> None:
    reach = [Ball(20, 3 * S**2), Ball(5, 12 * S**2)]
    group = gaussian_group(reach, F(1))
    # Least of sum of importance*cells*V_j with sum of R_j^2/V_j = 1: the square of the sum of R_j.
    assert weighted_variance([group], even_importance(reach)) == pytest.approx(
        (isqrt(3 * S**2) + isqrt(12 * S**2)) ** 2, rel=1e-4
    )
