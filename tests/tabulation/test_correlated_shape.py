"""How much noise to share: against all covariances, and against the price of every row."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from leastnoise.numeric import ball as balls
from leastnoise.tabulation.correlated_shape import CorrelatedShape

DIMENSIONS = [*range(1, 60), 99, 100, 101, 1000, 10**6, 10**6 + 7]


def least(columns: int) -> float:
    return float(balls.enclosure(CorrelatedShape(columns).least_variance))


def reached(columns: int, u: float) -> float:
    """J(u), over all k."""
    k = np.arange(columns + 1)
    return float((1 + 1 / u) * (k - k**2 / (u + columns)).max())


@pytest.mark.parametrize("columns", DIMENSIONS)
def test_the_bound_is_met(columns: int) -> None:
    shape = CorrelatedShape(columns)
    assert reached(columns, shape.best_ratio) == pytest.approx(least(columns), rel=1e-9)
    refinement = 1 << 14
    variance = (Fraction(1, shape.common**2) + Fraction(1, shape.own**2)) / (4 * refinement**2)
    cost = float(variance * shape.squared_sensitivity(refinement))
    assert 1 - 1e-12 <= cost / least(columns) < 1 + 1e-7


@pytest.mark.parametrize("columns", [2, 3, 7, 30])
def test_no_other_ratio_is_better(columns: int) -> None:
    for u in np.geomspace(0.01, 100 * columns, 2001):
        assert reached(columns, float(u)) >= least(columns) * (1 - 1e-12)


def test_it_is_the_known_variance_for_squares_and_less_otherwise() -> None:
    """Lebeda2025: (√d+1)²/4, a deviation of 5.5 instead of 10 at d = 100."""
    for columns in DIMENSIONS:
        known = (math.sqrt(columns) + 1) ** 2 / 4
        if math.isqrt(columns) ** 2 == columns:
            assert least(columns) == pytest.approx(known, rel=1e-12)
        else:
            assert least(columns) < known
    assert balls.enclosure(CorrelatedShape(100).least_variance).lower <= Fraction(121, 4)
    assert [least(d) for d in (1, 2, 3, 4, 5)] == pytest.approx([1, 4 / 3, 9 / 5, 9 / 4, 18 / 7])


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5])
def test_no_covariance_is_better(columns: int) -> None:
    """Descent over all covariances; maxima are norms of growing power."""
    rows = np.array(list(product([0, 1], repeat=columns)))[1:]
    corner = np.tril_indices(columns)

    def ends(entries: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        root = np.zeros((columns, columns))
        root[corner] = entries
        inverse = np.linalg.inv(root)
        return float((root**2).sum() / columns), ((rows @ inverse.T) ** 2).sum(axis=1)

    def smooth(entries: NDArray[np.float64], power: int) -> float:
        variance, squares = ends(entries)
        top = squares.max()
        return math.log(variance * top) + math.log(((squares / top) ** power).mean()) / power

    found = np.linalg.cholesky(0.3 * np.eye(columns) + 0.1)[corner].astype(np.float64)
    for power in (8, 64, 512):
        found = minimize(smooth, found, (power,), method="L-BFGS-B").x.astype(np.float64)
    variance, squares = ends(found)
    assert least(columns) * (1 - 1e-9) <= variance * squares.max() <= least(columns) * 1.01


@pytest.mark.parametrize(("columns", "refinement"), [(1, 1), (2, 3), (3, 2), (4, 5), (5, 4)])
def test_every_row_is_an_integer_shift_of_bounded_length(columns: int, refinement: int) -> None:
    shape = CorrelatedShape(columns)
    common, own = refinement * shape.common, refinement * shape.own
    worst = 0
    for row in product([0, 1], repeat=columns):
        lengths = []
        for c in range(2 * refinement + 1):
            first, rest = shape.common * c, [shape.own * (2 * refinement * b - c) for b in row]
            assert all(
                own * first + common * z == 2 * common * own * b
                for z, b in zip(rest, row, strict=True)
            )
            lengths.append(first**2 + sum(z**2 for z in rest))
        assert min(lengths) >= shape.squared_distance(sum(row), refinement)
        worst = max(worst, min(lengths))
    assert worst <= shape.squared_sensitivity(refinement)
    assert shape.worst_squared_distance(refinement) == max(
        shape.squared_distance(k, refinement) for k in range(columns + 1)
    )


@pytest.mark.parametrize("columns", [2, 3, 6, 17])
def test_the_distance_is_that_of_the_covariance(columns: int) -> None:
    """bᵀΣ⁻¹b, by solving a linear system."""
    shape, refinement = CorrelatedShape(columns), 8
    common, own = refinement * shape.common, refinement * shape.own
    covariance = (np.eye(columns) / own**2 + np.ones((columns, columns)) / common**2) / 4
    for ones in range(columns + 1):
        row = (np.arange(columns) < ones).astype(float)
        expected = row @ np.linalg.solve(covariance, row)
        assert float(shape.squared_distance(ones, refinement)) == pytest.approx(expected)
