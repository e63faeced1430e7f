"""Zeros of polynomials in (0, 1), told apart with certainty."""

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import Undecided
from leastnoise.numeric.ball import ball
from leastnoise.numeric.real_roots import bernstein, crossings, sign_changes


def from_roots(roots: list[Fraction]) -> list[Fraction]:
    product = [Fraction(1)]
    for root in roots:
        lifted, kept = [Fraction(0), *product], [*product, Fraction(0)]
        product = [a - root * b for a, b in zip(lifted, kept, strict=True)]
    return product


# Denominators that are no powers of two: cuts are dyadic and never meet a zero.
thirds = st.fractions(-2, 3, max_denominator=1).flatmap(
    lambda whole: st.integers(1, 998).map(lambda part: whole + Fraction(part, 999))
)


@given(st.lists(thirds, unique=True, max_size=7))
def test_every_zero_is_found_once(roots: list[Fraction]) -> None:
    coefficients = from_roots(roots)
    found = crossings(lambda: [ball(value) for value in coefficients])
    inside = sorted(root for root in roots if 0 < root < 1)
    assert len(found) == len(inside)
    rises = sum(root > 1 for root in roots) % 2 == len(inside) % 2
    for crossing, root in zip(found, inside, strict=True):
        assert 0 < crossing.lower < root < crossing.upper <= 1
        assert crossing.rises != rises
        rises = crossing.rises


@pytest.mark.parametrize("power", [40, 400, 4000])
def test_tiny_zeros_cost_little(power: int) -> None:
    tiny = Fraction(1, 3**power)
    coefficients = from_roots([tiny, 2 * tiny, Fraction(1, 3)])
    found = crossings(lambda: [ball(value) for value in coefficients])
    assert [crossing.rises for crossing in found] == [True, False, True]
    assert found[0].lower < tiny < found[1].lower < 2 * tiny < found[1].upper


@pytest.mark.parametrize("root", [Fraction(1, 3), Fraction(1, 2)])
def test_a_double_zero_is_not_guessed(root: Fraction) -> None:
    coefficients = from_roots([root, root])
    with pytest.raises(Undecided, match="must be simple"):
        crossings(lambda: [ball(value) for value in coefficients])


def test_a_zero_at_a_cut_is_not_lost() -> None:
    with pytest.raises(Undecided):
        crossings(lambda: [arb(3), arb(-16), arb(20)])


@given(st.lists(st.sampled_from([1, -1, None]), min_size=1, max_size=8))
def test_sign_changes_by_enumeration(signs: list[int | None]) -> None:
    choices: list[list[int]] = [[]]
    for sign in signs:
        choices = [[*row, s] for row in choices for s in ((1, -1) if sign is None else (sign,))]
    counts = [sum(a != b for a, b in pairwise(row)) for row in choices]
    assert sign_changes(signs) == (min(counts), max(counts))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.integers(0, 7), st.integers(1, 8))
def test_bernstein_ends_are_values(numbers: list[int], low: int, width: int) -> None:
    found = bernstein([arb(n) for n in numbers], Fraction(low), Fraction(low + width))
    for place, value in ((low, found[0]), (low + width, found[-1])):
        assert abs(value - sum(n * place**k for k, n in enumerate(numbers))) < 1e-6
