"""Chords of the lowered cost lie below the true one: what a bound for the whole line rests on."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.certificates.chord_cost import ChordCost
from leastnoise.numeric.cost import Cost, Moment, TailProbability

COSTS: list[Cost] = [
    Moment(1),
    Moment("1.5"),
    Moment(2),
    Moment("2.5"),
    Moment(3),
    TailProbability("1.3"),
]


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
@settings(max_examples=60, deadline=None)
@given(
    cell=st.integers(0, 40),
    share=st.fractions(0, 1, max_denominator=50),
    step=st.fractions(Fraction(1, 50), 3, max_denominator=50),
)
def test_chords_lie_below(cost: Cost, cell: int, share: Fraction, step: Fraction) -> None:
    lowered = ChordCost(cost, step)
    left, right = (Fraction(lowered.at(k * step).lower) for k in (cell, cell + 1))
    assert (1 - share) * left + share * right <= cost.at((cell + share) * step).upper


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
def test_little_is_lost_on_a_fine_lattice(cost: Cost) -> None:
    lowered = ChordCost(cost, Fraction(1, 1000))
    for error in (Fraction(1, 2), Fraction(2), Fraction(7)):
        assert float(cost.at(error)) - float(lowered.at(error).lower) < 1e-5


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
def test_it_is_named_and_grows_as_the_cost_does(cost: Cost) -> None:
    lowered = ChordCost(cost, Fraction(1, 7))
    assert (lowered.name, lowered.growth) == (cost.name, cost.growth)
