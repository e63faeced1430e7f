import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise import mechanisms
from leastnoise.mechanisms import (
    MECHANISMS,
    BernoulliMean,
    Box,
    Diamond,
    Everyone,
    ExponentialMechanism,
    Mechanism,
    NameAndShame,
    OneCounterNoise,
    PermuteAndFlip,
    RandomizedResponse,
    Release,
    Simplex,
    TwoCounterNoise,
)
from leastnoise.numeric import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss
from tests.mechanisms.examples import CENTRED

AnyMechanism = Mechanism[Any, Any]

EXAMPLES: list[tuple[AnyMechanism, object]] = [
    (BernoulliMean(epsilon="0.5", records=3), [1, 0, 1]),
    (BernoulliMean(epsilon="0.5", records=3, clipped=False), [1, 0, 1]),
    (CENTRED, [[1, 2], [3]]),
    (ExponentialMechanism(candidates=3, epsilon=1, sensitivity=2), [3, 5, 8]),
    (NameAndShame(delta="0.25"), ["a", "b", "c"]),
    (PermuteAndFlip(candidates=3, epsilon=1, sensitivity=2), [3, 5, 8]),
    (OneCounterNoise(1, [Box(-1, 1, cells=2), Diamond(cells=2, total=3)]), [[1, 2], [3, 4]]),
    (RandomizedResponse(epsilon=1), [1, 0, 1]),
    (
        TwoCounterNoise(1, [Box(0, 1, start=2), Simplex(cells=2, total=3), Everyone()]),
        [[1], [2, 3], [4]],
    ),
    (RandomizedResponse(epsilon=1, categories=5), 4),
]
each = pytest.mark.parametrize(("mechanism", "secret"), EXAMPLES, ids=repr)


def test_every_mechanism_has_an_example() -> None:
    assert {type(mechanism) for mechanism, _ in EXAMPLES} == set(MECHANISMS)


@each
def test_mechanisms_answer_every_question(mechanism: AnyMechanism, secret: object) -> None:
    assert isinstance(mechanism, Mechanism)
    release = mechanism.release(secret)
    assert isinstance(release, Release)
    assert release.guarantee == mechanism.guarantee
    assert release.mechanism == repr(mechanism)
    assert isinstance(mechanism.privacy(), PrivacyLoss)
    assert isinstance(mechanism.expected_cost(), Interval)
    assert mechanism.certificate() is None


@each
def test_mechanisms_are_values_that_hold_no_secret(mechanism: AnyMechanism, secret: object) -> None:
    before = repr(mechanism)
    mechanism.release(secret)
    assert repr(mechanism) == before
    again = eval(before, {name: getattr(mechanisms, name) for name in mechanisms.__all__})
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.epsilon = 3  # type: ignore[attr-defined]


@each
def test_a_group_costs_at_least_as_much_as_one(mechanism: AnyMechanism, secret: object) -> None:
    del secret
    for epsilon in ("0", "0.3", "1.2"):
        one, two = mechanism.privacy(), mechanism.privacy(2)
        assert one.delta(epsilon).lower <= two.delta(epsilon).upper
        assert one.for_group(2).delta(epsilon) == two.delta(epsilon)
        assert two.for_group(2).delta(epsilon) == mechanism.privacy(4).delta(epsilon)


@pytest.mark.parametrize("distance", [0, -1, 1.0, "1", True])
@each
def test_distances_are_whole_and_positive(
    mechanism: AnyMechanism, secret: object, distance: object
) -> None:
    del secret
    with pytest.raises(ValueError, match="distance"):
        mechanism.privacy(distance)  # type: ignore[arg-type]


def test_map_keeps_the_guarantee() -> None:
    release = Release([3, 1, 2], PureDP(epsilon="0.1"), "something")
    mapped = release.map(sorted).map(tuple)
    assert mapped.value == (1, 2, 3)
    assert mapped.guarantee is release.guarantee
    assert mapped.mechanism == "something"
    assert release.value == [3, 1, 2]


def test_repr_shows_value_and_guarantee() -> None:
    release = Release(Fraction(1, 4), PureDP(epsilon=1), "BernoulliMean(epsilon=1, records=4)")
    assert repr(release) == (
        "Release(Fraction(1, 4), PureDP(epsilon=1), by BernoulliMean(epsilon=1, records=4))"
    )


def test_a_release_cannot_be_changed() -> None:
    release = Release(np.array([1, 2]), PureDP(epsilon=1), "something")
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.guarantee = PureDP(epsilon=0)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        release.value[0] = 5


def test_equal_values_are_not_the_same_release() -> None:
    one, other = (Release(1, PureDP(epsilon=1), "m") for _ in range(2))
    assert one in [one]
    assert one != other
