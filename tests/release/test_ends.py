"""Ranges of numbers, perhaps with an unknown end: results of any two are in the result."""

from collections.abc import Callable
from fractions import Fraction
from math import inf

import pytest

from leastnoise.release.ask.ends import UNKNOWN, Ends, minus, plus, quotient, square, times

FEW: list[Ends] = [
    (Fraction(-2), Fraction(3)),
    (Fraction(1), Fraction(2)),
    (Fraction(-3), Fraction(0)),
    (Fraction(1, 2), inf),
    (-inf, Fraction(-1)),
    (-inf, Fraction(2)),
    UNKNOWN,
]
FAR = Fraction(10**9)


def inside(ends: Ends) -> list[Fraction]:
    """Some of the numbers of a range, its ends or far ones among them."""
    low, high = (max(-FAR, min(FAR, Fraction(min(max(end, -FAR), FAR)))) for end in ends)
    return [low, high, (low + high) / 2, (3 * low + high) / 4]


@pytest.mark.parametrize("other", FEW, ids=str)
@pytest.mark.parametrize("one", FEW, ids=str)
def test_results_of_two_numbers_are_in_the_range_of_results(one: Ends, other: Ends) -> None:
    rules: list[tuple[Callable[[Ends, Ends], Ends], Callable[[Fraction, Fraction], Fraction]]] = [
        (plus, lambda a, b: a + b),
        (minus, lambda a, b: a - b),
        (times, lambda a, b: a * b),
        (quotient, lambda a, b: a / b if b else a),
    ]
    for ends_of, result in rules:
        low, high = ends_of(one, other)
        for a in inside(one):
            for b in inside(other):
                assert low <= result(a, b) <= high


@pytest.mark.parametrize("ends", FEW, ids=str)
def test_squares_are_in_their_range_and_never_below_0(ends: Ends) -> None:
    low, high = square(ends)
    assert low >= 0
    assert all(low <= a * a <= high for a in inside(ends))


def test_products_with_an_unknown_end_are_no_wider_than_they_must_be() -> None:
    above, below = (Fraction(1, 2), inf), (-inf, Fraction(-1))
    assert times(above, above) == (Fraction(1, 4), inf)
    assert times(above, below) == (-inf, Fraction(-1, 2))
    assert times(below, below) == (Fraction(1), inf)
    assert times((Fraction(0), Fraction(0)), UNKNOWN) == (0, 0)
