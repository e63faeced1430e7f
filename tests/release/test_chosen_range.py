"""Ranges from noisy hats of values: exact hats give the best range, noise is not taken for data."""

import math
from fractions import Fraction
from itertools import pairwise, product
from statistics import NormalDist

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.release.ask.chosen_ends import (
    VALUE_GRID,
    ChosenEnds,
    chosen_ends,
    first_range,
    value_knots,
)
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.question_parts import mean_grid
from leastnoise.release.spread.chosen_bounds import mean_error
from leastnoise.release.spread.chosen_range import RangeStake, least_range
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.value_weights import last_together, stands_out, value_weights

W, STEPS = 2**20, 2**VALUE_GRID.bits
KNOTS = value_knots()
LAPLACE, NORMAL = DiscreteLaplace(scale=1), DiscreteGaussian(1)  # hats are as good as exact
LAWS = pytest.mark.parametrize("law", [LAPLACE, NORMAL])


def hats(weights: dict[int, float], law: LatticeLaw = LAPLACE) -> Hats:
    """So many units at each power of two, seen exactly."""
    values = [round(weights.get(knot // STEPS, 0) * W) if not knot % STEPS else 0 for knot in KNOTS]
    assert sum(values) == round(sum(weights.values()) * W)
    return Hats(KNOTS, np.array(values, np.int64), law, W)


def stake(shown: Hats, **more: object) -> RangeStake:
    law = isinstance(shown.law, DiscreteGaussian)
    parts = {"answers": 10, "noise": 1.0, "rows": 1.0, "by_width": False, "is_mean": False}
    return RangeStake(shown, VALUE_GRID.step, normal=law, **(parts | more))  # type: ignore[arg-type]


def ends(of: RangeStake) -> tuple[float, float]:
    low, high = least_range(of)
    return float(low), float(high)


def test_knots_are_public_places_from_a_sixteenth_to_two_to_the_24th() -> None:
    assert len(KNOTS) == 227
    assert list(KNOTS) == sorted(set(KNOTS))
    assert KNOTS[0] == -KNOTS[-1] == VALUE_GRID.least
    assert KNOTS[113] == 0
    assert KNOTS[114] * VALUE_GRID.step == Fraction(1, 16)
    assert all(1.09 < above / below < 1.3 for below, above in pairwise(KNOTS[114:]))


@LAWS
def test_the_upper_end_of_a_sum_is_the_least_of_the_curve(law: LatticeLaw) -> None:
    """1000 units have 4 and 40 have 64: no other number up to 1000 does much better."""
    every = np.arange(0.0625, 1000, 0.0625)
    cut = 1000 * np.maximum(4 - every, 0) + 40 * np.maximum(64 - every, 0)
    found = set()
    for answers in (1, 20, 100, 10_000):
        own = stake(hats({4: 1000, 64: 40}, law), answers=answers)
        low, high = least_range(own)
        assert low == 0
        costs = mean_error(every, cut / answers, normal=law is NORMAL)
        lost = 1000 * max(4 - float(high), 0.0) + 40 * max(64 - float(high), 0.0)
        noise, own_cut = np.array(float(high)), np.array(lost / answers)
        assert float(mean_error(noise, own_cut, normal=law is NORMAL)) <= 1.1 * costs.min()
        found.add(high)
    assert max(found) == 64
    assert min(found) < 5


@LAWS
def test_a_mean_needs_the_range_and_not_the_distance_from_0(law: LatticeLaw) -> None:
    own = hats({1024: 10_000, 2048: 10_000}, law)
    assert ends(stake(own, is_mean=True)) == (1024, 2048)
    assert ends(stake(own)) == (0, 2048)
    below = hats({-1024: 10_000, -2048: 10_000}, law)
    assert ends(stake(below, is_mean=True)) == (-2048, -1024)
    assert ends(stake(below)) == (-2048, 0)


def test_where_units_are_replaced_both_sides_of_0_cost() -> None:
    both = hats({-64: 5, 64: 10_000})
    assert ends(stake(both, answers=1)) == (-64, 64)  # the lower end costs nothing
    low, high = ends(stake(both, answers=10, by_width=True))
    assert high == 64
    assert low > -64


@LAWS
def test_what_ranges_cost_written_out(law: LatticeLaw) -> None:
    """Noise as wide as the range, of a mean at its place; what is cut on both sides, by rows."""
    shown, normal = hats({4: 900, 64: 100}, law), law is NORMAL
    mean = stake(shown, is_mean=True, answers=7, rows=3.0, noise=2.0)
    lower, upper = np.array([-2.0, 8.0]), np.array([16.0, 32.0, 64.0])
    costs = mean.costs(lower, upper)
    for i, low in enumerate(lower):
        for j, high in enumerate(upper):
            place = min(max((10 - low) / (high - low), 0), 1)  # of 10, the mean
            noise = 2 * (high - low) * math.hypot(place, 1 - place)
            cut = 3 * (900 * max(low - 4, 0) + 100 * (64 - high)) / 7
            told = float(mean_error(np.array(noise), np.array(cut), normal=normal))
            assert costs[i, j] == pytest.approx(told, rel=1e-3)
    total = stake(shown, answers=7, by_width=True)
    cut = 100 * (64 - 16.0) / 7
    told = float(mean_error(np.array(18.0), np.array(cut), normal=normal))
    assert total.costs(lower, upper)[0, 0] == pytest.approx(told, rel=1e-3)
    assert np.isinf(mean.costs(np.array([8.0]), np.array([8.0, 4.0]))).all()


def test_ends_are_looked_for_at_knots_a_sums_on_their_own_side_of_0() -> None:
    shown, knots = hats({64: 1}), [each * VALUE_GRID.step for each in KNOTS]
    assert stake(shown, is_mean=True).candidates() == (knots, knots)
    assert stake(shown).candidates() == (knots[:114], knots[113:])
    given = stake(shown, lower=Fraction(-3), upper=Fraction(5)).candidates()
    assert given == ([Fraction(-3)], [Fraction(5)])


def test_of_ranges_as_good_as_the_best_the_narrowest_is_taken() -> None:
    """Nobody is beyond 4, and the lower end costs a sum nothing: 0 is as good as any."""
    own = stake(hats({4: 10_000}))
    low, _ = own.candidates()
    costs = own.costs(np.array(low, float), np.array([4.0]))
    assert int(np.isclose(costs, 4.0).sum()) > 10
    assert ends(own) == (0, 4)


def test_an_end_that_is_given_stays() -> None:
    own = hats({64: 10_000})
    assert ends(stake(own, lower=Fraction(-3))) == (-3, 64)
    assert ends(stake(own, upper=Fraction(1, 3))) == (0, 1 / 3)
    low, high = least_range(stake(own, is_mean=True, lower=Fraction(10**6)))
    assert low == 10**6
    assert 10**6 < high < 2 * 10**6


def test_more_rows_of_a_unit_make_the_range_wider() -> None:
    shown = hats({4: 1000, 64: 40})
    few, many = (least_range(stake(shown, answers=100, rows=rows))[1] for rows in (1, 8))
    assert 2 * few < many <= 64


def test_every_range_that_can_be_chosen_makes_a_grid() -> None:
    """After the charge nothing may fail: the narrowest pairs and the farthest ends."""
    own = stake(hats({64: 1}), is_mean=True)
    knots = own.candidates()[0]
    pairs = [*pairwise(knots), (knots[0], knots[-1])]
    assert all(mean_grid(low, high, None) for low, high in pairs)
    near = Fraction(2**24) - 16
    chosen = least_range(stake(hats({64: 1}), is_mean=True, lower=near))
    assert chosen == (near, Fraction(2**24))
    assert mean_grid(*chosen, None).least < mean_grid(*chosen, None).most


@pytest.mark.parametrize("normal", [False, True])
def test_noise_alone_is_no_value_and_many_values_are_seen_together(normal: bool) -> None:
    rng, centre, far, below = np.random.default_rng(17), KNOTS.index(64 * STEPS), 0, 0
    for _ in range(200):
        noise = rng.normal(size=227) if normal else rng.laplace(size=227)
        values = np.zeros(227)
        values[centre] = 1000
        law = DiscreteGaussian(W**2) if normal else DiscreteLaplace(scale=W)
        shown = Hats(KNOTS, np.round((values + noise) * W).astype(np.int64), law, W)
        weights = value_weights(shown)
        below += int(weights[:113].any())
        far += int(weights[centre + 16 :].sum() > 5)
    assert far <= 4
    assert below <= 1
    few = np.zeros(227)
    few[centre - 4 : centre + 12] = 3.5  # none of them stands out alone
    few[centre] = 20
    distances = np.abs(np.array(KNOTS[centre:], float) - KNOTS[centre])
    assert last_together(distances, few[centre:], normal=normal) >= 4
    alone = few.copy()
    alone[centre + 1 :] = 0
    assert last_together(distances, alone[centre:], normal=normal) == 0


def test_knots_that_crowd_and_knots_far_out_must_stand_out_more() -> None:
    """The last of a row is believed from 7 + ln(its distance and crowd) on, and not below."""
    far = np.array([0.0, 1, 2, 4, 8, 16, 32, 64])
    for distances, place, times in [
        (far, 1, 1.0),
        (far, 7, 64.0),
        (np.concatenate([[0.0], 100 + np.arange(40)]), 40, 40 / 8 * 1.39),
    ]:
        sure = 7 + math.log(times)
        for shown, top in ((1.01 * sure, place), (0.99 * sure, 0)):
            values = np.zeros(len(distances))
            values[place] = shown
            assert last_together(distances, values, normal=False) == top


def test_together_knots_stand_out_that_do_not_alone() -> None:
    distances = np.arange(9.0)
    for many in (2, 4, 8):
        for shown, top in ((1.02, 8), (0.98, 0)):
            values = np.zeros(9)
            values[9 - many :] = shown * stands_out(7 + math.log(8), many, normal=True) / many
            assert last_together(distances, values, normal=True) == top


def test_what_stands_out_written_out() -> None:
    assert stands_out(3.0, 1, normal=False) == 3
    slopes = np.linspace(0.02, 0.98, 97)
    least = min((3 - 4 * math.log(1 - s * s)) / s for s in slopes)
    assert stands_out(3.0, 4, normal=False) == pytest.approx(least)
    two = NormalDist(0, 2)  # the sum of four
    assert 1 - two.cdf(stands_out(3.0, 4, normal=True)) == pytest.approx(math.exp(-3) / 2)


@pytest.mark.parametrize("many", [1, 2, 4, 8, 16])
def test_sums_of_noise_stand_out_as_rarely_as_it_is_said(many: int) -> None:
    rng = np.random.default_rng(many)
    laplace = rng.laplace(size=(400_000 // many, many)).sum(axis=1)
    normal = rng.normal(size=(400_000 // many, many)).sum(axis=1)
    for sure in (2.0, 4.0):
        bound = math.exp(-sure)
        more = 1.5 * bound + 2e-4
        assert (laplace > stands_out(sure, many, normal=False)).mean() < more
        share = (normal > stands_out(sure, many, normal=True)).mean()
        assert bound / 2 / 1.5 - 2e-4 < share < bound / 2 * 1.5 + 2e-4


def test_ends_as_users_say_them() -> None:
    assert chosen_ends(0, "3/2", None) == ChosenEnds()
    assert chosen_ends("auto", 5, None).names == ("lower",)
    assert chosen_ends("auto", "auto", None).names == ("lower", "upper")
    for wrong in ("all", "Auto", ""):
        with pytest.raises(InvalidParameter, match="`upper` must be a number or 'auto'"):
            chosen_ends(0, wrong, None)
    with pytest.raises(InvalidParameter, match="beside a clip"):
        chosen_ends(0, "auto", Clip(max_norm=5))
    with pytest.raises(InvalidParameter, match="`variance` and `std` alone"):
        Grid(lower=0, upper="auto")


@pytest.mark.parametrize("given", ["0", "5", "-10", "1e6", "16777000", "-1e9"])
def test_the_range_before_the_choice_is_one(given: str) -> None:
    low, high = first_range(given, "auto", ChosenEnds(("upper",)))
    assert mean_grid(low, high, None).lower == Fraction(given)
    low, high = first_range("auto", f"-{given}".replace("--", ""), ChosenEnds(("lower",)))
    assert mean_grid(low, high, None).upper == -Fraction(given)


def test_an_end_that_leaves_no_room_is_refused() -> None:
    for end in (2**24, "1e300", 2**24 - Fraction(1, 8)):
        with pytest.raises(InvalidParameter, match="must leave room"):
            first_range(end, "auto", ChosenEnds(("upper",)))


def test_words_say_what_was_chosen() -> None:
    grid = Grid(lower=0, upper=64)
    assert ChosenEnds().words(grid) == "0 … 64"
    assert ChosenEnds(("upper",)).words(grid) == "a range (upper chosen from the data), lower 0"
    told = ChosenEnds(("lower", "upper"), found=True).words(grid)
    assert told == "0 … 64 (lower and upper were chosen from noisy numbers)"


def test_what_is_cut_from_squares_written_out() -> None:
    """A value moved to an end by a − b changes its squared distance by (a − b)·(a + b) at most."""
    own = stake(hats({4: 900, 16: 100, 64: 100}), is_mean=True, of_squares=True)
    centre = (900 * 4 + 100 * 16 + 100 * 64) / 1100
    lower, upper = np.array([-2.0, 8.0, 20.0]), np.array([16.0, 32.0, 64.0])
    found = own._lost_squares(lower, upper)
    for (i, low), (j, high) in product(enumerate(lower), enumerate(upper)):
        lost = 0.0
        for value, count in ((4, 900), (16, 100), (64, 100)):
            for end, by in ((low, low - value), (high, value - high)):
                lost += count * max(by, 0) * (abs(value - centre) + abs(end - centre))
        assert found[i, j] == pytest.approx(lost, rel=1e-3, abs=0.1)
