"""Shapes, types and ranges of samples; bad sizes are refused before any entropy is drawn."""

from typing import Any

import numpy as np
import pytest

from leastnoise import InvalidParameter
from tests.laws.examples import EXAMPLES, Example
from tests.scripted import NoEntropy

each = pytest.mark.parametrize("example", EXAMPLES, ids=str)


@each
@pytest.mark.parametrize("size", [0, 1, 7, (2, 3), (0, 4), (), np.int64(5)], ids=str)
def test_sample_has_the_asked_shape(example: Example, size: Any) -> None:
    drawn = example.law.sample(size)
    assert drawn.shape == np.empty(size).shape
    assert drawn.dtype == np.int64


@each
def test_sample_without_size_is_an_int(example: Example) -> None:
    assert type(example.law.sample()) is int


@each
def test_sample_stays_in_the_support(example: Example) -> None:
    law = example.law
    drawn = law.sample(20_000)
    least, most = int(drawn.min()), int(drawn.max())
    if law.support is not None:
        assert law.support[0] <= least <= most <= law.support[1]
    assert law.pmf(least).lower > 0
    assert law.pmf(most).lower > 0
    # A larger draw has probability below 2**-85 even among 20 000.
    assert max(-least, most) <= law.quantile("0." + "9" * 30)


@each
@pytest.mark.parametrize(
    "size", [-1, 1.0, True, "3", (2, -1), (2, 0.5), [3], float("nan"), np.float64(2)], ids=repr
)
def test_bad_sizes_are_refused_before_entropy_is_drawn(example: Example, size: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"`size` must be .*; got"):
        example.law.sample(size, source=NoEntropy())


@each
def test_entropy_comes_from_the_given_source(example: Example) -> None:
    with pytest.raises(AssertionError, match="entropy drawn"):
        example.law.sample(5, source=NoEntropy())


@pytest.mark.parametrize("source", [42, "entropy", object()])
def test_what_is_not_a_source_is_refused(source: object) -> None:
    with pytest.raises(InvalidParameter, match="no seeds"):
        EXAMPLES[0].law.sample(5, source)  # type: ignore[call-overload]
