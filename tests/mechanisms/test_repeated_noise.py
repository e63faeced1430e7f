"""`RepeatedNoise`: the worst change of the data, the proof it demands, its release and errors."""

from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    GeneralizedGaussian,
    LatticeLaw,
    MedianOfUniforms,
    TableLaw,
)
from leastnoise.numeric.cost import SQUARED
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from tests.noise.brute_force import middle, number
from tests.scripted import NoEntropy

SMALL: list[LatticeLaw] = [
    MedianOfUniforms(order=1, radius=4),
    TableLaw({-2: 1, -1: 2, 0: 5, 1: 2, 2: 1}),
    GeneralizedGaussian(scale="3/2", power="3/2"),
]


def joint_leak(law: LatticeLaw, shift: tuple[int, ...], epsilon: Fraction) -> mpf:
    """Σ max(0, P(x) − e^ε·P(x − shift)) over all vectors x near the origin."""
    reach = law.support[1] if law.support else 10
    chances = {k: middle(law.pmf(k)) for k in range(-reach - 3, reach + 4)}
    factor, total = mpmath.exp(number(epsilon)), mpf(0)
    for x in product(range(-reach, reach + 1), repeat=len(shift)):
        here = mpmath.fprod(chances[k] for k in x)
        there = mpmath.fprod(chances[k - v] for k, v in zip(x, shift, strict=True))
        total += max(mpf(0), here - factor * there)
    return total


@pytest.mark.spread(4)
@pytest.mark.parametrize("law", SMALL, ids=repr)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(2)], ids=str)
def test_moving_every_answer_as_far_as_possible_is_the_worst(
    law: LatticeLaw, epsilon: Fraction
) -> None:
    leaks = {v: joint_leak(law, v, epsilon) for v in product(range(-2, 3), repeat=2)}
    worst = max(leaks.values())
    assert leaks[2, 2] >= worst - mpf(10) ** -14
    composed = law.privacy(2).self_compose(2).delta(epsilon)
    assert abs(number(composed.upper) - worst) <= worst * mpf("1e-3") + mpf(10) ** -12


def test_directions_may_not_be_mixed_for_a_lopsided_law() -> None:
    """Moving two answers apart leaks more than moving them alike: such laws are refused."""
    law = TableLaw({-2: 3, -1: 1, 0: 6, 1: 1, 2: 3})
    alike, apart = (joint_leak(law, v, Fraction(1, 2)) for v in ((1, 1), (1, -1)))
    assert abs(alike - apart) < mpf(10) ** -12  # symmetric: no matter
    lopsided = TableLaw({-1: 1, 0: 6, 1: 3, 2: 1})
    one_way, other_way, mixed = (
        joint_leak(lopsided, v, Fraction(1)) for v in ((1, 1), (-1, -1), (1, -1))
    )
    assert mixed > min(one_way, other_way)
    with pytest.raises(UnsupportedQuery, match="symmetric and unimodal"):
        repeated(lopsided)
    with pytest.raises(UnsupportedQuery, match="symmetric and unimodal"):
        repeated(law)


def repeated(law: LatticeLaw, **changes: Any) -> RepeatedNoise:
    arguments: dict[str, Any] = {
        "count": 3,
        "sensitivity": 1,
        "guarantee": ApproxDP(epsilon=1, delta="1e-6"),
    }
    return RepeatedNoise(law, **(arguments | changes))


def test_a_law_that_leaks_a_little_too_much_is_refused() -> None:
    leak = DiscreteGaussian(55).privacy(1).self_compose(3).delta(1)
    kept, broken = Fraction(leak.upper), Fraction(leak.lower) * (1 - Fraction(1, 10**6))
    repeated(DiscreteGaussian(55), guarantee=ApproxDP(epsilon=1, delta=kept))
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        repeated(DiscreteGaussian(55), guarantee=ApproxDP(epsilon=1, delta=broken))


def test_what_is_not_proved_is_refused_even_if_it_may_be_true() -> None:
    law = GeneralizedGaussian(14, "3/2")
    leak = law.privacy(1).self_compose(12).delta(1)
    assert leak.lower < leak.upper
    between = (Fraction(leak.lower) + Fraction(leak.upper)) / 2
    repeated(law, count=12, guarantee=ApproxDP(epsilon=1, delta=leak.upper))
    with pytest.raises(InvalidParameter, match="losses of 12 answers added up"):
        repeated(law, count=12, guarantee=ApproxDP(epsilon=1, delta=between))


def test_a_pure_promise_is_shared_equally_and_exactly() -> None:
    promise = PureDP(epsilon=1)
    repeated(DiscreteLaplace(6), sensitivity=2, guarantee=promise)
    less = Fraction(6) - Fraction(1, 10**30)
    with pytest.raises(InvalidParameter, match="share epsilon equally"):
        repeated(DiscreteLaplace(less), sensitivity=2, guarantee=promise)
    many = repeated(DiscreteLaplace(10**6), count=10**6, guarantee=promise)
    assert many.verification.attained == Interval.exactly(0)


def test_one_answer_is_decided_exactly() -> None:
    law, promise = DiscreteLaplace(1), PureDP(epsilon=1)
    assert repeated(law, count=1, guarantee=promise).verification.holds
    with pytest.raises(InvalidParameter):
        repeated(law, count=1, guarantee=PureDP(epsilon=1 - Fraction(1, 10**40)))


def test_release_adds_independent_noise_to_each_value() -> None:
    mechanism = repeated(DiscreteGaussian(17850), count=1000)
    values = np.arange(1000) * 10**6
    release = mechanism.release(values)
    noise = release.value - values
    assert release.guarantee == mechanism.guarantee
    assert release.value.dtype == np.int64
    assert 100 < noise.std() < 170  # 134 expected; 20 standard errors either way
    assert abs(np.corrcoef(noise[:-1], noise[1:])[0, 1]) < 0.2


def test_release_rounds_real_values_to_the_lattice() -> None:
    mechanism = repeated(DiscreteLaplace(12), granularity="1/4", guarantee=PureDP(epsilon=1))
    assert mechanism.steps == 4
    released = mechanism.release([0.1, 2.5, -3.3]).value
    assert released.shape == (3,)
    assert np.all(released * 4 == np.round(released * 4))
    assert mechanism.error("0.5") == Fraction(mechanism.law.quantile("0.5"), 4) + Fraction(1, 8)


SECRET = 987654321


@pytest.mark.parametrize(
    "value",
    [
        [SECRET, 1],
        [SECRET, 1, 2, 3],
        [[SECRET, 1, 2]],
        SECRET,
        [SECRET, float("nan"), 1],
        [SECRET, float("inf"), 1],
        ["987654321", 1, 2],
        [SECRET, None, 1],
        np.ma.masked_array([SECRET, 1, 2], mask=[False, True, False]),
    ],
    ids=repr,
)
def test_bad_values_are_refused_unseen_and_before_entropy(value: Any) -> None:
    mechanism = repeated(DiscreteLaplace(3), guarantee=PureDP(epsilon=1))
    with pytest.raises(InvalidParameter) as refusal:
        mechanism.release(value, source=NoEntropy())
    assert str(SECRET) not in str(refusal.value)


def test_errors_of_one_and_of_all_answers() -> None:
    mechanism = repeated(DiscreteGaussian(55))
    for confidence in (Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)):
        single, all_of_them = mechanism.error(confidence), mechanism.simultaneous(confidence)

        def within(bound: Fraction) -> Fraction:
            return Fraction(1 - mechanism.law.shape.outside(int(bound)).interval().upper)

        assert within(single) >= confidence > within(single - 1)
        assert within(all_of_them) ** 3 >= confidence > within(all_of_them - 1) ** 3
    assert mechanism.simultaneous(0) == mechanism.error(0) == 0


def test_bounded_noise_has_a_certain_bound_and_endless_noise_none() -> None:
    bounded = repeated(
        MedianOfUniforms(order=3, radius=40), guarantee=ApproxDP(epsilon=2, delta="0.01")
    )
    assert bounded.simultaneous(1) == bounded.error(1) == 40
    with pytest.raises(UnsupportedQuery, match=r"confidence|probability"):
        repeated(DiscreteGaussian(55)).simultaneous(1)


def test_cost_privacy_and_description() -> None:
    mechanism = repeated(DiscreteGaussian(55), cost="squared")
    assert mechanism.cost == SQUARED
    assert mechanism.expected_cost() == mechanism.law.moment(2)
    group = mechanism.privacy(distance=2).delta(1)
    assert group == DiscreteGaussian(55).privacy(2).self_compose(3).delta(1)
    assert repr(mechanism).startswith("RepeatedNoise(law=DiscreteGaussian(variance=55), count=3")
    assert mechanism == repeated(DiscreteGaussian(55), cost="squared")


@pytest.mark.parametrize(
    "changes",
    [
        {"count": 0},
        {"count": 2.0},
        {"sensitivity": 0},
        {"sensitivity": float("nan")},
        {"granularity": -1},
        {"cost": "huge"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        repeated(DiscreteGaussian(1000), **changes)
