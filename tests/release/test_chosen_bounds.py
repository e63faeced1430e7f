"""Bounds from noisy hats: exact hats give the best bound, and noise is not taken for units."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.spread.choosing_share import choosing_share
from leastnoise.release.spread.chosen_bounds import Stake, bound_knots, least_bounds, mean_error
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.seen_weights import last_seen, noise_scale, seen_weights

W = 2**20
KNOTS = bound_knots(2**20)
LAPLACE, NORMAL = DiscreteLaplace(scale=20 * W), DiscreteGaussian(20 * W**2)


def hats(
    weights: dict[int, float], law: LatticeLaw = LAPLACE, knots: tuple[int, ...] = KNOTS
) -> Hats:
    values = [round(weights.get(knot, 0) * W) for knot in knots]
    return Hats(knots, np.array(values, np.int64), law, W)


def stake(
    rows: Hats | None, answers: int = 100, groups: Hats | None = None, **more: float
) -> Stake:
    normal = isinstance((rows or groups).law, DiscreteGaussian)  # type: ignore[union-attr]
    noise = more.get("noise", 1.0)
    return Stake(answers, noise, 1.0, normal, ONE_ROW, groups=groups, rows=rows)


def test_knots_are_half_doublings() -> None:
    assert bound_knots(16) == (1, 2, 3, 4, 6, 8, 11, 16)
    assert bound_knots(1) == (1, 2)
    assert KNOTS[-1] == 2**20
    for most in range(1, 200):
        assert bound_knots(most)[-1] >= most


def test_mean_errors_by_integration() -> None:
    x = np.linspace(-400, 400, 4_000_001)
    step = x[1] - x[0]
    laplace = np.exp(-np.abs(x) / 3) / 6
    normal = np.exp(-(x**2) / 18) / (3 * math.sqrt(2 * math.pi))
    for cut in (0.0, 0.5, 4.0, 30.0):
        found = mean_error(np.array(3.0), np.array(cut), normal=False)
        assert float(found) == pytest.approx(
            float((np.abs(x - cut) * laplace).sum() * step), rel=1e-6
        )
        mean = 3 * math.sqrt(2 / math.pi)
        found = mean_error(np.array(mean), np.array(cut), normal=True)
        assert float(found) == pytest.approx(
            float((np.abs(x - cut) * normal).sum() * step), rel=1e-6
        )


@pytest.mark.parametrize("law", [LAPLACE, NORMAL])
def test_the_bound_is_the_least_of_the_curve(law: LatticeLaw) -> None:
    """1000 units with 4 rows and 400 with 64, seen exactly: no whole number does much better."""
    normal = isinstance(law, DiscreteGaussian)
    every = np.arange(1.0, 2000.0)
    cut = 1000 * np.maximum(4 - every, 0) + 400 * np.maximum(64 - every, 0)
    for answers in (700, 2000, 10**4, 10**6):
        own = stake(hats({4: 1000, 64: 400}, law), answers)
        found = least_bounds([own], max_groups=1, max_rows=None).max_rows
        costs = mean_error(every, cut / answers, normal=normal)
        assert costs[found - 1] <= 1.05 * costs.min()


def test_the_bound_of_two_stakes_lies_between_those_of_each() -> None:
    two = hats({4: 1000, 64: 400})
    few, many = stake(two, 100), stake(two, 10**4)
    low, both, high = (
        least_bounds(each, max_groups=1, max_rows=None).max_rows
        for each in ([many], [few, many], [few])
    )
    assert low <= both <= high
    assert low < high


def test_groups_and_rows_are_chosen_together() -> None:
    """Gaussian noise grows with the root of the groups: it affords more of them."""
    bounds = [
        least_bounds(
            [stake(hats({2: 5000}, law), 2000, hats({32: 5000}, law, bound_knots(50)))],
            max_groups=None,
            max_rows=None,
        )
        for law in (LAPLACE, NORMAL)
    ]
    assert bounds[1].max_groups == 32
    assert bounds[0].max_groups <= bounds[1].max_groups
    assert all(each.max_rows == 2 for each in bounds)


def test_a_given_bound_stays() -> None:
    own = stake(hats({64: 10**6}), 1)
    assert least_bounds([own], max_groups=1, max_rows=7) == Bounds(max_groups=1, max_rows=7)


def test_nothing_seen_is_a_bound_of_one() -> None:
    for law in (LAPLACE, NORMAL):
        assert least_bounds([stake(hats({}, law), 1)], max_groups=1, max_rows=None).max_rows == 1
        below = hats(dict.fromkeys(KNOTS, -1000), law)
        assert least_bounds([stake(below, 1)], max_groups=1, max_rows=None).max_rows == 1
        assert not seen_weights(below).any()


def test_a_far_knot_must_stand_out_more() -> None:
    """e^−5/2 over the ratio of the knots is the chance that noise does it."""
    for place, knot in enumerate(KNOTS[1:], 1):
        least = math.log(knot) + 5
        values = np.zeros(len(KNOTS))
        values[place] = least * 1.001
        assert last_seen(KNOTS, values, normal=False) == place
        values[place] = least * 0.999
        assert last_seen(KNOTS, values, normal=False) == 0
        values[place] = least
        assert last_seen(KNOTS, values, normal=True) == place  # normal tails are lighter


def test_beyond_what_is_seen_weights_fall() -> None:
    found = seen_weights(hats({1: 5000, 2: 3000, 3: 40, 4: 40, 6: 40, 1024: 90}))
    top = 1
    assert found[: top + 1].tolist() == [5000, 3000]
    assert all(
        later <= 0.6 * own for own, later in zip(found[top:], found[top + 1 :], strict=False)
    )


@pytest.mark.parametrize("law", [LAPLACE, NORMAL])
def test_noise_alone_seldom_makes_a_large_bound(law: LatticeLaw) -> None:
    """One row each: a bound above 8 is a mistake, and must be rare."""
    rng, scale = np.random.default_rng(5), noise_scale(hats({}, law))
    draw = rng.normal if isinstance(law, DiscreteGaussian) else rng.laplace
    wrong = 0
    for _ in range(300):
        noise = draw(0, scale, len(KNOTS))
        noisy = hats(
            {knot: float(z) + 3000 * (knot == 1) for knot, z in zip(KNOTS, noise, strict=True)}, law
        )
        wrong += least_bounds([stake(noisy, 10)], max_groups=1, max_rows=None).max_rows > 8
    assert wrong <= 9


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-(10**4), 10**5), min_size=len(KNOTS), max_size=len(KNOTS)),
    st.integers(1, 10**5),
    st.sampled_from([LAPLACE, NORMAL]),
)
def test_whatever_noise_shows_the_bound_is_inside_the_knots(
    values: list[int], answers: int, law: LatticeLaw
) -> None:
    own = hats(dict(zip(KNOTS, map(float, values), strict=True)), law)
    found = least_bounds([stake(own, answers)], max_groups=1, max_rows=None)
    assert 1 <= found.max_rows <= KNOTS[-1]
    assert (seen_weights(own) >= 0).all()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 10**5), min_size=len(KNOTS), max_size=len(KNOTS)))
def test_more_answers_never_want_a_larger_bound(values: list[int]) -> None:
    own = hats(dict(zip(KNOTS, map(float, values), strict=True)))
    found = [
        least_bounds([stake(own, answers)], max_groups=1, max_rows=None).max_rows
        for answers in (1, 10, 100, 10**3, 10**4, 10**6)
    ]
    assert found == sorted(found, reverse=True)


def test_the_share_falls_with_the_answers() -> None:
    for normal in (False, True):
        shares = [choosing_share(answers, normal) for answers in (1, 10, 50, 500, 10**4)]
        assert shares == sorted(shares, reverse=True)
        assert shares[-1] == Fraction(1, 20)
    assert choosing_share(1, False) == Fraction(1, 5)
    assert choosing_share(1, True) == Fraction(1, 10)
