import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from tests.lasting_id import lasting_id
from tests.run_python import run_python

Check = Callable[..., Any]

NUMBERS: list[Check] = [
    _check.rational,
    _check.positive,
    _check.non_negative,
    _check.probability,
    _check.delta,
    _check.positive_delta,
]

ACCEPTED: list[tuple[Any, Fraction]] = [
    (3, Fraction(3)),
    (-3, Fraction(-3)),
    (0, Fraction(0)),
    (10**30, Fraction(10**30)),
    (Fraction(2, 6), Fraction(1, 3)),
    (Decimal("0.1"), Fraction(1, 10)),
    (Decimal("-1E+3"), Fraction(-1000)),
    (Decimal("1E-4000"), Fraction(1, 10**4000)),
    (0.1, Fraction(3602879701896397, 2**55)),
    (-0.0, Fraction(0)),
    (5e-324, Fraction(1, 2**1074)),
    ("0.1", Fraction(1, 10)),
    (" 0.1 ", Fraction(1, 10)),
    ("\t7\n", Fraction(7)),
    (".5", Fraction(1, 2)),
    ("5.", Fraction(5)),
    ("+1e-3", Fraction(1, 1000)),
    ("-2E3", Fraction(-2000)),
    ("1/3", Fraction(1, 3)),
    (" -1 / 3 ", Fraction(-1, 3)),
    ("1e-5000", Fraction(1, 10**5000)),
    (np.str_("0.25"), Fraction(1, 4)),
    (np.float64(0.1), Fraction(0.1)),
    (np.float32(0.1), Fraction(13421773, 2**27)),
    (np.float16(0.5), Fraction(1, 2)),
]

NUMPY_INTEGERS = [
    np.int8(5),
    np.uint8(5),
    np.int16(5),
    np.uint16(5),
    np.int32(5),
    np.uint32(5),
    np.int64(5),
    np.uint64(5),
]

HOSTILE: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    np.float64("nan"),
    np.float32("inf"),
    np.float16("-inf"),
    np.longdouble("inf"),
    np.longdouble("nan"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    Decimal("-Infinity"),
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    True,
    False,
    np.True_,
    np.False_,
    np.array(True),
    np.array([1]),
    np.array(0.5),
    None,
    0j,
    1 + 0j,
    [],
    [0.5],
    (0.5,),
    {},
    b"0.5",
    object(),
    int,
    "",
    " ",
    "one",
    "0.1.2",
    "1e",
    "e5",
    ".",
    "+",
    "--1",
    "1,5",
    "1 000",
    "1_000",
    "0x10",
    "1/0",
    "1/-2",
    "1/2/3",
    "1.5/2",
    "1/",
    "0.1\0",
    "\u0661",  # an Arabic-Indic digit, which int() would take for 1
    "0.\u0661",
    "\uff11",
    "1\u2044 2",
    "\u00bd",
    "1e\u0661",
    "1e999999999",
    "-1e999999999",
    "1e-999999999",
    "0e999999999",
    "1e5001",
    "1e-5001",
    "1e" + "9" * 5000,
    "9" * 5000,
    "1/" + "9" * 5000,
    "9" * 100_000,
    Decimal("1E+999999999"),
    Decimal("1E-999999999"),
    Decimal("-1E+999999999"),
    Decimal("0E+999999999"),
    Decimal("1E+5001"),
]


def shown(value: object) -> str:
    """A test's label; Python refuses to print the longest numbers."""
    try:
        return getattr(value, "__name__", lasting_id(ascii(value))[:40])
    except ValueError:
        return "unprintable"


def assert_message(error: pytest.ExceptionInfo[InvalidParameter], name: str) -> None:
    """Rule; finding. Remedy, and the parameter by its name."""
    parts = re.fullmatch(r"(.+?); got (.+)\. ([^.].*\.)", str(error.value), re.DOTALL)
    assert parts is not None, str(error.value)
    rule, finding, remedy = parts.groups()
    assert rule.startswith(f"`{name}` must")
    assert finding
    assert remedy[0].isupper()
    assert len(str(error.value)) < 400
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__ or error.value.__context__ is None


def refused(check: Check, value: Any, *rest: Any, name: str = "some_name") -> str:
    with pytest.raises(InvalidParameter) as error:
        check(value, name, *rest)
    assert type(error.value) is InvalidParameter
    assert_message(error, name)
    return str(error.value)


# Numbers


@pytest.mark.parametrize(("value", "exact"), ACCEPTED, ids=shown)
def test_rational_takes_the_exact_value(value: Any, exact: Fraction) -> None:
    number = _check.rational(value, "x")
    assert type(number) is Fraction
    assert number == exact


@pytest.mark.parametrize("value", NUMPY_INTEGERS, ids=lambda value: type(value).__name__)
def test_rational_takes_numpy_integers(value: Any) -> None:
    assert _check.rational(value, "x") == 5


@pytest.mark.parametrize(
    "value",
    [np.int64(5), Fraction(np.int64(5), np.int64(7))],  # type: ignore[call-overload]
    ids=["integer", "fraction"],
)
def test_no_numpy_number_stays_inside_the_fraction(value: Any) -> None:
    # Fraction keeps numpy parts as they are, and these overflow silently in later arithmetic.
    number = _check.rational(value, "x")
    assert type(number.numerator) is int
    assert type(number.denominator) is int
    assert number * 2**64 == Fraction(5 * 2**64, number.denominator)


def test_a_long_double_is_taken_exactly_or_not_at_all() -> None:
    third = np.longdouble(1) / np.longdouble(3)
    try:
        number = _check.rational(third, "x")  # type: ignore[arg-type]
    except InvalidParameter:
        return
    assert number == Fraction(*third.as_integer_ratio())


@pytest.mark.parametrize("check", NUMBERS, ids=shown)
@pytest.mark.parametrize("value", HOSTILE, ids=shown)
def test_what_is_not_a_finite_number_is_refused(check: Check, value: Any) -> None:
    assert "must be a finite number" in refused(check, value)


def test_numbers_that_would_fill_memory_are_refused_at_once() -> None:
    shown = run_python(
        """
        import resource
        from decimal import Decimal
        from leastnoise import _check
        from leastnoise.errors import InvalidParameter

        resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
        for value in [
            "1e999999999", "-1e999999999", "1e-999999999", "1e" + "9" * 4000,
            Decimal("1E+999999999"), Decimal("1E-999999999"), Decimal("0E-999999999"),
        ]:
            try:
                _check.rational(value, "epsilon")
            except InvalidParameter:
                print("refused")
        """,
        seconds=20,
    )
    assert shown.split() == ["refused"] * 7


@pytest.mark.parametrize(
    "value",
    [1 << 20_000, -(1 << 20_000), Fraction(1, 1 << 20_000), 10**10_000],
    ids=["power", "negative", "fraction", "decimal"],
)
@pytest.mark.parametrize("check", NUMBERS, ids=shown)
def test_too_long_a_number_is_refused_for_its_length(check: Check, value: Any) -> None:
    assert "bits" in refused(check, value)


def test_a_long_decimal_is_refused_for_its_length() -> None:
    assert "bits" in refused(_check.rational, Decimal("0." + "1" * 9000))


@pytest.mark.parametrize("value", [(1 << 20_000) - 1, Fraction(1, (1 << 20_000) - 1)], ids=shown)
def test_the_longest_numbers_are_taken(value: Any) -> None:
    assert _check.rational(value, "x") == value


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (_check.positive, -(10**5000)),
        (_check.non_negative, -(10**5000)),
        (_check.probability, 10**5000),
        (_check.delta, 10**5000),
        (_check.delta, Fraction(10**5000, 7)),
        (_check.positive_delta, Fraction(-1, 10**5000)),
    ],
    ids=shown,
)
def test_a_number_python_will_not_print_is_still_refused_by_name(check: Check, value: Any) -> None:
    refused(check, value)


def test_an_integer_python_will_not_print_is_still_refused_by_name() -> None:
    refused(_check.integer_between, 10**5000, 0, 5)
    refused(_check.size, -(10**5000))


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_stand_for_their_exact_value(value: float) -> None:
    number = _check.rational(value, "x")
    assert number == Fraction(value)
    assert float(number) == value


@settings(deadline=None)
@given(st.fractions(), st.booleans())
def test_text_and_decimals_agree_with_fractions(value: Fraction, spaced: bool) -> None:
    text = f" {value} " if spaced else str(value)
    assert _check.rational(text, "x") == _check.rational(value, "x") == value


@settings(deadline=None)
@given(st.decimals(min_value=Decimal(-(10**30)), max_value=Decimal(10**30)))
def test_decimals_and_their_text_agree(value: Decimal) -> None:
    assert _check.rational(value, "x") == _check.rational(str(value), "x") == Fraction(value)


TINY = Fraction(1, 10**300)

RANGES: list[tuple[Check, list[Any], list[Any]]] = [
    (_check.positive, [TINY, 1, 1e308, "7"], [0, -0.0, 0.0, "-0", -TINY, -1, "-1e-300"]),
    (_check.non_negative, [0, -0.0, TINY, 5], [-TINY, -1, "-0.001", np.float64(-1.0)]),
    (_check.probability, [0, 1, "1/2", 1 - TINY], [1 + TINY, -TINY, 2, -1, np.nextafter(1, 2)]),
    (_check.delta, [0, -0.0, TINY, 1 - TINY], [1, 1.0, "1", 1 + TINY, 2, -TINY]),
    (_check.positive_delta, [TINY, 1 - TINY, 1e-9], [0, 0.0, -0.0, 1, "1.0", 1 + TINY, -TINY]),
]


@pytest.mark.parametrize(
    ("check", "value"), [(check, value) for check, inside, _ in RANGES for value in inside]
)
def test_what_lies_in_range_is_taken(check: Check, value: Any) -> None:
    assert check(value, "x") == _check.rational(value, "x")


@pytest.mark.parametrize(
    ("check", "value"), [(check, value) for check, _, outside in RANGES for value in outside]
)
def test_what_lies_out_of_range_is_refused(check: Check, value: Any) -> None:
    message = refused(check, value)
    assert "finite number" not in message
    assert f"some_name={value!r}"[:60] in message


@pytest.mark.parametrize("check", [_check.delta, _check.positive_delta])
def test_delta_has_its_own_name(check: Check) -> None:
    with pytest.raises(InvalidParameter) as error:
        check(2)
    assert_message(error, "delta")


def test_a_long_finding_is_cut_short() -> None:
    assert len(refused(_check.rational, "x" * 100_000)) < 200


# Integers and sizes


@pytest.mark.parametrize("value", [0, -7, 10**40, *NUMPY_INTEGERS])
def test_integers_are_taken(value: Any) -> None:
    number = _check.integer(value, "n")
    assert type(number) is int
    assert number == value


NOT_INTEGERS: list[Any] = [
    1.0,
    0.5,
    math.nan,
    math.inf,
    np.float64(1),
    True,
    np.True_,
    None,
    "1",
    "١",
    1j,
    [1],
    (1,),
    Fraction(1),
    Decimal(1),
    np.array([1]),
    np.array(True),
]


@pytest.mark.parametrize("value", NOT_INTEGERS, ids=ascii)
def test_what_is_not_an_integer_is_refused(value: Any) -> None:
    refused(_check.integer, value)
    refused(_check.integer_between, value, 0)
    refused(_check.integer_between, value, 0, 5)


@pytest.mark.parametrize("value", [2, 3, 5, np.int64(4)])
def test_integer_between_includes_both_ends(value: Any) -> None:
    assert _check.integer_between(value, "n", 2, 5) == value


@pytest.mark.parametrize("value", [1, 6, -3, 10**30, -(10**30)])
def test_integers_out_of_range_are_refused(value: int) -> None:
    assert "2..5" in refused(_check.integer_between, value, 2, 5)


def test_a_range_without_upper_end() -> None:
    assert _check.integer_between(10**400, "n", 2) == 10**400
    assert "at least 2" in refused(_check.integer_between, 1, 2)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (None, ()),
        ((), ()),
        (0, (0,)),
        (3, (3,)),
        ((2, 3), (2, 3)),
        ((2, 0), (2, 0)),
        (np.int32(4), (4,)),
        ((np.int64(4), 1), (4, 1)),
    ],
)
def test_sizes(value: Any, shape: tuple[int, ...]) -> None:
    found = _check.size(value)
    assert found == shape
    assert all(type(part) is int for part in found)


@pytest.mark.parametrize(
    "value",
    [
        -1,
        1.0,
        2.5,
        math.nan,
        np.float64(2),
        True,
        "3",
        [2, 3],
        {2, 3},
        np.array([2, 3]),
        (2, -1),
        (2, 3.0),
        (2, None),
        (math.inf,),
        (True,),
        ((2,), 3),
    ],
    ids=lasting_id,
)
def test_what_is_not_a_size_is_refused(value: Any) -> None:
    refused(_check.size, value)
