import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import pytest
from flint import ctx
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from tests.examples import examples
from tests.time_limit import time_limit

ONE = ExponentialSum.of(1)
ROOT = ExponentialSum.exp(Fraction(1, 2))
E = ExponentialSum.exp(1)

rationals = st.fractions(min_value=-20, max_value=20, max_denominator=50)
sums = st.dictionaries(rationals, rationals, max_size=4).map(ExponentialSum)
scalars = st.one_of(rationals, st.integers(-100, 100))


def terms(value: ExponentialSum) -> dict[Fraction, Fraction]:
    return dict(value.terms)


def reference(value: ExponentialSum) -> mpmath.mpf:
    """The sum by mpmath at its working precision."""
    return mpmath.fsum(_mpf(factor) * mpmath.exp(_mpf(x)) for x, factor in value.terms.items())


def _mpf(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def below(value: mpmath.mpf) -> Fraction:
    return Fraction(*value.as_integer_ratio())


# The ring


@examples(20, 100)
@given(sums, sums, sums)
def test_addition_is_associative_and_commutative(
    a: ExponentialSum, b: ExponentialSum, c: ExponentialSum
) -> None:
    assert terms((a + b) + c) == terms(a + (b + c))
    assert terms(a + b) == terms(b + a)


@examples(20, 100)
@given(sums, sums, sums)
def test_multiplication_is_associative_commutative_and_distributive(
    a: ExponentialSum, b: ExponentialSum, c: ExponentialSum
) -> None:
    assert terms((a * b) * c) == terms(a * (b * c))
    assert terms(a * b) == terms(b * a)
    assert terms(a * (b + c)) == terms(a * b + a * c)


@settings(deadline=None)
@given(sums)
def test_neutral_and_inverse_elements(a: ExponentialSum) -> None:
    assert terms(a + 0) == terms(a * 1) == terms(a)
    assert terms(a - a) == terms(a * 0) == {}
    assert terms(a + -a) == {}
    assert terms(a - 0) == terms(0 - -a) == terms(a)


@settings(deadline=None)
@given(sums, scalars)
def test_scalars_stand_on_both_sides(a: ExponentialSum, c: Fraction | int) -> None:
    lifted = ExponentialSum.of(c)
    assert terms(a + c) == terms(c + a) == terms(a + lifted)
    assert terms(a * c) == terms(c * a) == terms(a * lifted)
    assert terms(a - c) == terms(a - lifted)
    assert terms(c - a) == terms(lifted - a) == terms(-(a - c))


@settings(deadline=None)
@given(rationals, rationals)
def test_exponents_add(x: Fraction, y: Fraction) -> None:
    assert terms(ExponentialSum.exp(x) * ExponentialSum.exp(y)) == {x + y: 1}


@settings(deadline=None, max_examples=50)
@given(sums, sums)
def test_operations_leave_their_operands_alone(a: ExponentialSum, b: ExponentialSum) -> None:
    before = terms(a), terms(b)
    _ = (a + b, a - b, a * b, -a, a.sign())
    assert (terms(a), terms(b)) == before


def test_terms_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        E.terms[Fraction(1)] = Fraction(2)  # type: ignore[index]


def test_zero_terms_are_dropped() -> None:
    assert terms(ExponentialSum({Fraction(1): Fraction(0)})) == {}
    assert terms(ExponentialSum.of(0)) == {}


def test_the_sum_does_not_follow_its_maker() -> None:
    maker = {Fraction(1): Fraction(1)}
    made = ExponentialSum(maker)
    maker[Fraction(1)] = Fraction(5)
    assert terms(made) == {1: 1}


@settings(deadline=None)
@given(sums)
def test_the_repr_tells_every_term(a: ExponentialSum) -> None:
    assert all(f"{factor}*exp({x})" in repr(a) for x, factor in a.terms.items())
    assert repr(ExponentialSum.of(0)) == "ExponentialSum(0)"


# Signs


@settings(deadline=None)
@given(rationals)
def test_identities_are_seen_to_be_zero(x: Fraction) -> None:
    power = ExponentialSum.exp(x)
    assert (power * ExponentialSum.exp(-x) - 1).sign() == 0
    assert ((power - 1) * (power + 1) - (ExponentialSum.exp(2 * x) - 1)).sign() == 0


def test_the_square_of_the_root_of_e() -> None:
    assert (ROOT * ROOT - E).sign() == 0
    assert (ROOT * ROOT - E - Fraction(1, 10**300)).sign() == -1


@settings(deadline=None)
@given(sums)
def test_signs_agree_with_mpmath(a: ExponentialSum) -> None:
    with mpmath.workdps(200):
        value = reference(a)
        assert a.sign() == (0 if not a.terms else int(mpmath.sign(value)))
        assert not a.terms or abs(value) > mpmath.mpf(10) ** -100
    assert (-a).sign() == -a.sign()


@pytest.mark.parametrize("digits", [20, 300, 3000])
@pytest.mark.parametrize("exponent", [Fraction(1), Fraction(-7, 3), Fraction(40)])
def test_near_ties_are_decided(digits: int, exponent: Fraction) -> None:
    with mpmath.workdps(digits + 60):
        near = below(mpmath.exp(_mpf(exponent)))
    for side in (-1, 1):
        tie = ExponentialSum.exp(exponent) - near - Fraction(side, 10**digits)
        assert tie.sign() == -side


def test_near_ties_between_exponentials() -> None:
    tiny = Fraction(1, 10**300)
    gap = ExponentialSum.exp(tiny) - 1 - tiny  # tiny²/2 + …
    assert gap.sign() == 1
    assert (gap - tiny * tiny / 2).sign() == 1
    assert (gap - tiny * tiny).sign() == -1


@pytest.mark.parametrize("size", [10**4, 10**6])
def test_signs_of_sums_of_very_different_terms(size: int) -> None:
    big, small = ExponentialSum.exp(size), ExponentialSum.exp(-size)
    assert (big - small).sign() == 1
    assert (small - big).sign() == -1
    assert (small - small * small).sign() == 1


# Ratios: comparison and intervals


def ratio(over: ExponentialSum, under: ExponentialSum) -> ExponentialRatio:
    return ExponentialRatio(over, under) if under.sign() > 0 else ExponentialRatio(-over, -under)


@examples(20, 100)
@given(sums, sums, rationals)
def test_comparisons_agree_with_mpmath(
    over: ExponentialSum, under: ExponentialSum, value: Fraction
) -> None:
    assume(under.sign() != 0)
    number = ratio(over, under)
    with mpmath.workdps(200):
        difference = reference(over) / reference(under) - _mpf(value)
        expected = 0 if not (over - under * value).terms else int(mpmath.sign(difference))
    assert number.compare(value) == expected


@examples(20, 100)
@given(sums, sums)
def test_intervals_hold_the_value_to_sixty_digits(
    over: ExponentialSum, under: ExponentialSum
) -> None:
    assume(under.sign() != 0)
    bracket = ratio(over, under).interval()
    with mpmath.workdps(150):
        value = below(reference(over) / reference(under))
    slack = abs(value) / 10**60
    assert Interval(value - slack, value + slack).lower <= bracket.upper
    assert bracket.lower <= value + slack
    assert bracket.width <= abs(Fraction(bracket.upper)) / 2**78


@settings(deadline=None)
@given(rationals, rationals.filter(bool))
def test_rational_ratios_are_exact(over: Fraction, under: Fraction) -> None:
    number = ratio(ExponentialSum.of(over), ExponentialSum.of(under))
    assert number.interval() == Interval.exactly(over / under)
    assert number.compare(over / under) == 0


def test_equality_is_decided_where_the_bracket_cannot() -> None:
    number = ExponentialRatio(3 * E * E, 2 * ROOT * ROOT * E)
    assert number.compare(Fraction(3, 2)) == 0
    assert Fraction(3, 2) in number.interval()


def test_cancelling_ratios_are_enclosed() -> None:
    tiny = Fraction(1, 10**50)
    number = ExponentialRatio(ONE - ExponentialSum.exp(-tiny), ONE - ExponentialSum.exp(-3 * tiny))
    assert number.compare(Fraction(1, 3)) == 1
    assert Interval(Fraction(1, 3), Fraction(1, 3) + tiny).lower <= number.interval().upper
    assert number.interval().width <= Fraction(1, 2**78)


# Ratios: floors


@settings(deadline=None)
@given(
    st.fractions(min_value=-(10**6), max_value=10**6),
    st.fractions(min_value=Fraction(1, 10**6)),
    st.integers(0, 200),
)
@example(Fraction(1, 3), Fraction(1), 64)
@example(Fraction(1, 2), Fraction(1), 64)
@example(Fraction(0), Fraction(1), 64)
@example(Fraction(1), Fraction(1), 64)
def test_floors_of_rationals(over: Fraction, under: Fraction, bits: int) -> None:
    number = ExponentialRatio(ExponentialSum.of(over), ExponentialSum.of(under))
    with time_limit(10):
        assert number.floor(1 << bits) == math.floor(over / under * 2**bits)


@pytest.mark.parametrize("scale", [1, 3, 7 * 10**20, 2**64, 2**192])
@pytest.mark.parametrize("whole", [0, 1, 2, 6])
def test_floors_at_integers_and_beside_them(scale: int, whole: int) -> None:
    tiny = Fraction(1, 10**300)
    for value, expected in [
        (Fraction(whole, scale), whole),
        (Fraction(whole, scale) + tiny / scale, whole),
        (Fraction(whole, scale) - tiny / scale, whole - 1),
    ]:
        plain = ExponentialRatio(ExponentialSum.of(value), ONE)
        disguised = ExponentialRatio(ROOT * ROOT * value, E)
        with time_limit(10):
            assert plain.floor(scale) == expected
            assert disguised.floor(scale) == expected


@examples(20, 100)
@given(sums, sums, st.sampled_from([1, 10, 2**16, 2**64, 2**128, 2**192]))
def test_floors_agree_with_mpmath(over: ExponentialSum, under: ExponentialSum, scale: int) -> None:
    assume(under.sign() != 0)
    with mpmath.workdps(400):
        scaled = reference(over) / reference(under) * scale
        nearest = int(mpmath.nint(scaled))
        # Floors at integers, where 400 digits cannot tell, have tests of their own.
        assume(abs(scaled - nearest) > mpmath.mpf(10) ** -100)
        expected = int(mpmath.floor(scaled))
    with time_limit(10):
        assert ratio(over, under).floor(scale) == expected


@pytest.mark.parametrize("digits", [10, 20, 28, 30, 34, 40, 50, 300])
@pytest.mark.parametrize("bits", [16, 64, 192])
def test_floors_survive_cancellation(digits: int, bits: int) -> None:
    # P(N < 1) for a truncated geometric law of three values and a tiny rate.
    tiny = Fraction(1, 10**digits)
    number = ExponentialRatio(ONE - ExponentialSum.exp(-tiny), ONE - ExponentialSum.exp(-3 * tiny))
    with mpmath.workdps(900):
        rate = mpmath.mpf(10) ** -digits
        expected = int(mpmath.floor(mpmath.expm1(-rate) / mpmath.expm1(-3 * rate) * 2**bits))
    with time_limit(10):
        assert number.floor(1 << bits) == expected


@pytest.mark.parametrize("exponent", [40, 46, 50, 100, 1000])
def test_floors_of_large_numbers(exponent: int) -> None:
    with mpmath.workdps(900):
        expected = int(mpmath.floor(mpmath.exp(exponent)))
    with time_limit(10):
        assert ExponentialRatio(ExponentialSum.exp(exponent), ONE).floor(1) == expected


@pytest.mark.parametrize("exponent", [-1000, -45, Fraction(-1, 10**40), Fraction(-1, 10**400)])
def test_floors_of_probabilities_near_zero_and_one(exponent: Fraction) -> None:
    with mpmath.workdps(900):
        expected = int(mpmath.floor(mpmath.exp(_mpf(Fraction(exponent))) * 2**64))
    assert ExponentialRatio(ExponentialSum.exp(exponent), ONE).floor(1 << 64) == expected


# Threads


def test_threads_get_the_right_answers() -> None:
    before = ctx.prec

    def ask(place: int) -> bool:
        exponent = Fraction(place, 7)
        number = ExponentialRatio(ExponentialSum.exp(-exponent), ONE)
        with_digits = (10, 300, 900)[place % 3]
        near = ExponentialSum.exp(exponent) * ExponentialSum.exp(-exponent)
        side = (near - 1 - Fraction(1, 10**with_digits) * ExponentialSum.exp(exponent)).sign()
        return (
            side == -1
            and number.floor(1 << 53) == math.floor(number.interval().lower * 2**53)
            and math.isclose(float(number.interval()), math.exp(-exponent), rel_tol=1e-13)
        )

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(1, 400)))
    assert ctx.prec == before
