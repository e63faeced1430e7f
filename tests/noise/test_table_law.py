"""Finite laws with rational weights."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.noise import TableLaw
from leastnoise.numeric.interval import Interval
from tests.noise import brute_force

tables = st.dictionaries(st.integers(-6, 6), st.fractions(0, 5, max_denominator=9), min_size=1)


@settings(max_examples=60, deadline=None)
@given(
    tables.filter(lambda t: any(t.values())),
    st.fractions(0, 2, max_denominator=8),
    st.integers(1, 13),
)
def test_verify_is_the_brute_force_maximum_over_shifts(
    weights: dict[int, Fraction], epsilon: Fraction, sensitivity: int
) -> None:
    law = TableLaw(weights)
    chances = {k: brute_force.number(p) for k, p in law.weights.items()}
    worst = max(
        brute_force.hockey_stick(chances, epsilon, sign * shift)
        for shift in range(1, sensitivity + 1)
        for sign in (1, -1)
    )
    verdict = law.verify(sensitivity=sensitivity, epsilon=epsilon, delta="0.5")
    assert abs(brute_force.middle(verdict.attained) - worst) < 1e-22
    if abs(worst - 0.5) > 1e-20:
        assert bool(verdict) == (worst <= 0.5)


def test_ties_with_e_to_the_epsilon_are_exact_at_epsilon_zero() -> None:
    law = TableLaw({0: 1, 1: 1, 2: 1, 3: 1})
    assert law.verify(sensitivity=1, epsilon=0, delta="0.25")
    assert not law.verify(sensitivity=1, epsilon=0, delta=Fraction(1, 4) - Fraction(1, 10**30))


def test_a_table_of_rational_geometric_weights_is_refused_at_the_irrational_rate() -> None:
    """Ratios of exactly 2 are private at ε just above log 2 and not just below."""
    law = TableLaw({k: Fraction(1, 2 ** abs(k)) for k in range(-40, 41)})
    above = law.verify(sensitivity=1, epsilon="0.693147180559946", delta="1e-12")
    below = law.verify(sensitivity=1, epsilon="0.693147180559945", delta=above.attained.upper)
    assert above
    assert not below


def test_asymmetric_law_is_checked_in_both_directions() -> None:
    law = TableLaw({0: 3, 1: 1})
    forth, back = law.hockey_stick(1, 1), law.hockey_stick(1, -1)
    assert forth != back
    assert law.delta(1, 1).upper == max(forth.upper, back.upper)


def test_disjoint_shifts_leak_everything_and_a_huge_sensitivity_is_no_trouble() -> None:
    law = TableLaw({0: 1, 5: 1})
    assert law.verify(sensitivity=10**9, epsilon=100, delta="0.9999").attained == Interval.exactly(
        1
    )


def test_values_beyond_64_bits_come_back_as_python_integers() -> None:
    law = TableLaw({2**70: 1, -(2**70): 1, 3: 2})
    drawn = law.sample(500)
    assert drawn.dtype == np.object_
    assert set(drawn.tolist()) == {2**70, -(2**70), 3}


def test_moments_variance_and_quantile() -> None:
    law = TableLaw({-1: 1, 3: 1})
    assert law.moment(1) == Interval.exactly(2)
    assert law.moment(2) == Interval.exactly(5)
    assert law.variance == Interval.exactly(4)
    assert (law.quantile("0.5"), law.quantile("0.51"), law.quantile(1)) == (1, 3, 3)


def test_same_law_from_differently_scaled_weights() -> None:
    law = TableLaw({1: "0.5", -1: "0.5", 9: 0})
    assert law == TableLaw({-1: 7, 1: 7})
    assert hash(law) == hash(TableLaw({-1: 7, 1: 7}))
    assert pickle.loads(pickle.dumps(law)) == copy.deepcopy(law) == law


@pytest.mark.parametrize(
    "weights",
    [{}, {0: 0}, {0: -1}, {0: float("nan")}, {0.5: 1}, {True: 1}, {0: True}, [1, 2], None, "abc"],
)
def test_bad_tables_are_refused(weights: object) -> None:
    with pytest.raises(InvalidParameter):
        TableLaw(weights)  # type: ignore[arg-type]
