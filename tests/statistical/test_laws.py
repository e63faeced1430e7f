"""Samples fit the law they are drawn from, and the test that says so has power.

A sound sampler fails one of these tests with probability 1e-6 each. The same tests must reject the
same law with its scale 10 % too small and 10 % too large, and samples that repeat.
"""

import numpy as np
import pytest

from tests.laws.examples import SPOILABLE, Example
from tests.statistical.goodness_of_fit import BLOCK, DRAWS, FALSE_ALARM, fit, independence

each = pytest.mark.parametrize("example", SPOILABLE, ids=str)
LAGS = [1, BLOCK]


@each
def test_samples_fit_their_law(example: Example) -> None:
    assert fit(example.law.sample(DRAWS), example.law) >= FALSE_ALARM


@each
@pytest.mark.parametrize("side", [0, 1], ids=["too little noise", "too much noise"])
def test_scale_off_by_a_tenth_is_rejected(example: Example, side: int) -> None:
    assert example.off is not None
    assert fit(example.off[side].sample(DRAWS), example.law) < FALSE_ALARM


@each
@pytest.mark.parametrize("lag", LAGS)
def test_samples_are_independent(example: Example, lag: int) -> None:
    assert independence(example.law.sample(DRAWS), example.law, lag) >= FALSE_ALARM


@each
@pytest.mark.parametrize("lag", LAGS)
def test_repeated_samples_are_rejected(example: Example, lag: int) -> None:
    blocks = example.law.sample(DRAWS // 2).reshape(-1, 1, lag).astype(np.int64)
    draws = np.repeat(blocks, 2, axis=1).ravel()
    assert independence(draws, example.law, lag) < FALSE_ALARM
