"""Permute and flip is dominated: by the exponential mechanism in error, by Laplace noise in loss."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.mechanisms.selection import (
    PermuteAndFlip,
    exponential_mechanism,
    permute_and_flip,
)
from leastnoise.numbers.errors import InvalidInput

Floats = NDArray[np.float64]

EPSILON = 2.0


def flipping(utilities: NDArray[Any], rate: float) -> Floats:
    """The law of each row, by all coins."""
    heads = np.exp(-rate * (utilities.max(axis=1, keepdims=True) - utilities))
    found = np.zeros(heads.shape)
    for coins in product((0, 1), repeat=heads.shape[1]):
        shown = np.array(coins)
        chance = np.where(shown, heads, 1 - heads).prod(axis=1, keepdims=True)
        found += chance * shown / max(1, shown.sum())
    return found


def weighing(utilities: NDArray[Any], rate: float) -> Floats:
    heads = np.exp(-rate * (utilities.max(axis=1, keepdims=True) - utilities))
    return np.asarray(heads / heads.sum(axis=1, keepdims=True))


def pairs(*, monotone: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(7)
    one = random.integers(-3, 4, (10_000, 4))
    return one, one + random.integers(0 if monotone else -1, 2, one.shape)


def deltas(p: Floats, q: Floats, epsilon: float) -> Floats:
    return np.asarray(np.maximum(p - np.exp(epsilon) * q, 0).sum(axis=1))


@pytest.mark.parametrize("monotone", [False, True])
def test_no_loss_exceeds_that_of_laplace_noise(monotone: bool) -> None:
    """10,000 pairs of neighbours: delta(e) <= 1 - e^((e - epsilon)/2), nearly attained by some."""
    one, other = pairs(monotone=monotone)
    rate = float(permute_and_flip(candidates=4, epsilon=EPSILON, monotone=monotone).rate)
    p, q = flipping(one, rate), flipping(other, rate)
    for epsilon in (0.0, 0.5, 1.0, 1.9):
        allowed = 1 - np.exp((epsilon - EPSILON) / 2)
        worst = max(deltas(p, q, epsilon).max(), deltas(q, p, epsilon).max())
        assert allowed * 0.6 < worst <= allowed + 1e-12


def test_randomized_response_would_be_too_low_a_price_for_many_choices() -> None:
    """Its losses may be nearly 2*epsilon apart, so it has no claim to epsilon^2/8."""
    p, q = (flipping(np.array([u]), 0.25)[0] for u in ([0, -2], [-2, 0]))
    assert np.ptp(np.log(p / q)) > 1.6
    by_weights, other = (weighing(np.array([u]), 0.25)[0] for u in ([0, -2], [-2, 0]))
    assert np.ptp(np.log(by_weights / other)) < 1 + 1e-12


def test_gaps_are_stochastically_smaller_than_those_of_the_exponential_mechanism() -> None:
    utilities, _ = pairs(monotone=False)
    gaps = utilities.max(axis=1, keepdims=True) - utilities
    ours, theirs = flipping(utilities, 0.7), weighing(utilities, 0.7)
    for least in range(1, 7):
        far = gaps >= least
        assert ((ours * far).sum(axis=1) <= (theirs * far).sum(axis=1) + 1e-12).all()


def test_mean_gaps_are_those_of_the_laws() -> None:
    for utilities in ([5, 5, 5], [0, 0, 9], [3, 1, 4, 1], [7]):
        row = np.array([utilities])
        gaps = row.max() - row
        for make, law in ((permute_and_flip, flipping), (exponential_mechanism, weighing)):
            mechanism = make(candidates=len(utilities), epsilon=1)
            mean = float((law(row, 0.5) * gaps).sum())
            assert abs(float(mechanism.expected_error(utilities)) - mean) < 1e-9


def test_gaps_start_anew_among_the_candidates_left(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = []

    def pick(self: object, gaps: NDArray[Any], source: object) -> int:
        seen.append(gaps.tolist())
        return int(gaps.argmin())

    monkeypatch.setattr(PermuteAndFlip, "_pick", pick)
    chosen = permute_and_flip(candidates=3, epsilon=1, count=3).release([7, 9, 4]).value
    assert chosen == (1, 0, 2) and seen == [[2, 0, 5], [0, 3], [0]]


def test_utilities_that_do_not_fit_are_refused() -> None:
    mechanism = permute_and_flip(candidates=3, epsilon=1)
    for bad in ([], [1, 2], [1, 2, 0.5], [1, 2, "3"], [[1, 2, 3]], [[1], [2, 3]], None, 3):
        for ask in (mechanism.expected_error, mechanism.release):
            with pytest.raises(InvalidInput):
                ask(bad)  # type: ignore[arg-type]
