"""`JointNoise`: the proof it demands, its release, and errors that share one size."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.noise import DiscreteLaplace, NormLaplace, NormStaircase
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from tests.scripted import NoEntropy


def joint(law: Any = None, **changes: Any) -> JointNoise:
    arguments: dict[str, Any] = {"sensitivity": 1, "guarantee": PureDP(epsilon=1)}
    return JointNoise(law or NormLaplace(3, 1, "linf"), **(arguments | changes))


def test_the_law_must_prove_the_promise() -> None:
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        joint(guarantee=PureDP(epsilon="0.999999"))
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        joint(sensitivity=2)
    leak = Fraction(NormLaplace(3, 1, "linf").delta("0.9", 1).upper)
    assert joint(guarantee=ApproxDP(epsilon="0.9", delta=leak)).verification.holds
    with pytest.raises(InvalidParameter):
        joint(guarantee=ApproxDP(epsilon="0.9", delta=leak * (1 - Fraction(1, 10**9))))


@pytest.mark.parametrize(
    "law",
    [NormLaplace(3, 1, "l1"), NormLaplace(1, 1, "linf"), DiscreteLaplace(1), "noise"],
    ids=repr,
)
def test_other_laws_are_refused(law: Any) -> None:
    with pytest.raises(InvalidParameter, match="norm 'linf'"):
        joint(law)


def test_release_adds_one_draw_for_all_values() -> None:
    mechanism = joint(NormLaplace(1000, 1, "linf"))
    values = np.arange(1000) * 10**6
    noise = mechanism.release(values).value - values
    # Uniform within a radius of about 1000: the largest error is near it, the mean near half of it.
    assert 800 < np.abs(noise).max() < 1250
    assert abs(np.abs(noise).mean() / np.abs(noise).max() - 0.5) < 0.06


def test_errors_of_one_and_of_all_answers() -> None:
    mechanism = joint(granularity="1/2", law=NormLaplace(3, 2, "linf"))
    coordinate = CubeCoordinate(mechanism.law.shape)
    level = Fraction(9, 10)
    assert mechanism.error(level) == Fraction(coordinate.quantile(level), 2) + Fraction(1, 4)
    all_of_them = mechanism.simultaneous(level)
    assert all_of_them == Fraction(mechanism.law.quantile(level), 2) + Fraction(1, 4)
    assert all_of_them > mechanism.error(level)
    for question in (mechanism.error, mechanism.simultaneous):
        with pytest.raises(UnsupportedQuery):
            question(1)


def test_cost_is_that_of_one_answer() -> None:
    mechanism = joint(cost="squared")
    assert mechanism.expected_cost() == CubeCoordinate(mechanism.law.shape).moment(2)
    rounded = joint(NormLaplace(3, 4, "linf"), granularity="1/4", cost="squared").expected_cost()
    assert rounded.lower < rounded.upper


def test_privacy_is_the_laws_own_or_the_promise() -> None:
    assert joint().privacy(2).delta(1) == NormLaplace(3, 1, "linf").privacy(2).delta(1)
    fine = joint(NormLaplace(3, 1024, "linf"), granularity=Fraction(1, 1024))
    assert fine.privacy().delta("0.5") == PrivacyLoss.worst_case(epsilon=1).delta("0.5")
    assert fine.privacy(2).delta(2).upper < Fraction(1, 10**70)
    stairs = NormStaircase(dimension=2, sensitivity=4, epsilon=1, width=2, norm="linf")
    assert joint(stairs, sensitivity=4).count == 2
    assert repr(joint()).startswith("JointNoise(law=NormLaplace(dimension=3")


SECRET = 987654321


@pytest.mark.parametrize(
    "value", [[SECRET, 1], SECRET, [[SECRET, 1, 2]], [SECRET, "x", 1]], ids=repr
)
def test_bad_values_are_refused_unseen_and_before_entropy(value: Any) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        joint().release(value, source=NoEntropy())
    assert str(SECRET) not in str(refusal.value)
