"""Composed losses: golden brackets, other libraries, closed forms, refusals."""

import math
from fractions import Fraction
from itertools import product
from math import comb, exp, log
from typing import Any

import pytest

from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box, KNormNoise
from leastnoise.noise.laws import (
    DiscreteLaplace,
    RoundedGaussian,
    TableLaw,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.noise.line import Laplace, Normal
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.direction import Direction
from leastnoise.privacy.loss import PrivacyLoss


def sgd(rate: str, sigma: str, steps: int) -> PrivacyLoss:
    return PrivacyLoss.gaussian(mu=1 / Fraction(sigma)).poisson_sampled(rate).self_compose(steps)


# Brackets of an independent implementation (transform in floats with a proved error).
GOLDEN = [
    (sgd("0.01", "1", 1000), "1e-5", "1.828222", "1.828244"),
    (PrivacyLoss(sgd("0.01", "1", 1000).backward or ()), "1e-5", "1.416639", "1.416673"),
    (sgd("256/60000", "1.1", 14_000), "1e-5", "2.375812", "2.375850"),
    (sgd("0.5", "10", 1000), "1e-5", "7.545148", "7.545182"),
    (sgd("0.01", "1", 1000), "1e-30", "9.341880", "9.341904"),
    (PrivacyLoss.laplace(epsilon="0.01").self_compose(1000), "1e-6", "1.3629241", "1.3629246"),
    (PrivacyLoss.randomized_response(epsilon="0.01").self_compose(1000), "1e-6", "1.36544670",
     "1.36544672"),
    (PrivacyLoss.laplace(epsilon="0.02").self_compose(300).compose(
        PrivacyLoss.gaussian(mu="1/30").self_compose(200),
        PrivacyLoss.randomized_response(epsilon="0.01").self_compose(100)),
     "1e-6", "2.7174953", "2.7174973"),
    (PrivacyLoss.gaussian(mu="0.05").self_compose(1000), "1e-6", "8.30622504995", "8.30622504996"),
]  # fmt: skip


@pytest.mark.parametrize(("loss", "delta", "low", "high"), GOLDEN)
def test_known_brackets_and_ours_meet(loss: PrivacyLoss, delta: str, low: str, high: str) -> None:
    found = loss.epsilon(delta)
    assert found.lower <= Fraction(high) and Fraction(low) <= found.upper
    assert found.width <= found.lower / 1000


def test_deltas_lie_inside_of_the_width_asked_for() -> None:
    loss = sgd("0.1", "2", 50)
    rough, fine = loss.delta("0.5", within="1e-2"), loss.delta("0.5", within="1e-4")
    assert rough.lower <= fine.upper and fine.lower <= rough.upper
    assert fine.width <= fine.lower / 10**4 < rough.width


def test_epsilon_and_delta_are_each_other_s_inverse() -> None:
    loss = PrivacyLoss.laplace(epsilon="0.1").self_compose(40)
    epsilon = loss.epsilon("1e-4", within="1e-6")
    assert loss.delta(Fraction(epsilon.upper), within="1e-6").lower <= Fraction(1, 10**4)
    assert loss.delta(Fraction(epsilon.lower), within="1e-6").upper >= Fraction(1, 10**4)


SETTINGS = [
    ("gaussian", "2", "1", 10), ("gaussian", "5", "1", 200), ("laplace", "4", "1", 5),
    ("laplace", "20", "1", 60), ("gaussian", "1", "0.1", 30), ("gaussian", "0.8", "0.02", 100),
    ("gaussian", "2", "0.5", 20), ("laplace", "1", "0.1", 20), ("laplace", "3", "0.3", 10),
    ("response", "1", "1", 8), ("response", "0.2", "1", 50), ("mixed", "3", "1", 6),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "scale", "rate", "count"), SETTINGS)
def test_dp_accounting_s_pessimistic_and_optimistic_ends_hold_ours(
    kind: str, scale: str, rate: str, count: int
) -> None:
    from dp_accounting.pld import privacy_loss_distribution as pld

    sigma, q = float(scale), float(rate)
    ends = []
    for pessimistic in (False, True):
        options = {"pessimistic_estimate": pessimistic, "value_discretization_interval": 1e-3}
        if kind == "gaussian":
            one = pld.from_gaussian_mechanism(sigma, sampling_prob=q, **options)
        elif kind == "laplace":
            one = pld.from_laplace_mechanism(sigma, sampling_prob=q, **options)
        elif kind == "response":
            lies = 2 / (1 + exp(sigma))
            one = pld.from_randomized_response(lies, 2, **options)
        else:
            one = pld.from_gaussian_mechanism(sigma, **options).compose(
                pld.from_laplace_mechanism(sigma, **options)
            )
        ends.append(one.self_compose(count).get_epsilon_for_delta(1e-5))
    made = {
        "gaussian": PrivacyLoss.gaussian(mu=1 / Fraction(scale)),
        "laplace": PrivacyLoss.laplace(epsilon=1 / Fraction(scale)),
        "response": PrivacyLoss.randomized_response(epsilon=scale),
        "mixed": PrivacyLoss.gaussian(mu="1/3").compose(PrivacyLoss.laplace(epsilon="1/3")),
    }[kind]
    loss = made.poisson_sampled(rate) if q < 1 else made
    found = loss.self_compose(count).epsilon("1e-5")
    assert float(found.lower) <= max(ends) * (1 + 1e-6)
    assert min(ends) * (1 - 1e-6) <= float(found.upper)


@pytest.mark.parametrize(
    ("sigma", "q", "steps"), [(1.0, 0.01, 300), (2.0, 0.1, 50), (4.0, 1.0, 30)]
)
def test_renyi_accounting_is_never_below(sigma: float, q: float, steps: int) -> None:
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    accountant.compose(SelfComposedDpEvent(PoissonSampledDpEvent(q, GaussianDpEvent(sigma)), steps))
    ours = sgd(str(q), str(sigma), steps).epsilon("1e-6")
    assert float(ours.lower) < accountant.get_epsilon(1e-6) < 2 * float(ours.upper)


def test_scipy_agrees_on_gaussians() -> None:
    from scipy.stats import norm

    for mu, epsilon in product((0.2, 1.0, 3.0), (0.0, 0.5, 2.0)):
        truth = norm.sf(epsilon / mu - mu / 2) - exp(epsilon) * norm.sf(epsilon / mu + mu / 2)
        loss = PrivacyLoss.gaussian(mu=mu)
        assert float(loss.delta(epsilon)) == pytest.approx(truth, rel=1e-9)
        assert float(loss.tail(epsilon)) == pytest.approx(norm.sf(epsilon / mu - mu / 2), rel=1e-9)
        truth = norm.cdf(norm.ppf(1 - 0.1) - mu)
        assert float(loss.tradeoff("0.1")) == pytest.approx(truth, rel=1e-9)


def test_very_rare_and_very_large_losses_get_a_sound_wide_bracket() -> None:
    loss = sgd("1e-4", "0.3", 1000)
    found = PrivacyLoss(loss.forward).epsilon("1e-5")
    assert found.lower <= Fraction(1, 2) and 8 < found.upper < 9


def test_pure_and_hopeless_questions_are_answered_exactly() -> None:
    response = PrivacyLoss.randomized_response(epsilon="0.1").self_compose(100)
    assert response.epsilon(0) == Interval.exactly(10)
    assert response.delta(10) == Interval.exactly(0)
    assert PrivacyLoss.gaussian(mu=1).epsilon(0).upper == math.inf
    lost = PrivacyLoss.worst_case(epsilon=1, delta="0.1")
    assert lost.epsilon("0.05") == Interval.exactly(math.inf)
    assert lost.epsilon("0.1") == Interval.exactly(1)
    assert lost.self_compose(2).delta(5) == Interval.exactly(Fraction(19, 100))
    assert PrivacyLoss.worst_case(epsilon=0, delta="0.1").delta(0) == Interval.exactly(
        Fraction(1, 10)
    )
    assert PrivacyLoss(()).epsilon("1e-6") == Interval.exactly(0)
    assert response.epsilon(1) == Interval.exactly(0)


def test_lattice_noise() -> None:
    one = PrivacyLoss.of_noise(DiscreteLaplace("0.01"), 1)
    response = PrivacyLoss.randomized_response(epsilon="0.01")
    assert one.epsilon(0) == Interval.exactly(Fraction(1, 100))
    both = [each.self_compose(1000).epsilon("1e-6") for each in (one, response)]
    assert float(both[0]) == pytest.approx(float(both[1]), rel=1e-7)  # distance 1 is response
    rounded = PrivacyLoss.of_noise(RoundedGaussian(100), 1).self_compose(50).epsilon("1e-6")
    whole = PrivacyLoss.gaussian(mu="0.1").self_compose(50).epsilon("1e-6")
    assert Fraction("0.998") * whole.lower < rounded.lower < whole.upper  # post-processing
    cut = PrivacyLoss.of_noise(TruncatedLaplace(1, 1, "1e-3"), 1)
    assert Fraction(1, 1000) in cut.delta(1)
    five = PrivacyLoss.of_noise(Uniform(1, "0.1"), 1).self_compose(5)
    # Atoms 1/20, nine of 1/10, 1/20 against their shift: losses log 2, 0, -log 2, infinity.
    law = [(0.05, 0.0), (0.1, 0.05), *[(0.1, 0.1)] * 8, (0.05, 0.1)]
    truth = 0.0
    for picks in product(range(4), repeat=5):
        groups = [(0.05, 0.0), (0.1, 0.05), (0.8, 0.8), (0.05, 0.1)]
        p, q = (math.prod(groups[i][side] for i in picks) for side in (0, 1))
        truth += max(0.0, p - math.e * q)
    assert sum(p for p, _ in law) == pytest.approx(1)
    found = five.delta(1)
    assert float(found.lower) <= truth * (1 + 1e-9) and truth * (1 - 1e-9) <= float(found.upper)


def test_two_laws_and_joint_noise() -> None:
    assert PrivacyLoss.of_laws(Normal(0, 4), Normal(1, 4)) == PrivacyLoss.gaussian(mu="0.5")
    assert PrivacyLoss.of_laws(Laplace(0, 2), Laplace(1, 2)) == PrivacyLoss.laplace(epsilon="0.5")
    joint = CentredGaussian(400, 1, (Box(0, 1),), (1,))
    assert PrivacyLoss.of_joint(joint, [Box(0, 1)]).delta(0) == PrivacyLoss.of_laws(
        Normal(0, 400), Normal(Fraction(2) ** 0, 400)
    ).self_compose(joint.squared_reach([Box(0, 1)])).delta(0)
    pure = KNormNoise(Fraction(1, 2), (Box(0, 1),))
    assert PrivacyLoss.of_joint(pure, [Box(0, 1)]).epsilon(0) == Interval.exactly(Fraction(1, 2))


@pytest.mark.parametrize("order", [2, 4, 8])
def test_renyi_divergences_of_sampled_steps(order: int) -> None:
    """Removing, at whole orders: the binomial sum of Mironov, Talwar and Zhang 2019."""
    q = 0.1
    terms = (
        comb(order, k) * (1 - q) ** (order - k) * q**k * exp(k * (k - 1) / 2)
        for k in range(order + 1)
    )
    truth = log(sum(terms)) / (order - 1)
    found = PrivacyLoss(PrivacyLoss.gaussian(mu=1).poisson_sampled("0.1").forward).renyi(order)
    assert float(found) == pytest.approx(truth, rel=1e-12)
    assert found.width < 1e-12


def test_renyi_divergences_of_one_step_add_up() -> None:
    loss = PrivacyLoss.gaussian(mu=1).compose(PrivacyLoss.randomized_response(epsilon=1))
    assert float(loss.renyi(math.inf).upper) == math.inf
    p = exp(1) / (1 + exp(1))
    kl = p * 1 + (1 - p) * -1
    assert float(loss.renyi(1)) == pytest.approx(0.5 + kl, rel=1e-12)
    assert PrivacyLoss.worst_case(epsilon=1, delta="0.1").renyi(2) == Interval.exactly(math.inf)


def test_the_lesser_direction_need_not_be_known_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its delta is about 1e-20 here, and half a minute went into its digits."""
    twins, finest = Direction.twins, list[int]()

    def counted(self: Direction, delta: Fraction, fineness: int) -> Any:
        finest.append(fineness)
        return twins(self, delta, fineness)

    monkeypatch.setattr(Direction, "twins", counted)
    loss = PrivacyLoss.gaussian(mu=1).poisson_sampled("0.1").self_compose(10)
    assert Fraction("0.0069004") < loss.delta(1, within="1e-2").upper < Fraction("0.007")
    assert max(finest) < 100


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: PrivacyLoss.gaussian(mu=-1), "mu is -1"),
        (lambda: PrivacyLoss.gaussian(mu=math.nan), "finite number"),
        (lambda: PrivacyLoss.gaussian(mu=1).epsilon(2), "from 0 to 1"),
        (lambda: PrivacyLoss.gaussian(mu=1).delta(-1), "0 or more"),
        (lambda: PrivacyLoss.gaussian(mu=1).epsilon(".1", within=0), "above 0"),
        (lambda: PrivacyLoss.gaussian(mu=1).self_compose(-1), "from 0 on"),
        (lambda: PrivacyLoss.gaussian(mu=1).renyi("0.5"), "order is below 1"),
        (lambda: PrivacyLoss.gaussian(mu=1).poisson_sampled("0.1").for_group(2), "group"),
        (lambda: PrivacyLoss.of_laws(Normal(0, 1), Laplace(0, 1)), "do not fit"),
    ],
)
def test_bad_input_gets_one_sentence(call: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        call()  # type: ignore[operator]


def test_groups() -> None:
    assert PrivacyLoss.laplace(epsilon="0.2").for_group(3) == PrivacyLoss.laplace(epsilon="0.6")
    lattice = PrivacyLoss.of_noise(DiscreteLaplace("0.5"), 1).for_group(2)
    assert lattice == PrivacyLoss.of_noise(DiscreteLaplace("0.5"), 2)
    group = PrivacyLoss.worst_case(epsilon=1, delta="1e-6").for_group(5)
    assert float(group.delta(5)) == pytest.approx(8.5791e-5, rel=1e-5)


def test_noise_whose_chances_rise_is_priced_at_every_distance() -> None:
    """A step of 1 is always seen, a step of 2 in half of all cases."""
    gaps = PrivacyLoss.of_noise(TableLaw({0: 1, 2: 1}), 2)
    assert gaps.delta(1) == Interval.exactly(1)
    assert float(PrivacyLoss.of_noise(TableLaw({0: 2, 1: 1}), 1).for_group(2).delta(0)) == 1
    with pytest.raises(InvalidInput, match="at most 32"):
        PrivacyLoss.of_noise(TableLaw({0: 1, 2: 1}), 33)


def test_each_step_of_noise_that_is_not_symmetric_may_move_its_own_way() -> None:
    law = {0: 5, 1: 3, 2: 1}
    both = PrivacyLoss.of_noise(TableLaw(law), 1).self_compose(2)
    ways = [
        PrivacyLoss.of_laws(law, {k + move: weight for k, weight in law.items()})
        for move in (1, -1)
    ]
    for epsilon in ("0", "0.2", "1"):
        found = both.delta(epsilon)
        for one, other in ((0, 0), (0, 1), (1, 1)):
            assert ways[one].compose(ways[other]).delta(epsilon).lower <= found.upper
