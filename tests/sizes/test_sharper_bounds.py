"""One column, corners, two tables squared, variances: held against programs and brute force."""

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

from leastnoise.noise import DiscreteLaplace
from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.corner_bound import _root_total as corner_root
from leastnoise.sizes.barriers.corner_bound import (
    _total as corner_total,
)
from leastnoise.sizes.barriers.corner_bound import corner_barrier, square_corner_barrier
from leastnoise.sizes.barriers.group_sizes import Group
from leastnoise.sizes.barriers.impossible import barrier_at
from leastnoise.sizes.barriers.one_column_bound import _total as column_total
from leastnoise.sizes.barriers.one_column_bound import one_column_barrier
from leastnoise.sizes.barriers.two_tables_bound import root_two_tables_barrier
from leastnoise.sizes.barriers.variance_bound import variance_barrier
from leastnoise.sizes.barriers.window_bound import _chance as chance
from leastnoise.sizes.barriers.window_bound import window_barrier
from leastnoise.sizes.means_task import MeansTask
from leastnoise.sizes.sample_size import sample_size
from tests.sizes.least_errors import Tiny, least_cost, least_failure, least_mean_error

NONE = Fraction(0)


def group(size: int, epsilon: str, delta: str = "0") -> Group:
    return Group(size, size * Fraction(epsilon), Fraction(delta))


# One column


def weights(half: int, epsilon: float) -> dict[int, float]:
    """π of docs/proofs/sample_size.md, section 8."""
    sine, cosine = math.sinh(epsilon), math.cosh(epsilon)
    inner = {i: sine * cosine ** (half - 1 - abs(i)) for i in range(-half, half + 1)}
    return inner | {0: 2 * sine * cosine ** (half - 1), half: 1.0, -half: 1.0}


@pytest.mark.parametrize("half", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_weights_meet_at_every_threshold(half: int, epsilon: float) -> None:
    prior, b = weights(half, epsilon), math.exp(-epsilon)
    for i in range(1, half + 1):
        above = sum(prior[j] * b ** (j - i) for j in prior if j >= i)
        below = sum(prior[j] * b ** (i - j) for j in prior if j < i)
        assert above == pytest.approx(math.cosh(epsilon) ** (half - i))
        assert below == pytest.approx(above)
    share = 2 * sum(math.cosh(epsilon) ** i for i in range(half)) / sum(prior.values())
    found = balls.enclosure(lambda: column_total(group(1, str(epsilon)), half))
    assert float(found) == pytest.approx(2 * share)


def test_one_column_formula_with_leak_and_copies() -> None:
    found = balls.enclosure(lambda: column_total(group(3, "0.2", "0.001"), 4))
    prior = weights(4, 0.6)
    share = 2 * sum(math.cosh(0.6) ** i for i in range(4)) / sum(prior.values())
    assert float(found) == pytest.approx(6 * (share - 8 * 0.001 / math.expm1(0.6)))


@pytest.mark.parametrize(
    ("records", "epsilon", "delta", "near"),
    [(2, "1", "0", 1), (8, "1", "0", 0.99), (8, "0.3", "0", 0.99), (8, "1", "0.01", 0.85)],
)
def test_one_column_against_the_program(
    records: int, epsilon: str, delta: str, near: float
) -> None:
    """The least of all mechanisms, whose answers may as well be possible sums."""
    tiny = Tiny(1, records, 2)
    best = least_cost(tiny, tiny.errors().mean(axis=2), float(epsilon), float(delta))
    barrier = one_column_barrier(Fraction(epsilon), Fraction(delta), records)
    assert barrier is not None
    assert barrier.records == records
    assert near * best - 1e-7 <= barrier.total <= best + 1e-7


@pytest.mark.parametrize("epsilon", ["0.05", "1", "4"])
def test_one_column_leaves_nothing_to_gain(epsilon: str) -> None:
    """2/sinh ε, reached by geometric noise on the count of ones."""
    barrier = one_column_barrier(Fraction(epsilon), NONE, 10**7)
    assert barrier is not None
    achieved = 2 * DiscreteLaplace(scale=1 / Fraction(epsilon)).moment(1).upper
    assert 0.999 * achieved < barrier.total < achieved
    assert float(achieved) == pytest.approx(2 / math.sinh(float(epsilon)))


@pytest.mark.parametrize(
    ("epsilon", "error", "records"), [(1, "0.05", 35), (1, "0.001", 1702), (3, "0.05", 4)]
)
def test_sample_sizes_that_are_exact(epsilon: int, error: str, records: int) -> None:
    plan = sample_size(dimension=1, error=error, epsilon=epsilon, objective="average")
    assert plan.records == plan.impossible_below == records
    assert plan.reason == "one column"


def test_one_record_is_left_to_two_tables() -> None:
    assert one_column_barrier(Fraction(1), NONE, 1) is None
    found = barrier_at(
        MeansTask(dimension=1, epsilon=1, delta=0, objective="average", confidence=None), 1
    )
    assert found is not None
    assert found.argument in ("two tables", "corners")
    assert float(found.total) == pytest.approx(2 / (1 + math.e))


# Two tables, squared


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0"), ("2.5", "0"), ("1", "0.05")])
def test_root_of_two_tables_is_what_randomised_response_has(epsilon: str, delta: str) -> None:
    """One record ±1: the best answer to what leaks, or to a truth with odds e^ε."""
    barrier = root_two_tables_barrier(Fraction(epsilon), Fraction(delta), 1)
    assert barrier is not None
    truth = 1 / (1 + math.exp(-float(epsilon)))
    answer = 2 * truth - 1
    square = (1 - float(delta)) * (truth * (1 - answer) ** 2 + (1 - truth) * (1 + answer) ** 2)
    assert float(barrier.total) == pytest.approx(math.sqrt(square))


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "3", "6"])
def test_gap_of_one_squared_column(epsilon: str) -> None:
    """At large ε nothing is lost; the worst is about 1.6."""
    plan = sample_size(dimension=1, error="0.001", epsilon=epsilon, objective="squared")
    assert 1 <= plan.gap < Fraction(8, 5)


# Corners


@pytest.mark.parametrize(
    ("dimension", "epsilon", "total"), [(10, 1, 2.140427), (5, 3, 0.478940), (1, 1, 0.537883)]
)
def test_golden_corners(dimension: int, epsilon: int, total: float) -> None:
    barrier = corner_barrier(dimension, Fraction(epsilon), 1000)
    assert barrier is not None
    assert float(barrier.total) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 0.5), (3, 1.0)])
def test_corners_are_the_program_at_one_record(dimension: int, epsilon: float) -> None:
    best = least_cost(
        Tiny(dimension, 1, 2), Tiny(dimension, 1, 2).errors().mean(axis=2), epsilon, 0
    )
    found = balls.enclosure(lambda: corner_total(group(1, str(epsilon)), dimension))
    assert float(found) == pytest.approx(best, rel=1e-7)


def test_corners_against_all_mechanisms_for_two_columns() -> None:
    tiny = Tiny(2, 2, 1)
    barrier = corner_barrier(2, Fraction(1), 2)
    assert barrier is not None
    best = least_mean_error(tiny, 1.0, 0.0) + tiny.step / 2  # kinks of the cost are on the grid
    assert 0.5 * best < barrier.total <= best + 1e-7


@pytest.mark.parametrize(("dimension", "loss"), [(2, "0.5"), (4, "1"), (6, "3")])
def test_no_weights_know_more_of_a_corner(dimension: int, loss: str) -> None:
    """‖E x‖² for half-spaces and random sets weighted by e^loss, against the bound on it."""
    corners = np.array(list(product((-1, 1), repeat=dimension)), dtype=float)
    least = float(balls.enclosure(lambda: corner_root(group(1, loss), dimension)))
    generator = np.random.default_rng(5)
    for _ in range(200):
        favoured = corners @ generator.standard_normal(dimension) > generator.normal()
        chances = np.where(favoured, math.exp(float(loss)), 1.0)
        mean = chances @ corners / chances.sum()
        assert 1 - mean @ mean / dimension >= least**2 - 1e-12


def test_golden_square_corners() -> None:
    """Many columns: t = d/(3ε), 0.19·d/ε; the formula by hand for few."""
    many = square_corner_barrier(10**4, Fraction(1), 10**6)
    few = square_corner_barrier(5, Fraction(3), 10)
    assert many is not None
    assert few is not None
    assert float(many.total) == pytest.approx(1925.6, rel=1e-3)
    assert float(few.total) == pytest.approx(math.sqrt(1 - 4 * math.log(math.cosh(1.5)) / 5))
    assert square_corner_barrier(1, Fraction(40), 10) is None


# Without bias


def test_variances_by_hand() -> None:
    assert float(variance_barrier(8, Fraction(2), 100).total) == pytest.approx(4)  # 2·√(8/2)
    assert [variance_barrier(d, Fraction(2), 100).records for d in (1, 5, 8, 9)] == [1, 8, 8, 16]
    five = 2 * (math.sqrt(2) + 3) / math.sqrt(5 * 2)  # on four places: 2, 1, 1, 1
    assert float(variance_barrier(5, Fraction(2), 7).total) == pytest.approx(five)
    assert variance_barrier(5, Fraction(2), 7).records == 4


@pytest.mark.parametrize(("dimension", "places"), [(5, 4), (3, 4), (8, 2)])
def test_signs_spread_as_the_proof_says(dimension: int, places: int) -> None:
    """The eigenvalues of A, by numpy."""
    signs = np.array([[1.0]])
    while len(signs) < places:
        signs = np.block([[signs, signs], [signs, -signs]])
    rows = 2 * signs[:, np.arange(dimension) % places]
    values = np.linalg.eigvalsh(rows.T @ rows / places)
    root = np.sqrt(np.maximum(values, 0)).sum()
    found = variance_barrier(dimension, Fraction(1), places)
    assert float(found.total) == pytest.approx(root / math.sqrt(dimension))


def test_every_bound_with_its_scope() -> None:
    plan = sample_size(dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="squared")
    assert [bound.scope for bound in plan.bounds] == [
        "every mechanism",
        "answers without bias",
        "answers without bias, 0.0280127-zCDP",
    ]
    assert [bound.records for bound in plan.bounds] == [93, 218, 2660]
    gaussian = next(o.records for o in plan.options if o.mechanism == "discrete Gaussian")
    assert gaussian / plan.bounds[2].records < 1.006
    assert "… answers without bias, 0.0280127-zCDP     2660  (variances)" in repr(plan)
    assert "<td>2660</td>" in plan._repr_html_()
    rival = sample_size(dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="average")
    assert len(rival.bounds) == 1


# One column with a confidence


@pytest.mark.parametrize(("epsilon", "records"), [("1", 12), ("2", 8), ("0.5", 14)])
@pytest.mark.parametrize("error", [1, 2, 3])
def test_windows_against_the_program(epsilon: str, records: int, error: int) -> None:
    """The least chance of a sum off by `error` or more; answers on the integers are enough."""
    best = least_failure(Tiny(1, records, 1), error - 0.5, float(epsilon), 0)
    half, near = records // 2, (error + 1) // 2
    margins = [margin for margin in range(4) if 2 * (near + margin) <= half]
    found = [
        float(balls.enclosure(partial(chance, Fraction(epsilon), error, half, margin)))
        for margin in margins
    ]
    assert best / 3 < max(found) <= best + 1e-7


@pytest.mark.parametrize("error", [1, 2, 5, 8])
@pytest.mark.parametrize("epsilon", ["0.3", "2"])
def test_windows_reach_geometric_noise(error: int, epsilon: str) -> None:
    """b^K for even errors, 2b^K/(1 + b) for odd ones, as e and h grow."""
    b, near = math.exp(-float(epsilon)), (error + 1) // 2
    limit = b**near * (1 if error % 2 == 0 else 2 / (1 + b))
    found = balls.enclosure(partial(chance, Fraction(epsilon), error, 10**6, 100))
    assert float(found) == pytest.approx(limit, rel=1e-3)
    assert float(found) < limit


@pytest.mark.parametrize(
    ("epsilon", "failure", "total"),
    [("1", "0.05", 5), ("0.1", "0.05", 59), ("0.1", "0.0001", 184), ("3", "0.4", 0)],
)
def test_golden_windows(epsilon: str, failure: str, total: int) -> None:
    """The greatest m with b^K or 2b^K/(1+b) above β. At ε = 1, 2e^−3/(1+e^−1) = 0.073, e^−3 < 0.05.

    At ε = 0.1, e^(−9.2) = 0.000101.
    """
    barrier = window_barrier(Fraction(epsilon), Fraction(failure), 10**9)
    assert (0 if barrier is None else barrier.total) == total


def test_windows_need_room() -> None:
    assert window_barrier(Fraction(1), Fraction(1, 20), 3) is None
    assert window_barrier(Fraction(31), Fraction(1, 20), 1000) is None
    assert window_barrier(Fraction(1, 10**20), Fraction(1, 10**400), 1000) is not None


@pytest.mark.parametrize(("epsilon", "gap"), [("1", "1.2"), ("0.1", "1.05"), ("0.02", "1.02")])
def test_gap_of_the_worst_of_one_column(epsilon: str, gap: str) -> None:
    plan = sample_size(
        dimension=1, error="0.001", epsilon=epsilon, objective="max", confidence="0.95"
    )
    assert 1 <= plan.gap <= Fraction(gap)
    assert plan.reason == "one column"
