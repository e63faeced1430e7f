"""The privacy a law claims is the divergence of its own pmf, and verify believes nothing more."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric import Interval
from tests.laws.examples import (
    EXAMPLES,
    GUARANTEED,
    SMALL,
    Example,
    probabilities,
    window,
)

A_LITTLE_LESS = 1 - Fraction(1, 10**12)
EPSILONS = [Fraction(0), Fraction(1, 10), Fraction(1), Fraction(7, 3)]
each_small = pytest.mark.parametrize("example", SMALL, ids=str)
each = pytest.mark.parametrize("example", EXAMPLES, ids=str)
each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
each_guaranteed = pytest.mark.parametrize("example", GUARANTEED, ids=str)


def brute_force(law: LatticeLaw, epsilon: Fraction, shift: int) -> mpmath.mpf:
    """Σₖ max(0, P(X = k) − e^ε·P(X = k − shift)) over the window and its shifted copy."""
    weights = {k: mid(part) for k, part in probabilities(law).items()}
    factor = mpmath.exp(mid(Interval.exactly(epsilon)))
    return sum(max(0, p - factor * weights.get(k - shift, 0)) for k, p in weights.items())


def mid(value: Interval) -> mpmath.mpf:
    middle = (value.lower + value.upper) / 2
    assert isinstance(middle, Fraction)
    return mpmath.mpf(middle.numerator) / middle.denominator


def distances(law: LatticeLaw) -> list[int]:
    return sorted({0, 1, 2, 5, law.quantile("1/2"), law.quantile("0.99"), 3 * law.quantile("0.99")})


@pytest.mark.spread(180)
@each_small
@each_epsilon
@pytest.mark.parametrize("shift", [1, -1, 2, -3, 7])
def test_hockey_stick_is_a_sum(example: Example, epsilon: Fraction, shift: int) -> None:
    with mpmath.workprec(300):
        expected = brute_force(example.law, epsilon, shift)
        found = mid(example.law.hockey_stick(epsilon, shift))
        assert abs(found - expected) <= mpmath.mpf(10) ** -20


@pytest.mark.spread(50)
@each
@each_epsilon
def test_delta_is_the_worse_direction(example: Example, epsilon: Fraction) -> None:
    law = example.law
    for distance in distances(law):
        forth = law.hockey_stick(epsilon, distance)
        back = law.hockey_stick(epsilon, -distance)
        found = law.delta(epsilon, distance)
        assert found.upper >= max(forth.lower, back.lower)
        assert found.lower <= max(forth.upper, back.upper)


@pytest.mark.spread(50)
@each
@each_epsilon
def test_delta_lies_between_zero_and_one(example: Example, epsilon: Fraction) -> None:
    law = example.law
    assert law.delta(epsilon, 0) == Interval.exactly(0)
    for distance in distances(law):
        value = law.delta(epsilon, distance)
        assert value.upper >= 0
        assert value.lower <= 1


@pytest.mark.spread(50)
@each
@each_epsilon
def test_delta_grows_with_distance(example: Example, epsilon: Fraction) -> None:
    law = example.law
    if not law.shape.symmetric_unimodal:
        pytest.skip("only promised for symmetric, unimodal laws")
    values = [law.delta(epsilon, distance) for distance in distances(law)]
    assert all(near.lower <= far.upper for near, far in pairwise(values))


@each
def test_delta_falls_with_epsilon(example: Example) -> None:
    law = example.law
    for distance in distances(law):
        values = [law.delta(epsilon, distance) for epsilon in EPSILONS]
        assert all(strict.upper >= loose.lower for strict, loose in pairwise(values))


@each
def test_disjoint_copies_leak_everything(example: Example) -> None:
    law = example.law
    if law.support is not None:
        apart = law.support[1] - law.support[0] + 1
        assert 1 in law.delta(1, apart)
        assert law.delta(1, apart - 1).upper < 1


@each
@each_epsilon
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_verify_accepts_delta_and_nothing_less(
    example: Example, epsilon: Fraction, sensitivity: int
) -> None:
    law = example.law
    worst = [law.delta(epsilon, distance) for distance in range(1, sensitivity + 1)]
    lower, upper = max(value.lower for value in worst), max(value.upper for value in worst)
    if upper < 1:
        assert law.verify(sensitivity=sensitivity, epsilon=epsilon, delta=upper)
    if lower > 0:
        refuted = law.verify(
            sensitivity=sensitivity, epsilon=epsilon, delta=min(lower, Fraction(1)) * A_LITTLE_LESS
        )
        assert not refuted
        assert refuted.attained.upper >= lower
        assert 1 <= abs(refuted.shift) <= sensitivity


@each_guaranteed
def test_stated_guarantee_is_proved(example: Example) -> None:
    claim = example.guarantee
    assert claim is not None
    proof = example.law.verify(
        sensitivity=claim.sensitivity, epsilon=claim.epsilon, delta=claim.delta
    )
    assert proof, str(proof)
    assert claim.delta in proof.attained


@each_guaranteed
def test_guarantee_short_by_one_part_in_a_trillion_is_refused(example: Example) -> None:
    law, claim = example.law, example.guarantee
    assert claim is not None
    if claim.delta:
        assert not law.verify(
            sensitivity=claim.sensitivity,
            epsilon=claim.epsilon,
            delta=claim.delta * A_LITTLE_LESS,
        )
    if claim.epsilon:
        assert not law.verify(
            sensitivity=claim.sensitivity,
            epsilon=claim.epsilon * A_LITTLE_LESS,
            delta=claim.delta,
        )
    assert not law.verify(
        sensitivity=claim.sensitivity + 1, epsilon=claim.epsilon, delta=claim.delta
    )


@each_small
def test_window_holds_nearly_all(example: Example) -> None:
    law = example.law
    assert law.tail(window(law)[-1] + 1).upper <= Fraction(1, 2**99)
