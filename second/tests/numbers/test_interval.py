"""Two exact ends with the truth between them, printed without a wrong digit."""

from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.numbers.interval import Interval

INF = float("inf")
F = Fraction


@pytest.mark.parametrize(("low", "high"), [(F(1), F(0)), (INF, F(0)), (float("nan"), F(0)), ("0", F(1)), (None, F(1)),
                                           (Decimal("sNaN"), F(1))])  # fmt: skip
def test_ends_in_the_wrong_order_are_refused(low: Any, high: F | float) -> None:
    with pytest.raises(ValueError, match="lower end"):
        Interval(low, high)


def test_what_an_interval_holds() -> None:
    third = Interval(F(1, 4), F(1, 3))
    assert F(1, 4) in third and F(1, 3) in third and 0.3 in third
    assert F(1, 3) + F(1, 10**30) not in third and 0 not in third
    assert 10**400 in Interval(F(0), INF)
    assert third.width == F(1, 12)
    assert Interval.exactly(INF).width == 0
    assert Interval.exactly(2) == Interval(F(2), F(2))
    with pytest.raises(FrozenInstanceError):
        third.lower = F(0)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("interval", "middle", "printed"),
    [
        (Interval.exactly(F(1, 4)), 0.25, "0.25"),
        (Interval.exactly(-3), -3.0, "-3"),
        (Interval(F(1, 4), F(3, 4)), 0.5, "[0.25, 0.75]"),
        (Interval(F(10, 3), F(10, 3) + F(1, 10**6)), 10 / 3, "3.333333..."),
        (Interval(F(0), INF), INF, "[0, inf]"),
        (Interval(-INF, F(0)), -INF, "[-inf, 0]"),
        (Interval(F(10**400), F(10**400)), INF, "1e+400"),
        (Interval(F(-(10**400)), F(1)), -INF, "[-1e+400, 1]"),
        (Interval(F(-(10**400)), F(10**401)), INF, "[-1e+400, 1e+401]"),
        (Interval(F("1.234"), F("1.239e20")), 1.239e20 / 2, "[1.234, 1.239e+20]"),
        (Interval(-INF, INF), INF, "[-inf, inf]"),
        (Interval(F(5), INF), INF, "[5, inf]"),
        (Interval(-INF, F(-5)), -INF, "[-inf, -5]"),
        (Interval.exactly(10**15), 1e15, "1e+15"),
        (Interval.exactly(123456789012345), 123456789012345, "123456789012345"),
        (
            Interval.exactly(F(1, 3 * 10**200)),
            1 / 3e200,
            "[3.33333333333333e-201, 3.33333333333334e-201]",
        ),
    ],
)
def test_printed(interval: Interval, middle: float, printed: str) -> None:
    assert repr(interval) == f"{interval}" == printed
    assert float(interval) == pytest.approx(middle, rel=1e-6)


@given(st.fractions(), st.fractions(0, 1), st.integers(0, 40))
def test_what_is_printed_is_true_of_both_ends(low: F, width: F, digits: int) -> None:
    interval = Interval(low, low + width / 10**digits)
    text = repr(interval)
    if text.startswith("["):
        below, above = text[1:-1].split(", ")
        assert F(below) <= interval.lower <= interval.upper <= F(above)
    elif text.endswith("..."):
        shown = F(text[:-3])
        before_last = F(10, 10 ** len(text[:-3].partition(".")[2]))
        for end in (interval.lower, interval.upper):
            assert abs(F(end) - shown) <= before_last
    else:
        assert abs(F(text) - low) <= abs(low) / 10**14
