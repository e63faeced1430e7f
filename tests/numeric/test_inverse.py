import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import Undecided
from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer, monotone_inverse
from tests.time_limit import time_limit

RELATIVE = Fraction(1, 2**60)
TINY, HUGE = Fraction(1, 10**300), Fraction(10**300)


def side(value: Fraction, target: Fraction) -> int:
    return (value > target) - (value < target)


class Counted:
    """A comparison with a root that counts how often it is asked."""

    def __init__(self, root: Fraction, *, at_root: int = 0) -> None:
        self.root, self.at_root, self.asked = root, at_root, 0

    def __call__(self, x: Fraction) -> int:
        assert type(x) is Fraction
        self.asked += 1
        assert self.asked < 20_000
        return side(x, self.root) or self.at_root


def assert_brackets(bracket: Interval, root: Fraction, relative: Fraction = RELATIVE) -> None:
    assert root in bracket
    assert bracket.is_exact or bracket.width <= relative * abs(Fraction(bracket.upper))


# least_integer


@settings(deadline=None)
@given(st.integers(-(10**30), 10**30), st.integers(0, 10**30))
def test_least_integer_finds_the_step(start: int, distance: int) -> None:
    asked: list[int] = []

    def holds(k: int) -> bool:
        asked.append(k)
        return k >= start + distance

    assert least_integer(holds, start) == start + distance
    assert min(asked) == start
    assert len(asked) <= 2 * distance.bit_length() + 2


@given(st.integers(-50, 50), st.integers(0, 50), st.integers(-99, 99))
def test_least_integer_asks_no_number_twice(start: int, distance: int, guess: int) -> None:
    asked: list[int] = []

    def holds(k: int) -> bool:
        asked.append(k)
        return k >= start + distance

    assert least_integer(holds, start, guess) == start + distance
    assert len(set(asked)) == len(asked)


def test_least_integer_takes_a_start_where_it_holds_already() -> None:
    assert least_integer(lambda _: True, -7) == -7


@pytest.mark.parametrize("distance", [*range(40), 2**20 - 1, 2**20, 2**20 + 1])
def test_least_integer_near_powers_of_two(distance: int) -> None:
    assert least_integer(lambda k: k >= distance, 0) == distance


def test_least_integer_lets_errors_through() -> None:
    def holds(k: int) -> bool:
        if k > 5:
            raise Undecided("close")
        return False

    with pytest.raises(Undecided):
        least_integer(holds, 0)


# monotone_inverse

positive = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12)


@settings(deadline=None)
@given(positive, positive, positive)
def test_a_root_between_positive_ends(one: Fraction, two: Fraction, three: Fraction) -> None:
    lower, root, upper = sorted([one, two, three])
    compare = Counted(root)
    with time_limit(10):
        bracket = monotone_inverse(compare, lower, upper)
    assert_brackets(bracket, root)
    assert bracket.lower >= lower
    assert bracket.upper <= upper
    assert compare.asked < 200


@settings(deadline=None)
@given(positive, positive, positive, st.sampled_from([-1, 1]))
def test_a_step_is_bracketed(one: Fraction, two: Fraction, three: Fraction, at_root: int) -> None:
    lower, root, upper = sorted([one, two, three])
    if lower < root < upper:
        with time_limit(10):
            bracket = monotone_inverse(Counted(root, at_root=at_root), lower, upper)
        assert_brackets(bracket, root)
        assert not bracket.is_exact


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 2**20), min_size=1, max_size=8),
    st.lists(st.integers(-3, 3), min_size=9, max_size=9),
)
def test_staircases(places: list[int], heights: list[int]) -> None:
    places, heights = sorted(places), sorted(heights)

    def compare(x: Fraction) -> int:
        return side(Fraction(heights[sum(place <= x for place in places)]), Fraction(0))

    lower, upper = Fraction(1, 2), Fraction(2**21)
    if compare(lower) > 0 or compare(upper) < 0:
        with pytest.raises(ValueError, match="target"):
            monotone_inverse(compare, lower, upper)
        return
    with time_limit(10):
        bracket = monotone_inverse(compare, lower, upper)
    assert compare(Fraction(bracket.lower)) <= 0 <= compare(Fraction(bracket.upper))
    assert_brackets(bracket, Fraction(bracket.lower))


@pytest.mark.parametrize("root", [TINY * 3, Fraction(1, 7), Fraction(10**200), HUGE / 3])
def test_a_very_wide_range_takes_few_questions(root: Fraction) -> None:
    compare = Counted(root)
    with time_limit(10):
        bracket = monotone_inverse(compare, TINY, HUGE)
    assert_brackets(bracket, root)
    assert compare.asked < 200


@pytest.mark.parametrize("root", [TINY, Fraction(1, 7), Fraction(5), Fraction(10**6)])
def test_a_range_from_zero(root: Fraction) -> None:
    compare = Counted(root)
    with time_limit(10):
        bracket = monotone_inverse(compare, Fraction(0), Fraction(10**6))
    assert_brackets(bracket, root)
    assert compare.asked < 1500


@pytest.mark.parametrize(
    ("lower", "upper"), [(-10, -1), (-10, 10), (-(10**9), Fraction(-1, 10**9)), (-1, 10**9)]
)
@pytest.mark.parametrize("root", [Fraction(-29, 7), Fraction(-1)])
def test_negative_ranges(lower: Fraction, upper: Fraction, root: Fraction) -> None:
    if lower <= root <= upper:
        with time_limit(10):
            bracket = monotone_inverse(Counted(root), Fraction(lower), Fraction(upper))
        assert_brackets(bracket, root)


@pytest.mark.parametrize(("lower", "upper"), [(0, 1), (-1, 0), (-1, 2), (-3, 1), (-1, 1)])
def test_a_root_at_zero_is_found(lower: int, upper: int) -> None:
    with time_limit(10):
        bracket = monotone_inverse(Counted(Fraction(0)), Fraction(lower), Fraction(upper))
    assert 0 in bracket


@pytest.mark.parametrize("root", [Fraction(1), Fraction(4)])
def test_a_root_at_an_end(root: Fraction) -> None:
    with time_limit(10):
        assert_brackets(monotone_inverse(Counted(root), Fraction(1), Fraction(4)), root)


def test_an_exact_hit_is_exact() -> None:
    assert monotone_inverse(Counted(Fraction(2)), Fraction(1), Fraction(3)) == Interval.exactly(2)


def test_an_exact_plateau() -> None:
    bracket = monotone_inverse(
        lambda x: (x > 5) - (x < 2), Fraction(1, 1000), Fraction(1000), relative=Fraction(1, 100)
    )
    assert bracket.is_exact
    assert 2 <= bracket.lower <= 5


def test_a_decreasing_function_by_negation() -> None:
    def compare(x: Fraction) -> int:
        return -(ExponentialSum.exp(-x) - Fraction(1, 3)).sign()

    bracket = monotone_inverse(compare, Fraction(0), Fraction(100))
    assert bracket.width <= RELATIVE * Fraction(bracket.upper)
    assert float(bracket) == pytest.approx(math.log(3), rel=1e-15)
    assert (ExponentialSum.exp(-Fraction(bracket.lower)) - Fraction(1, 3)).sign() >= 0
    assert (ExponentialSum.exp(-Fraction(bracket.upper)) - Fraction(1, 3)).sign() <= 0


@pytest.mark.parametrize("root", [Fraction(-1), Fraction(1) - TINY, Fraction(2) + TINY, HUGE])
def test_a_target_outside_is_refused(root: Fraction) -> None:
    with pytest.raises(ValueError, match="target must lie between"):
        monotone_inverse(Counted(root), Fraction(1), Fraction(2))


def test_a_range_of_one_point() -> None:
    assert monotone_inverse(Counted(Fraction(2)), Fraction(2), Fraction(2)).is_exact


@settings(deadline=None)
@given(st.integers(1, 200))
def test_the_width_asked_for(bits: int) -> None:
    relative = Fraction(1, 2**bits)
    root = Fraction(10, 7)
    bracket = monotone_inverse(Counted(root), Fraction(1, 10), Fraction(100), relative=relative)
    assert_brackets(bracket, root, relative)


@settings(deadline=None)
@given(positive, positive, positive, positive)
def test_a_guess_changes_nothing_but_the_effort(
    one: Fraction, two: Fraction, three: Fraction, guess: Fraction
) -> None:
    lower, root, upper = sorted([one, two, three])
    bad, good = Counted(root), Counted(root)
    bracket = monotone_inverse(bad, lower, upper, guess=guess)
    assert_brackets(bracket, root)
    assert lower <= bracket.lower <= bracket.upper <= upper
    assert bad.asked < 200
    off = root * (1 + RELATIVE / 8)
    assert_brackets(monotone_inverse(good, lower, upper, guess=off), root)
    # Near an end of the range the guess is of use on one side alone.
    assert good.asked <= 4 or not lower < root * (1 - RELATIVE) < root * (1 + RELATIVE) < upper


def test_a_guess_too_close_to_call_is_no_harm() -> None:
    root = Fraction(2)
    compare = _undecided_within(root, Fraction(1, 2**61))
    bracket = monotone_inverse(compare, Fraction(1), Fraction(5), guess=root)
    assert root in bracket


def _undecided_within(root: Fraction, distance: Fraction) -> Callable[[Fraction], int]:
    def compare(x: Fraction) -> int:
        if abs(x - root) < distance:
            raise Undecided("close")
        return side(x, root)

    return compare


@settings(deadline=None)
@given(st.fractions(min_value=2, max_value=900))
def test_points_too_close_to_call_are_stepped_over(root: Fraction) -> None:
    bracket = monotone_inverse(
        _undecided_within(root, Fraction(1, 2**300)), Fraction(1), Fraction(1000)
    )
    assert root in bracket


def test_an_undecided_middle_is_stepped_over() -> None:
    # The first middle of [1, 3] is 2, the root itself.
    bracket = monotone_inverse(
        _undecided_within(Fraction(2), Fraction(1, 2**100)), Fraction(1), Fraction(3)
    )
    assert_brackets(bracket, Fraction(2))


def test_middles_stay_short() -> None:
    longest = 0

    def compare(x: Fraction) -> int:
        nonlocal longest
        longest = max(longest, x.denominator.bit_length())
        return side(x * x, Fraction(2))

    monotone_inverse(compare, Fraction(1), Fraction(2))
    assert longest < 80
