"""Uniform noise for (0, δ): the corrected formulas, optimality, and the comparison it wins."""

from fractions import Fraction

import pytest

from leastnoise.noise import TableLaw, Uniform
from leastnoise.numeric.interval import Interval


@pytest.mark.parametrize(("sensitivity", "steps"), [(1, 1), (1, 5), (2, 3), (5, 4), (7, 50)])
def test_costs_where_one_over_two_delta_is_an_integer(sensitivity: int, steps: int) -> None:
    """E|X| = Δ/(4δ), also the lower bound for all laws; E X² = Δ²/(12δ²) + 1/6."""
    delta = Fraction(1, 2 * steps)
    law = Uniform(sensitivity=sensitivity, delta=delta)
    assert law.moment(1) == Interval.exactly(sensitivity / (4 * delta))
    square = sensitivity**2 / (12 * delta**2) + Fraction(1, 6)
    assert law.moment(2) == Interval.exactly(square)


@pytest.mark.parametrize("sensitivity", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("delta", ["0.25", "0.3", "1/7", "0.6", "0.7", "0.95", "0.013"])
def test_delta_is_met_exactly_and_no_less_holds(sensitivity: int, delta: str) -> None:
    law = Uniform(sensitivity=sensitivity, delta=delta)
    verdict = law.verify(sensitivity=sensitivity, epsilon=0, delta=delta)
    assert verdict
    assert verdict.attained == Interval.exactly(Fraction(delta))
    smaller = Fraction(delta) * Fraction(10**12 - 1, 10**12)
    assert not law.verify(sensitivity=sensitivity, epsilon=0, delta=smaller)


@pytest.mark.parametrize("sensitivity", [1, 2, 5])
@pytest.mark.parametrize("delta", ["0.3", "4/13", "0.11", "0.45"])
def test_error_is_stochastically_below_that_of_equal_atoms(sensitivity: int, delta: str) -> None:
    law = Uniform(sensitivity=sensitivity, delta=delta)
    count = -int(-sensitivity // Fraction(delta))
    atoms = TableLaw({k - count // 2: 1 for k in range(count)})
    assert atoms.verify(sensitivity=sensitivity, epsilon=0, delta=delta)
    for k in range(count):
        assert law.shape.outside(k).interval().upper <= atoms.shape.outside(k).interval().lower
    assert law.moment(1).upper < atoms.moment(1).lower


def test_even_sensitivity_and_large_delta() -> None:
    """Δ = 2, δ = 0.7: one overlapping point; t = (Δ−1)(1−δ)/(2δ−1) = 3/4, Z = 5/2."""
    law = Uniform(sensitivity=2, delta="0.7")
    assert [law.pmf(k).lower for k in (0, 1, 2)] == [Fraction(2, 5), Fraction(3, 10), 0]
