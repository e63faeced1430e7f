import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import Undecided
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable, Real, rational_real
from tests.time_limit import time_limit

PI = Computable(arb.pi)
TINY = Fraction(1, 10**300)


def pi_to(digits: int) -> Fraction:
    with mpmath.workdps(digits + 30):
        return Fraction(*(+mpmath.pi).as_integer_ratio())


def test_both_kinds_are_reals() -> None:
    kinds: list[Real] = [PI, rational_real(3)]
    assert [kind.floor(1) for kind in kinds] == [3, 3]


@settings(deadline=None)
@given(st.fractions(), st.fractions(), st.integers(1, 10**30))
def test_rationals_answer_exactly(value: Fraction, other: Fraction, scale: int) -> None:
    real = rational_real(value)
    assert real.compare(value) == 0
    assert real.compare(other) == (value > other) - (value < other)
    assert real.compare(value + TINY) == -1
    assert real.interval() == Interval.exactly(value)
    with time_limit(10):
        assert real.floor(scale) == math.floor(value * scale)


@pytest.mark.parametrize("whole", [-3, 0, 1, 2**70])
def test_integers_as_rationals(whole: int) -> None:
    with time_limit(10):
        assert rational_real(whole).floor(1) == whole
        assert rational_real(whole - TINY).floor(1) == whole - 1


@pytest.mark.parametrize("digits", [5, 60, 300, 3000])
def test_computables_compare(digits: int) -> None:
    near = pi_to(digits)
    assert PI.compare(near - Fraction(1, 10**digits)) == 1
    assert PI.compare(near + Fraction(1, 10**digits)) == -1
    assert PI.compare(3) == 1


def test_computables_have_tight_brackets() -> None:
    bracket = PI.interval()
    assert pi_to(60) in bracket
    assert bracket.width <= Fraction(4, 2**79)


@settings(deadline=None)
@given(st.integers(1, 10**300))
def test_computables_round_down(scale: int) -> None:
    assert PI.floor(scale) == math.floor(pi_to(400) * scale)


def test_a_computable_equal_to_a_rational_is_undecided_not_wrong() -> None:
    two = Computable(lambda: arb(2).sqrt() ** 2)
    before = ctx.prec
    with time_limit(20):
        with pytest.raises(Undecided):
            two.compare(2)
        with pytest.raises(Undecided):
            two.floor(1)
    assert ctx.prec == before
    assert two.compare(2 + TINY) == -1
    assert two.compare(2 - TINY) == 1
