"""Marginals under pure ε: what a unit moves, least squares, the figures reached, margins."""

import math
import pickle
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import Mechanism
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.randomness.source import Source
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.block_laplace import BlockLaplace
from leastnoise.tabulation.signed.cell_margin import even_margin, smooth_margin
from leastnoise.tabulation.signed.pure_marginals import PureMarginals
from leastnoise.tabulation.signed.signed_answers import SignedAnswers
from leastnoise.tabulation.signed.signed_search import best_choice
from leastnoise.tabulation.signed.signed_table import SignedTable
from tests.scripted import NoEntropy
from tests.statistical.goodness_of_fit import FALSE_ALARM

ONE = PureDP(epsilon=1)


def all_ways(sizes: tuple[int, ...], ways: int, *, per_table: bool = False) -> ResidualWorkload:
    attributes = {f"a{place}": size for place, size in enumerate(sizes)}
    wanted = {
        names: Fraction(1, math.prod(attributes[name] for name in names) if per_table else 1)
        for names in combinations(attributes, ways)
    }
    return ResidualWorkload(attributes, wanted)


SMALL = ResidualWorkload(
    {"a": 2, "b": 3, "c": 4, "d": 2}, [("a", "b"), ("c", "b"), ("a", "d"), "d"]
)
TRIPLE = all_ways((2, 3, 4), 2)
BITS = all_ways((2, 2, 2), 2)


def measured(mechanism: PureMarginals, cube: NDArray[Any]) -> dict[SignedTable, NDArray[Any]]:
    """The signed tables of a full table, without noise."""
    every = tuple(range(cube.ndim))
    groups = mechanism.plan.groups
    return {table: table.of(cube, every) for group in groups for table in group.tables}


def cube_of(workload: ResidualWorkload) -> NDArray[np.int64]:
    shape = [axis.size for axis in workload.axes]
    return np.random.default_rng(5).integers(0, 9, shape)


# Privacy


@pytest.mark.parametrize("workload", [SMALL, TRIPLE, BITS], ids=repr)
def test_a_unit_moves_each_table_by_no_more_than_it_weighs(workload: ResidualWorkload) -> None:
    """All units of one row, and of two rows of weights 1 to 3."""
    mechanism = PureMarginals(workload, guarantee=ONE)
    shape = [axis.size for axis in workload.axes]
    places = list(product(*map(range, shape)))
    some = places[:: max(1, len(places) // 12)]
    for one, other, weight in product(places, some, (0, 1, 3)):
        unit = np.zeros(shape, dtype=np.int64)
        unit[one] += 1
        unit[other] += weight
        moved = measured(mechanism, unit)
        assert max(np.abs(part).sum() for part in moved.values()) <= 1 + weight
        for group, law in zip(mechanism.plan.groups, mechanism.plan.laws, strict=True):
            if law.is_even:
                assert len({int(moved[table]) % 2 for table in group.tables}) == 1


@pytest.mark.parametrize("contribution", [1, 2, 3 << 20])
def test_rates_add_up_to_the_promise(contribution: int) -> None:
    for workload in (SMALL, BITS, all_ways((2, 5, 10), 2), all_ways((2, 3, 5, 7, 11), 2)):
        promise = PureDP(epsilon="0.3")
        mechanism = PureMarginals(workload, guarantee=promise, contribution=contribution)
        rates = [law.rate for law in mechanism.plan.laws]
        assert sum(rates) * contribution == promise.epsilon
        assert min(rates) > 0


def test_every_table_is_drawn_from_the_law_of_its_group() -> None:
    """Noise is what is released less what is true, and its squares are the plan's variances."""
    mechanism, cube = PureMarginals(TRIPLE, guarantee=PureDP(epsilon=2)), cube_of(TRIPLE)
    tables = {name: cube.sum(axis=gone) for name, gone in _summed(TRIPLE)}
    true = measured(mechanism, cube)
    squares = dict.fromkeys(true, 0.0)
    source, times = Source(), 400
    for _ in range(times):
        noisy = mechanism.release(tables, source).value.measured
        for table, exact in true.items():
            squares[table] += float(((noisy[table] - exact) ** 2).mean()) / times
    for table, variance in mechanism.plan.variances.items():
        assert squares[table] == pytest.approx(variance, rel=0.5)


def _summed(workload: ResidualWorkload) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    every = range(len(workload.axes))
    return [
        (workload.named(places), tuple(place for place in every if place not in places))
        for places in workload.largest
    ]


def test_price() -> None:
    mechanism = PureMarginals(SMALL, guarantee=ONE)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.privacy().delta(epsilon=1).upper == 0
    assert mechanism.privacy(2).delta(epsilon=2).upper == 0
    assert mechanism.privacy(2).delta(epsilon=1).lower > 0
    assert mechanism.certificate() is None
    assert eval(repr(mechanism)) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism


# Least squares


@pytest.mark.parametrize("workload", [SMALL, TRIPLE, BITS], ids=repr)
def test_without_noise_all_tables_are_right(workload: ResidualWorkload) -> None:
    mechanism, cube = PureMarginals(workload, guarantee=ONE), cube_of(workload)
    answers = SignedAnswers(mechanism.plan, measured(mechanism, cube))
    for (name, _), places in zip(workload.marginals, workload.sets, strict=True):
        gone = tuple(place for place in range(cube.ndim) if place not in places)
        back = [sorted(workload.typed_places(name)).index(p) for p in workload.typed_places(name)]
        expected = cube.sum(axis=gone).transpose(back)
        assert np.allclose(answers.table(name), expected)


def test_tables_agree() -> None:
    mechanism, cube = PureMarginals(TRIPLE, guarantee=ONE), cube_of(TRIPLE)
    tables = {name: cube.sum(axis=gone) for name, gone in _summed(TRIPLE)}
    answers = mechanism.release(tables).value
    one, other = answers.table(("a0", "a1")), answers.table(("a0", "a2"))
    assert np.allclose(one.sum(axis=1), other.sum(axis=1))
    assert np.allclose(one.sum(axis=1), answers.table("a0"))
    assert np.allclose(answers.table(("a1", "a0")), one.T)
    assert answers.variance("a0") == mechanism.variance("a0")
    assert answers.error("a0", confidence="0.9") == mechanism.error("a0", confidence="0.9")
    assert repr(answers) == f"SignedAnswers({len(answers.measured)} tables)"


@pytest.mark.parametrize("workload", [SMALL, TRIPLE, all_ways((2, 2, 3), 2)], ids=repr)
def test_variances_are_those_of_generalised_least_squares(workload: ResidualWorkload) -> None:
    """Against matrices over all cells of the full table."""
    mechanism = PureMarginals(workload, guarantee=ONE)
    shape = [axis.size for axis in workload.axes]
    people = np.eye(math.prod(shape), dtype=np.int64).reshape(-1, *shape)
    rows = [measured(mechanism, person) for person in people]
    plan = mechanism.plan
    design = np.array([np.concatenate([row[t].ravel() for t in plan.variances]) for row in rows]).T
    noise = np.concatenate([np.full(rows[0][t].size, v) for t, v in plan.variances.items()])
    covariance = np.linalg.pinv(design.T @ (design / noise[:, np.newaxis]))
    for (name, _), places in zip(workload.marginals, workload.sets, strict=True):
        gone = tuple(place + 1 for place in range(len(shape)) if place not in places)
        sums = people.sum(axis=gone).reshape(len(people), -1).T
        exact = np.diag(sums @ covariance @ sums.T)
        assert np.allclose(exact, mechanism.variance(name))


# Figures


@pytest.mark.parametrize(
    ("sizes", "ways", "variance"),
    [
        ((2,) * 10, 2, 275.6),  # 16.6 squared; independent noise has 4050
        ((2,) * 20, 2, 61.4**2),
        ((2,) * 20, 3, 276.1**2),
        ((2, 5, 10), 2, 10.68),  # independent noise has 18
        ((2, 2, 5, 6, 7, 9, 15, 16), 2, 657.1),  # 1568
    ],
)
def test_figures_per_cell(sizes: tuple[int, ...], ways: int, variance: float) -> None:
    workload = all_ways(sizes, ways)
    cells = sum(map(workload.cells, workload.sets))
    found = best_choice(workload).cost / cells
    assert 0.9 * variance < found < variance
    if len(sizes) < 20:
        assert PureMarginals(workload, guarantee=ONE).expected_cost() / cells <= found * 1.0001


def test_figures_per_table() -> None:
    workload = all_ways((2, 2, 2, 2, 5, 6, 7, 9), 2, per_table=True)
    assert best_choice(workload).cost / 28 < 499
    workload = all_ways((2, 2, 5, 6, 7, 9, 15, 16), 2, per_table=True)
    assert best_choice(workload).cost / 28 < 848


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(2, 9), min_size=1, max_size=6), st.integers(1, 3))
def test_never_worse_than_independent_noise(sizes: list[int], ways: int) -> None:
    workload = all_ways(tuple(sizes), min(ways, len(sizes)))
    tables = len(workload.sets)
    cells = sum(map(workload.cells, workload.sets))
    assert best_choice(workload).cost <= 2 * tables**2 * cells * 1.000001


def test_one_wide_table_needs_no_company() -> None:
    choice = best_choice(all_ways((30, 40, 50), 2))
    assert all(len(group) == 1 for group in choice.groups)
    single = best_choice(all_ways((3, 4), 2))
    assert single.groups == ((SignedTable((), (0, 1)),),)
    assert single.cost == pytest.approx(24)


def test_many_widths_are_grouped() -> None:
    choice = best_choice(all_ways(tuple(range(3, 15)), 2))
    assert len(choice.groups) < 25
    assert sum(choice.shares) == pytest.approx(1)


# Margins


@pytest.mark.parametrize("rate", ["1/3", "1", "4"])
def test_even_margins_are_exact(rate: str) -> None:
    """Of the mean of two numbers of three, point by point."""
    law = BlockLaplace((1, 1, 1), Fraction(rate))
    chances: dict[int, float] = {}
    for radius in range(int(80 / Fraction(rate))):
        grid = range(-radius, radius + 1, 2)
        weight = math.exp(-float(law.rate) * radius) * (radius + 1) ** 3
        counts = np.convolve(np.ones(len(grid)), np.ones(len(grid)))
        for place, count in enumerate(counts):
            total = abs(2 * place - 2 * radius)
            chances[total] = chances.get(total, 0) + weight * float(count) / (radius + 1) ** 2
    whole = sum(chances.values())
    inside, least = 0.0, 0
    for least in sorted(chances):
        inside += chances[least] / whole
        if inside >= 0.95:
            break
    assert even_margin(law, 2, 0.95) == least / 2


def test_margins_of_fine_lattices_are_as_wide_as_those_of_coarse_ones() -> None:
    coarse = even_margin(BlockLaplace((1,) * 56, Fraction(1)), 4, 0.95)
    fine = even_margin(BlockLaplace((1,) * 56, Fraction(1, 2**20)), 4, 0.95) / 2**20
    assert coarse == pytest.approx(fine, rel=0.01)


@pytest.mark.parametrize(
    ("quantile", "deviation"),
    [
        (1.959964, 1.0),  # normal
        (math.log(20), math.sqrt(2)),  # Laplace
        (0.95, 1 / math.sqrt(3)),  # uniform
    ],
)
def test_smooth_margins_cover_log_concave_laws(quantile: float, deviation: float) -> None:
    margin = smooth_margin(deviation**2, 0, 0, 0.95)
    assert quantile < margin < 1.35 * quantile


@pytest.mark.spread(5)
@pytest.mark.parametrize("epsilon", ["0.5", "2", "6"])
@pytest.mark.parametrize("workload", [TRIPLE, BITS, all_ways((3, 4), 1)], ids=repr)
def test_margins_hold(workload: ResidualWorkload, epsilon: str) -> None:
    mechanism = PureMarginals(workload, guarantee=PureDP(epsilon=epsilon))
    shape = [axis.size for axis in workload.axes]
    zeros = {n: np.zeros([shape[p] for p in workload.places(n)]) for n in workload.needed}
    name, source, times = workload.needed[-1], Source(), 400
    margin = mechanism.error(name, confidence="0.95") * (1 + 1e-9)
    tables = {n: table.astype(np.int64) for n, table in zeros.items()}
    outside = sum(
        abs(float(mechanism.release(tables, source).value.table(name).flat[0])) > margin
        for _ in range(times)
    )
    assert binom.sf(outside - 1, times, 0.05) > FALSE_ALARM


# Hostile input


def test_what_cannot_be_is_refused_before_a_draw() -> None:
    wrong: Any = ZCDP(rho=1)
    for guarantee in (wrong, PureDP(epsilon=0)):
        with pytest.raises(InvalidParameter, match="PureDP"):
            PureMarginals(SMALL, guarantee=guarantee)
    with pytest.raises(InvalidParameter, match="contribution"):
        PureMarginals(SMALL, guarantee=ONE, contribution=0)
    mechanism = PureMarginals(BITS, guarantee=ONE)
    people = np.array([[0, 1, 1], [0, 1, 0]])
    tables = mechanism.count(people)
    tables["a0", "a1"] = tables["a0", "a1"][::-1]
    with pytest.raises(InvalidParameter, match="same people"):
        mechanism.release(tables, NoEntropy())
    with pytest.raises(InvalidParameter, match="needed"):
        mechanism.release({}, NoEntropy())


def test_neighbours_are_at_least_one_unit_apart() -> None:
    with pytest.raises(InvalidParameter):
        PureMarginals(TRIPLE, guarantee=ONE).privacy(0)
