"""All half-lines, those that straddle 0 too; limits of the ratio; ε = 0."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from leastnoise.certificates.problem import Problem
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.least_noise.scalar.noise_bounds import noise_bounds, ratio_limit, uniform_bounds
from leastnoise.least_noise.scalar.straddling_program import straddling_bound
from leastnoise.numeric.cost import Moment
from leastnoise.numeric.interval import Interval


def program(epsilon: float, delta: float, width: int, order: int, places: int) -> float:
    """The same program by HiGHS: tails T(1), …, T(places), and 0 beyond."""
    growth, rows, limits = math.exp(epsilon), [], []
    for k in range(1, places + 1):  # T(k) − e^ε·T(k+Δ) ≤ δ
        row = np.zeros(places)
        row[k - 1] = 1
        if k + width <= places:
            row[k + width - 1] = -growth
        rows.append(row)
        limits.append(delta)
    for j in range(width):
        row = np.zeros(places)
        row[j] -= 1
        row[width - j - 1] -= growth
        rows.append(row)
        limits.append(delta - 1)
    costs = [2.0 * (k**order - (k - 1) ** order) for k in range(1, places + 1)]
    found = linprog(costs, np.array(rows), limits, bounds=(0, 1), method="highs")
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize(
    ("epsilon", "delta", "width", "order"),
    [
        ("1", "0.01", 3, 2),
        ("0.3", "0.01", 5, 1),
        ("0.5", "0.05", 2, 1),
        ("2", "0.1", 4, 3),
        ("0.1", "0.2", 6, 2),
    ],
)
def test_against_the_program(epsilon: str, delta: str, width: int, order: int) -> None:
    problem = Problem(width, Fraction(epsilon), Fraction(delta), Moment(order))
    found = straddling_bound(problem)
    other = program(float(epsilon), float(delta), width, order, 40 * width)
    assert float(found) == pytest.approx(other, rel=1e-8)
    assert found.width < 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.01"), ("0.2", "0.003")])
@pytest.mark.parametrize("order", [1, 2])
def test_at_sensitivity_one_it_is_the_optimum(epsilon: str, delta: str, order: int) -> None:
    bounds = noise_bounds(epsilon=epsilon, delta=delta, moment=order)
    assert bounds.straddling is not None
    assert float(bounds.straddling) == pytest.approx(float(bounds.half_lines), rel=1e-12)


def test_golden_values_between_half_lines_and_optimum() -> None:
    """Δ = 5, ε = 0.3, δ = 0.01: 12.5206 ≤ 13.6354 ≤ 13.8169 (`optimal`'s own program)."""
    bounds = noise_bounds(epsilon="0.3", delta="0.01", sensitivity=5)
    assert bounds.straddling == bounds.lower
    assert float(bounds.lower) == pytest.approx(13.635395, abs=1e-6)
    assert float(bounds.half_lines) == pytest.approx(12.520627, abs=1e-6)
    assert float(bounds.ratio) == pytest.approx(16.656671 / 13.635395, abs=1e-6)


def test_too_large() -> None:
    problem = Problem(65, Fraction(1), Fraction(1, 10), Moment(1))
    with pytest.raises(UnsupportedQuery, match="at most 64"):
        straddling_bound(problem)
    with pytest.raises(UnsupportedQuery, match="at most 4096 periods"):
        straddling_bound(Problem(2, Fraction(1, 10**4), Fraction(1, 10**9), Moment(1)))
    assert noise_bounds(epsilon=1, delta="0.1", sensitivity=65).straddling is None


@pytest.mark.parametrize(("width", "order"), [(1, 1), (1, 2), (2, 2), (3, 1), (4, 3)])
def test_without_epsilon(width: int, order: int) -> None:
    """The same as `uniform_bounds`, which has its own tests; and there is no Laplace noise."""
    bounds = noise_bounds(epsilon=0, delta="0.25", sensitivity=width, moment=order)
    exact = uniform_bounds(delta="0.25", sensitivity=width, moment=order)
    assert bounds.laplace is None
    assert bounds.upper == bounds.uniform == Interval.exactly(exact.upper)
    assert bounds.lower == Interval.exactly(exact.lower)
    assert (bounds.straddling is None) == (order > 2 and width > 1)


def test_without_epsilon_delta_must_not_be_tiny() -> None:
    with pytest.raises(InvalidParameter, match="at least 1e-6 here"):
        noise_bounds(epsilon=0, delta="1e-9")


def test_limits_of_the_ratio() -> None:
    """Errata C7: 2.2188 and 5.5087; ratios at small ε come near them from below."""
    assert float(ratio_limit()) == pytest.approx(1 / (1 - math.log(3) / 2), rel=1e-14)
    assert float(ratio_limit(moment=2)) == pytest.approx(5.5087, abs=5e-5)
    near = noise_bounds(epsilon="0.02", delta="0.005").ratio
    assert float(ratio_limit()) - 0.02 < float(near) < float(ratio_limit())
    with pytest.raises(InvalidParameter, match="`moment`"):
        ratio_limit(moment=3)


@pytest.mark.parametrize("moment", [1, 2])
def test_the_limit_is_the_largest_over_all_shares(moment: int) -> None:
    def ratio(s: float) -> float:
        far = math.log1p(1 / (2 * s))
        if moment == 1:
            return min(1, 1 / (4 * s)) / (1 - 2 * s * far)
        return min(2, 1 / (12 * s * s)) / (2 - 4 * s * (far + far * far / 2))

    largest = max(ratio(s) for s in np.geomspace(1e-3, 30, 4001))
    assert largest <= float(ratio_limit(moment=moment)) + 1e-9
    assert largest == pytest.approx(float(ratio_limit(moment=moment)), rel=1e-2)
