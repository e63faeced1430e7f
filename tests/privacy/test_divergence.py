"""Finite laws: a brute-force rational reference, and the properties every divergence must have."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mp, mpf

from leastnoise import Interval, InvalidParameter
from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.privacy.divergence import hockey_stick, kl, renyi, total_variation
from leastnoise.privacy.laws.finite_law import FiniteLaw
from leastnoise.privacy.laws.normal import Normal

Weights = dict[int, Fraction]

weights = st.dictionaries(
    st.integers(0, 5), st.fractions("1/50", 9, max_denominator=50), min_size=1
)
full = st.lists(st.fractions("1/50", 9, max_denominator=50), min_size=4, max_size=4).map(
    lambda values: dict(enumerate(values))
)
orders = st.fractions("1/10", 12, max_denominator=10)
epsilons = st.fractions(-3, 3, max_denominator=10)


def normalised(law: Weights) -> Weights:
    total = sum(law.values())
    return {outcome: weight / total for outcome, weight in law.items()}


def number(value: Fraction | float) -> mpf:
    exact = Fraction(value)
    return mpf(exact.numerator) / exact.denominator


def holds(interval: Interval, truth: mpf) -> bool:
    """Whether the interval contains the truth and is tight."""
    slack = mpf(10) ** -45
    lower, upper = number(interval.lower), number(interval.upper)
    return bool(lower - slack <= truth <= upper + slack and upper - lower <= mpf(10) ** -20)


@settings(deadline=None)
@given(weights, weights)
def test_total_variation_is_the_best_event(p: Weights, q: Weights) -> None:
    first, second = normalised(p), normalised(q)
    outcomes = sorted({*p, *q})
    best = max(
        sum(
            (first.get(x, Fraction(0)) - second.get(x, Fraction(0)))
            for i, x in enumerate(outcomes)
            if chosen >> i & 1
        )
        for chosen in range(2 ** len(outcomes))
    )
    assert total_variation(p, q) == Interval.exactly(best)
    assert total_variation(q, p) == Interval.exactly(best)
    assert hockey_stick(p, q, 0) == Interval.exactly(best)


@settings(deadline=None)
@given(weights, weights, epsilons)
def test_hockey_stick_against_brute_force(p: Weights, q: Weights, epsilon: Fraction) -> None:
    first, second = normalised(p), normalised(q)
    with mp.workdps(60):
        factor = exp(number(epsilon))
        truth = sum(
            (
                max(mpf(0), number(chance) - factor * number(second.get(x, Fraction(0))))
                for x, chance in first.items()
            ),
            mpf(0),
        )
        assert holds(hockey_stick(p, q, epsilon), truth)


@settings(deadline=None)
@given(full, full, orders)
def test_renyi_against_brute_force(p: Weights, q: Weights, order: Fraction) -> None:
    first, second = normalised(p), normalised(q)
    with mp.workdps(60):
        alpha = number(order)
        pairs = [(number(first[x]), number(second[x])) for x in first]
        if order == 1:
            truth = sum(a * log(a / b) for a, b in pairs)
        else:
            truth = log(sum(a**alpha * b ** (1 - alpha) for a, b in pairs)) / (alpha - 1)
        assert holds(renyi(p, q, order), truth)
        greatest = max(log(a / b) for a, b in pairs)
        assert holds(renyi(p, q, math.inf), greatest)


@settings(deadline=None)
@given(weights, weights, orders)
def test_support_decides_what_is_infinite(p: Weights, q: Weights, order: Fraction) -> None:
    answer = renyi(p, q, order)
    disjoint, covered = not set(p) & set(q), set(p) <= set(q)
    infinite = disjoint or (order >= 1 and not covered)
    assert (answer == Interval(math.inf, math.inf)) == infinite
    assert math.isinf(answer.upper) == infinite


@settings(deadline=None)
@given(full, full, orders, epsilons)
def test_coarsening_lowers_every_divergence(
    p: Weights, q: Weights, order: Fraction, epsilon: Fraction
) -> None:
    def merged(law: Weights) -> Weights:
        exact = normalised(law)
        return {0: exact[0] + exact[1], 1: exact[2] + exact[3]}

    assert renyi(merged(p), merged(q), order).lower <= renyi(p, q, order).upper
    coarse, fine = (hockey_stick(*pair, epsilon) for pair in ((merged(p), merged(q)), (p, q)))
    assert coarse.lower <= fine.upper


@settings(deadline=None)
@given(full, full, orders, orders)
def test_renyi_rises_with_the_order(p: Weights, q: Weights, a: Fraction, b: Fraction) -> None:
    assert renyi(p, q, min(a, b)).lower <= renyi(p, q, max(a, b)).upper
    assert renyi(p, q, max(a, b)).lower <= renyi(p, q, math.inf).upper


@settings(deadline=None)
@given(full, full, st.fractions("1/20", "19/20", max_denominator=20))
def test_skew_symmetry_below_one(p: Weights, q: Weights, order: Fraction) -> None:
    there, back = renyi(p, q, order), renyi(q, p, 1 - order)
    # D_α(P‖Q)·(1−α) = D_(1−α)(Q‖P)·α.
    assert there.lower * (1 - order) <= back.upper * order
    assert back.lower * order <= there.upper * (1 - order)


@settings(deadline=None)
@given(full, full, epsilons)
def test_the_other_order_of_the_pair(p: Weights, q: Weights, epsilon: Fraction) -> None:
    there, back = hockey_stick(p, q, epsilon), hockey_stick(q, p, -epsilon)
    factor = math.exp(epsilon)
    assert float(there) == pytest.approx(1 - factor + factor * float(back), abs=1e-12)


@settings(deadline=None)
@given(full, st.fractions("1/9", 9))
def test_a_law_is_at_no_distance_from_itself(p: Weights, factor: Fraction) -> None:
    scaled = {outcome: weight * factor for outcome, weight in p.items()}
    for order in ("0.5", 1, 2, math.inf):
        assert renyi(p, scaled, order) == Interval.exactly(0)
    assert hockey_stick(p, scaled, 0) == Interval.exactly(0)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_randomized_response_is_decided_exactly(epsilon: str) -> None:
    factor = ExponentialSum.exp(Fraction(epsilon))
    yes, no = FiniteLaw({1: factor, 0: 1}), FiniteLaw({0: factor, 1: 1})
    assert hockey_stick(yes, no, epsilon) == Interval.exactly(0)
    assert hockey_stick(yes, no, Fraction(epsilon) - Fraction(1, 10**30)).lower > 0
    alpha, e = 3, float(epsilon)
    known = math.log(math.cosh((alpha - 0.5) * e) / math.cosh(e / 2)) / (alpha - 1)
    assert float(renyi(yes, no, alpha)) == pytest.approx(known, rel=1e-12)
    assert float(kl(yes, no)) == pytest.approx(e * math.tanh(e / 2), rel=1e-12)


def test_bad_input_is_refused() -> None:
    with pytest.raises(
        InvalidParameter, match=r"must be laws of one kind; got a dict and Normal\("
    ):
        kl({0: 1}, Normal(0, 1))
    with pytest.raises(InvalidParameter, match="must hold a positive weight"):
        kl({0: 0}, {0: 1})
    with pytest.raises(InvalidParameter, match="must not be negative"):
        kl({0: -1}, {0: 1})
    with pytest.raises(InvalidParameter, match="must not be negative"):
        kl({0: 1 - ExponentialSum.exp(1)}, {0: 1})
    for order in (0, -1, math.nan, "two"):
        with pytest.raises(InvalidParameter, match="`order` must be"):
            renyi({0: 1}, {0: 1}, order)
    with pytest.raises(InvalidParameter, match="`epsilon` must be a finite number"):
        hockey_stick({0: 1}, {0: 1}, math.inf)
    with pytest.raises(InvalidParameter, match="of one kind"):
        renyi(3, 4, 2)  # type: ignore[arg-type]
