"""`PairTable`: its leak against fractions, its draws, and what it refuses."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms import CountsNoise
from leastnoise.noise.vectors.pair_table import PairTable
from leastnoise.privacy.guarantee import ApproxDP

WEIGHTS = ((2, 1, 0), (1, 4, 1), (0, 1, 2))


def leak(weights: tuple[tuple[int, ...], ...]) -> Fraction:
    """δ at ε = 0, in fractions: the total variation at the worst unit."""
    n = len(weights) // 2
    chances = {
        (i - n, j - n): Fraction(w) for i, row in enumerate(weights) for j, w in enumerate(row)
    }
    total, worst = sum(chances.values()), Fraction(0)
    for (a, b), sign in product(((1, 0), (0, 1), (1, 1)), (1, -1)):
        gaps = (
            w - chances.get((x + sign * a, y + sign * b), Fraction(0))
            for (x, y), w in chances.items()
        )
        worst = max(worst, sum((gap for gap in gaps if gap > 0), Fraction(0)))
    return worst / total


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=9, max_size=9).filter(any))
def test_delta_is_the_greatest_over_all_units(flat: list[int]) -> None:
    weights = tuple(tuple(flat[3 * i : 3 * i + 3]) for i in range(3))
    found = PairTable(weights).delta(0)
    truth = leak(weights)
    assert found.lower <= truth <= found.upper
    assert found.width < Fraction(1, 10**9)


def test_claims_are_decided() -> None:
    law, truth = PairTable(WEIGHTS), leak(WEIGHTS)
    assert law.verify(epsilon=0, delta=truth + Fraction(1, 10**9))
    assert not law.verify(epsilon=0, delta=truth - Fraction(1, 10**9))
    assert not law.verify(epsilon=5, delta="0.9", sensitivity=2)
    assert law.delta(1).upper < law.delta(0).lower


def test_draws_have_the_weights() -> None:
    law = PairTable(WEIGHTS)
    drawn = Counter(map(tuple, law.sample(12000).tolist()))
    for (i, row), j in product(enumerate(WEIGHTS), range(3)):
        truth = row[j] / 12
        slack = 6 * np.sqrt(truth * (1 - truth) / 12000)
        assert abs(drawn[i - 1, j - 1] / 12000 - truth) <= slack


def test_errors_of_one_and_of_both() -> None:
    law = PairTable(WEIGHTS)
    assert float(law.cell.moment(2)) == pytest.approx(4 * 6 / 12)
    assert law.quantile("0.3") == 0
    assert law.quantile("0.34") == 2
    assert law.quantile(1) == 2


def test_the_worse_of_the_two_is_priced() -> None:
    wide = PairTable(((1, 1, 1), (0, 0, 0), (1, 1, 1)))  # the first count always errs
    assert float(wide.cell.moment(2)) == 4


def test_a_mechanism_counts_with_its_guarantee() -> None:
    law = PairTable(WEIGHTS)
    promise = ApproxDP(epsilon=1, delta=law.delta(1).upper)
    mechanism = CountsNoise(law, sensitivity=1, guarantee=promise, cost="squared")
    assert float(mechanism.privacy().delta(1).upper) == pytest.approx(float(promise.delta))
    assert np.abs(mechanism.release([10, 20]).value - [10, 20]).max() <= 1
    with pytest.raises(UnsupportedQuery, match="asked for delta"):
        mechanism.law.privacy(1)


@pytest.mark.parametrize(
    "weights", [[[1, 1], [1, 1]], [[1, 1, 1]], [[0]], [[-1]], [[1 << 62]], [[1, 1, 1], [1], [1]]]
)
def test_what_is_refused(weights: Any) -> None:
    with pytest.raises(InvalidParameter):
        PairTable(weights)
