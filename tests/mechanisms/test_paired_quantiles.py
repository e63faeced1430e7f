"""Two choices around each quantile: what one unit moves, what is kept, and that intervals hold."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mpf
from scipy.stats import binom

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.choosing.rare_gap import flipping_missed, rare_gap, weighing_missed
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles
from leastnoise.mechanisms.quantile.paired_quantiles import PairedQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.quantile.rank_choice import cut_off, rank_distances
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.randomness.source import Source
from tests.examples import examples
from tests.mechanisms.selection_reference import exponential_law, flipping_law
from tests.mechanisms.test_quantiles import Row, levels, neighbours, rows, task
from tests.randomness.goodness_of_fit import rejects

HALF, USUAL = Fraction(1, 2), Fraction(95, 100)
Law = list[mpf]


def end_distances(counts: Row, level: Fraction, reach: int, *, above: bool) -> list[Fraction]:
    """By the definition: the cell of phantoms stands first or last, as it lies in the order."""
    cells = (*counts, reach) if above else (reach, *counts)
    rank, below, found = level * sum(counts) + (reach if above else 0), 0, []
    for count in cells:
        found.append(max(Fraction(0), below - rank, rank - (below + count)))
        below += count
    return found


def moves(one: Row, other: Row, asked: Sequence[Fraction], reach: int) -> list[Fraction]:
    """How far two rows of counts move distances apart, for each end of each level."""
    found = []
    for level, above in product(asked, (False, True)):
        pair = [end_distances(row, level, reach, above=above) for row in (one, other)]
        changes = [b - a for a, b in zip(*pair, strict=True)]
        found.append(max(changes) - min(changes))
    return found


def end_law(
    way: PairedQuantiles, counts: Row, level: Fraction, reach: int, *, above: bool, **how: int
) -> Law:
    gaps = end_distances(counts, level, reach, above=above)
    return _law(way.choice.flips, tuple(gaps), how.get("faster", 1) * way.rate)


@cache
def _law(flips: bool, distances: tuple[Fraction, ...], rate: Fraction) -> Law:
    known, parts = (flipping_law if flips else exponential_law), 60
    return known([-int(d * parts) for d in distances], rate / parts)


# Distances


@given(rows, levels, st.integers(1, 9))
def test_distances_by_their_definition(counts: Row, level: Fraction, reach: int) -> None:
    row, parts = np.array([counts], dtype=np.int64), level.denominator
    (low,) = rank_distances(row, level, before=reach)
    assert [Fraction(int(d), parts) for d in low] == end_distances(
        counts, level, reach, above=False
    )
    (high,) = rank_distances(row[:, ::-1], 1 - level, before=reach)
    turned = [Fraction(int(d), parts) for d in high[::-1]]
    assert turned == end_distances(counts, level, reach, above=True)
    assert low.min() == high.min() == 0


def test_distances_of_the_longest_rows_do_not_wrap() -> None:
    level = HALF
    counts = np.array([[2**61, 0, 2**61 - 1]], dtype=np.int64)
    (got,) = rank_distances(counts, level, before=cut_off(level))
    assert got[:2].tolist() == [1, 0]  # q·n is half a count below 2**61, and that above the first
    assert got[2:].tolist() == [2 * cut_off(level)] * 2


# How far a unit moves them


@examples(60, 300)
@given(rows, st.integers(0, 6), st.sets(levels, min_size=1, max_size=4), st.integers(0, 5))
def test_one_count_moves_both_ends_of_all_levels_no_further(
    counts: Row, cell: int, asked: set[Fraction], reach: int
) -> None:
    """However the ranks looked for lie between each other."""
    more = list(counts)
    more[cell % len(counts)] += 1
    moved = moves(counts, more, sorted(asked), reach)
    facts = task(sorted(asked), len(counts), PureDP(epsilon=1))
    assert sum(moved) <= 2 * facts.total_move
    assert sum(move * move for move in moved) <= 2 * facts.square_move


@examples(40, 200)
@given(
    rows,
    st.lists(st.integers(0, 6), max_size=2),
    st.lists(st.integers(0, 6), max_size=2),
    st.sets(levels, min_size=1, max_size=3),
    st.integers(0, 5),
)
def test_a_replaced_unit_moves_both_ends_no_further(
    counts: Row, gone: list[int], come: list[int], asked: set[Fraction], reach: int
) -> None:
    cells = len(counts)
    one, other = list(counts), list(counts)
    for x in gone:
        one[x % cells] += 1
    for x in come:
        other[x % cells] += 1
    facts = task(sorted(asked), cells, PureDP(epsilon=1), contribution=2, replace=True)
    moved = moves(one, other, sorted(asked), reach)
    assert sum(moved) <= 2 * facts.total_move
    assert sum(move * move for move in moved) <= 2 * facts.square_move


@pytest.mark.parametrize(
    "asked", [(HALF,), (Fraction(9, 10),), (Fraction(1, 4), HALF, Fraction(3, 4))]
)
def test_the_greatest_move_is_met(asked: tuple[Fraction, ...]) -> None:
    facts, base = task(asked, 1, PureDP(epsilon=1)), [10] * 20 + [0, 0, 0]
    sums = [
        sum(moves(base, [c + (i == x) for i, c in enumerate(base)], asked, 7)) for x in range(23)
    ]
    assert max(sums) == 2 * facts.total_move


# Privacy by exact laws of all neighbours


def worst_loss(
    way: PairedQuantiles, pairs: Sequence[tuple[Row, Row]], reach: int, *, faster: int = 1
) -> mpf:
    """In both orders of each pair: choices are independent, so losses add up."""
    worst = mpf(0)
    for one, other in [*pairs, *((b, a) for a, b in pairs)]:
        losses = mpf(0)
        for level, above in product(way.task.levels, (False, True)):
            laws = [
                end_law(way, row, level, reach, above=above, faster=faster) for row in (one, other)
            ]
            losses += max(log(p / q) for p, q in zip(*laws, strict=True))
        worst = max(worst, losses)
    return worst


@pytest.mark.spread(4)
@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize(
    ("asked", "contribution", "replace"),
    [
        ((HALF,), 1, False),
        ((Fraction(1, 3), Fraction(3, 4)), 1, False),
        ((HALF,), 2, False),
        ((Fraction(9, 10),), 1, True),
    ],
)
def test_pure_promise_of_all_neighbours(
    asked: tuple[Fraction, ...], contribution: int, replace: bool, reach: int
) -> None:
    facts = task(asked, 3, PureDP(epsilon=1), contribution=contribution, replace=replace)
    way, pairs = PairedQuantiles(facts), neighbours(3, 3, contribution, replace=replace)
    assert mpf("0.5") < worst_loss(way, pairs, reach) <= 1 + mpf(10) ** -12


@pytest.mark.parametrize("replace", [False, True])
def test_a_pair_at_the_rate_of_one_choice_would_break_the_promise(replace: bool) -> None:
    facts = task((HALF,), 3, PureDP(epsilon=1), replace=replace)
    pairs = neighbours(3, 3, 1, replace=replace)
    assert worst_loss(PairedQuantiles(facts), pairs, 1, faster=2) > mpf("1.05")


@pytest.mark.parametrize("replace", [False, True])
def test_concentrated_promise_of_all_neighbours(replace: bool) -> None:
    rho = mpf("0.3")
    way, worst = PairedQuantiles(task((HALF,), 3, ZCDP(rho="0.3"), replace=replace)), mpf(0)
    for one, other in neighbours(3, 3, 1, replace=replace):
        for alpha in (mpf("1.001"), mpf(2), mpf(10)):
            spent = mpf(0)
            for above in (False, True):
                laws = [end_law(way, row, HALF, 1, above=above) for row in (one, other)]
                pairs = zip(*laws, strict=True)
                spent += log(sum(p**alpha * q ** (1 - alpha) for p, q in pairs)) / (alpha - 1)
            worst = max(worst, spent / alpha)
    assert rho / 4 < worst <= rho


def test_rates_use_the_promise_up() -> None:
    asked = tuple(Fraction(i, 10) for i in range(1, 10))
    pure = PairedQuantiles(task(asked, 100, PureDP(epsilon=1), contribution=7))
    assert 2 * pure.rate * pure.task.total_move == 1
    wide = PairedQuantiles(task(asked, 100, ZCDP(rho="0.1"), contribution=7))
    spent = 2 * wide.rate**2 * wide.task.square_move / 8
    assert Fraction(1, 10) * (1 - Fraction(1, 2**50)) <= spent <= Fraction(1, 10)


# Intervals that hold


@pytest.mark.parametrize(("cells", "weighed", "flipped"), [(1 << 14, 71, 67), (1 << 10, 56, 53)])
def test_golden_reaches(cells: int, weighed: int, flipped: int) -> None:
    """ε = 0.38, the median: ln(39·(M−1))/0.19 = 70.4 and 55.8 by the exponential mechanism."""
    mechanism = task((HALF,), cells, PureDP(epsilon="0.38"))
    way, risk = PairedQuantiles(mechanism), Fraction(25, 1000)
    assert way.rate == Fraction(19, 100)
    assert rare_gap(weighing_missed, cells, way.rate, risk) == weighed
    assert rare_gap(flipping_missed, cells, way.rate, risk) == flipped == way.reach(USUAL)


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.2")])
@pytest.mark.parametrize("confidence", [Fraction(1, 2), USUAL])
def test_intervals_hold_on_every_small_table(promise: PureDP | ZCDP, confidence: Fraction) -> None:
    """By exact laws: neither end passes a cell that holds q·n with more than half the risk."""
    way, worst = PairedQuantiles(task((Fraction(1, 3),), 3, promise)), mpf(0)
    reach, level, risk = way.reach(confidence), way.task.levels[0], (1 - confidence) / 2
    for counts in product((0, 1, reach, 2 * reach), repeat=3):
        upto = np.cumsum(counts)
        rank = level * int(upto[-1])
        held = [i for i in range(3) if upto[i] - counts[i] <= rank <= upto[i]]
        low = end_law(way, counts, level, reach, above=False)
        high = end_law(way, counts, level, reach, above=True)
        worst = max(worst, sum(low[held[0] + 2 :]), sum(high[: held[-1]]))
    assert mpf(0) < worst <= mpf(risk.numerator) / risk.denominator


def test_the_risk_of_a_shorter_reach_is_more() -> None:
    """All rows in the first cell: the other cells fall short by just the reach."""
    way = PairedQuantiles(task((HALF,), 64, ZCDP(rho="0.2")))
    for reach, holds in ((way.reach(USUAL), True), (way.reach(USUAL) - 1, False)):
        counts = (2 * reach, *[0] * 62, 2 * reach)
        low = end_law(way, counts, HALF, reach, above=False)
        assert (sum(low[2:]) <= mpf("0.025")) == holds


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.1")])
def test_draws_fit_and_wrong_rates_are_found(promise: PureDP | ZCDP) -> None:
    counts, level, size = [1, 2, 1, 1], Fraction(1, 3), 1 << 13
    way = PairedQuantiles(task((level,), 4, promise, grouped=True))
    confidence = Fraction(1, 10)
    reach = way.reach(confidence)
    drawn = way.draw(np.tile(counts, (size, 1)), confidence, Source())[:, 0]
    assert (drawn[:, 0] == (drawn[:, 1] + drawn[:, 2]) // 2).all()
    order = [(i, j) for i in range(4) for j in range(i, 4)]
    places = np.array([order.index((int(a), int(b))) for a, b in drawn[:, 1:]])

    def law(faster: int) -> list[float]:
        low = end_law(way, counts, level, reach, above=False, faster=faster)
        high = end_law(way, counts, level, reach, above=True, faster=faster)
        joint = dict.fromkeys(order, mpf(0))
        for (i, p), (j, q) in product(enumerate(low), enumerate(high)):
            a, b = max(i - 1, 0), min(j, 3)
            joint[min(a, b), max(a, b)] += p * q
        return [float(joint[pair]) for pair in order]

    assert not rejects(places, law(1))
    assert rejects(places, law(2))


@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.5")])
@pytest.mark.parametrize("size", [0, 5, 400, 20000])
def test_quantiles_are_held_whatever_the_size(promise: PureDP | ZCDP, size: int) -> None:
    asked, times = (Fraction(1, 4), HALF), 100
    mechanism = task(asked, 300, promise, grouped=True)
    counts = np.bincount(np.random.default_rng(size).binomial(299, 0.3, size), minlength=300)
    upto = np.cumsum(counts)
    found = PairedQuantiles(mechanism).draw(np.tile(counts, (times, 1)), USUAL, Source())
    for i, level in enumerate(asked):
        held = np.flatnonzero(
            (upto - counts <= float(level) * size) & (upto >= float(level) * size)
        )
        missed = (found[:, i, 1] > held[0]) | (found[:, i, 2] < held[-1])
        assert binom.sf(int(missed.sum()) - 1, times, 0.05) > 1e-9
    assert (np.diff(found, axis=1) >= 0).all()
    assert ((found[..., 1] <= found[..., 0]) & (found[..., 0] <= found[..., 2])).all()
    if size > 1000:
        assert (found[..., 2] - found[..., 1]).max() < 20


def test_rows_in_two_far_cells() -> None:
    """The middle is between them: both hold the median."""
    counts = np.zeros((60, 1000), dtype=np.int64)
    counts[:, 100] = counts[:, 900] = 500
    way = PairedQuantiles(task((HALF,), 1000, PureDP(epsilon="0.38"), grouped=True))
    found = way.draw(counts, USUAL, Source())[:, 0]
    missed = (found[:, 1] > 100) | (found[:, 2] < 900)
    assert binom.sf(int(missed.sum()) - 1, 60, 0.05) > 1e-9


def test_a_reach_beyond_all_rows_tells_nothing_and_draws_nothing() -> None:
    way = PairedQuantiles(task((Fraction(1, 2**20),), 8, ZCDP(rho="1e-12"), contribution=1 << 40))
    assert way.reach(USUAL) > cut_off(way.task.levels[0])
    drawn = way.draw(np.full((3, 8), 1 << 50), USUAL, Source())
    assert drawn.tolist() == [[[3, 0, 7]]] * 3


def test_one_cell_has_one_answer() -> None:
    way = PairedQuantiles(task((HALF,), 1, PureDP(epsilon=1)))
    assert way.draw(np.array([[17], [0]]), USUAL, Source()).tolist() == [[[0, 0, 0]]] * 2
    assert way.error_bounds(USUAL) == (0,)


def test_no_rows_of_counts_have_no_answers() -> None:
    way = PairedQuantiles(task((Fraction(1, 4), HALF), 7, PureDP(epsilon=1), grouped=True))
    assert way.draw(np.empty((0, 7), dtype=np.int64), USUAL, Source()).shape == (0, 2, 3)


# Which way, and what is foretold


def asked_for(asked: Sequence[object], cells: int, promise: PureDP | ZCDP) -> Quantiles:
    return Quantiles(asked, cells=cells, contribution=1, promise=promise, ends=True)  # type: ignore[arg-type]


def test_the_way_with_the_narrower_intervals_is_taken() -> None:
    pure, wide = PureDP(epsilon="0.38"), ZCDP(rho="0.0722")
    assert isinstance(asked_for([HALF], 1 << 14, pure).way, PairedQuantiles)
    assert isinstance(asked_for([HALF], 1 << 14, wide).way, FactoredQuantiles)
    assert isinstance(asked_for([HALF], 100, pure).way, CountedQuantiles)
    assert isinstance(asked_for(["0.1", HALF, "0.9"], 1 << 14, pure).way, CountedQuantiles)
    assert isinstance(asked_for(["0.1", HALF, "0.9"], 1 << 14, wide).way, FactoredQuantiles)


def test_what_is_foretold_is_about_what_is_found() -> None:
    counts = np.full(1 << 14, 1)
    for asked, promise in (([HALF], PureDP(epsilon=1)), (["0.1", "0.9"], PureDP(epsilon=1))):
        mechanism = asked_for(asked, 1 << 14, promise)
        assert mechanism.has_ends
        drawn = [mechanism.release_with_ends(counts, USUAL).value for _ in range(10)]
        halves = np.mean([each[:, 2] - each[:, 1] for each in drawn]) / 2
        assert 0.6 < halves / mechanism.likely_reach(USUAL) < 1.6
        assert mechanism.usual_error < mechanism.likely_reach(USUAL)
        assert mechanism.likely_reach(USUAL) < max(mechanism.error_bounds(USUAL))


def test_the_middle_is_within_its_bound() -> None:
    counts = np.zeros((80, 256), dtype=np.int64)
    counts[:, ::8] = 7
    way = PairedQuantiles(task((Fraction(1, 4), HALF), 256, PureDP(epsilon=1), grouped=True))
    bound = way.error_bounds(HALF)[0]
    late = 0
    for row in way.draw(counts, USUAL, Source()):
        late += any(
            int(rank_distances(counts[:1], level)[0, cell]) > bound * level.denominator
            for level, cell in zip(way.task.levels, row[:, 0], strict=True)
        )
    assert binom.sf(late - 1, 80, 0.5) > 1e-6


def test_one_choice_alone_foretells_no_interval() -> None:
    alone = Quantiles([HALF], cells=1 << 14, contribution=1, promise=PureDP(epsilon=1))
    with pytest.raises(UnsupportedQuery, match="ends=True"):
        alone.likely_reach(USUAL)
    with pytest.raises(UnsupportedQuery, match="ends=True"):
        assert alone.usual_error
