"""The residual planner: price, errors and optimality, each computed a second way, by matrices."""

from fractions import Fraction
from itertools import combinations, product
from math import prod, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import GDP
from leastnoise.workloads import marginal_noise
from leastnoise.workloads.marginal_noise import Axes, ResidualNoise
from leastnoise.workloads.residual import STEP, Goal, ResidualPlan
from leastnoise.workloads.residual_answers import subsets, whole_numbers
from tests.scripted import Scripted

SIZES = {"a": 2, "b": 3, "c": 4}
WANTED: dict[str, Any] = {
    "three tables": [("a", "b"), ("b", "c"), ("a",)],
    "weighted": {("a", "b"): 3, ("a", "c"): "0.1", (): 2},
    "one table": [("b", "c")],
    "all": [("a", "b", "c"), ("c",), ()],
}
HALF = Fraction(1, 2)  # rho: mu = 1


def plan_of(name: str, **options: Any) -> ResidualPlan:
    return ResidualPlan.gaussian(SIZES, WANTED[name], rho=HALF, **options)


def law_of(name: str, **options: Any) -> ResidualNoise:
    law = plan_of(name, **options).law
    assert isinstance(law, ResidualNoise)
    return law


def numbers(law: ResidualNoise, place: int) -> list[int]:
    """The precision of every number that is measured of a table."""
    return [h for axes, h in law.residuals[place] for _ in range(law.count(axes))]


def moves(cells: int, most: int) -> list[tuple[int, ...]]:
    """All vectors of integers of this l1 norm."""
    return [each for each in product(range(-most, most + 1), repeat=cells)
            if sum(map(abs, each)) == most]  # fmt: skip


# Privacy


@pytest.mark.parametrize("objective", ["sum", "greatest"])
@pytest.mark.parametrize("name", WANTED)
def test_every_row_costs_exactly_the_price(name: str, objective: Any) -> None:
    law = law_of(name, objective=objective)
    assert law.squared_mu() <= 2 * HALF
    assert law.squared_mu() > 2 * HALF * (1 - Fraction(1, 10**9))
    for cell in product(*map(range, SIZES.values())):
        spent = Fraction(0)
        for place, axes in enumerate(law.tables):
            table = np.zeros([law.sizes[axis] for axis in axes], dtype=int)
            table[tuple(cell[axis] for axis in axes)] = 1
            exact = law.measured(place, table.ravel().tolist())
            spent += sum(x**2 * h for x, h in zip(exact, numbers(law, place), strict=True))
        assert spent / law.variance == law.squared_mu()


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_move_of_the_tables_costs_more_than_the_price(most: int) -> None:
    """A unit may move every table in its own way: each table at its worst, all moves of one norm."""
    sizes = (2, 3)
    law = ResidualNoise(sizes, ((0, 1), (1,), (0,)), (
        (((), 3), ((0, 1), 5)), (((1,), 7),), (((0,), 11),),
    ), 13)  # fmt: skip
    worst = Fraction(0)
    for place, axes in enumerate(law.tables):
        costs = [
            sum(
                x**2 * h
                for x, h in zip(law.measured(place, move), numbers(law, place), strict=True)
            )
            for move in moves(law.cells(axes), most)
        ]
        worst += Fraction(max(costs), law.variance * most**2)
    assert worst == law.squared_mu() == Fraction(3 + 5 * 6 + 7 * 6 + 11, 13)


def test_noise_has_the_variance_that_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every number, with a draw of its own, in proportion to the squared move of a unit."""
    law, asked = law_of("three tables"), list[tuple[Fraction, int]]()

    def drawn(variance: Fraction, count: int, source: Source) -> list[int]:
        asked.append((variance, count))
        return [100 * len(asked) + i for i in range(count)]

    monkeypatch.setattr(marginal_noise, "rounded_gaussian", drawn)
    noise = law.draw(Scripted(), 7)
    assert [v for v, count in asked for _ in range(count)] == [
        Fraction(49 * law.variance, h) for place in range(3) for h in numbers(law, place)
    ]
    assert list(map(len, noise)) == [len(numbers(law, place)) for place in range(3)]
    assert len({each for own in noise for each in own}) == sum(map(len, noise))


def test_drawn_noise_has_its_variance() -> None:
    """The mean of 2,000 squares over the variance: six standard deviations are 0.19."""
    law, source = law_of("one table"), Source()
    drawn = np.array([law.draw(source, STEP)[0] for _ in range(2000)], dtype=float)
    expected = [float(STEP**2 * law.variance / h) for h in numbers(law, 0)]
    assert (abs((drawn**2).mean(axis=0) / expected - 1) < 0.19).all()


@pytest.mark.parametrize(
    ("law", "why"),
    [
        (((2, 1), ((0,),), ((((0,), 1),),), 1), "two values or more"),
        (((2, 2), (), (), 1), "two values or more"),
        (((2, 2), ((1, 0),), ((),), 1), "not some of"),
        (((2, 2), ((0, 2),), ((),), 1), "not some of"),
        (((2, 2), ((0,),), ((((1,), 1),),), 1), "not some of"),
        (((2, 2), ((0,),), ((((0, 0), 1),),), 1), "not some of"),
        (((2, 2), ((0,),), ((((0,), 0),),), 1), "above 0"),
        (((2, 2), ((0,),), ((((0,), 1),),), 0), "above 0"),
        (((2, 2), ((0,),), ((((0,), 1.0),),), 1), "above 0"),
    ],
)
def test_noise_that_measures_nothing_sensible_is_refused(law: Any, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        ResidualNoise(*law)


# Errors


def decoder(plan: ResidualPlan, columns: tuple[str, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The matrix from measured numbers to a table, and the variance of every number."""
    law = plan.law
    assert isinstance(law, ResidualNoise)
    sizes = [len(numbers(law, place)) for place in range(len(law.tables))]
    columns_of = []
    for place, size in enumerate(sizes):
        for at in range(size):
            noisy = [[0] * each for each in sizes]
            noisy[place][at] = STEP
            columns_of.append(plan.answers(noisy).table(columns).ravel())
    variances = [law.variance / h for place in range(len(sizes)) for h in numbers(law, place)]
    return np.array(columns_of).T, np.array(variances, dtype=float)


@pytest.mark.parametrize("objective", ["sum", "greatest"])
@pytest.mark.parametrize("name", WANTED)
def test_errors_are_those_of_the_matrix(name: str, objective: Any) -> None:
    plan = plan_of(name, objective=objective)
    known = [tuple(plan.names[i] for i in axes) for axes in plan.errors.spreads]
    matrices = {each: decoder(plan, each) for each in known}
    for one, other in product(known, known):
        (left, variances), (right, _) = matrices[one], matrices[other]
        covariance = left * variances @ right.T
        assert np.allclose(plan.errors.covariance(one, other), covariance, atol=1e-12)
        if one == other:
            assert np.allclose(np.diag(covariance), plan.variance(one))


@pytest.mark.parametrize("name", WANTED)
def test_without_noise_all_tables_are_right(name: str) -> None:
    plan, cube = plan_of(name), np.random.default_rng(3).integers(0, 10**6, (2, 3, 4))
    law = plan.law
    exact = [law.measured(place, [STEP * int(x) for x in part(cube, axes).ravel()])
             for place, axes in enumerate(law.tables)]  # fmt: skip
    answers = plan.answers(exact)
    for axes in plan.errors.spreads:
        columns = tuple(plan.names[axis] for axis in axes)
        assert np.allclose(answers.table(columns), part(cube, axes), rtol=1e-12)
        assert np.allclose(answers.table(columns[::-1]), part(cube, axes).T, rtol=1e-12)


def part(cube: NDArray[Any], axes: Axes) -> NDArray[Any]:
    found: NDArray[Any] = cube.sum(axis=tuple({*range(cube.ndim)} - {*axes}))
    return found


def test_a_release_is_near_the_truth_and_adds_up() -> None:
    plan, cube = plan_of("all"), np.random.default_rng(3).integers(0, 10**6, (2, 3, 4))
    answers = plan.release({t: part(cube, tuple("abc".index(x) for x in t)) for t in plan.tables})
    assert abs(answers.table(("a", "b", "c")) - cube).max() < 7 * sqrt(plan.variance(tuple("abc")))
    for some in subsets((0, 1, 2)):
        columns = tuple("abc"[i] for i in some)
        assert np.allclose(part(answers.table(("a", "b", "c")), some), answers.table(columns))
        whole = whole_numbers(answers.table(("a", "b", "c")))
        assert (part(whole, some) == whole_numbers(answers.table(columns))).all()
        assert abs(whole_numbers(answers.table(columns)) - answers.table(columns)).max() <= 2 ** (
            len(some) - 1
        )
    assert isinstance(plan.guarantee, GDP)
    assert float(plan.guarantee.mu) ** 2 >= law_of("all").squared_mu()


def test_whole_numbers_of_halves_add_up() -> None:
    """What is exactly halfway, but for the errors of floats, is rounded alike in all tables."""
    random = np.random.default_rng(4)
    for _ in range(200):
        cube = random.integers(-9, 9, (3, 2, 3)) / 2
        blurred = cube + random.normal(0, 1e-12, cube.shape)
        for some in subsets((0, 1, 2)):
            assert (part(whole_numbers(blurred), some) == whole_numbers(part(cube, some))).all()


# Optimality


def query_matrix(axes: Axes) -> NDArray[Any]:
    """The sums that a table takes of the cells of all attributes."""
    found: NDArray[Any] = np.ones((1, 1))
    for axis, size in enumerate(SIZES.values()):
        found = np.kron(found, np.eye(size) if axis in axes else np.ones((1, size)))
    return found


@pytest.mark.parametrize("name", WANTED)
def test_the_sum_of_variances_is_the_least_by_matrices(name: str) -> None:
    """(sum of the singular values of all queries)^2 / cells: Li and Miklau 2013, for one row."""
    goal = Goal.of(SIZES, WANTED[name], "sum")
    wanted = WANTED[name]
    weights = wanted if isinstance(wanted, dict) else dict.fromkeys(wanted, 1)
    matrices = [
        query_matrix(tuple(map("abc".index, columns))) * sqrt(float(w))
        for columns, w in weights.items()
    ]
    stacked = np.vstack(matrices)
    least = np.linalg.svd(stacked, compute_uv=False).sum() ** 2 / 24
    assert float(goal.least(Fraction(1))) == pytest.approx(least, rel=1e-12)
    assert cost_of(plan_of(name), "sum", name) == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("objective", ["sum", "greatest"])
@pytest.mark.parametrize("name", WANTED)
def test_the_bound_is_attained(name: str, objective: Any) -> None:
    goal = Goal.of(SIZES, WANTED[name], objective)
    plan = plan_of(name, objective=objective)
    bound = goal.least(law_of(name, objective=objective).squared_mu())
    assert float(bound.lower) * (1 - 1e-12) < cost_of(plan, objective, name)
    assert cost_of(plan, objective, name) < float(bound.upper) * (1 + 1e-6)


def cost_of(plan: ResidualPlan, objective: str, name: str) -> float:
    """What is to be small: the weighted sum of the variances of all cells, or the greatest one."""
    wanted = WANTED[name]
    weights = wanted if isinstance(wanted, dict) else dict.fromkeys(wanted, 1)
    if objective == "greatest":
        return max(float(w) * plan.variance(each) for each, w in weights.items())
    cells = {each: prod(SIZES[column] for column in each) for each in weights}
    return sum(float(w) * cells[each] * plan.variance(each) for each, w in weights.items())


@pytest.mark.parametrize(
    ("ways", "deviation"), [((1,), 3.047), ((2,), 6.359), ((3,), 10.515), ((1, 2, 3), 10.665)]
)
def test_published_deviations(ways: tuple[int, ...], deviation: float) -> None:
    """Xiao, He, Zhang and Kifer 2023, experiments: root mean squared errors for Adult at mu = 1."""
    adult = (100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2)
    sizes = {f"a{i}": size for i, size in enumerate(adult)}
    tables = [each for k in ways for each in combinations(sizes, k)]
    plan = ResidualPlan.gaussian(sizes, tables, rho=HALF)
    cells = {each: prod(sizes[name] for name in each) for each in tables}
    total = sum(count * plan.variance(each) for each, count in cells.items())
    assert sqrt(total / sum(cells.values())) == pytest.approx(deviation, abs=6e-4)


def test_means_of_bits_have_half_the_deviation() -> None:
    """100 counts of bits: 5.5 in place of 10 (docs/proofs/rounded_gaussian.md has the same law)."""
    bits = {f"q{i}": 2 for i in range(100)}
    plan = ResidualPlan.gaussian(bits, [(name,) for name in bits], rho=HALF)
    assert plan.variance(["q7"]) == pytest.approx(5.5**2, rel=1e-9)


# What is asked


@pytest.mark.parametrize(
    ("sizes", "tables", "options", "why"),
    [
        ({"a": 2}, [("b",)], {}, "tuple of attributes"),
        ({"a": 2}, ["a"], {}, "tuple of attributes"),
        ({"a": 1}, [("a",)], {}, "size of a"),
        ({"a": 2}, [], {}, "must be a table"),
        ({"a": 2}, [("a",), ("a",)], {}, "named twice"),
        ({"a": 2}, [("a", "a")], {}, "named twice"),
        ({"a": 2}, {("a",): 0}, {}, "weight"),
        ({"a": 2}, [("a",)], {"rho": 0}, "rho"),
        ({"a": 2}, [("a",)], {"objective": "least"}, "objective"),
        ({f"a{i}": 2 for i in range(21)}, [tuple(f"a{i}" for i in range(21))], {}, "at most"),
    ],
)
def test_what_makes_no_plan_is_refused(sizes: Any, tables: Any, options: Any, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        ResidualPlan.gaussian(sizes, tables, **{"rho": 1} | options)


def test_tables_that_are_not_those_of_the_plan_are_refused() -> None:
    plan = ResidualPlan.gaussian({"a": 2, "b": 3}, [("a", "b")], rho=1)
    wrong: list[tuple[dict[tuple[str, ...], Any], str]] = [
        ({}, "missing"),
        ({("a", "b"): np.zeros((3, 2), dtype=int)}, "another shape"),
        ({("a", "b"): np.zeros((2, 3))}, "no integers"),
    ]
    for counts, why in wrong:
        with pytest.raises(InvalidInput, match=why):
            plan.release(counts)
    answers = plan.release({("a", "b"): np.zeros((2, 3), dtype=int)})
    with pytest.raises(InvalidInput, match='Did you mean "a"'):
        answers.table(["A"])
    small = ResidualPlan.gaussian(SIZES, [("a",), ("b",)], rho=1)
    with pytest.raises(InvalidInput, match="No table that was asked for"):
        small.variance(["a", "b"])
