"""Where the linear program and its proofs end: an answer or a refusal, never a bare error."""

from contextlib import suppress
from fractions import Fraction

import pytest

import leastnoise as ln
from leastnoise.certificates.make_least_noise import cut_off_radius
from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.cost import ABSOLUTE


@pytest.mark.spread(10)
@pytest.mark.parametrize("epsilon", ["49", "51", "690", "695", "700", "710", "1e4"])
@pytest.mark.parametrize("sensitivity", [2, 40])
@pytest.mark.parametrize("delta", ["1e-6", "0.3"])
def test_large_epsilons(epsilon: str, sensitivity: int, delta: str) -> None:
    found = ln.optimal(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    assert found.expected_cost().lower >= 0
    with suppress(UnsupportedQuery):
        assert found.certificate().check()


@pytest.mark.parametrize("delta", ["1e-30", "1e-39", "1e-50", "1e-300", "1e-330"])
def test_tiny_deltas(delta: str) -> None:
    found = ln.optimal(sensitivity=2, epsilon=30, delta=delta)
    assert found.expected_cost().upper < 1e-10


@pytest.mark.parametrize(
    ("sensitivity", "epsilon", "delta", "radius"),
    [
        (3, "1", "1e-6", 41),  # 3·log(1 + (e − 1)·10^6/2) = 40.98…
        (2, "0", "1e-3", 1000),
        (1, "1", "1e-400", 921),  # log(1e400·(e − 1)/2) = 920.88…
        (1, "1e4", "1e-400", 3),
        (1, "1e-20", "0.25", 2),
    ],
)
def test_where_the_law_ends(sensitivity: int, epsilon: str, delta: str, radius: int) -> None:
    problem = Problem(sensitivity, Fraction(epsilon), Fraction(delta), ABSOLUTE)
    assert cut_off_radius(problem) == radius
