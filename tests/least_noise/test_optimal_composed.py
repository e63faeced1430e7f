"""`optimal_composed`: proved promises, known figures, other people's accountants, hostile input."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, log
from time import process_time
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as google
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.noise_families import candidates
from leastnoise.least_noise.composed.optimal_composed import optimal_composed
from leastnoise.least_noise.composed.proved_law import proved_law
from leastnoise.least_noise.optimal_answers import OptimalAnswers, Tried
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.noise import (
    Canonical,
    DiscreteGaussian,
    DiscreteLaplace,
    GeneralizedGaussian,
    LatticeLaw,
    MedianOfUniforms,
    NormLaplace,
    Staircase,
    TruncatedStaircase,
)
from leastnoise.numeric.cost import ABSOLUTE, SQUARED, Moment, OwnCost, TailProbability
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from tests.lasting_id import lasting_id

DELTA = Fraction(1, 10**6)


@lru_cache
def answers(count: int, **changes: Any) -> OptimalAnswers:
    arguments: dict[str, Any] = {"sensitivity": 1, "epsilon": 1, "delta": "1e-6"}
    return optimal_composed(count=count, **(arguments | changes))


def by_family(found: OptimalAnswers) -> dict[str, Tried]:
    return {tried.family: tried for tried in found.tried}


def lattice_law(found: OptimalAnswers, family: str) -> LatticeLaw:
    law = by_family(found)[family].law
    assert isinstance(law, LatticeLaw)
    return law


# Every law that is offered keeps the promise, and hardly any noise could be saved.


@pytest.mark.parametrize("count", [2, 10, 15])
def test_every_family_is_proved_and_near_its_least_scale(count: int) -> None:
    for tried in answers(count, cost="squared").tried:
        law = tried.law
        if not isinstance(law, LatticeLaw):
            assert not isinstance(law, CorrelatedGaussian), "noise that counts may share"
            assert law.verify(sensitivity=1, epsilon=1, delta=DELTA).holds
            continue
        assert law.privacy(1).self_compose(count).delta(1).upper <= DELTA
        less = _less_noise(law)
        assert less.privacy(1).self_compose(count).delta(1).lower > DELTA, tried


def _less_noise(law: LatticeLaw) -> LatticeLaw:
    """The same shape with a fiftieth of a per cent less noise; 2 % of a short cliff."""
    less = 1 - Fraction(1, 5000)
    match law:
        case DiscreteLaplace(scale=scale):
            return DiscreteLaplace(scale * less)
        case DiscreteGaussian(sigma_squared=variance):
            return DiscreteGaussian(variance * less**2)
        case GeneralizedGaussian(scale=scale, power=power):
            return GeneralizedGaussian(scale * less, power)
        case Canonical(epsilon=epsilon, leak=leak):
            return Canonical(epsilon=epsilon / less, delta=leak)
        case _:
            raise AssertionError(law)


questions = given(
    st.integers(1, 6),
    st.fractions(Fraction(1, 10), 6, max_denominator=20),
    st.sampled_from(["1e-9", "1e-4", "0.05"]),
    st.integers(1, 3),
    st.sampled_from([ABSOLUTE, SQUARED, Moment(4)]),
)


@questions
@settings(max_examples=3, deadline=None)
def test_whatever_is_asked_the_promise_is_kept(
    count: int, epsilon: Fraction, delta: str, sensitivity: int, cost: Moment
) -> None:
    check_promise(count, epsilon, delta, sensitivity, cost)


@pytest.mark.slow
@questions
@settings(max_examples=60, deadline=None)
def test_whatever_is_asked_the_promise_is_kept_many_times(
    count: int, epsilon: Fraction, delta: str, sensitivity: int, cost: Moment
) -> None:
    check_promise(count, epsilon, delta, sensitivity, cost)


def check_promise(
    count: int, epsilon: Fraction, delta: str, sensitivity: int, cost: Moment
) -> None:
    found = optimal_composed(
        sensitivity=sensitivity, epsilon=epsilon, delta=delta, count=count, cost=cost
    )
    assert found.guarantee == ApproxDP(epsilon=epsilon, delta=delta)
    assert found.privacy().delta(epsilon).upper <= Fraction(delta)
    assert found.tried[0].ratio == 1
    assert all(a.cost.upper <= b.cost.upper for a, b in pairwise(found.tried))
    for tried in found.tried:
        if isinstance(tried.law, LatticeLaw):
            leak = tried.law.privacy(sensitivity).self_compose(count).delta(epsilon)
            assert leak.upper <= Fraction(delta)


# Figures.

RATIOS = {1: 0.103, 5: 0.558, 8: 0.895, 10: 1.118, 50: 1.898}


@pytest.mark.spread(3)
@pytest.mark.parametrize("count", RATIOS)
def test_variance_of_laplace_over_that_of_gauss(count: int) -> None:
    """Golden; on the real line 0.11, 0.56, 0.90, 1.12 and 1.87."""
    found = by_family(answers(count, cost="squared"))
    ratio = float(found["discrete Laplace"].cost) / float(found["discrete Gaussian"].cost)
    assert ratio == pytest.approx(RATIOS[count], abs=2e-3)


def test_laplace_and_gauss_cross_at_nine_queries() -> None:
    below, above = (by_family(answers(count, cost="squared")) for count in (8, 9))
    assert below["discrete Laplace"].cost.upper < below["discrete Gaussian"].cost.lower
    assert above["discrete Laplace"].cost.lower > above["discrete Gaussian"].cost.upper


# count ↦ the best power, and the standard deviation over the better of Laplace's and Gauss's
BETWEEN = {9: (1.41, 0.9295), 10: (1.47, 0.9438), 15: (1.64, 0.9736)}


@pytest.mark.parametrize("count", BETWEEN)
def test_between_laplace_and_gauss_lies_less_noise(count: int) -> None:
    found = answers(count, cost="squared", independent=True)
    families = by_family(found)
    assert found.family == "generalised Gaussian"
    law = lattice_law(found, found.family)
    assert isinstance(law, GeneralizedGaussian)
    rest = min(float(tried.cost) for tried in found.alternatives())
    power, gain = BETWEEN[count]
    assert float(law.power) == pytest.approx(power, abs=0.05)
    assert (float(families[found.family].cost) / rest) ** 0.5 == pytest.approx(gain, abs=1e-3)


def test_joint_noise_is_the_least_until_fifty_queries() -> None:
    assert answers(10, cost="squared").family == "joint Laplace"
    assert answers(50, cost="squared").family == "joint Laplace"
    assert answers(51, cost="squared").family == "generalised Gaussian"
    ten = answers(10, cost="squared")
    assert isinstance(ten.mechanism, JointNoise)
    assert float(ten.expected_cost()) == pytest.approx(11 * 12 / 3 - 1 / 12, abs=1e-3)


def google_delta(law: LatticeLaw, count: int, interval: float) -> float:
    """δ at ε = 1 by dp-accounting, from the bare probabilities, rounded pessimistically."""
    reach = law.support[1] if law.support else law.quantile(1 - Fraction(1, 10**14))
    logs = {k: log(float(law.pmf(k))) for k in range(-reach, reach + 1)}
    moved = {k + 1: value for k, value in logs.items()}
    lost = google.from_two_probability_mass_functions(
        logs, moved, value_discretization_interval=interval
    )
    return float(lost.self_compose(count).get_delta_for_epsilon(1.0))


# Their rounding adds up to ten intervals to ε; near the greatest loss of stairs that is much.
@pytest.mark.parametrize(
    ("family", "interval"),
    [
        ("discrete Laplace", 1e-6),
        ("discrete Gaussian", 1e-4),
        ("generalised Gaussian", 1e-4),
    ],
)
def test_dp_accounting_agrees_on_ten_queries(family: str, interval: float) -> None:
    theirs = google_delta(lattice_law(answers(10, cost="squared"), family), 10, interval)
    assert theirs == pytest.approx(1e-6, rel=0.03)


# One query, and no δ.


@pytest.mark.parametrize("cost", ["absolute", "squared"])
def test_one_count_gets_canonical_noise(cost: str) -> None:
    found = answers(1, cost=cost)
    assert found.law == Canonical(epsilon=1, delta="1e-6")
    variance = discrete_gaussian_variance(epsilon=1, delta="1e-6", sensitivity=1).upper
    assert lattice_law(found, "discrete Gaussian") == DiscreteGaussian(Fraction(variance))
    assert isinstance(found.mechanism, RepeatedNoise)


def test_one_query_of_larger_sensitivity_gets_a_truncated_staircase() -> None:
    found = answers(1, sensitivity=7, epsilon=3, cost="squared")
    assert isinstance(found.law, TruncatedStaircase)
    assert {"staircase", "truncated Laplace", "discrete Laplace"} < set(by_family(found))


def test_without_delta_epsilon_is_shared_exactly() -> None:
    found = answers(10, delta=0, independent=True)
    assert found.law == DiscreteLaplace(10)
    assert found.guarantee == PureDP(epsilon=1)
    assert found.privacy().delta(1).upper == 0
    stairs = answers(4, delta=0, sensitivity=9, epsilon=16, independent=True)
    assert isinstance(stairs.law, Staircase)
    widths = [Staircase(sensitivity=9, epsilon=4, width=w).moment(1).upper for w in range(1, 10)]
    assert stairs.expected_cost().upper == min(widths)


def test_without_delta_joint_noise_halves_the_error() -> None:
    found = answers(10, delta=0)
    assert found.law == NormLaplace(10, 1, "linf")
    assert by_family(found)["discrete Laplace"].ratio == pytest.approx(1.819, abs=1e-3)


def test_a_large_delta_saves_joint_noise_too() -> None:
    found = answers(2, delta="0.1", cost="squared")
    law = by_family(found)["joint Laplace"].law
    assert isinstance(law, NormLaplace)
    assert law.scale < 1
    assert law.verify(sensitivity=1, epsilon=1, delta="0.1").holds
    less = NormLaplace(2, law.scale * (1 - Fraction(1, 10**5)), "linf")
    assert not less.verify(sensitivity=1, epsilon=1, delta="0.1").holds


@pytest.mark.parametrize("sensitivity", [1, 2])
def test_vast_epsilon_leaves_no_noise_and_no_errors(sensitivity: int) -> None:
    found = answers(2, epsilon=10**4, sensitivity=sensitivity)
    assert found.expected_cost().upper < Fraction(1, 10**300)


def test_only_delta() -> None:
    found = answers(5, epsilon=0, delta="0.01")
    assert found.privacy().delta(0).upper <= Fraction(1, 100)
    assert "joint Laplace" not in by_family(found)


# The cost that is asked for is the one that is least.


def test_each_cost_has_its_own_optimum() -> None:
    absolute, squared = (
        lattice_law(answers(10, cost=cost, independent=True), "generalised Gaussian")
        for cost in ("absolute", "squared")
    )
    assert float(absolute.moment(1)) < float(squared.moment(1))
    assert float(squared.moment(2)) < float(absolute.moment(2))


def test_tail_probability_is_least_for_bounded_noise() -> None:
    found = answers(2000, cost=TailProbability(671))
    assert isinstance(found.law, MedianOfUniforms)
    assert found.expected_cost().upper == 0
    assert found.simultaneous(1) <= 671
    assert found.alternatives()[0].ratio == float("inf")


def test_own_cost_and_broken_powers() -> None:
    capped = OwnCost(lambda error: min(error, Fraction(12)), growth=1, label="capped error")
    found = answers(10, cost=capped, independent=True)
    for tried in found.tried:
        assert isinstance(tried.law, LatticeLaw)
        truth = sum(min(abs(k), 12) * float(tried.law.pmf(k)) for k in range(-12, 13)) + 12 * float(
            tried.law.shape.outside(12).interval()
        )
        assert float(tried.cost) == pytest.approx(truth, rel=1e-9)
    assert "E[capped error]" in str(found)
    assert answers(9, cost=Moment("3/2"), independent=True).family == "generalised Gaussian"


# Lattices of real values.


def test_fine_lattice_leaves_out_what_is_far_off() -> None:
    fine = answers(3, granularity=Fraction(1, 256))
    whole = answers(3)
    assert fine.mechanism.steps == 256
    assert float(fine.expected_cost()) == pytest.approx(float(whole.expected_cost()), rel=0.05)
    assert {left.family for left in fine.left_out} >= {"discrete Gaussian", "discrete Laplace"}
    assert all("times the least cost" in left.why for left in fine.left_out)
    released = fine.release([0.5, 1.25, -3.0])
    assert released.value.shape == (3,)


def test_search_on_a_coarser_lattice_finds_the_same_noise() -> None:
    """Sensitivity 70 steps of 1/70: the noise is that of the real line, 1 % from that on Z."""
    fine = answers(10, granularity=Fraction(1, 70), cost="squared", independent=True)
    rough = answers(10, cost="squared", independent=True)
    ratio = float(fine.tried[0].cost.lower) / float(rough.tried[0].cost.lower)
    assert fine.family == rough.family
    assert ratio == pytest.approx(1, abs=0.01)


# The result as a value.


def test_release_errors_and_text() -> None:
    found = answers(10, cost="squared", independent=True)
    release = found.release(np.arange(10))
    assert release.value.shape == (10,)
    assert release.mechanism == repr(found)
    assert release.guarantee == found.guarantee
    assert found.simultaneous("0.95") > found.error("0.95") > 0
    assert (found.count, found.law) == (10, found.tried[0].law)
    assert found.expected_cost() == found.tried[0].cost
    text = str(found).splitlines()
    assert text[0].split() == ["noise", "E|error|^2", "ratio"]
    assert text[1].startswith("generalised Gaussian")
    assert len(text) == 1 + len(found.tried) + len(found.left_out)
    assert "generalised Gaussian" in repr(found.tried[0])


def test_a_tiny_delta_is_not_searched() -> None:
    found = answers(10, delta="1e-100")
    assert found.guarantee == ApproxDP(epsilon=1, delta="1e-100")
    assert found.law == NormLaplace(10, 1, "linf")
    assert "too small" in repr(found.left_out[0])


def test_a_thousand_queries_take_a_few_seconds() -> None:
    """Processor time, searching and proofs together."""
    start = process_time()
    found = optimal_composed(sensitivity=1, epsilon=1, delta="1e-6", count=1000, cost="squared")
    assert process_time() - start < 15
    assert float(found.expected_cost()) == pytest.approx(17848, rel=1e-3)


def test_what_cannot_be_composed_is_not_proved() -> None:
    """A generalised Gaussian with more than four million values has no composed loss."""
    problem = ComposedProblem(2**16, Fraction(1), DELTA, 1000, SQUARED, Fraction(1, 2**16))
    widest = next(c for c in candidates(problem) if c.family == "generalised Gaussian")
    assert proved_law(problem, widest) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0, "delta": 0}, "not both be 0"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"delta": "-1e-9"}, "delta"),
        ({"count": 0}, "count"),
        ({"count": 10**7}, "count"),
        ({"count": 3.0}, "count"),
        ({"sensitivity": 0}, "sensitivity"),
        ({"sensitivity": 2**50}, "coarser granularity"),
        ({"granularity": 0}, "granularity"),
        ({"cost": "huge"}, "cost"),
        ({"cost": OwnCost(lambda error: exp(-error))}, "must not decrease"),
    ],
    ids=lasting_id,
)
def test_bad_parameters_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"sensitivity": 1, "epsilon": 1, "delta": "1e-6", "count": 3}
    with pytest.raises(InvalidParameter, match=message):
        optimal_composed(**(arguments | changes))
