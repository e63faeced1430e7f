"""The area under the curve, and what privacy allows it to be."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from leastnoise.attacks import auc, greatest_auc
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import RandomizedResponse

SCORES = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_area_counts_pairs(members: list[int], outsiders: list[int]) -> None:
    pairs = [(m > o) + Fraction(m == o, 2) for m in members for o in outsiders]
    assert auc(members, outsiders) == sum(pairs, Fraction(0)) / len(pairs)


def test_area_agrees_with_scipy() -> None:
    members, outsiders = [0.1, 2.5, 2.5, -1.0, 7.0], [0.0, 2.5, 3.0]
    statistic = mannwhitneyu(members, outsiders).statistic
    assert float(auc(members, outsiders)) == pytest.approx(statistic / 15)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (1, 0), (1, "0.1"), (3, "0.5")])
def test_greatest_area_is_met_by_the_worst_mechanism(epsilon: int, delta: str) -> None:
    """One record, out of two that differ: publish it with chance δ, else a randomised response."""
    truth = Fraction(0)
    if epsilon:
        truth = Fraction(RandomizedResponse(epsilon=epsilon).truth.interval().upper)
    told = float(truth) if epsilon else 0.5
    area = float(Fraction(delta)) + (1 - float(Fraction(delta))) * told
    assert float(greatest_auc(epsilon=epsilon, delta=delta)) == pytest.approx(area)


def test_bad_parameters() -> None:
    with pytest.raises(InvalidParameter, match="`epsilon`"):
        greatest_auc(epsilon=-1)
    with pytest.raises(InvalidParameter, match="`members`"):
        auc([], [1])
    with pytest.raises(InvalidParameter, match="`outsiders`"):
        auc([1], [float("nan")])
