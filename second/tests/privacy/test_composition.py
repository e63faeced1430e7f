"""Basic, advanced and optimal composition, against published values and each other."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.composition import (
    advanced_composition,
    basic_composition,
    optimal_composition,
)
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss

TENTH = PureDP(epsilon="0.1")


def test_a_hundred_tenths_by_three_theorems() -> None:
    """Golden: 10 (basic), 6.30823 (advanced), 5.75611 (sharp), 4.77457 (optimal) at 1e-6."""
    assert basic_composition([TENTH] * 100) == PureDP(epsilon=10)
    hundred: dict[str, Any] = {"epsilon": "0.1", "count": 100, "slack": "1e-6"}
    assert float(advanced_composition(**hundred).epsilon) == pytest.approx(6.30823095051341)
    assert float(advanced_composition(**hundred, sharp=True).epsilon) == pytest.approx(5.756105519)
    optimal = optimal_composition([TENTH] * 100)
    assert float(optimal.epsilon("1e-6")) == pytest.approx(4.77457, abs=5e-6)
    assert float(optimal.delta(5)) == pytest.approx(2.7926361e-7, rel=1e-7)


@given(st.integers(1, 6), st.fractions("0.1", 1), st.fractions(0, "0.2"), st.fractions(0, 4))
@settings(max_examples=60, deadline=None)
def test_optimal_composition_is_the_sum_over_all_outcomes(
    count: int, size: Fraction, lost: Fraction, epsilon: Fraction
) -> None:
    truth = math.exp(size) / (1 + math.exp(size))
    kept = float(1 - lost)
    one = [
        (float(lost), 0.0),
        (kept * truth, kept * (1 - truth)),
        (kept * (1 - truth), kept * truth),
    ]
    sums = [
        math.prod(p for p, _ in picks) - math.exp(epsilon) * math.prod(q for _, q in picks)
        for picks in product(one, repeat=count)
    ]
    found = optimal_composition([ApproxDP(epsilon=size, delta=lost)] * count).delta(epsilon)
    assert float(found) == pytest.approx(sum(max(0.0, each) for each in sums), abs=1e-12)


def test_epsilon_undoes_delta() -> None:
    optimal = optimal_composition([ApproxDP(epsilon="0.2", delta="1e-7")] * 30)
    found = optimal.epsilon("1e-5")
    assert optimal.delta(Fraction(found.upper)).lower <= Fraction(1, 10**5) * (
        1 + Fraction(1, 10**9)
    )
    assert float(optimal.delta(Fraction(found.lower))) == pytest.approx(1e-5, rel=1e-9)
    assert optimal.epsilon("1e-6").lower == math.inf  # 30 * 1e-7 is given away


def test_sums_and_grids_agree() -> None:
    given_ = ApproxDP(epsilon="0.1", delta="1e-9")
    exact = optimal_composition([given_] * 40).delta(2)
    grid = PrivacyLoss.worst_case(epsilon="0.1", delta="1e-9").self_compose(40).delta(2)
    assert grid.lower <= exact.upper and exact.lower <= grid.upper
    mixed = optimal_composition([given_] * 40 + [PureDP(epsilon="0.3")])
    both = mixed.epsilon("1e-6")
    assert optimal_composition([given_] * 40).epsilon("1e-6").lower < both.upper
    assert float(both.upper) < 40 * 0.1 + 0.3


def test_kinds_add_up() -> None:
    assert basic_composition([ZCDP(rho=1), ZCDP(rho="0.5")]) == ZCDP(rho="1.5")
    assert basic_composition([GDP(mu=3), GDP(mu=4)]) == GDP(mu=5)
    root = basic_composition([GDP(mu=1), GDP(mu=1)])
    assert isinstance(root, GDP) and 2 <= root.mu**2 < 2 + Fraction(1, 10**15)
    mixed = basic_composition([PureDP(epsilon=1), ApproxDP(epsilon=1, delta="0.1")])
    assert mixed == ApproxDP(epsilon=2, delta="0.1")


def test_bad_input_gets_one_sentence() -> None:
    with pytest.raises(InvalidInput, match="different kinds"):
        basic_composition([ZCDP(rho=1), PureDP(epsilon=1)])
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        advanced_composition(epsilon=1, count=2, slack=0)


def test_nothing_private_and_nothing_lost() -> None:
    zero = optimal_composition([PureDP(epsilon=0)] * 5)
    assert zero.epsilon("1e-9") == Interval.exactly(0)
    assert zero.delta(0) == Interval.exactly(0)
    assert optimal_composition([ApproxDP(epsilon=1, delta=1)]).epsilon("0.5").lower == math.inf
