import dataclasses
import math
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leastnoise.numeric.interval import Endpoint, Interval

HALF = Fraction(1, 2)


def scaled(mantissa: int, denominator: int, exponent: int) -> Fraction:
    return Fraction(mantissa, denominator) * Fraction(10) ** exponent


fractions = st.builds(
    scaled,
    st.integers(-(10**20), 10**20),
    st.integers(1, 10**20),
    st.one_of(st.integers(-3, 3), st.integers(-450, 450)),
)
binary = st.floats(allow_nan=False, allow_infinity=False).map(Fraction)
numbers = st.one_of(fractions, binary, st.integers().map(Fraction))


def printed(interval: Interval) -> tuple[Endpoint, Endpoint]:
    """The two ends as a reader of the printed text takes them."""
    match = re.fullmatch(r"Interval\((?P<lower>[^,]+)(, (?P<upper>[^,]+))?\)", repr(interval))
    assert match is not None, repr(interval)
    lower, upper = (_read(match[name] or match["lower"]) for name in ("lower", "upper"))
    return lower, upper


def _read(text: str) -> Endpoint:
    return float(text) if "inf" in text else Fraction(Decimal(text))


# Construction


def test_the_ends_are_kept_exactly() -> None:
    interval = Interval(Fraction(1, 3), Fraction(2, 3))
    assert (interval.lower, interval.upper) == (Fraction(1, 3), Fraction(2, 3))
    assert interval.width == Fraction(1, 3)
    assert not interval.is_exact


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (Fraction(1), Fraction(0)),
        (Fraction(1, 10**400), Fraction(0)),
        (math.inf, Fraction(0)),
        (Fraction(0), -math.inf),
        (math.inf, -math.inf),
        (math.nan, Fraction(0)),
        (Fraction(0), math.nan),
        (math.nan, math.nan),
    ],
)
def test_ends_out_of_order_are_refused(lower: Endpoint, upper: Endpoint) -> None:
    with pytest.raises(ValueError, match="lower end"):
        Interval(lower, upper)


def test_exactly_holds_one_number() -> None:
    interval = Interval.exactly(3)
    assert interval == Interval(Fraction(3), Fraction(3))
    assert type(interval.lower) is Fraction
    assert interval.is_exact
    assert interval.width == 0


def test_intervals_are_values() -> None:
    interval = Interval.exactly(3)
    assert hash(interval) == hash(Interval.exactly(3))
    assert interval != Interval.exactly(4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        interval.lower = Fraction(4)  # type: ignore[misc]


@settings(deadline=None)
@given(numbers, numbers, numbers)
def test_contains_includes_both_ends(one: Fraction, two: Fraction, value: Fraction) -> None:
    lower, upper = sorted([one, two])
    interval = Interval(lower, upper)
    assert lower in interval
    assert upper in interval
    assert (value in interval) == (lower <= value <= upper)


def test_nothing_contains_nan() -> None:
    undefined = math.nan
    assert undefined not in Interval(Fraction(0), Fraction(1))
    assert undefined not in Interval(-math.inf, math.inf)


@settings(deadline=None)
@given(numbers, numbers, numbers, numbers)
def test_sums_hold_the_sums_of_what_the_parts_hold(
    one: Fraction, two: Fraction, three: Fraction, four: Fraction
) -> None:
    left, right = Interval(*sorted([one, two])), Interval(*sorted([three, four]))
    total = left + right
    assert one + three in total
    assert two + four in total
    assert total.width == left.width + right.width


# float


@settings(deadline=None)
@given(numbers.filter(lambda value: abs(value) < 10**300), st.integers(0, 10**6))
def test_float_is_the_middle(value: Fraction, radius: int) -> None:
    assert float(Interval(value - radius, value + radius)) == float(value)


def test_float_of_the_smallest_numbers() -> None:
    assert float(Interval.exactly(Fraction(1, 10**400))) == 0.0
    assert float(Interval(Fraction(0), Fraction(1, 2**1073))) == 5e-324


# Infinite ends


def test_an_infinite_end() -> None:
    up, down = Interval(Fraction(1), math.inf), Interval(-math.inf, Fraction(1))
    assert float(up) == math.inf
    assert float(down) == -math.inf
    assert up.width == down.width == math.inf
    assert 10**400 in up
    assert -(10**400) in down
    assert math.inf in up
    assert 0 not in up
    assert repr(up) == "Interval(1, inf)"
    assert repr(down) == "Interval(-inf, 1)"


@pytest.mark.parametrize("end", [math.inf, -math.inf])
def test_an_infinite_number_prints(end: float) -> None:
    assert printed(Interval(end, end)) == (end, end)


def test_an_infinite_number_is_exact() -> None:
    infinite = Interval(math.inf, math.inf)
    assert infinite.is_exact
    assert float(infinite) == math.inf


def test_adding_an_infinite_end() -> None:
    total = Interval.exactly(1) + Interval(Fraction(0), math.inf)
    assert (total.lower, total.upper) == (1, math.inf)


def test_infinity_takes_in_numbers_too_large_for_floats() -> None:
    total = Interval.exactly(10**400) + Interval(Fraction(0), math.inf)
    assert (total.lower, total.upper) == (10**400, math.inf)
    assert total.width == math.inf


# Printing


@settings(deadline=None)
@given(numbers, numbers)
@example(Fraction(0.1), Fraction(0.1))
@example(Fraction(2**60), Fraction(2**60))
@example(Fraction(10**400), Fraction(10**400))
@example(Fraction(-(10**400)), Fraction(10**400))
@example(Fraction(1, 10**400), Fraction(1, 10**400))
@example(Fraction(1, 3 * 10**400), Fraction(2, 3 * 10**400))
@example(Fraction(999999999999999999), Fraction(999999999999999999))
@example(Fraction(0), Fraction(0))
def test_what_is_printed_is_a_bracket_too(one: Fraction, two: Fraction) -> None:
    lower, upper = sorted([one, two])
    shown_lower, shown_upper = printed(Interval(lower, upper))
    assert shown_lower <= lower
    assert upper <= shown_upper


@settings(deadline=None)
@given(numbers)
def test_a_known_number_prints_as_a_bracket(value: Fraction) -> None:
    shown_lower, shown_upper = printed(Interval.exactly(value))
    assert shown_lower <= value <= shown_upper


@settings(deadline=None)
@given(numbers, numbers)
def test_what_is_printed_is_tight(one: Fraction, two: Fraction) -> None:
    lower, upper = sorted([one, two])
    shown_lower, shown_upper = printed(Interval(lower, upper))
    assert abs(Fraction(shown_lower) - lower) <= abs(lower) / 10**14
    assert abs(Fraction(shown_upper) - upper) <= abs(upper) / 10**14


@pytest.mark.parametrize("exponent", [5000, -5000])
def test_numbers_python_will_not_print_are_printed(exponent: int) -> None:
    value = Fraction(10) ** exponent / 3
    for interval in (Interval.exactly(value), Interval(value, 2 * value)):
        shown_lower, shown_upper = printed(interval)
        assert shown_lower <= interval.lower
        assert interval.upper <= shown_upper


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "Interval(0)"),
        (HALF, "Interval(0.5)"),
        (Fraction(-7), "Interval(-7)"),
        (Fraction(1, 3), "Interval(0.333333333333333, 0.333333333333334)"),
        (Fraction(-1, 3), "Interval(-0.333333333333334, -0.333333333333333)"),
    ],
)
def test_known_numbers_as_printed(value: Fraction, text: str) -> None:
    assert repr(Interval.exactly(value)) == text
