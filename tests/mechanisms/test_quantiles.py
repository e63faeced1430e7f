import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import log, mpf
from scipy.stats import binom

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.choosing.pick_rows import flip_rows, weigh_rows
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.count_tree import CountTree
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles, best_tree
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles, factored
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.quantile.rank_choice import rank_distances
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.randomness.source import Source
from tests.examples import examples
from tests.mechanisms.selection_reference import exponential_law, flipping_law
from tests.randomness.goodness_of_fit import rejects

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
DECILES = tuple(Fraction(i, 10) for i in range(1, 10))
USUAL = Fraction(95, 100)

levels = st.fractions(0, 1, max_denominator=20).filter(lambda q: 0 < q < 1)
rows = st.lists(st.integers(0, 6), min_size=1, max_size=7)

Row = Sequence[int]


def task(
    asked: Sequence[object],
    cells: int,
    promise: PureDP | ZCDP,
    *,
    contribution: int = 1,
    **relation: bool,
) -> QuantileTask:
    return QuantileTask(
        levels=asked,  # type: ignore[arg-type]
        cells=cells,
        contribution=contribution,
        promise=promise,
        replace=relation.get("replace", False),
        grouped=relation.get("grouped", False),
    )


def distances(counts: Row, level: Fraction) -> list[Fraction]:
    """By the definition."""
    rank, below, found = level * sum(counts), 0, []
    for count in counts:
        found.append(max(Fraction(0), below - rank, rank - (below + count)))
        below += count
    return found


def ranges(one: Row, other: Row, asked: Sequence[Fraction]) -> list[Fraction]:
    """How far two rows of counts move distances apart, for each level."""
    found = []
    for level in asked:
        before, after = distances(one, level), distances(other, level)
        changes = [b - a for a, b in zip(before, after, strict=True)]
        found.append(max(changes) - min(changes))
    return found


# Distances


@given(rows, levels)
def test_distances_by_their_definition(counts: Row, level: Fraction) -> None:
    (got,) = rank_distances(np.array([counts], dtype=np.int64), level)
    assert [Fraction(int(d), level.denominator) for d in got] == distances(counts, level)
    assert got.min() == 0


def test_distances_of_huge_counts_are_cut_off_and_do_not_wrap() -> None:
    counts = np.array([[2**60, 0, 2**61, 5]], dtype=np.int64)
    (got,) = rank_distances(counts, Fraction(1, 2**20))
    assert got[0] == 0
    assert got[2] == got[3] == 2**62 - 2**20
    assert rank_distances(counts, Fraction(1, 2))[0, 0] == 2**61 + 5 - 2**60


# How far a unit moves them


@examples(48, 240)
@given(rows, st.integers(0, 6), st.sets(levels, min_size=1, max_size=5))
def test_one_count_moves_no_further(counts: Row, cell: int, asked: set[Fraction]) -> None:
    more = list(counts)
    more[cell % len(counts)] += 1
    moved = ranges(counts, more, sorted(asked))
    facts = task(sorted(asked), len(counts), PureDP(epsilon=1))
    assert sum(moved) <= facts.total_move
    assert sum(move * move for move in moved) <= facts.square_move
    for move, q in zip(moved, sorted(asked), strict=True):
        assert move <= 2 * max(q, 1 - q)


@examples(32, 160)
@given(
    rows,
    st.lists(st.integers(0, 6), max_size=3),
    st.lists(st.integers(0, 6), max_size=3),
    st.sets(levels, min_size=1, max_size=4),
    st.booleans(),
)
def test_a_unit_moves_no_further(
    counts: Row, gone: list[int], come: list[int], asked: set[Fraction], replace: bool
) -> None:
    base, cells = np.array(counts), len(counts)
    one = base + np.bincount([x % cells for x in gone] or [0], minlength=cells) * bool(gone)
    other = base + np.bincount([x % cells for x in come] or [0], minlength=cells) * bool(come)
    facts = task(sorted(asked), cells, PureDP(epsilon=1), contribution=3, replace=replace)
    moved = ranges((one if replace else base).tolist(), other.tolist(), sorted(asked))
    assert sum(moved) <= facts.total_move
    assert sum(move * move for move in moved) <= facts.square_move


@pytest.mark.parametrize("asked", [QUARTILES, DECILES, (Fraction(9, 10),), (Fraction(1, 2),)])
def test_the_greatest_move_is_met(asked: tuple[Fraction, ...]) -> None:
    facts = task(asked, 1, PureDP(epsilon=1))
    base = [10] * 20 + [0, 0, 0]
    sums = [sum(ranges(base, [c + (i == x) for i, c in enumerate(base)], asked)) for x in range(23)]
    assert max(sums) == facts.total_move


def test_a_replaced_unit_in_two_groups_moves_both() -> None:
    """One count leaves the first row and another enters the second."""
    asked = (Fraction(9, 10),)
    one = ranges([5, 5, 6], [5, 5, 5], asked)
    two = ranges([5, 5, 5, 0], [5, 5, 5, 1], asked)
    alone = task(asked, 4, PureDP(epsilon=1), replace=True)
    both = task(asked, 4, PureDP(epsilon=1), replace=True, grouped=True)
    assert alone.total_move == 2
    assert alone.total_move < sum(one + two) <= both.total_move == Fraction(36, 10)
    assert sum(m * m for m in one + two) <= both.square_move == 2 * Fraction(18, 10) ** 2


units = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=3)


@examples(48, 240)
@given(
    st.lists(st.integers(0, 4), min_size=8, max_size=8),
    units,
    units,
    st.sets(levels, min_size=1, max_size=4),
    st.booleans(),
)
def test_a_unit_in_two_groups_moves_no_further(
    base: list[int],
    gone: list[tuple[int, int]],
    come: list[tuple[int, int]],
    asked: set[Fraction],
    replace: bool,
) -> None:
    facts = task(sorted(asked), 4, PureDP(epsilon=1), contribution=3, replace=replace, grouped=True)
    one, other = (np.array(base).reshape(2, 4) for _ in range(2))
    for place in gone if replace else ():
        one[place] += 1
    for place in come:
        other[place] += 1
    moved = [
        move
        for row, changed in zip(one.tolist(), other.tolist(), strict=True)
        for move in ranges(row, changed, sorted(asked))
    ]
    assert sum(moved) <= facts.total_move
    assert sum(move * move for move in moved) <= facts.square_move


# Privacy by exact laws of all neighbours


def law(way: ChosenQuantiles, counts: Row, level: Fraction) -> list[mpf]:
    known = flipping_law if isinstance(way.task.promise, PureDP) else exponential_law
    utilities = [-int(d * level.denominator) for d in distances(counts, level)]
    return known(utilities, way.rate / level.denominator)


def neighbours(cells: int, size: int, most: int, *, replace: bool) -> list[tuple[Row, Row]]:
    """All tables of up to `size` counts, with one unit of up to `most` more, or replaced."""

    def tables(total: int) -> list[np.ndarray]:
        return [
            np.bincount(places, minlength=cells) if places else np.zeros(cells, dtype=int)
            for places in combinations_with_replacement(range(cells), total)
        ]

    units = [unit for total in range(most + 1) for unit in tables(total)]
    pairs = []
    for base in (table for total in range(size + 1) for table in tables(total)):
        for unit in units:
            for other in units if replace else [np.zeros(cells, dtype=int)]:
                pairs.append(((base + unit).tolist(), (base + other).tolist()))
    return pairs


@pytest.mark.parametrize(
    ("asked", "contribution", "replace"),
    [
        ((Fraction(1, 2),), 1, False),
        ((Fraction(1, 3), Fraction(3, 4)), 2, False),
        ((Fraction(9, 10),), 1, True),
    ],
)
def test_pure_promise_of_all_neighbours(
    asked: tuple[Fraction, ...], contribution: int, replace: bool
) -> None:
    facts = task(asked, 3, PureDP(epsilon=1), contribution=contribution, replace=replace)
    way, worst = ChosenQuantiles(facts), mpf(0)
    for one, other in neighbours(3, 3, contribution, replace=replace):
        losses = mpf(0)
        for level in asked:
            pairs = zip(law(way, one, level), law(way, other, level), strict=True)
            losses += max(log(p / q) for p, q in pairs)
        worst = max(worst, losses)
    assert mpf("0.5") < worst <= 1 + mpf(10) ** -12


@pytest.mark.parametrize("replace", [False, True])
def test_concentrated_promise_of_all_neighbours(replace: bool) -> None:
    asked, rho = (Fraction(1, 4), Fraction(1, 2)), mpf("0.3")
    way = ChosenQuantiles(task(asked, 3, ZCDP(rho="0.3"), replace=replace))
    worst = mpf(0)
    for one, other in neighbours(3, 3, 1, replace=replace):
        for alpha in (mpf("1.001"), mpf(2), mpf(10)):
            spent = mpf(0)
            for level in asked:
                pairs = zip(law(way, one, level), law(way, other, level), strict=True)
                spent += log(sum(p**alpha * q ** (1 - alpha) for p, q in pairs)) / (alpha - 1)
            worst = max(worst, spent / alpha)
    assert rho / 4 < worst <= rho


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("contribution", [1, 3])
def test_the_tree_is_counted_within_its_sensitivity(contribution: int, replace: bool) -> None:
    tree = CountTree(5, 2, 3)
    sums, squares = 0, 0
    for one, other in neighbours(5, 0, contribution, replace=replace):
        levels = (tree.levels(np.array([row])) for row in (one, other))
        moves = np.concatenate([a - b for a, b in zip(*levels, strict=True)], axis=1)
        sums, squares = max(sums, int(abs(moves).sum())), max(squares, int((moves**2).sum()))
    pure = task(QUARTILES, 5, PureDP(epsilon="0.5"), contribution=contribution, replace=replace)
    law = CountedQuantiles(pure, 2, 3).law
    assert isinstance(law, DiscreteLaplace)
    assert law.scale == 2 * sums
    concentrated = task(QUARTILES, 5, ZCDP(rho=2), contribution=contribution, replace=replace)
    wide = CountedQuantiles(concentrated, 2, 3).law
    assert isinstance(wide, DiscreteGaussian)
    assert wide.sigma_squared == Fraction(squares, 4)


def test_rates_use_the_promise_up() -> None:
    pure = ChosenQuantiles(task(DECILES, 100, PureDP(epsilon=1), contribution=7))
    assert pure.rate * pure.task.total_move == 1
    assert pure.task.total_move == 77
    wide = ChosenQuantiles(task(DECILES, 100, ZCDP(rho="0.1"), contribution=7))
    spent = wide.rate**2 * wide.task.square_move / 8
    assert Fraction(1, 10) * (1 - Fraction(1, 2**50)) <= spent <= Fraction(1, 10)


# Draws


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.2")])
def test_draws_fit_and_wrong_rates_are_found(promise: PureDP | ZCDP) -> None:
    counts, asked, size = [2, 0, 3, 1, 4], (Fraction(1, 3),), 1 << 13
    mechanism = Quantiles(asked, cells=5, contribution=1, promise=promise, grouped=True)
    way = mechanism.way
    assert isinstance(way, ChosenQuantiles)
    drawn = mechanism.release(np.tile(counts, (size, 1))).value[:, 0]
    known = flipping_law if isinstance(promise, PureDP) else exponential_law
    utilities = [-int(3 * d) for d in distances(counts, asked[0])]

    def law(factor: Fraction) -> list[float]:
        return [float(p) for p in known(utilities, way.rate / 3 * factor)]

    assert not rejects(drawn, law(Fraction(1)))
    assert rejects(drawn, law(Fraction(8, 10)))
    assert rejects(drawn, law(Fraction(12, 10)))


@pytest.mark.parametrize("pick", [flip_rows, weigh_rows])
def test_rows_are_picked_each_by_its_own_gaps(pick: Callable[..., np.ndarray]) -> None:
    known, rate, size = {flip_rows: flipping_law, weigh_rows: exponential_law}, Fraction(1, 3), 4000
    gaps = [[0, 2, 5, 0], [7, 1, 0, 3]]
    drawn = pick(np.tile(np.array(gaps, dtype=np.uint64), (size, 1)), rate, Source())
    for i, row in enumerate(gaps):
        law = [float(p) for p in known[pick]([-gap for gap in row], rate)]
        assert not rejects(drawn[i::2], law)
        assert rejects(drawn[1 - i :: 2], law)
    sharp = np.full((40, 1 << 16), 10**6, dtype=np.uint64)
    best = np.arange(40) * 1000
    sharp[np.arange(40), best] = 0
    assert (pick(sharp, rate, Source()) == best).all()


def test_levels_are_drawn_independently_and_sorted() -> None:
    counts, size = [1, 2, 1], 1 << 11
    asked = (Fraction(1, 4), Fraction(3, 4))
    way = ChosenQuantiles(task(asked, 3, PureDP(epsilon=1)))
    source = Source()
    drawn = way.draw(np.tile(counts, (size, 1)), USUAL, source)[:, :, 0]
    assert (drawn[:, 0] <= drawn[:, 1]).all()
    laws = [law(way, counts, level) for level in asked]
    joint = np.zeros((3, 3))
    for i, j in product(range(3), repeat=2):
        joint[min(i, j), max(i, j)] += float(laws[0][i] * laws[1][j])
    order = [(i, j) for i in range(3) for j in range(i, 3)]
    places = np.array([order.index((int(a), int(b))) for a, b in drawn])
    assert not rejects(places, [joint[pair] for pair in order])


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.5")])
@pytest.mark.parametrize(
    "asked", [QUARTILES, DECILES, tuple(Fraction(i, 50) for i in range(1, 50))]
)
def test_large_tables_are_answered_well(
    promise: PureDP | ZCDP, asked: tuple[Fraction, ...]
) -> None:
    counts = np.random.default_rng(3).poisson(30, 1000)
    mechanism = Quantiles(asked, cells=1000, contribution=1, promise=promise)
    cells = mechanism.release(counts).value
    upto = np.cumsum(counts)
    best = [int(np.searchsorted(upto, float(q) * upto[-1])) for q in asked]
    bound = max(mechanism.error_bounds("0.999999"))
    assert all(abs(a - b) <= bound / 15 for a, b in zip(cells, best, strict=True))
    assert (np.diff(cells) >= 0).all()


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.5")])
def test_many_rows_in_one_cell_are_no_trouble(promise: PureDP | ZCDP) -> None:
    counts = np.zeros(500, dtype=np.int64)
    counts[123], counts[400] = 10**6, 5 * 10**5
    for asked in (QUARTILES[:2], tuple(Fraction(i, 40) for i in range(1, 26))):
        mechanism = Quantiles(asked, cells=500, contribution=1, promise=promise)
        assert (mechanism.release(counts).value == 123).all()


# The tree


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 4), st.integers(1, 3), st.randoms(use_true_random=False), levels)
def test_sums_are_least_squares_and_have_the_stated_variance(
    branching: int, height: int, random: object, level: Fraction
) -> None:
    cells = branching**height
    tree = CountTree(cells, branching, height)
    design = np.array(
        [
            np.concatenate(tree.levels(unit), axis=1)[0]
            for unit in np.eye(cells, dtype=np.int64)[:, np.newaxis]
        ]
    ).T
    noisy = [
        np.array([[random.randint(-9, 9) for _ in row] for row in nodes])  # type: ignore[attr-defined]
        for nodes in tree.levels(np.zeros((2, cells), dtype=np.int64))
    ]
    told = np.concatenate(noisy, axis=1).T
    solved, *_ = np.linalg.lstsq(design.astype(float), told, rcond=None)
    assert np.allclose(tree.cumulated(noisy), np.cumsum(solved.T, axis=1))
    wanted = np.tril(np.ones((cells, cells))) - float(level)
    coefficients = wanted @ np.linalg.pinv(design)
    assert np.allclose((coefficients**2).sum(axis=1), tree.variances(float(level)))
    assert abs(coefficients).max() <= 1 + 1e-9


def test_levels_of_a_tree_that_is_not_full() -> None:
    tree = CountTree(5, 2, 3)
    (top,), (middle,), (leaves,) = tree.levels(np.array([[1, 2, 3, 4, 5]]))
    assert top.tolist() == [10, 5]
    assert middle.tolist() == [3, 7, 5, 0]
    assert leaves.tolist() == [1, 2, 3, 4, 5, 0, 0, 0]
    assert tree.variances(0.5).shape == (5,)


def test_exact_counts_give_exact_quantiles() -> None:
    """With next to no noise the tree answers as the definition does."""
    counts = np.array([3, 0, 5, 1, 0, 2, 9])
    asked = tuple(Fraction(i, 41) for i in range(1, 41))
    way = CountedQuantiles(task(asked, 7, PureDP(epsilon=2000)), 2, 3)
    cells = way.draw(counts[np.newaxis], USUAL, Source())[0, :, 0]
    for level, cell in zip(asked, cells, strict=True):
        assert distances(counts.tolist(), level)[cell] == 0


# Errors before data


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.5")])
def test_bound_of_choices_is_met_by_the_worst_table(promise: PureDP | ZCDP) -> None:
    facts = task((Fraction(1, 2),), 4, promise)
    way = ChosenQuantiles(facts)
    (bound,) = way.error_bounds(USUAL)
    known = flipping_law if isinstance(promise, PureDP) else exponential_law

    def missed(distance: int) -> mpf:
        return 1 - known([0, -distance, -distance, -distance], way.rate)[0]

    assert missed(bound) <= mpf("0.05") < missed(bound - 1)


def test_the_bound_of_choices_is_for_all_levels_at_once() -> None:
    """Two levels that share a table of nothing: sorting mixes their choices."""
    way = ChosenQuantiles(task((Fraction(1, 4), Fraction(3, 4)), 4, PureDP(epsilon=1)))
    (bound, same) = way.error_bounds(USUAL)
    assert bound == same
    missed = 1 - flipping_law([0, -bound, -bound, -bound], way.rate)[0]
    assert missed <= mpf("0.025") < 1 - flipping_law([0] + 3 * [1 - bound], way.rate)[0]


@settings(max_examples=60)
@given(rows, levels, levels, st.integers(0, 6), st.integers(0, 6))
def test_sorting_does_not_raise_the_greatest_error(
    counts: Row, one: Fraction, other: Fraction, x: int, y: int
) -> None:
    low, high = sorted((one, other))
    x, y = x % len(counts), y % len(counts)
    small, large = distances(counts, low), distances(counts, high)
    assert max(small[min(x, y)], large[max(x, y)]) <= max(small[x], large[y])


@pytest.mark.spread(3)
@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.5")])
@pytest.mark.parametrize("shape", [None, (16, 2), (2, 8)])
def test_bounds_hold(promise: PureDP | ZCDP, shape: tuple[int, int] | None) -> None:
    facts = task(QUARTILES, 256, promise)
    way = ChosenQuantiles(facts) if shape is None else CountedQuantiles(facts, *shape)
    bounds, source, trials = way.error_bounds(Fraction(1, 2)), Source(), 80
    counts = np.zeros(256, dtype=np.int64)
    counts[::8] = 7
    late = np.zeros(len(QUARTILES), dtype=int)
    for row in way.draw(np.tile(counts, (trials, 1)), USUAL, source):
        for i, cell in enumerate(row[:, 0]):
            late[i] += distances(counts.tolist(), QUARTILES[i])[cell] > bounds[i]
    assert binom.sf(late.max() - 1, trials, 0.5) > 1e-6


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.5")])
def test_ends_hold_the_quantile_and_are_not_the_whole_grid(promise: PureDP | ZCDP) -> None:
    asked = tuple(Fraction(i, 20) for i in range(1, 20))
    counts = np.full(200, 40)  # each quantile is on the edge of two cells, and both hold it
    mechanism = Quantiles(asked, cells=200, contribution=1, promise=promise, grouped=True)
    assert mechanism.has_ends
    trials, inside = 60, np.zeros(len(asked), dtype=int)
    found = mechanism.release_with_ends(np.tile(counts, (trials, 1)), "0.95").value
    assert found.shape == (trials, 19, 3)
    edges = np.arange(10, 200, 10)
    for row in found:
        inside += (row[:, 1] < edges) & (edges <= row[:, 2])
        assert ((row[:, 1] <= row[:, 0]) & (row[:, 0] <= row[:, 2])).all()
        assert (np.diff(row, axis=0) >= 0).all()
    assert binom.cdf(inside.min(), trials, 0.95) > 1e-7  # nineteen levels are looked at
    assert (found[:, :, 2] - found[:, :, 1]).max() < 30
    few = Quantiles([0.5], cells=200, contribution=1, promise=promise)
    assert not few.has_ends
    assert few.release_with_ends(counts, "0.5").value[0, 1:].tolist() == [0, 199]


def test_the_way_with_the_smaller_bound_is_taken() -> None:
    for promise in (PureDP(epsilon=1), ZCDP(rho="0.5")):
        for asked in (QUARTILES, tuple(Fraction(i, 100) for i in range(1, 100))):
            mechanism = Quantiles(asked, cells=110, contribution=1, promise=promise)
            facts = mechanism.way.task
            tree = best_tree(facts, USUAL)
            assert tree is not None
            rivals = (ChosenQuantiles(facts), tree, factored(facts))
            best = min(max(way.error_bounds(USUAL)) for way in rivals if way is not None)
            assert max(mechanism.error_bounds("0.95")) == best
    many = Quantiles(
        [Fraction(i, 100) for i in range(1, 100)], cells=110, contribution=1, promise=promise
    )
    assert isinstance(many.way, FactoredQuantiles)


def test_golden_bounds() -> None:
    """ε = 1, 2^16 cells: the median within 14 rows, quartiles within 51, 99 percentiles in 98."""
    promise = PureDP(epsilon=1)
    median = Quantiles([0.5], cells=1 << 16, contribution=1, promise=promise)
    assert median.error_bounds("0.95") == (14,)
    quartiles = Quantiles(QUARTILES, cells=1 << 16, contribution=1, promise=promise)
    assert set(quartiles.error_bounds("0.95")) == {51}
    percentiles = [Fraction(i, 100) for i in range(1, 100)]
    many = Quantiles(percentiles, cells=1 << 16, contribution=1, promise=promise)
    assert max(many.error_bounds("0.95")) == 98


def test_bounds_scale_with_the_contribution() -> None:
    small = Quantiles([0.5], cells=64, contribution=1, promise=PureDP(epsilon=1))
    large = Quantiles([0.5], cells=64, contribution=1 << 20, promise=PureDP(epsilon=1))
    ratio = large.error_bounds("0.95")[0] / small.error_bounds("0.95")[0]
    assert (1 << 20) * 0.8 < ratio <= 1 << 20
    assert large.release(np.full(64, 1 << 40)).value.shape == (1,)


# Values and refusals


def test_value_semantics_and_words() -> None:
    one = Quantiles([0.1, 0.5], cells=9, contribution=2, promise=ZCDP(rho=1), replace=True)
    same = Quantiles(["1/10", "0.5"], cells=9, contribution=2, promise=ZCDP(rho=1), replace=True)
    assert one == same
    assert hash(one) == hash(same)
    assert one.levels == (Fraction(1, 10), Fraction(1, 2))
    assert one != Quantiles([0.1, 0.5], cells=9, contribution=2, promise=ZCDP(rho=1))
    assert one.guarantee == ZCDP(rho=1)
    assert one.release(np.zeros(9, dtype=int)).value.dtype == np.int64
    array = Quantiles(np.array([0.1, 0.5]), cells=2, contribution=1, promise=ZCDP(rho=1))  # type: ignore[arg-type]
    assert array.levels == one.levels


def test_one_cell_has_one_answer() -> None:
    one = Quantiles([0.5], cells=1, contribution=1, promise=PureDP(epsilon=1))
    assert one.release([17]).value.tolist() == [0]
    assert one.error_bounds("0.95") == (0,)


def test_grouped_rows() -> None:
    several = Quantiles([0.5], cells=3, contribution=1, promise=PureDP(epsilon=1), grouped=True)
    counts = np.array([[10**6, 0, 0], [0, 0, 10**6]])
    assert several.release(counts).value.tolist() == [[0], [2]]
    assert several.release(counts[:0]).value.shape == (0, 1)
    with pytest.raises(InvalidParameter, match="not shown"):
        several.release([[1, 2, 3]])


@pytest.mark.parametrize(
    "asked",
    [[], [0], [1], [0.5, 0.5], [0.5, 0.25], [-0.1], [1.5], "0.5", 0.5, [Fraction(1, 2**21)]],
)
def test_hostile_levels(asked: object) -> None:
    with pytest.raises(InvalidParameter, match="levels"):
        Quantiles(asked, cells=3, contribution=1, promise=PureDP(epsilon=1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "promise",
    [ZCDP(rho=1, delta="1e-6"), PureDP(epsilon=0), ApproxDP(epsilon=1, delta="1e-6"), 1, None],
)
def test_hostile_promises(promise: object) -> None:
    with pytest.raises(InvalidParameter, match="promise"):
        Quantiles([0.5], cells=3, contribution=1, promise=promise)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "counts", [[1, 2], [1, 2, -3], [1.0, 2.0, 3.0], [[1, 2, 3]], [2**61, 2**61, 0], None, ["a"] * 3]
)
def test_hostile_counts_are_refused_without_showing_them(counts: object) -> None:
    mechanism = Quantiles([0.5], cells=3, contribution=1, promise=PureDP(epsilon=1))
    with pytest.raises(InvalidParameter, match="not shown"):
        mechanism.release(counts)  # type: ignore[arg-type]


def test_other_hostile_parameters() -> None:
    for cells in (0, 1.5, 1 << 30):
        with pytest.raises(InvalidParameter, match="cells"):
            Quantiles([0.5], cells=cells, contribution=1, promise=PureDP(epsilon=1))  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="contribution"):
        Quantiles([0.5], cells=3, contribution=0, promise=PureDP(epsilon=1))
    mechanism = Quantiles([0.5], cells=3, contribution=1, promise=PureDP(epsilon=1))
    for confidence in (1, 95, -1, math.nan):
        with pytest.raises(InvalidParameter, match="confidence"):
            mechanism.error_bounds(confidence)


def test_tiny_prices_still_answer() -> None:
    mechanism = Quantiles([0.5], cells=8, contribution=1 << 30, promise=ZCDP(rho="1e-12"))
    assert 0 <= mechanism.release(np.ones(8, dtype=int)).value[0] < 8
