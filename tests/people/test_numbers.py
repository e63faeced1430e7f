"""Numbers for people: rounded to their error, never more digits than it warrants."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.people import (
    equation,
    grade,
    last_place,
    said_answer,
    said_error,
    said_interval,
    said_law,
    said_number,
    said_share,
    said_value,
)
from leastnoise.people.ascii import in_ascii

SIZES = st.floats(min_value=1e-12, max_value=1e15)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (said_answer(42232, 355.05), "42,230 ± 360"),
        (said_answer(1234, 3.4), "1,234 ± 3"),
        (said_answer(140.32, 2.81), "140.3 ± 2.8"),
        (said_answer(142.3, 12.9), "142 ± 13"),
        (said_answer(3_440_123.0, 169_100), "3,440,000 ± 170,000"),
        (said_answer(34_400_000.0, 1_700_000), "34.4 million ± 1.7 million"),
        (said_error(169_100, "kr"), "±170,000 kr"),
        (said_error(99.6), "±100"),
        (said_interval(41_872.9, 43_721.0, 355), "41,870 – 43,730"),
        (said_interval(-120, 340, 90), "−120 to 340"),
        (said_interval(5_287.3, math.inf, 89), "at least 5,287"),
        (said_interval(-math.inf, 5_287.2, whole=True), "at most 5,288"),
        (said_interval(3.2e7, 3.6e7, 1.7e6), "32.0 – 36.0 million"),
        (said_interval(9_864_321.0, 12_208_765.0, 450_000), "9.86 – 12.21 million"),
        (said_interval(10_000.0, 9_990_001.0, 99_500.0), "0.01 – 10.00 million"),
        (said_interval(-12_345_678.0, 5_432_100.0, 450_000), "−12.35 to 5.44 million"),
        (said_interval(0.0, 3.2e7, 1.7e6), "0 – 32.0 million"),
        (said_interval(2.4e8, 3.1e9, 3.5e8), "240 million – 3.1·10⁹"),
        (said_share(0.0481), "4.8 %"),
        (said_share(0.124), "12 %"),
        (said_share(0.9996), "> 99.9 %"),
        (said_share(0.998), "99.8 %"),
        (said_share(0), "0 %"),
        (equation("ε", 1), "ε = 1"),
        (equation("ε", Fraction(1, 4)), "ε = 0.25"),
        (equation("ε", 0.9999998807907104), "ε ≈ 1"),
        (equation("δ", Fraction(4, 10**8)), "δ = 4·10⁻⁸"),
        (equation("δ", 0), "δ = 0"),
        (equation("ρ", Fraction(16512345, 10**9)), "ρ ≈ 0.0165"),
        (said_number(0.000032), "3.2·10⁻⁵"),
        (said_number(2250.0), "2,250"),
        (said_number(-12), "−12"),
        (said_value(0.0000321, 0.0000123), "3.2·10⁻⁵"),
        (said_law("DiscreteLaplace(scale='175921860444160/96979')"), "whole-number Laplace noise"),
        (in_ascii("4·10⁻⁸ − 10⁻¹² ±3 ▓░ …"), "4*10^-8 - 10^-12 +-3 #. ..."),
    ],
)
def test_how_numbers_are_said(said: str, text: str) -> None:
    assert said == text


@given(st.floats(min_value=-1e15, max_value=1e15), SIZES)
def test_what_is_said_is_the_answer_rounded_to_the_second_digit_of_the_error(
    value: float, error: float
) -> None:
    place = last_place(error)
    assert place is not None
    step = Fraction(10) ** place
    assert 10 * step <= Fraction(error) * Fraction(200, 199)
    assert Fraction(error) < 100 * step
    read = number(said_value(value, error))
    assert abs(read - Fraction(value)) <= step / 2
    assert (read / step).denominator == 1


@given(st.floats(min_value=-1e12, max_value=1e12), SIZES, SIZES)
def test_intervals_are_rounded_outward(low: float, width: float, error: float) -> None:
    high = low + width
    ends = re.split(" – | to ", said_interval(low, high, error))
    unit = " million" if ends[1].endswith("million") else ""
    below, above = (number(end if "million" in end else end + unit) for end in ends)
    assert below <= Fraction(low)
    assert Fraction(high) <= above


@given(st.integers(-(10**12), 10**12), SIZES)
def test_counts_have_no_decimals(value: int, error: float) -> None:
    assert "." not in said_value(value, error).partition("million")[0] or "million" in said_value(
        value, error
    )


@pytest.mark.parametrize(
    ("low", "high", "letter"),
    [(95, 105, "A"), (94, 106, "B"), (85, 115, "B"), (84, 116, "C"), (74, 126, "D"), (-1, 201, "D"),
     (95, math.inf, "D"), (math.nan, math.nan, "D")],
)  # fmt: skip
def test_grades(low: float, high: float, letter: str) -> None:
    assert grade(100, low, high) == letter
    assert grade(-100, -high, -low) == letter
    assert grade(100, low, high, bound=True) == "D"


def number(text: str) -> Fraction:
    """What a text says, read by other code than wrote it."""
    found = re.fullmatch(r"(−?)([\d.,]*)(?:·?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?( million)?", text)
    assert found, text
    sign, front, raised, million = found.groups()
    if front.endswith("10") and raised:  # no factor in front of the power
        front = ""
    power = int((raised or "⁰").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    size = Fraction(front.replace(",", "") or "1") * Fraction(10) ** power
    return (-size if sign else size) * (10**6 if million else 1)


def test_numbers_beyond_floats_have_equations() -> None:
    assert equation("ε", Fraction(10**400)) == "ε = 10⁴⁰⁰"
    assert equation("ε", Fraction(10**400, 3)) == "ε ≈ 3.33·10³⁹⁹"
    assert equation("δ", Fraction(1, 10**500)) == "δ = 10⁻⁵⁰⁰"
    assert equation("ε", math.inf) == "ε = ∞"
