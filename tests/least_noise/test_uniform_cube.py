"""Uniform noise on vectors under (0, δ): exact costs, bounds, and the slides."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.least_noise.vector.uniform_cube import uniform_cube
from leastnoise.least_noise.vector.uniform_cube_bound import half_line_bound
from leastnoise.numeric.interval import Interval

CASES = [
    (1, Fraction(1, 4)), (2, Fraction(1, 4)), (3, Fraction(1, 4)), (4, Fraction(1, 10)),
    (5, Fraction(3, 20)), (7, Fraction(1, 3)), (6, Fraction(2, 7)), (9, Fraction(1, 7)),
]  # fmt: skip
each_case = pytest.mark.parametrize(("sensitivity", "delta"), CASES)
each_order = pytest.mark.parametrize("order", [1, 2])


def half_lines(sensitivity: int, delta: Fraction, order: int) -> float:
    """The linear program over all half-lines, of tails T(1), T(2), …"""
    leak, last = float(delta), int(sensitivity / (2 * delta)) + 3 * sensitivity
    rows, limits = [], []
    for k in range(last - sensitivity):
        row = np.zeros(last)
        row[k], row[k + sensitivity] = 1, -1
        rows.append(row)
        limits.append(leak)
    for j in range(sensitivity):
        row = np.zeros(last)
        row[j] -= 1
        row[sensitivity - j - 1] -= 1
        rows.append(row)
        limits.append(leak - 1)
    prices = [2.0 * ((k + 1) ** order - k**order) for k in range(last)]
    return float(linprog(prices, A_ub=np.array(rows), b_ub=limits).fun)


def all_events(sensitivity: int, delta: Fraction, order: int) -> float:
    """The linear program over all events, for one number: nothing is better than this."""
    reach = int(sensitivity / (2 * delta)) + 2 * sensitivity
    size = 2 * reach + 1
    columns = size * (1 + sensitivity)
    rows, limits = [], []
    for shift in range(1, sensitivity + 1):
        excess = size * shift
        total = np.zeros(columns)
        total[excess : excess + size] = 1
        rows.append(total)
        limits.append(float(delta))
        for k in range(size):
            row = np.zeros(columns)
            row[k], row[excess + k] = 1, -1
            if k >= shift:
                row[k - shift] -= 1
            rows.append(row)
            limits.append(0.0)
    prices = np.zeros(columns)
    prices[:size] = np.abs(np.arange(-reach, reach + 1.0)) ** order
    whole = np.zeros((1, columns))
    whole[0, :size] = 1
    return float(linprog(prices, A_ub=np.array(rows), b_ub=limits, A_eq=whole, b_eq=[1.0]).fun)


@each_case
@each_order
def test_bound_is_the_optimum_over_half_lines(
    sensitivity: int, delta: Fraction, order: int
) -> None:
    found = half_line_bound(sensitivity, delta, order)
    assert float(found) == pytest.approx(half_lines(sensitivity, delta, order), rel=1e-9)


@pytest.mark.parametrize(
    ("sensitivity", "delta", "order", "optimum"),
    [(2, "1/4", 2, 38 / 7), (3, "1/4", 1, 3.0), (1, "1/4", 2, 1.5)],
)
def test_bound_beside_the_optimum_over_all_events(
    sensitivity: int, delta: str, order: int, optimum: float
) -> None:
    """Errata C2 and C3: exact for E|X|, close for squares."""
    leak = Fraction(delta)
    exact = all_events(sensitivity, leak, order)
    assert exact == pytest.approx(optimum, rel=1e-9)
    assert float(half_line_bound(sensitivity, leak, order)) <= exact * (1 + 1e-9)
    cube = uniform_cube(dimension=1, sensitivity=sensitivity, delta=leak)
    assert exact <= float(cube.cost(order)) * (1 + 1e-9)


@pytest.mark.parametrize("dimension", [1, 3, 50])
@pytest.mark.parametrize("sensitivity", [1, 4, 101])
@pytest.mark.parametrize("n", [1, 5, 500])
def test_closed_forms(dimension: int, sensitivity: int, n: int) -> None:
    """Errata C1: dΔ/(4δ) and d(Δ²/(12δ²) + 1/6), and the first is optimal."""
    delta = Fraction(1, 2 * n)
    cube = uniform_cube(dimension=dimension, sensitivity=sensitivity, delta=delta)
    assert cube.cost(1) == cube.bound(1) == Interval.exactly(dimension * sensitivity / (4 * delta))
    assert cube.ratio(1) == Interval.exactly(1)
    square = Fraction(sensitivity**2) / (12 * delta**2) + Fraction(1, 6)
    assert cube.cost(2) == Interval.exactly(dimension * square)
    assert cube.bound(2).upper <= cube.cost(2).lower
    for order in (1, 2):
        assert cube.printed_bound(order).upper <= cube.bound(order).lower
    if sensitivity == 1:
        assert cube.bound(2) == cube.cost(2)


def test_errata_c12() -> None:
    cube = uniform_cube(dimension=3, sensitivity=4, delta="0.1")
    assert [float(cube.printed_bound(order)) for order in (1, 2)] == [25.5, 313.5]
    assert [float(cube.bound(order)) for order in (1, 2)] == [30, 396]
    assert [float(cube.cost(order)) for order in (1, 2)] == [30, 400.5]


@each_case
@each_order
def test_other_deltas_are_close(sensitivity: int, delta: Fraction, order: int) -> None:
    cube = uniform_cube(dimension=2, sensitivity=sensitivity, delta=delta)
    assert cube.ratio(order).lower >= 1
    assert cube.ratio(order).upper < Fraction(6, 5)


def test_as_delta_falls_the_ratio_tends_to_one() -> None:
    ratios = [
        float(uniform_cube(dimension=1, sensitivity=5, delta=Fraction(1, 2 * n)).ratio(2))
        for n in (2, 10, 100)
    ]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[-1] < 1.0001


def test_the_law_keeps_its_promise_and_has_mean_zero() -> None:
    cube = uniform_cube(dimension=2, sensitivity=3, delta="0.3")
    assert cube.law.verify(sensitivity=3, epsilon=0, delta="0.3")
    assert not cube.law.verify(sensitivity=3, epsilon=0, delta="0.299999999")
    assert cube.law.pmf((2, -3)) == cube.law.pmf((-2, 3))
    drawn = cube.law.sample(10_000)
    assert np.abs(drawn.mean(axis=0)).max() < 5 * 3 / 100


def test_refusals() -> None:
    cube = uniform_cube(dimension=2, sensitivity=3, delta="0.3")
    with pytest.raises(UnsupportedQuery, match="1/2, 1/4"):
        cube.printed_bound(1)
    with pytest.raises(InvalidParameter, match="`order` must"):
        cube.cost(3)
    wide = uniform_cube(dimension=2, sensitivity=10**6, delta="0.1")
    assert wide.bound(1) == wide.cost(1)
    with pytest.raises(UnsupportedQuery, match="bound on squares"):
        wide.bound(2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("dimension", 0), ("sensitivity", 0), ("sensitivity", 1.0), ("delta", 0), ("delta", "0.6"),
     ("delta", float("nan"))],
)  # fmt: skip
def test_bad_parameters(name: str, value: Any) -> None:
    good: dict[str, Any] = {"dimension": 2, "sensitivity": 3, "delta": "0.1"}
    with pytest.raises(InvalidParameter, match=rf"`{name}` must"):
        uniform_cube(**{**good, name: value})
