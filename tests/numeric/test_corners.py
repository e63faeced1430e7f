"""Rare ends of the arithmetic: balls without ends, costs of all kinds, steep curves."""

import math
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from leastnoise.errors import InvalidParameter
from leastnoise.numeric import Interval
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Moment, OwnCost, TabulatedCost, TailProbability, checked_cost
from leastnoise.numeric.inverse import crossing
from leastnoise.numeric.real import Computable


def test_balls_without_ends() -> None:
    assert balls.interval(arb("nan")) == Interval(-math.inf, math.inf)
    assert balls.interval(arb("inf")) == Interval(math.inf, math.inf)
    assert balls.interval(arb("-inf")) == Interval(-math.inf, -math.inf)


@pytest.mark.parametrize("sign", [1, -1])
def test_balls_too_large_or_too_small_to_write_out(sign: int) -> None:
    huge = balls.interval(sign * arb(2) ** (2**40))
    assert (huge.upper if sign > 0 else huge.lower) == sign * math.inf
    assert sign * (huge.lower if sign > 0 else huge.upper) > 2**1000
    tiny = balls.interval(sign * arb(2) ** -(2**40))
    near, far = (tiny.lower, tiny.upper) if sign > 0 else (-tiny.upper, -tiny.lower)
    assert near == 0 < far < Fraction(1, 2**1000)


def test_intervals_in_text() -> None:
    third = Interval(Fraction(1, 3), Fraction(1, 3))
    assert f"{third:.3f}" == "0.333"
    assert f"{third}" == repr(third)


def test_computable_numbers_compare() -> None:
    root = Computable(lambda: arb(2).sqrt())
    assert root.compare(1) == 1
    assert root.compare(Fraction(3, 2)) == -1
    assert abs(float(root.ball()) - math.sqrt(2)) < 1e-12


@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(1), Fraction(50)])
@pytest.mark.parametrize("relative", [Fraction(1, 4), Fraction(1, 2**40), Fraction(1, 2**80)])
def test_crossings_of_falling_curves(rate: Fraction, relative: Fraction) -> None:
    def curve(x: Fraction) -> Fraction:
        return Fraction(math.exp(-float(rate * x)))

    goal, low, high = Fraction(1, 10), Fraction(0), Fraction(2000)
    low, high = crossing(curve, goal, low, high, relative=relative)
    assert curve(low) > goal >= curve(high)
    assert high - low <= max(relative, Fraction(1, 2**51)) * high
    assert float(low) == low


def test_crossings_of_curves_that_drop_to_nothing() -> None:
    low, high = crossing(
        lambda x: Fraction(x < 7),
        Fraction(1, 2),
        Fraction(1),
        Fraction(64),
        relative=Fraction(1, 99),
    )
    assert low < 7 <= high


def test_costs_of_all_kinds() -> None:
    assert Moment(1).name == "E|error|"
    assert Moment(3).growth == 3
    assert Moment("3/2").at(Fraction(1)) == Interval.exactly(1)
    assert abs(float(Moment("3/2").at(Fraction(4))) - 8) < 1e-12
    tail = TailProbability(threshold=3)
    assert tail.name == "P(|error| > 3)"
    assert tail.growth == 0
    own = OwnCost(lambda error: min(error, Fraction(10)), growth=1, label="capped error")
    assert own.name
    assert own.at(Fraction(25)) == Interval.exactly(10)


def test_tabulated_costs() -> None:
    table = TabulatedCost((Fraction(0), Fraction(2), Fraction(5)), Fraction(1, 2))
    assert table.name == "E[cost by a table of 3 values, 0 to 5]"
    assert table.growth == 0
    assert table.at(Fraction(1)) == Interval.exactly(5)
    assert table.at(Fraction(9)) == Interval(Fraction(5), math.inf)
    assert table.at(Fraction(3, 4)) == Interval(Fraction(2), math.inf)
    with pytest.raises(InvalidParameter, match="cost"):
        checked_cost("cheap")
    assert checked_cost("squared") == Moment(2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Moment("1/2"), "order"),
        (lambda: Moment(65), "order"),
        (lambda: TailProbability(-1), "threshold"),
        (lambda: OwnCost(3), "function"),  # type: ignore[arg-type]
        (lambda: OwnCost(lambda error: error, growth=33), "growth"),
    ],
)
def test_costs_that_are_none(make: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        make()
