"""Typed numbers become exact fractions, or are refused in words."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import (
    Checked,
    Exact,
    exact,
    inside,
    non_negative,
    positive,
    probability,
    renyi_order,
    truth_value,
    whole,
    written,
)

TAKEN: list[tuple[Any, Fraction]] = [
    (3, Fraction(3)), (-2, Fraction(-2)), (10**1000, Fraction(10**1000)), (0.1, Fraction(1, 10)),
    (1e-6, Fraction(1, 10**6)), (5e-324, Fraction(5, 10**324)), (-0.0, Fraction(0)),
    ("1e-6", Fraction(1, 10**6)), ("1/3", Fraction(1, 3)), (" -2.50 ", Fraction(-5, 2)),
    ("1.5/2.5", Fraction(3, 5)), ("1e400", Fraction(10**400)), ("1e-400", Fraction(1, 10**400)),
    (Decimal("0.10"), Fraction(1, 10)), (Fraction(2, 7), Fraction(2, 7)),
    (np.int8(100), Fraction(100)), (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
    (np.float64(0.1), Fraction(1, 10)), (np.float32(0.1), Fraction(1, 10)),
]  # fmt: skip

REFUSED: list[Any] = [
    True, False, np.True_, float("nan"), float("inf"), -float("inf"), np.float32("nan"),
    Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e500"), "", "x", "nan", "-inf",
    "Infinity", "1_000", "1/0", "1/2/3", "1/nan", "0x10", "1e401", "1e-401", "9" * 401, "1/1e401",
    "1e99999999999999999999", None, 1j, [1], b"1", np.array([1]),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "meant"), TAKEN, ids=repr)
def test_what_is_typed_is_what_is_meant(typed: Any, meant: Fraction) -> None:
    number = exact(typed)
    assert number == meant
    assert type(number) is Fraction
    # A numpy integer inside would overflow without an error.
    assert type(number.numerator) is int and type(number.denominator) is int


@pytest.mark.parametrize("typed", REFUSED, ids=lambda value: repr(value)[:20])
def test_what_is_no_number_is_refused_by_name(typed: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon (is|has) .*\. (Give|Round)") as refused:
        exact(typed, "epsilon")
    assert len(str(refused.value)) < 100


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_that_it_prints(value: float) -> None:
    assert exact(value) == Fraction(repr(value))
    assert float(exact(value)) == value


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (positive, [1e-9, 5], [0, -1]),
        (non_negative, [0, 3], [-1e-9]),
        (probability, [0, 0.5, 1], [-1e-9, 1.000001]),
        (inside, [1e-9, "0.999"], [0, 1, -1, 2]),
        (whole, [1, 2.0, "3"], [0, 1.5, -1, "1/2"]),
        (lambda value, name: whole(value, name, least=-2), [-2, 0], [-3]),
    ],
)
def test_ranges_begin_and_end_where_they_say(check: Any, good: list[Any], bad: list[Any]) -> None:
    assert [check(value, "it") for value in good] == [exact(value) for value in good]
    for value in bad:
        with pytest.raises(InvalidInput, match=r"^it is .* Give"):
            check(value, "it")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"), (Fraction(5), "5"), (Fraction(-1, 10), "-0.1"), (Fraction(1, 3), "1/3"),
        (Fraction(1, 10**7), "1e-07"), (Fraction(10**400), "1E+400"),
        (Fraction(2, 3 * 10**6), "6.66666666666667E-7"), (Fraction(1, 999_999), "1/999999"),
        (500 + Fraction(1, 3), "1501/3"), (5 * 10**11 + Fraction(1, 3), "1500000000001/3"),
        (10**12 + Fraction(1, 3), "1000000000000.33"), (Fraction(1, 3 * 10**200), "3.33333333333333E-201"),
    ],
)  # fmt: skip
def test_written(number: Fraction, text: str) -> None:
    assert written(number) == text


@given(st.fractions())
def test_written_rounds_to_the_side_that_is_asked_for(number: Fraction) -> None:
    low, high = exact(written(number, ROUND_FLOOR)), exact(written(number, ROUND_CEILING))
    assert low <= number <= high
    assert high - low <= abs(number) / 10**13


@dataclass(frozen=True)
class Coin:
    chance: Checked[Exact, Fraction] = Checked(probability)
    cost: Checked[Exact, Fraction] = Checked(non_negative, default=0)


def test_a_checked_field_is_exact_however_it_is_made() -> None:
    third = Coin("1/3")
    copies = [replace(Coin(0.5), chance="1/3"), pickle.loads(pickle.dumps(third)), Coin("2/6", 0)]
    for coin in copies:
        assert coin == third and hash(coin) == hash(third)
        assert type(coin.chance) is Fraction and type(coin.cost) is Fraction
    assert Coin(0.5) != third
    assert repr(third) == "Coin(chance=Fraction(1, 3), cost=Fraction(0, 1))"


def test_a_checked_field_cannot_be_evaded() -> None:
    with pytest.raises(InvalidInput, match="chance is 2"):
        replace(Coin(0.5), chance=2)
    with pytest.raises(TypeError, match="chance"):
        Coin()
    with pytest.raises(FrozenInstanceError):
        Coin(0.5).chance = 0.25  # type: ignore[misc]


def test_the_greatest_whole_numbers_and_the_longest_texts() -> None:
    assert whole(10**60, "it") == 10**60 and whole(7, "it", most=7) == 7
    for most, shown in (({}, "10\\^60"), ({"most": 10**60 - 1}, "999,999"), ({"most": 7}, "7")):
        with pytest.raises(InvalidInput, match=f"it is above .*{shown}. Give a smaller one"):
            whole(10**60 + 1, "it", **most)
    for text in ("1e400", "1e-400", "1/1e400", "7" * 400, "0." + "0" * 397 + "1"):
        assert exact(text) > 0
    for text in ("1e401", "1e-401", "1/1e401", "7" * 401, "0." + "0" * 398 + "1"):
        with pytest.raises(InvalidInput, match="more than 400 digits"):
            exact(text)


def test_orders_and_truth_values() -> None:
    assert renyi_order(inf) == inf and renyi_order(1) == 1 and renyi_order("1.5") == Fraction(3, 2)
    for below in (0.999, 0, -inf):
        with pytest.raises(InvalidInput):
            renyi_order(below)
    with pytest.raises(InvalidInput, match=r"order is below 1\. Give 1, more, or math\.inf"):
        renyi_order(0.5)
    with pytest.raises(InvalidInput, match="Give a finite number"):
        renyi_order(Decimal("inf"))
    assert truth_value(True, "it") is True and truth_value(False, "it") is False
    for other in (1, 0, "True", None):
        with pytest.raises(InvalidInput, match=r"it is .*Give True or False"):
            truth_value(other, "it")  # type: ignore[arg-type]
