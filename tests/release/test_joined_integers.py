"""Integers and floats as texts: what Python writes of each, whatever their digits and signs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.release.ask import joined_integers as module
from leastnoise.release.ask.joined_integers import joined_integers
from leastnoise.release.result.woven import joined_numbers, number_texts

INT64 = st.integers(-(2**63), 2**63 - 1)
NEAR_TENS = [
    sign * (10**power + move) for power in range(19) for move in (-1, 0, 1) for sign in (-1, 1)
]


@given(
    st.lists(INT64 | st.integers(-99, 99) | st.sampled_from(NEAR_TENS), max_size=30),
    st.sampled_from(["", " ", ", ", ",), (", "\r\n", "é", "-0"]),
    st.integers(1, 40),
)
def test_integers_are_written_as_python_writes_them(
    numbers: list[int], between: str, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        found = joined_integers(np.array(numbers, np.int64), between)
    assert found == between.join(map(str, numbers))


@pytest.mark.parametrize("alone", [*NEAR_TENS, 2**63 - 1, -(2**63)])
def test_each_alone_and_beside_the_longest(alone: int) -> None:
    assert joined_integers(np.array([alone]), ", ") == str(alone)
    both = [-(2**63), alone, 2**63 - 1]
    assert joined_integers(np.array(both), "; ") == "; ".join(map(str, both))


@given(
    st.lists(st.integers(-40, 40), min_size=1, max_size=400),
    st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 0.5, 4e6 + 0.3]),
    st.sampled_from([1.0, 0.5, 3.0, 2.0**-40, 1e300]),
)
def test_floats_some_steps_apart_are_written_as_python_writes_them(
    steps: list[int], start: float, step: float
) -> None:
    with np.errstate(over="ignore"):
        column = np.array(steps) * step + start
    expected = list(map(repr, column.tolist()))
    assert number_texts(column).listed() == expected
    assert joined_numbers(column, ", ") == ", ".join(expected)


@pytest.mark.parametrize("offset", [4_007_715.927334356, -0.1 - 2**20])
def test_steps_within_one_exponent_are_told_once_each(offset: float) -> None:
    column = np.resize(np.arange(100), 1000) + offset
    texts = number_texts(column)
    assert len(texts.found) == 100
    assert texts.listed() == list(map(repr, column.tolist()))


@pytest.mark.parametrize("numbers", [[-(2**63), 2**63 - 1], [0.0, -0.0], [5e-324, -1.7e308, 0.5]])
@pytest.mark.parametrize("times", [1, 50])
def test_numbers_at_the_ends(numbers: list[float], times: int) -> None:
    column = np.array(numbers * times)
    assert number_texts(column).listed() == list(map(repr, column.tolist()))
    assert joined_numbers(column, " ") == " ".join(map(repr, column.tolist()))
