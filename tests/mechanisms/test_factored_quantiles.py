"""Ranks that are measured through the root of a matrix of signs."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

from leastnoise.auditing import audit
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles, best_tree
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles, factored
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.quantile.rank_factor import RankFactor
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.randomness.source import Source

USUAL = Fraction(95, 100)
MEDIAN = [Fraction(1, 2)]
PERCENTILES = [Fraction(k, 100) for k in range(1, 100)]
TENTH = ZCDP(rho="0.1")


def asked(
    levels: Sequence[Fraction], cells: int, promise: ZCDP = TENTH, **relation: bool
) -> QuantileTask:
    return QuantileTask(levels, cells=cells, contribution=1, promise=promise, **relation)


def dense(factor: RankFactor) -> np.ndarray:
    """The matrix by its definition, the sum's row last."""
    size, column = factor.cells, factor.column
    rows = [
        [column[i - j] if i >= j else -column[size + i - j] for j in range(size)]
        for i in range(size)
    ]
    return np.array([*rows, [factor.whole] * size], dtype=object)


@pytest.mark.parametrize("cells", [2, 3, 8, 13])
def test_what_is_measured_is_the_product_with_the_matrix_and_tells_sums(cells: int) -> None:
    factor = RankFactor(cells, 31, 12345)
    counts = np.random.default_rng(cells).integers(0, 1 << 55, (3, cells))
    counts[2] = 0
    ranks, wholes = factor.measured(counts)
    assert ranks.shape == (3, cells)
    exact = np.column_stack([ranks, wholes])
    assert exact.tolist() == (counts.astype(object) @ dense(factor).T).tolist()
    sums, totals = factor.told(ranks, wholes)
    assert np.allclose(sums, np.cumsum(counts, axis=1), rtol=1e-14, atol=0)
    assert np.allclose(totals, counts.sum(axis=1), rtol=1e-15, atol=0)


@pytest.mark.parametrize("cells", [2, 5, 12])
def test_the_variance_of_ranks_is_that_of_the_solved_matrix(cells: int) -> None:
    way = FactoredQuantiles(asked(PERCENTILES, cells))
    matrix = dense(way.factor).astype(float)
    signs = np.tril(np.ones((cells, cells))) - 0.5
    solved = signs @ np.linalg.inv(matrix[:cells])
    for level in (0.01, 0.5, 0.7):
        weights = np.column_stack([solved, np.full(cells, (0.5 - level) / way.factor.whole)])
        assert np.allclose((weights**2).sum(axis=1), way.variances(level), rtol=1e-9)


@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize(("replace", "grouped"), list(product([False, True], repeat=2)))
def test_no_unit_moves_what_is_measured_further(cells: int, replace: bool, grouped: bool) -> None:
    """All pairs of units with up to two counts; in two rows of counts if there are groups."""
    factor = FactoredQuantiles(asked(MEDIAN, cells, replace=replace, grouped=grouped)).factor
    matrix = dense(factor)
    places = list(product(range(2 if grouped else 1), range(cells)))
    units: list[np.ndarray] = []
    for chosen in ((), *((one,) for one in places), *product(places, repeat=2)):
        unit = np.zeros((2, cells), dtype=object)
        for place in chosen:
            unit[place] += 1
        units.append(unit)
    others = units if replace else units[:1]
    moves = [one - other for one in units for other in others]
    most = max(int(((matrix @ move.T) ** 2).sum()) for move in moves)
    assert most == 4 * factor.squared_reach(replace=replace, grouped=grouped)


@pytest.mark.parametrize(("replace", "grouped"), list(product([False, True], repeat=2)))
def test_the_price_is_the_promise_exactly(replace: bool, grouped: bool) -> None:
    task = QuantileTask(
        MEDIAN, cells=64, contribution=7, promise=TENTH, replace=replace, grouped=grouped
    )
    way = FactoredQuantiles(task)
    reach = 49 * way.factor.squared_reach(replace=replace, grouped=grouped)
    assert reach / (2 * way.law.sigma_squared) == TENTH.rho


@pytest.mark.parametrize("replace", [False, True])
def test_audits_multiply_for_themselves(replace: bool) -> None:
    mechanism = Quantiles(PERCENTILES, cells=3, contribution=1, promise=TENTH, replace=replace)
    assert isinstance(mechanism.way, FactoredQuantiles)
    found = audit(mechanism)
    assert found.proved
    assert found.attained.lower == found.allowed


def test_ranks_of_the_median_are_as_exact_as_any_matrix_makes_them() -> None:
    """Row by column length: the nuclear norm of the matrix over its size, which none goes below."""
    for cells in (2, 7, 64):
        signs = np.tril(np.ones((cells, cells))) - 0.5
        least = np.linalg.svd(signs, compute_uv=False).sum() / cells
        factor = RankFactor(cells, 31, 1)
        found = math.sqrt(factor.column_square * factor.rank_square)
        assert found == pytest.approx(least, rel=1e-8)
        closed = sum(1 / math.sin((2 * k + 1) * math.pi / 2 / cells) for k in range(cells))
        assert least == pytest.approx(closed / 2 / cells)


@pytest.mark.parametrize("cells", [2, 3, 5, 100, 1000, 1 << 14])
def test_the_coarsest_factors_are_nearly_as_good(cells: int) -> None:
    """Counts of rows with weights are large numbers, and leave few bits to the factor."""
    way = factored(
        QuantileTask(MEDIAN, cells=cells, contribution=3 << 20, promise=ZCDP(rho="0.01"))
    )
    assert way is not None
    fine = RankFactor(cells, 40, 1)
    least = math.sqrt(fine.column_square * fine.rank_square)
    coarse = math.sqrt(way.factor.column_square * way.factor.rank_square)
    assert least * (1 - 1e-9) <= coarse < 1.001 * least


def test_golden_bounds() -> None:
    """99 percentiles at ρ = 0.1: 21, 27 and 30 ranks where the tree has 32, 42 and 47."""
    for cells, factor, tree in ((1 << 10, 21, 32), (1 << 14, 27, 42), (1 << 16, 30, 47)):
        task = asked(PERCENTILES, cells)
        assert max(FactoredQuantiles(task).error_bounds(USUAL)) == factor
        if cells < 1 << 16:
            counted = best_tree(task, USUAL)
            assert counted is not None
            assert max(counted.error_bounds(USUAL)) == tree


def test_the_bound_is_a_normal_tail_for_every_sum_that_can_mislead() -> None:
    way = FactoredQuantiles(asked(MEDIAN, 1024))
    each = 0.05 / (2 * 10 + 1)
    deviation = math.sqrt(float(way.law.sigma_squared) * way.variances(0.5)[0])
    (bound,) = way.error_bounds(USUAL)
    assert bound == math.ceil(deviation * NormalDist().inv_cdf(1 - each))
    high = FactoredQuantiles(asked([Fraction(99, 100)], 4))
    assert (0.99 / high.factor.whole) ** 2 <= high.variances(0.99)[0] * (1 + 1e-9)


def test_draws_err_as_much_as_stated() -> None:
    """Of all cells alike, and no less than stated: the noise is used up."""
    cells, times = 64, 300
    way = FactoredQuantiles(asked(PERCENTILES, cells, grouped=True))
    counts = np.random.default_rng(4).poisson(50, cells)
    upto, total = np.cumsum(counts), int(counts.sum())
    found = list(way._read(np.tile(counts, (times, 1)), Source()))
    sums = np.array([sums - goals[9] for sums, goals in found]) - (upto - 0.1 * total)
    ratio = sums.std(axis=0) / np.sqrt(float(way.law.sigma_squared) * way.variances(0.1))
    assert 0.75 < ratio.min() < ratio.max() < 1.25  # a standard error is 0.04
    assert abs(ratio.mean() - 1) < 0.1


def test_distances_keep_the_bound_where_ranks_jump() -> None:
    counts = np.zeros(256, dtype=np.int64)
    counts[[0, 100, 101, 255]] = 40
    task = asked([Fraction(1, 4), Fraction(1, 2)], 256, grouped=True)
    way, times = FactoredQuantiles(task), 200
    cells = way.draw(np.tile(counts, (times, 1)), USUAL, Source())[:, :, 0]
    upto = np.cumsum(counts)
    for i, level in enumerate(task.levels):
        rank = float(level) * 160
        distance = np.maximum(
            upto[cells[:, i]] - counts[cells[:, i]] - rank, rank - upto[cells[:, i]]
        )
        assert (distance > way.error_bounds(Fraction(1, 2))[i]).mean() < 0.5


def test_which_promises_and_grids_it_is_for() -> None:
    pure = QuantileTask(MEDIAN, cells=9, contribution=1, promise=PureDP(epsilon=1))
    assert factored(pure) is None
    assert factored(asked(MEDIAN, 1)) is None
    assert factored(asked(MEDIAN, (1 << 20) + 1)) is None
    wide = QuantileTask(MEDIAN, cells=9, contribution=1 << 40, promise=ZCDP(rho="1e-9"))
    assert factored(wide) is None  # no law of noise is so wide
    assert best_tree(wide, USUAL) is None
    one = FactoredQuantiles(asked(MEDIAN, 1))
    assert one.error_bounds(USUAL) == (0,)


@pytest.mark.parametrize("rho", ["1e-9", "1e-3", "10", "1e9"])
def test_noise_is_as_good_as_normal_for_every_price(rho: str) -> None:
    way = factored(asked(MEDIAN, 16, ZCDP(rho=rho)))
    assert way is not None
    assert isinstance(way.law, DiscreteGaussian)
    assert 2**60 < way.law.sigma_squared < 2**80
    assert 8 <= way.factor.bits <= 60


def test_pure_promises_are_kept_by_trees_as_before() -> None:
    many = Quantiles(PERCENTILES, cells=1024, contribution=1, promise=PureDP(epsilon=1))
    assert isinstance(many.way, CountedQuantiles)
    assert "root of a matrix of signs" in str(FactoredQuantiles(asked(MEDIAN, 4)))
