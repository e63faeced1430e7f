"""The whole mechanism: prices and variances from matrices, estimates that agree, hostile input."""

import math
import pickle
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import Mechanism
from leastnoise.noise import DiscreteGaussian
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.tabulation.neighbours import ReplaceOne
from leastnoise.tabulation.residuals.residual_answers import ResidualAnswers
from leastnoise.tabulation.residuals.residual_plan import _squared_sensitivity
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import AttributeSet, ResidualWorkload
from tests.scripted import CountingSource, NoEntropy
from tests.statistical.goodness_of_fit import FALSE_ALARM, fit

SECRET = 987654321
HALF = ZCDP(rho="0.5")  # μ = 1
APPROX = ApproxDP(epsilon=1, delta="1e-6")
SMALL = ResidualWorkload({"a": 2, "b": 3, "c": 4}, [("a", "b"), ("c", "b"), "a"])
WEIGHTED = ResidualWorkload({"a": 2, "b": 5, "c": 2}, {("a", "b"): 3, ("a", "c"): "0.1", (): 2})
TWO_WAY = ResidualWorkload({"a": 3, "b": 4}, [("a", "b")])
CUBE = np.arange(24).reshape(2, 3, 4)


def measured(planner: ResidualPlanner, cube: NDArray[np.int64]) -> dict[AttributeSet, Any]:
    """What is measured of a full table, without the noise."""
    tables = planner.sum_cube(cube)
    places = {planner.workload.places(name): table for name, table in tables.items()}
    exact = planner._residuals(places)
    residuals = zip(planner.workload.residuals, planner.plan.multipliers, strict=True)
    return {subset: np.asarray((g or 1) * exact[subset]) for subset, g in residuals}


def noiseless(planner: ResidualPlanner, cube: NDArray[np.int64]) -> ResidualAnswers:
    return ResidualAnswers(planner.plan, measured(planner, cube))


def cells(workload: ResidualWorkload) -> list[tuple[int, ...]]:
    return list(product(*(range(axis.size) for axis in workload.axes)))


def person(workload: ResidualWorkload, cell: tuple[int, ...]) -> NDArray[np.int64]:
    table = np.zeros([axis.size for axis in workload.axes], dtype=np.int64)
    table[cell] = 1
    return table


# Privacy


@pytest.mark.parametrize("workload", [SMALL, WEIGHTED], ids=repr)
@pytest.mark.parametrize("objective", ["total", "largest"])
def test_everybody_moves_the_vector_equally_far(workload: ResidualWorkload, objective: Any) -> None:
    planner = ResidualPlanner(workload, guarantee=HALF, objective=objective)
    for cell in cells(workload):
        parts = measured(planner, person(workload, cell)).values()
        square = sum(int(x) ** 2 for part in parts for x in part.ravel())
        assert square == planner.plan.noise.squared_sensitivity
        assert square / planner.plan.noise.parameter == 2 * HALF.rho


@pytest.mark.parametrize("workload", [SMALL, WEIGHTED, TWO_WAY], ids=repr)
def test_the_worst_replacement_is_priced(workload: ResidualWorkload) -> None:
    planner = ResidualPlanner(workload, guarantee=HALF, neighbours="replace", records=1)
    moves = [measured(planner, person(workload, cell)) for cell in cells(workload)]
    squares = [
        sum(int(x) ** 2 for a in one for x in (one[a] - other[a]).ravel())
        for one, other in combinations(moves, 2)
    ]
    assert max(squares) == planner.plan.noise.squared_sensitivity


def test_the_sensitivity_is_that_of_the_worst_row() -> None:
    assert _squared_sensitivity(np.array([[1, 2], [3, 1]]), (10, 1)) == 301
    assert _squared_sensitivity(np.array([[3, 1], [1, 2]]), (2**29, 2**29 - 1)) == (
        3 * 2**58 + (2**29 - 1) ** 2
    )


def test_prices() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    assert planner.privacy().renyi(3).upper == Fraction(3, 2)
    assert planner.privacy(4).renyi(1).upper == 8
    assert planner.privacy().for_group(4).renyi(1).upper == 8
    assert planner.guarantee == HALF
    planner = ResidualPlanner(SMALL, guarantee=APPROX)
    price = planner.privacy().delta(epsilon=1)
    assert Fraction(999, 10**9) < price.lower
    assert price.upper <= Fraction(1, 10**6)
    assert planner.privacy().epsilon(delta="1e-6").upper <= 1 + Fraction(1, 10**9)


def test_noise_is_on_every_number_but_a_public_one() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    assert all(planner.plan.multipliers)
    assert planner.plan.noise.coordinates == sum(
        SMALL.measured_numbers(places) for places in SMALL.residuals
    )
    public = ResidualPlanner(SMALL, guarantee=HALF, neighbours="replace", records=276)
    assert public.plan.multipliers[0] == 0
    assert public.plan.noise.coordinates == planner.plan.noise.coordinates - 1
    answers = public.release(public.sum_cube(CUBE)).value
    assert answers.exact_table(()) == CUBE.sum()
    assert answers.variance(()).upper == 0
    assert answers.error((), confidence="0.95").upper == 0


# Variances


@pytest.mark.parametrize("workload", [SMALL, WEIGHTED], ids=repr)
@pytest.mark.parametrize("objective", ["total", "largest"])
def test_variances_are_sums_of_squared_coefficients(
    workload: ResidualWorkload, objective: Any
) -> None:
    """Push each measured number through the reconstruction, and add up squares: exactly."""
    planner = ResidualPlanner(workload, guarantee=HALF, objective=objective)
    zeros = measured(planner, np.zeros([axis.size for axis in workload.axes], dtype=np.int64))
    for marginal, _ in workload.marginals:
        squares: Any = 0
        for subset, part in zeros.items():
            for place in np.ndindex(part.shape):
                one = part.copy()
                one[place] = 1
                answers = ResidualAnswers(planner.plan, {**zeros, subset: one})
                squares = squares + answers.exact_table(marginal) ** 2
        assert len(set(np.asarray(squares).ravel().tolist())) == 1  # all cells alike
        exact = np.asarray(squares).ravel()[0] * planner.plan.noise.parameter
        assert float(planner.variance(marginal)) == pytest.approx(float(exact), rel=1e-12)


def closed_form(workload: ResidualWorkload, mu_squared: float) -> dict[AttributeSet, float]:
    """The cell variances of XiaoHeZhangKifer2023: σ_A² = √(p_A/c_A)·S/μ², summed anew."""
    sizes = [size for _, size in workload.attributes]

    def ratio(places: AttributeSet) -> float:
        return math.prod((sizes[i] - 1) / sizes[i] for i in places)

    def share(places: AttributeSet, whole: AttributeSet) -> float:
        return ratio(places) / math.prod(sizes[j] ** 2 for j in whole if j not in places)

    cost = dict.fromkeys(workload.residuals, 0.0)
    for whole, weight in zip(workload.sets, workload.weights, strict=True):
        for places in cost:
            if set(places) <= set(whole):
                cost[places] += float(weight) * workload.cells(whole) * share(places, whole)
    total = sum(math.sqrt(ratio(places) * c) for places, c in cost.items())
    noise = {a: math.sqrt(ratio(a) / c) * total / mu_squared for a, c in cost.items()}
    return {
        whole: sum(v * share(a, whole) for a, v in noise.items() if set(a) <= set(whole))
        for whole in workload.sets
    }


@pytest.mark.parametrize("workload", [SMALL, WEIGHTED], ids=repr)
@pytest.mark.parametrize(("guarantee", "mu"), [(HALF, 1.0), (APPROX, 1 / 4.22467888932684)])
def test_the_closed_form_of_the_paper(
    workload: ResidualWorkload, guarantee: Any, mu: float
) -> None:
    planner = ResidualPlanner(workload, guarantee=guarantee)
    expected = closed_form(workload, mu * mu)
    for marginal, places in zip(dict(workload.marginals), workload.sets, strict=True):
        assert float(planner.variance(marginal)) == pytest.approx(expected[places], rel=1e-5)


@pytest.mark.parametrize("workload", [SMALL, WEIGHTED], ids=repr)
@pytest.mark.parametrize("guarantee", [HALF, APPROX, ZCDP(rho="1e-4"), ZCDP(rho=50)])
@pytest.mark.parametrize("neighbours", ["add_remove", ReplaceOne(records=10)])
def test_the_cost_meets_the_bound(
    workload: ResidualWorkload, guarantee: Any, neighbours: Any
) -> None:
    planner = ResidualPlanner(workload, guarantee=guarantee, neighbours=neighbours)
    cost, bound = planner.expected_cost(), planner.lower_bound()
    slack = 1e-9 if neighbours == "add_remove" else 1e-6  # the weights are found by iteration
    assert 1 - 1e-12 < float(cost) / float(bound) < 1 + slack
    largest = ResidualPlanner(
        workload, guarantee=guarantee, neighbours=neighbours, objective="largest"
    )
    assert 1 - 1e-12 < float(largest.expected_cost()) / float(largest.lower_bound()) < 1 + 1e-5
    worst = max(float(w * planner.variance(m).upper) for m, w in workload.marginals)
    assert float(largest.expected_cost()) <= worst * (1 + 1e-6)


@pytest.mark.parametrize(
    ("ways", "deviation"), [((1,), 3.047), ((2,), 6.359), ((3,), 10.515), ((1, 2, 3), 10.665)]
)
def test_published_deviations(ways: tuple[int, ...], deviation: float) -> None:
    """XiaoHeZhangKifer2023, experiments: root mean squared errors for Adult at μ = 1."""
    sizes = (100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2)
    names = [f"a{i}" for i in range(len(sizes))]
    workload = ResidualWorkload(
        dict(zip(names, sizes, strict=True)), [m for k in ways for m in combinations(names, k)]
    )
    planner = ResidualPlanner(workload, guarantee=HALF)
    count = sum(workload.cells(places) for places in workload.sets)
    assert math.sqrt(float(planner.expected_cost()) / count) == pytest.approx(deviation, abs=6e-4)


def test_expected_cost_is_the_weighted_sum() -> None:
    planner = ResidualPlanner(WEIGHTED, guarantee=HALF)
    total = sum(
        float(weight)
        * WEIGHTED.cells(WEIGHTED.places(marginal))
        * float(planner.variance(marginal))
        for marginal, weight in WEIGHTED.marginals
    )
    assert float(planner.expected_cost()) == pytest.approx(total, rel=1e-12)


def test_binary_one_way_marginals_have_half_the_deviation() -> None:
    names = [f"q{i}" for i in range(100)]
    planner = ResidualPlanner(ResidualWorkload(dict.fromkeys(names, 2), names), guarantee=HALF)
    assert float(planner.variance("q7")) == pytest.approx(5.5**2, rel=1e-9)


# Estimates


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.integers(0, 2**32), st.data())
def test_without_noise_the_marginals_are_right(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    names = [f"a{i}" for i in range(len(sizes))]
    every = [m for k in range(len(names) + 1) for m in combinations(names, k)]
    wanted = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    planner = ResidualPlanner(
        ResidualWorkload(dict(zip(names, sizes, strict=True)), wanted), guarantee=HALF
    )
    cube = np.random.default_rng(seed).integers(0, 10**6, sizes)
    answers = noiseless(planner, cube)
    for marginal in wanted:
        order = data.draw(st.permutations(marginal))
        others = tuple(i for i, name in enumerate(names) if name not in marginal)
        axes = [marginal.index(name) for name in order]
        expected = cube.sum(axis=others).transpose(axes)
        assert np.array_equal(answers.exact_table(tuple(order)), expected)
        assert np.allclose(answers.table(tuple(order)), expected, rtol=1e-11, atol=1e-6)


def test_marginals_agree() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    answers = planner.release(planner.sum_cube(CUBE)).value
    by_b = answers.exact_table("b")
    assert np.array_equal(answers.exact_table(("a", "b")).sum(axis=0), by_b)
    assert np.array_equal(answers.exact_table(("b", "c")).sum(axis=1), by_b)
    assert np.array_equal(answers.exact_table(("c", "b")).sum(axis=0), by_b)
    assert by_b.sum() == answers.exact_table(())
    assert np.allclose(answers.table(("a", "b")), answers.exact_table(("a", "b")).astype(float))
    assert answers.table(("b", "c")).shape == (3, 4)


def test_three_ways_to_give_the_data() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    records = np.repeat(np.array(cells(SMALL)), CUBE.ravel(), axis=0)
    np.random.default_rng(5).shuffle(records)
    counted, summed = planner.count(records), planner.sum_cube(CUBE)
    assert list(counted) == list(summed) == [("a", "b"), ("b", "c")] == list(planner.needed)
    assert all(np.array_equal(counted[name], summed[name]) for name in counted)
    assert np.array_equal(planner.count(np.zeros((0, 3), dtype=int))["a", "b"], np.zeros((2, 3)))
    swapped: Mapping[Any, Any] = {("b", "a"): CUBE.sum(2).T.tolist(), ("c", "b"): CUBE.sum(0).T}
    answers = planner.release(swapped).value
    reach = float(answers.error(("a", "b"), confidence="0.999999999").upper)
    assert np.abs(answers.table(("a", "b")) - CUBE.sum(2)).max() < reach


def test_a_large_marginal_stays_within_64_bits() -> None:
    """Near the greatest number of people, on a marginal of many cells."""
    workload = ResidualWorkload({"a": 200, "b": 150}, [("a", "b")])
    planner = ResidualPlanner(workload, guarantee=HALF)
    table = np.zeros((200, 150), dtype=np.int64)
    table[3, 4] = 2**33 - 1
    parts = planner.release({("a", "b"): table}).value
    assert all(part.dtype == np.int64 for part in parts.measured.values())
    # In floats, differences of numbers near 2**62 are known to a few units of 2**-20 or so.
    assert np.abs(parts.table(("a", "b")) - table).max() < 10


def test_parts_of_people_may_be_more() -> None:
    """Weighted counts go beyond 64 bits on the way, and stay exact."""
    workload = ResidualWorkload({"a": 3, "b": 2}, [("a", "b"), "b"])
    planner = ResidualPlanner(workload, guarantee=HALF)
    table = np.array([[2**61, 5], [7, 2**60 + 1], [2**61, 0]])
    answers = planner.release({("a", "b"): table}).value
    exact = answers.exact_table(("a", "b"))
    pairs = zip(exact.tolist(), table.tolist(), strict=True)
    assert all(abs(a - b) < 30 for ours, true in pairs for a, b in zip(ours, true, strict=True))
    with pytest.raises(InvalidParameter):
        planner.release({("a", "b"): np.full((3, 2), 2**62)})


def test_drawing_once() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    tables = planner.sum_cube(CUBE)
    one, two = (planner.release(tables, CountingSource()).value for _ in range(2))
    assert not np.array_equal(one.measured[0, 1], two.measured[0, 1])
    assert not one.measured[0, 1].flags.writeable


# The noise drawn, at a declared rate of false alarms


def test_the_noise_has_its_law() -> None:
    planner = ResidualPlanner(ResidualWorkload({"a": 512, "b": 512}, [("a", "b")]), guarantee=HALF)
    cube = np.zeros((512, 512), dtype=np.int64)
    cube[7] = 1000
    answers = planner.release(planner.sum_cube(cube)).value
    exact = measured(planner, cube)
    noise = (answers.measured[0, 1] - exact[0, 1]).ravel()
    law = planner.plan.noise.law
    assert fit(noise, law) > FALSE_ALARM
    for wrong in (Fraction(121, 100), Fraction(81, 100)):  # a deviation 10 % off
        assert fit(noise, DiscreteGaussian(law.sigma_squared * wrong)) < FALSE_ALARM


def test_cells_have_the_stated_variance() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    tables, repeats = planner.sum_cube(CUBE), 6000
    errors = np.array([planner.release(tables).value.table(("b", "c")) for _ in range(repeats)])
    errors -= CUBE.sum(axis=0)
    cases = {
        (): errors.sum(axis=(1, 2)),
        ("b",): errors.sum(axis=2)[:, 1],
        ("b", "c"): errors[:, 2, 0],
    }
    for marginal, sample in cases.items():
        variance = float(planner.variance(marginal))
        assert abs(_score(sample, variance)) < 4.9  # P(|Z| > 4.9) < 1e-6
        assert abs(_score(sample, variance * 1.21)) > 4.9
        assert abs(_score(sample, variance * 0.81)) > 4.9
    inside = np.abs(errors[:, 2, 0]) <= float(planner.error(("b", "c"), confidence="0.9").upper)
    assert abs(inside.mean() - 0.9) < 4.9 * math.sqrt(0.09 / repeats)


def _score(sample: NDArray[np.float64], variance: float) -> float:
    """How many standard deviations Σx²/variance lies off, for normal x."""
    return float((sample @ sample / variance - len(sample)) / math.sqrt(2 * len(sample)))


def test_confidence_intervals() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    answers = planner.release(planner.sum_cube(CUBE)).value
    low, high = answers.confidence_interval(("a", "b"), confidence="0.95")
    reach = answers.error(("a", "b"), confidence="0.95")
    assert np.allclose(high - low, 2 * float(reach.upper))
    deviation = math.sqrt(float(answers.variance(("a", "b"))))
    assert float(reach) == pytest.approx(1.959963985 * deviation, rel=1e-4)
    every = answers.error(("a", "b"), confidence="0.95", every_cell=True)
    alone = answers.error(("a", "b"), confidence=Fraction(1) - Fraction(1, 120))
    assert every.upper == alone.upper
    assert every.lower == reach.lower


# The object


def test_it_is_a_mechanism() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    assert isinstance(planner, Mechanism)
    release = planner.release(planner.sum_cube(CUBE))
    assert release.guarantee == HALF
    assert eval(release.mechanism) == planner
    assert str(CUBE.sum()) not in repr(release)


@pytest.mark.parametrize("neighbours", ["add_remove", ReplaceOne(records=3)])
@pytest.mark.parametrize("objective", ["total", "largest"])
def test_repr_and_pickle_make_it_again(neighbours: Any, objective: Any) -> None:
    planner = ResidualPlanner(
        WEIGHTED, guarantee=APPROX, neighbours=neighbours, objective=objective
    )
    planner.plan.noise.law.sample(1)
    assert eval(repr(planner)) == planner
    assert pickle.loads(pickle.dumps(planner)) == planner


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"guarantee": PureDP(epsilon=1)}, "guarantee"),
        ({"guarantee": HALF, "objective": "max"}, "objective"),
        ({"guarantee": HALF, "objective": 3}, "objective"),
        ({"guarantee": HALF, "neighbours": "swap"}, "neighbours"),
        ({"guarantee": HALF, "neighbours": "replace"}, "records"),
        ({"guarantee": HALF, "neighbours": "replace", "records": 0}, "records"),
        ({"guarantee": HALF, "records": 5}, "records"),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any], hint: str) -> None:
    with pytest.raises(InvalidParameter, match=hint):
        ResidualPlanner(SMALL, **arguments)


@pytest.mark.parametrize("objective", ["total", "largest"])
@pytest.mark.parametrize("light", ["1e-12", "1e-320", "1e-2000"])
@pytest.mark.parametrize("neighbours", ["add_remove", ReplaceOne(records=10)])
def test_what_hardly_matters_is_hidden_too(objective: Any, light: str, neighbours: Any) -> None:
    """A residual may lose all its weight in floats, but never its noise."""
    workload = ResidualWorkload({"a": 2, "b": 3, "c": 4}, {("a", "b"): light, "c": 1})
    planner = ResidualPlanner(workload, guarantee=HALF, objective=objective, neighbours=neighbours)
    hidden = planner.plan.multipliers[0 if neighbours == "add_remove" else 1 :]
    assert all(hidden)
    assert float(planner.variance(("a", "b"))) > 1e-3
    assert math.isfinite(float(planner.lower_bound()))


@pytest.mark.parametrize("rho", ["1e-400", "1e-40", 10**12, "1e400"])
def test_guarantees_beyond_reach_are_refused_at_once(rho: Any) -> None:
    with pytest.raises(InvalidParameter, match="guarantee"):
        ResidualPlanner(SMALL, guarantee=ZCDP(rho=rho))


def test_nothing_to_hide_is_refused() -> None:
    count_only = ResidualWorkload({"a": 2}, [()])
    with pytest.raises(InvalidParameter, match="number of people"):
        ResidualPlanner(count_only, guarantee=HALF, neighbours="replace", records=3)
    workload: Any = {"a": 2}
    with pytest.raises(InvalidParameter, match="ResidualWorkload"):
        ResidualPlanner(workload, guarantee=HALF)


# Hostile data: refused before anything is drawn, and never shown

GOOD: dict[Any, Any] = {("a", "b"): CUBE.sum(2), ("b", "c"): CUBE.sum(0)}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (CUBE, "mapping"),
        ({}, "all needed"),
        ({("a", "b"): GOOD["a", "b"]}, "none of"),
        (GOOD | {"a": [1, 2]}, "only tables"),
        (GOOD | {"z": [1, 2]}, "attributes"),
        (GOOD | {("a", "b"): CUBE.sum(2).T}, "shape"),
        (GOOD | {("a", "b"): SECRET}, "shape"),
        (GOOD | {("a", "b"): -CUBE.sum(2)}, "integers"),
        (GOOD | {("a", "b"): CUBE.sum(2) + 0.5}, "integers"),
        (GOOD | {("a", "b"): CUBE.sum(2) * 1.0}, "integers"),
        (GOOD | {("a", "b"): CUBE.sum(2) * 10**9}, "same people"),
        (GOOD | {("a", "b"): np.full((2, 3), 2**62)}, "integers"),
        (GOOD | {("a", "b"): CUBE.sum(2)[::-1] + np.arange(3)}, "same people"),
        (GOOD | {("a", "b"): np.ma.masked_array(CUBE.sum(2))}, "masked"),
        (GOOD | {("a", "b"): [[str(SECRET)] * 3] * 2}, "integers"),
        (GOOD | {("a", "b"): [[None] * 3] * 2}, "integers"),
        (GOOD | {("a", "b"): [[1, 2], [3]]}, "integers"),
        (GOOD | {("a", "b"): [[SECRET * 10**30] * 3] * 2}, "integers"),
    ],
)
def test_bad_tables_are_refused(value: Any, hint: str) -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    with pytest.raises(InvalidParameter, match=hint) as refusal:
        planner.release(value, NoEntropy())
    assert str(SECRET) not in str(refusal.value)
    assert str(CUBE.sum()) not in str(refusal.value)


def test_tables_that_disagree_in_one_person_only() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    moved = CUBE.sum(2).copy()
    moved[0, 0] += 1
    moved[0, 1] -= 1
    with pytest.raises(InvalidParameter, match="same people"):
        planner.release(GOOD | {("a", "b"): moved}, NoEntropy())
    moved[0, 1] += 1
    moved[1, 0] -= 1  # the b-marginal is as before: both tables may be true
    planner.release(GOOD | {("a", "b"): moved})


@pytest.mark.parametrize(
    ("records", "hint"),
    [
        ([[0, 0, SECRET]], "integers"),
        ([[0, 3, 0]], "`b`"),
        ([[2, 0, 0]], "`a`"),
        ([[0, 0, -1]], "integers"),
        ([[0, 0]], "columns"),
        ([0, 0, 0], "columns"),
        ([], "columns"),
        ([[0.0, 0.0, 1.0]], "integers"),
        ([["0", "1", "1"]], "integers"),
    ],
)
def test_bad_records_are_refused(records: Any, hint: str) -> None:
    with pytest.raises(InvalidParameter, match=hint) as refusal:
        ResidualPlanner(SMALL, guarantee=HALF).count(records)
    assert str(SECRET) not in str(refusal.value)


def test_the_public_number_must_be_right() -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF, neighbours="replace", records=275)
    with pytest.raises(InvalidParameter, match="records=275") as refusal:
        planner.release(planner.sum_cube(CUBE), NoEntropy())
    assert "276" not in str(refusal.value)


@pytest.mark.parametrize("marginal", [("a", "c"), "z", ("a", "a"), 3, ("b", "a", "c")])
def test_questions_about_other_marginals_are_refused(marginal: Any) -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    answers = noiseless(planner, CUBE)
    for question in (planner.variance, answers.table, answers.exact_table):
        with pytest.raises(InvalidParameter):
            question(marginal)


@pytest.mark.parametrize("source", [7, "seed", object()])
def test_seeds_are_refused(source: Any) -> None:
    planner = ResidualPlanner(SMALL, guarantee=HALF)
    with pytest.raises(InvalidParameter, match="source"):
        planner.release(GOOD, source)
