"""`optimal(norm="l2")`: less noise than Gaussian, and every law proves its promise."""

from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.least_noise.vector.optimal_euclidean import optimal_euclidean
from leastnoise.mechanisms import EuclideanNoise
from leastnoise.noise import EuclideanLaw
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from tests.scripted import NoEntropy


@pytest.mark.parametrize(("dimension", "gain"), [(5, 2.43), (20, 1.29)])
def test_gain_over_gaussian_noise(dimension: int, gain: float) -> None:
    """Source: a search over scales with the leak by quadrature, (1, 1e-5)."""
    found = ln.optimal(
        sensitivity=1, epsilon=1, delta="1e-5", dimension=dimension, norm="l2", cost="squared"
    )
    assert found.law.power == 1
    (gaussian,) = found.alternatives()
    ratio = float(gaussian.expected_cost()) / float(found.expected_cost())
    assert gain < ratio < gain * 1.03
    assert found.mechanism.verification.holds


def test_gaussian_noise_wins_where_epsilon_is_small_and_dimensions_are_many() -> None:
    found = optimal_euclidean(
        sensitivity=1, epsilon="0.01", delta="0.1", dimension=3000, cost="squared"
    )
    assert found.law.power == 2
    assert "Gaussian" in found.why


def test_pure_epsilon_is_laplace_at_its_scale() -> None:
    found = optimal_euclidean(sensitivity=3, epsilon=2, dimension=4, cost="absolute")
    assert found.guarantee == PureDP(epsilon=2)
    assert float(found.expected_cost()) == pytest.approx(4 * 3 / 2, rel=1e-3)
    assert found.alternatives() == ()
    assert "Laplace" in found.why
    assert float(found.privacy().epsilon(0).upper) == pytest.approx(2, rel=1e-3)
    assert "l2-sensitivity=3" in repr(found)


def test_release_is_near_the_truth() -> None:
    found = optimal_euclidean(sensitivity="0.5", epsilon=3, delta="1e-6", dimension=6)
    truth = np.linspace(-1, 1, 6)
    far = sum(
        float(np.linalg.norm(found.release(truth).value - truth)) > found.error("0.99")
        for _ in range(50)
    )
    assert far < 10


def test_what_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="'absolute' or 'squared'"):
        optimal_euclidean(sensitivity=1, epsilon=1, dimension=2, cost=ln.TailProbability(1))
    with pytest.raises(InvalidParameter):
        optimal_euclidean(sensitivity=1, epsilon=0, dimension=2)


def noise(**changes: Any) -> EuclideanNoise:
    law = EuclideanLaw(dimension=3, scale=130, power=1)
    promise = PureDP(epsilon=1)
    arguments = {"sensitivity": 1, "guarantee": promise, "granularity": "1/128"} | changes
    return EuclideanNoise(law, **arguments)  # type: ignore[arg-type]


def test_rounding_counts_towards_the_sensitivity() -> None:
    """128 steps and ⌈√3⌉ = 2 more."""
    assert noise().steps == 130
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        noise(sensitivity="1.01")
    with pytest.raises(InvalidParameter, match="must keep the guarantee"):
        noise(guarantee=PureDP(epsilon="0.99"))
    leaky = ApproxDP(epsilon="0.9", delta="0.1")
    assert noise(guarantee=leaky).verification.holds


def test_bad_values_are_refused_before_anything_is_drawn() -> None:
    for value in ([1.0, 2.0], [1.0, 2.0, float("inf")], "abc"):
        with pytest.raises(InvalidParameter):
            noise().release(value, NoEntropy())
    with pytest.raises(UnsupportedQuery, match="'absolute' or 'squared'"):
        noise(cost=ln.TailProbability(2)).expected_cost()
