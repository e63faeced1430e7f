"""Canonical noise: the recursion, its optimality, and published figures."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import exp, mpf
from scipy.optimize import linprog

from leastnoise.noise import Canonical, DiscreteLaplace
from tests.noise import brute_force

PAIRS = [("0.1", "0.01"), ("1", "1e-6"), ("3", "0.2"), ("0", "0.125"), ("0.5", "0.9")]


@pytest.mark.parametrize(("epsilon", "delta"), PAIRS)
def test_tails_obey_the_recursion(epsilon: str, delta: str) -> None:
    law = Canonical(epsilon=epsilon, delta=delta)
    factor, leak = exp(brute_force.number(Fraction(epsilon))), brute_force.number(Fraction(delta))
    assert law.support is not None
    tail = (1 - leak) / (1 + factor)
    for k in range(1, law.support[1] + 3):
        assert abs(brute_force.middle(law.tail(k)) - tail) < mpf(10) ** -22
        tail = max(mpf(0), (tail - leak) / factor)


def test_without_delta_it_is_the_discrete_laplace_law() -> None:
    canonical, laplace = Canonical(epsilon="0.25", delta=0), DiscreteLaplace(scale=4)
    assert canonical.support is None
    for k in (-5, 0, 1, 30):
        assert canonical.pmf(k) == laplace.pmf(k)


@pytest.mark.parametrize(("epsilon", "delta"), PAIRS)
@pytest.mark.parametrize("power", [1, 2])
def test_no_integer_noise_does_better(epsilon: str, delta: str, power: int) -> None:
    """A linear program over all laws on −60..60, every event and both shifts: the same cost."""
    size, factor = 60, float(np.exp(float(epsilon)))
    points = np.arange(-size, size + 1)
    n, outcomes = len(points), len(points) + 1
    law = np.eye(n, outcomes).T  # outcome k of X; the copy X + 1 is one row further down
    copy = np.eye(n, outcomes, k=1).T
    slack, none = np.eye(outcomes), np.zeros((outcomes, outcomes))
    budget = np.kron(np.eye(2), np.ones(outcomes))
    solution = linprog(
        np.concatenate([np.abs(points).astype(float) ** power, np.zeros(2 * outcomes)]),
        A_ub=np.block(
            [
                [law - factor * copy, -slack, none],
                [copy - factor * law, none, -slack],
                [np.zeros((2, n)), budget],
            ]
        ),
        b_ub=np.concatenate([np.zeros(2 * outcomes), [float(delta)] * 2]),
        A_eq=[np.concatenate([np.ones(n), np.zeros(2 * outcomes)])],
        b_eq=[1],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    found = float(Canonical(epsilon=epsilon, delta=delta).moment(power))
    assert found == pytest.approx(solution.fun, rel=1e-6)


def test_published_figures() -> None:
    """Source: the digest of Awan and Ramasethu, checked there by linear programming to 1e-15."""
    law = Canonical(epsilon="0.1", delta="0.01")
    assert abs(float(law.moment(1)) - 6.495) < 5e-4
    assert abs(float(law.moment(2)) - 66.2) < 5e-2
    assert abs(float(Canonical(epsilon=1, delta="1e-6").variance) - 1.841) < 5e-4
