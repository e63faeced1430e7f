"""The discrete staircase: optimal width, published costs, an independent linear program."""

import math
from fractions import Fraction

import pytest
from scipy.optimize import linprog

from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteLaplace, Staircase


def test_width_and_sensitivity_one_is_the_discrete_laplace_law() -> None:
    stairs, laplace = Staircase(sensitivity=1, epsilon="0.4", width=1), DiscreteLaplace("2.5")
    for k in range(-3, 4):
        assert stairs.pmf(k) == laplace.pmf(k)


@pytest.mark.parametrize("sensitivity", [1, 2, 5])
@pytest.mark.parametrize("epsilon", ["0.7", "2"])
@pytest.mark.parametrize("power", [1, 2])
def test_best_width_attains_the_linear_program(sensitivity: int, epsilon: str, power: int) -> None:
    """Least cost over all ε-DP integer laws on −N..N with a free tail ratio (errata C14)."""
    size = math.ceil(sensitivity * 40 / float(epsilon))
    factor = math.exp(float(epsilon))
    # By symmetry and convexity it is enough to look at symmetric laws: one variable a magnitude.
    rows, bounds = [], []
    for i in range(size + 1):
        for d in range(1, sensitivity + 1):
            for partner in {i + d, abs(i - d)}:
                if partner <= size:
                    row = [0.0] * (size + 1)
                    row[i] += 1
                    row[partner] -= factor
                    rows.append(row)
                    bounds.append(0.0)
    cost = [2.0 * i**power if i else 0.0 for i in range(size + 1)]
    mass = [[2.0 if i else 1.0 for i in range(size + 1)]]
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    solution = linprog(cost, A_ub=rows, b_ub=bounds, A_eq=mass, b_eq=[1], options=tight)
    best = min(
        float(Staircase(sensitivity=sensitivity, epsilon=epsilon, width=r).moment(power))
        for r in range(1, sensitivity + 1)
    )
    assert best == pytest.approx(solution.fun, rel=1e-6)


def test_fine_lattice_approaches_the_continuous_optimum() -> None:
    """ℓ1: γ* = 1/(1 + e^{ε/2}), cost e^{ε/2}/(e^ε − 1) per unit of sensitivity."""
    unit, epsilon = 2**30, 2.0
    width = round(unit / (1 + math.exp(epsilon / 2)))
    cost = float(Staircase(sensitivity=unit, epsilon=epsilon, width=width).moment(1)) / unit
    assert cost == pytest.approx(math.exp(epsilon / 2) / (math.exp(epsilon) - 1), rel=1e-8)


@pytest.mark.parametrize(
    "arguments",
    [
        {"width": 0},
        {"width": 4},
        {"width": 1.0},
        {"width": True},
        {"sensitivity": 0},
        {"sensitivity": 2.5},
        {"sensitivity": 2**63},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": "nan"},
        {"epsilon": math.inf},
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, object]) -> None:
    good = {"sensitivity": 3, "epsilon": Fraction(1), "width": 1}
    with pytest.raises(InvalidParameter):
        Staircase(**{**good, **arguments})  # type: ignore[arg-type]
