"""Laws that every registered mechanism obeys."""

from typing import Any

import numpy as np
import pytest

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
from leastnoise.privacy.to_approx import curve_of
from tests.mechanisms.examples import CENTRED

EXAMPLES: list[tuple[Any, Any]] = [
    (BernoulliMean(epsilon=1, records=4), np.array([0, 1, 1, 0])),
    (CENTRED, [[1, 2], [3]]),
    (ExponentialMechanism(candidates=3, epsilon=1, sensitivity=2), np.array([3, 5, 8])),
    (NameAndShame(delta="0.01"), np.array([3, 5, 8])),
    (OneCounterNoise(1, [Box(-1, 1, cells=2), Diamond(1, 3)]), [[5, -3], [8]]),
    (PermuteAndFlip(candidates=3, epsilon=1, sensitivity=2), np.array([3, 5, 8])),
    (RandomizedResponse(epsilon="0.5", categories=3), np.array([0, 2, 1])),
    (TwoCounterNoise(1, [Box(0, 1, cells=2), Simplex(2, 1), Everyone()]), [[3, 5], [8, 0], [9]]),
]


def test_every_mechanism_has_an_example() -> None:
    assert {type(mechanism) for mechanism, _ in EXAMPLES} == set(MECHANISMS)


@pytest.mark.parametrize(("mechanism", "secret"), EXAMPLES, ids=repr)
def test_release_and_price_agree(mechanism: Mechanism[Any, Any], secret: Any) -> None:
    release = mechanism.release(secret)
    assert isinstance(release, Release)
    assert release.guarantee == mechanism.guarantee
    # The promise is kept by the loss, at several points of its curve.
    promised, loss = curve_of(mechanism.guarantee), mechanism.privacy()
    for epsilon in ("0", "0.2", "0.5", "1", "2"):
        assert loss.delta(epsilon).lower <= promised.delta(epsilon=epsilon).upper
    assert mechanism.expected_cost().lower >= 0
