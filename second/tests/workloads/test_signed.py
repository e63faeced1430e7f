"""Signed tables under pure epsilon: the law that is drawn, its price, least squares, the figures."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from math import exp, prod, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import PureDP
from leastnoise.workloads.marginal_noise import Axes, SignedNoise
from leastnoise.workloads.residual import STEP, ResidualPlan
from leastnoise.workloads.signed import cell_noise, signed_noise, signed_spreads
from tests.workloads.test_residual import moves, part

ONE = Fraction(1)
SIZES = {"a": 2, "b": 3, "c": 4, "d": 2}
SMALL = [("a", "b"), ("b", "c"), ("a", "d"), ("d",)]
TRIPLE = {f"a{i}": size for i, size in enumerate((2, 3, 4))}
BITS = {f"b{i}": 2 for i in range(10)}


def pairs_of(sizes: dict[str, int]) -> list[tuple[str, ...]]:
    return [*combinations(sizes, 2)]


PLANS: dict[str, Any] = {
    "small": (SIZES, SMALL),
    "triple": (TRIPLE, pairs_of(TRIPLE)),
    "bits": (dict.fromkeys("xyz", 2), pairs_of(dict.fromkeys("xyz", 2))),
    "one": ({"a": 5}, [("a",)]),
    "weighted": (SIZES, {("a", "b", "d"): 1, (): 40, ("c",): "0.1"}),
}


@cache
def plan_of(name: str, epsilon: str = "1") -> ResidualPlan:
    return ResidualPlan.pure(*PLANS[name], epsilon=epsilon)


def law_of(name: str) -> SignedNoise:
    law = plan_of(name).law
    assert isinstance(law, SignedNoise)
    return law


# A law that is small enough to enumerate: two bits, two tables, one draw of three signed tables and
# one draw of its own.
TINY = SignedNoise(
    (2, 2),
    ((0, 1), (1,)),
    (Fraction(1, 2), Fraction(1, 3)),
    ((((0,), (), 0), ((0,), (1,), 0)), (((1,), (), 0), ((), (1,), 1))),
)


def norm(law: SignedNoise, draw: int, numbers: list[list[int]], most: int) -> Fraction:
    """The greatest l1 norm of the signed tables of a draw, in moves of a unit."""
    sizes = []
    for own, pieces in zip(numbers, law.signed, strict=True):
        at = 0
        for _, cells, of in pieces:
            width = law.cells(cells)
            sizes += [sum(map(abs, own[at : at + width]))] if of == draw else []
            at += width
    return Fraction(max(sizes), most)


# Privacy


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_unit_moves_a_signed_table_further_than_its_tables(most: int) -> None:
    """All moves of two tables of one l1 norm, each in its own way; the law is made for that norm."""
    reached = Counter[int]()
    for one, two in product(moves(4, most), moves(2, most)):
        moved = [TINY.measured(0, one), TINY.measured(1, two)]
        for draw in range(2):
            assert norm(TINY, draw, moved, most) <= 1
            reached[draw] += norm(TINY, draw, moved, most) == 1
    assert min(reached.values()) > 0


@pytest.mark.parametrize("name", PLANS)
def test_a_row_moves_every_signed_table_by_one(name: str) -> None:
    """One cell by one, up or down, so no smaller price would do."""
    law = law_of(name)
    for cell in product(*map(range, law.sizes)):
        for place, axes in enumerate(law.tables):
            table = np.zeros([law.sizes[axis] for axis in axes], dtype=int)
            table[tuple(cell[axis] for axis in axes)] = 1
            exact = law.measured(place, table.ravel().tolist())
            assert sum(map(abs, exact)) == len(law.signed[place])


def chances(rate: Fraction, widths: list[int], most: int, far: int) -> dict[tuple[int, ...], float]:
    """The law of the docstring by enumeration: weights e^(-rate * N) with N up to `far`, and their sum.

    N is the least whole number of times that a unit can reach x.
    """
    reach = far * most
    found = {}
    for x in product(range(-reach, reach + 1), repeat=sum(widths)):
        ends = np.cumsum([0, *widths])
        size = max(sum(map(abs, x[a:b])) for a, b in pairwise(ends))
        level = -(-size // most)
        if level <= far:
            found[x] = exp(-float(rate) * level)
    return found


@pytest.mark.parametrize("most", [1, 2])
def test_the_law_that_is_drawn_keeps_its_epsilon(most: int) -> None:
    """By enumeration: no move of a unit changes a chance by more than e^rate, and one does so."""
    widths = [1, 2, 1]
    assert TINY.widths(0) == widths
    weights = chances(TINY.rates[0], widths, most, 3)
    moved = {
        (*TINY.measured(0, one), TINY.measured(1, two)[0])
        for one, two in product(moves(4, most), moves(2, most))
    }
    ratios = []
    for move in moved:
        for x, weight in weights.items():
            there = tuple(a + b for a, b in zip(x, move, strict=True))
            if there in weights:
                ratios.append(weights[there] / weight)
    assert max(ratios) == pytest.approx(exp(float(TINY.rates[0])))
    law = TINY.law(0, most)
    assert law is not None
    assert law.rate == TINY.rates[0]
    drawn = Counter[int]()
    source = Source()
    for _ in range(4000):
        numbers = TINY.draw(source, most)
        drawn[int(-(-norm(TINY, 0, [*map(list, numbers)], most) // 1))] += 1
    levels = Counter[int]()
    for x in weights:
        size = max(abs(x[0]), abs(x[1]) + abs(x[2]), abs(x[3]))
        levels[-(-size // most)] += 1
    points = [levels[0], *(levels[n] for n in (1, 2, 3))]
    whole = total_weight(most)
    for level, count in enumerate(points):
        chance = count * exp(-float(TINY.rates[0]) * level) / whole
        spread = sqrt(4000 * chance * (1 - chance))
        assert abs(drawn[level] - 4000 * chance) < 6 * spread + 1  # eight checks of 6 sigma


def total_weight(most: int) -> float:
    """The sum of all weights: the points of a level are those of cubes and a square on its edge."""
    rate, total, before = 0.5, 0.0, 0
    for level in range(200):
        r = level * most
        inside = (2 * r + 1) ** 2 * (2 * r * (r + 1) + 1)
        total += (inside - before) * exp(-rate * level)
        before = inside
    return total


def test_draws_of_their_own_are_laplace_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    from leastnoise.workloads import marginal_noise

    asked = []

    def drawn(scale: Fraction, count: int, source: Source) -> list[int]:
        asked.append((scale, count))
        return [5, 6]

    monkeypatch.setattr(marginal_noise, "discrete_laplace", drawn)
    noise = TINY.draw(Source(), 7)
    assert asked == [(7 / Fraction(1, 3), 2)]
    assert noise[1][1:] == [5, 6]
    assert [*map(len, noise)] == [3, 3]


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("epsilon", ["0.3", "5"])
def test_rates_add_up_to_the_promise(name: str, epsilon: str) -> None:
    plan = plan_of(name, epsilon)
    assert isinstance(plan.law, SignedNoise)
    assert plan.law.epsilon() == Fraction(epsilon) == sum(plan.law.rates)
    assert plan.guarantee == PureDP(epsilon=epsilon)
    assert min(plan.law.rates) > 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rates": (Fraction(0), ONE)}, "above 0"),
        ({"rates": (0.5, ONE)}, "fraction"),
        ({"rates": (ONE,)}, "has a draw"),
        ({"sizes": (2, 3)}, "two values"),
        ({"sizes": (3, 2)}, "two values"),
        ({"tables": ((0, 1), (0,))}, "not some of"),
        ({"signed": ((((0,), (0,), 0),), ())}, "not some of"),
    ],
)
def test_noise_that_fits_no_tables_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        SignedNoise(**{**vars(TINY), **change})


# Least squares


def decoded(plan: ResidualPlan, columns: tuple[str, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The matrix from measured numbers to a table, and what every number measures of all cells."""
    law = plan.law
    sizes = [
        len(law.measured(place, [0] * law.cells(axes))) for place, axes in enumerate(law.tables)
    ]
    rows = []
    for place, size in enumerate(sizes):
        for at in range(size):
            noisy = [[0] * each for each in sizes]
            noisy[place][at] = STEP
            rows.append(plan.answers(noisy).table(columns).ravel())
    shape, measured = law.sizes, []
    for cell in product(*map(range, shape)):
        cube = np.zeros(shape, dtype=int)
        cube[cell] = 1
        measured.append([x for place, axes in enumerate(law.tables)
                         for x in law.measured(place, part(cube, axes).ravel().tolist())])  # fmt: skip
    return np.array(rows).T, np.array(measured, dtype=float).T


def variances(law: SignedNoise) -> NDArray[Any]:
    """Of every measured number, by the closed form in fine steps: 2/rate^2 for a draw of its own."""
    found = []
    for own in law.signed:
        for _, cells, draw in own:
            d, all_ = law.cells(cells), sum(law.widths(draw))
            v = 2 * (all_ + 1) * (all_ + 2) / ((d + 1) * (d + 2)) / float(law.rates[draw]) ** 2
            found += [v] * d
    return np.array(found)


@pytest.mark.parametrize("name", PLANS)
def test_tables_are_those_of_least_squares(name: str) -> None:
    plan, law = plan_of(name), law_of(name)
    spread = variances(law)
    for columns in plan.tables:
        decoder, measured = decoded(plan, columns)
        assert np.allclose(decoder @ measured, _sums(plan, columns))  # unbiased
        scaled = measured / np.sqrt(spread)[:, None]
        best = _sums(plan, columns) @ np.linalg.pinv(scaled) / np.sqrt(spread)
        covariance = best * spread @ best.T
        assert np.allclose(decoder * spread @ decoder.T, covariance, atol=1e-9)
        assert np.allclose(plan.errors.covariance(columns), covariance, rtol=1e-5, atol=1e-9)
        assert np.allclose(np.diag(covariance), plan.variance(columns), rtol=1e-5)


def _sums(plan: ResidualPlan, columns: tuple[str, ...]) -> NDArray[Any]:
    found: NDArray[Any] = np.ones((1, 1))
    for name, size in zip(plan.names, plan.law.sizes, strict=True):
        found = np.kron(found, np.eye(size) if name in columns else np.ones((1, size)))
    return found


@pytest.mark.parametrize("name", PLANS)
def test_a_release_is_near_the_truth_and_adds_up(name: str) -> None:
    plan = plan_of(name)
    cube = np.random.default_rng(2).integers(0, 1000, plan.law.sizes)
    counts = {t: part(cube, tuple(map(plan.names.index, t))) for t in plan.tables}
    answers = plan.release(counts)
    for columns, table in counts.items():
        assert abs(answers.table(columns) - table).max() < 9 * sqrt(plan.variance(columns))
        assert answers.table(columns).sum() == pytest.approx(answers.table(()).item())


# How good it is


def test_all_pairs_of_ten_bits() -> None:
    """16.6 with one draw for all; 13.6 because few signs have a draw of their own."""
    plan = ResidualPlan.pure(BITS, pairs_of(BITS), epsilon=1)
    assert isinstance(plan.law, SignedNoise)
    deviation = sqrt(plan.variance(("b0", "b1")))
    assert deviation <= 17
    assert sorted(map(len, map(plan.law.widths, range(2)))) == [11, 45]
    # of a cell: (rows + one sign + another + both)/4, in two draws of 11 and of 45 numbers
    costs = [3 * 2 * 12 * 13 / 6 / 16, 2 * 46 * 47 / 6 / 16]
    least = sum(each ** (1 / 3) for each in costs) ** 3
    assert deviation**2 == pytest.approx(least, rel=1e-5)
    together = 4 * 2 * 57 * 58 / 6 / 16
    assert sqrt(together) == pytest.approx(16.60, abs=0.005)


@pytest.mark.parametrize(("sizes", "most"), [((2, 5, 10), 10.7), ((2, 2, 5, 6, 7, 9, 15, 16), 660)])
def test_means_over_cells_of_all_pairs(sizes: tuple[int, ...], most: float) -> None:
    """Independent noise with equal parts of epsilon has 18 and 1568."""
    names = {f"a{i}": size for i, size in enumerate(sizes)}
    pairs = pairs_of(names)
    plan = ResidualPlan.pure(names, pairs, epsilon=1)
    cells = [prod(names[each] for each in pair) for pair in pairs]
    total = sum(n * plan.variance(pair) for n, pair in zip(cells, pairs, strict=True))
    assert total / sum(cells) < most
    assert most < 2 * len(pairs) ** 2


@pytest.mark.parametrize("name", PLANS)
def test_no_plan_is_worse_than_noise_on_every_table(name: str) -> None:
    """The best split of epsilon, by cube roots, for independent Laplace noise on the cells."""
    plan = plan_of(name)
    tables = PLANS[name][1]
    weights = {t: float(Fraction(w)) for t, w in tables.items()} if isinstance(tables, dict) else dict.fromkeys(tables, 1.0)  # fmt: skip
    costs = {t: w * prod(PLANS[name][0][a] for a in t) for t, w in weights.items()}
    split = 2 * sum(c ** (1 / 3) for c in costs.values()) ** 3
    assert sum(c * plan.variance(t) for t, c in costs.items()) <= split * (1 + 1e-6)


# The law of a cell


@pytest.mark.parametrize("name", ["bits", "small", "one"])
def test_quantiles_of_a_cell_are_those_of_its_noise(name: str) -> None:
    """4,000 draws: 200 beyond the quantiles of 2.5 % on both sides, six standard deviations are 83."""
    plan, law, source = plan_of(name), law_of(name), Source()
    tables = {t: tuple(map(plan.names.index, t)) for t in plan.tables}
    far = {t: cell_noise(((law, axes, 1.0),)).quantile(0.025) for t, axes in tables.items()}
    beyond = Counter[tuple[str, ...]]()
    for _ in range(4000):
        answers = plan.answers(law.draw(source, STEP))
        for columns in tables:
            beyond[columns] += abs(answers.table(columns).ravel()[-1]) > far[columns]
    for columns, axes in tables.items():
        assert abs(beyond[columns] - 200) < 83
        noise = cell_noise(((law, axes, 2.0),))
        assert noise.deviation == pytest.approx(2 * sqrt(plan.variance(columns)), rel=1e-2)


@pytest.mark.parametrize("sizes", [(12, 12, 12), (5, 5, 5, 5)])
def test_a_cell_of_many_numbers_is_not_taken_as_normal(sizes: tuple[int, ...]) -> None:
    """One number counts most, with tails like Laplace noise: 1 % beyond, where a normal law has 1.7 %.

    The cells of 400 draws, which are related: within a quarter of what is expected.
    """
    names = {f"a{i}": size for i, size in enumerate(sizes)}
    plan, source = ResidualPlan.pure(names, pairs_of(names), epsilon=1), Source()
    law, table = plan.law, ("a0", "a1")
    assert isinstance(law, SignedNoise)
    drawn = [plan.answers(law.draw(source, STEP)).table(table) for _ in range(400)]
    far = cell_noise(((law, (0, 1), 1.0),)).quantile(0.01)
    assert (abs(np.array(drawn)) > far).mean() == pytest.approx(0.02, rel=0.25)


def test_a_cell_of_two_totals_adds_both_noises() -> None:
    law = law_of("bits")
    axes = law.tables[0]
    alone = cell_noise(((law, axes, 3.0),)).deviation
    both = cell_noise(((law, axes, 3.0), (law, axes, 4.0))).deviation
    assert both == pytest.approx(alone * 5 / 3, rel=1e-2)


def test_the_search_ends_for_many_tables() -> None:
    """120 triples of ten attributes: more effects than are looked at twice."""
    sizes = (2, 2, 2, 3, 3, 4, 5, 2, 2, 3)
    weights: dict[Axes, float] = dict.fromkeys(combinations(range(10), 3), 1.0)
    law = signed_noise(sizes, weights, ONE)
    assert law.epsilon() == 1
    assert len(signed_spreads(law)) == 1 + 10 + 45 + 120
