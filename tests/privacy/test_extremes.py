"""Sums of losses of awkward sizes: never unsound, never a bare exception, never endless."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    MedianOfUniforms,
    TableLaw,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss

TINY = Fraction(1, 10**40)

NEARLY_ONE: dict[str, Callable[[], Interval]] = {
    "response 80": lambda: PrivacyLoss.randomized_response(epsilon=80).self_compose(4000).delta(1),
    "response 30": lambda: PrivacyLoss.randomized_response(epsilon=30).self_compose(10**4).delta(1),
    "nearly disjoint": lambda: (
        PrivacyLoss.of_laws({0: 1 - TINY, 1: TINY}, {1: 1 - TINY, 0: TINY}).self_compose(2).delta(1)
    ),
    "disjoint but for 1e-9": lambda: (
        PrivacyLoss.of_laws({0: 10**9, 1: 1}, {0: 1, 1: 10**9}).self_compose(2).delta(1)
    ),
    "two of 80": lambda: (
        PrivacyLoss.worst_case(epsilon=80)
        .compose(PrivacyLoss.worst_case(epsilon="80.001"))
        .delta(1)
    ),
}


@pytest.mark.parametrize("ask", NEARLY_ONE.values(), ids=NEARLY_ONE.keys())
def test_releases_that_hide_next_to_nothing(ask: Callable[[], Interval]) -> None:
    """A grid as fine as their tiny spread would overflow its own index."""
    found = ask()
    assert found.upper > Fraction(999999, 10**6)
    assert found.lower > Fraction(99999, 10**5)


def test_epsilon_without_delta_is_the_greatest_sum() -> None:
    found = PrivacyLoss.laplace(epsilon=1).self_compose(2).epsilon(0)
    assert 2 <= found.upper < Fraction("2.000001")


def test_whole_edges_lie_on_the_lattice() -> None:
    """Δ/δ odd: the outermost atoms keep all their weight, and the gap is 0."""
    loss = Uniform(sensitivity=1, delta=Fraction(1, 11)).privacy(1).self_compose(3)
    truth = 1 - (Fraction(10, 11)) ** 3
    assert loss.delta(0).lower <= truth <= loss.delta(0).upper
    assert loss.delta(0).width < Fraction(1, 10**9)


def test_wide_stairs_do_not_lose_their_greatest_loss() -> None:
    found = DiscreteLaplace(10**6).privacy(300).self_compose(100).delta("0.003")
    near = PrivacyLoss.laplace(epsilon="0.0003").self_compose(100).delta("0.003")
    assert float(found.upper) == pytest.approx(float(near.upper), rel=1e-4)
    assert float(found.width) < 1e-3 * float(found.upper)


def test_a_truncated_law_on_a_fine_lattice() -> None:
    law = TruncatedLaplace(sensitivity=100_000, epsilon=1, delta="1e-6")
    found = law.privacy(100_000).self_compose(3)
    assert found.delta(3).lower <= 1 - (1 - Fraction(1, 10**6)) ** 3 <= found.delta(3).upper
    assert float(found.delta(1).width) < 2e-3 * float(found.delta(1).upper)


def test_bounded_noise_for_thousands_of_queries() -> None:
    """Median of 9 uniforms on ±671, 2048 queries: (1, 1e-6)-DP, as published."""
    found = MedianOfUniforms(4, 671).privacy(1).self_compose(2048).delta(1)
    assert found.upper <= Fraction(1, 10**6)
    assert found.lower > Fraction(8, 10**7)


def test_normal_tradeoff_far_below_rounding() -> None:
    found = PrivacyLoss.gaussian(mu=10).tradeoff("0.5")
    assert float(found) == pytest.approx(7.61985302416e-24, rel=1e-9)


SOUND_OR_REFUSED: dict[str, Callable[[], Interval]] = {
    "huge Laplace": lambda: PrivacyLoss.laplace(epsilon=10**6).self_compose(3).delta(3 * 10**6 - 1),
    "tail of large Laplace": lambda: PrivacyLoss.laplace(epsilon=400).self_compose(2).tail(1),
    "far shift": lambda: DiscreteGaussian(10**6).privacy(10**9).self_compose(2).delta(1),
    "tiny Gaussian": lambda: (
        PrivacyLoss.gaussian(mu="1e-200").compose(PrivacyLoss.laplace(epsilon=1)).delta(0)
    ),
    "tiny Laplace": lambda: PrivacyLoss.laplace(epsilon="1e-300").self_compose(10**6).delta(0),
    "vast law": lambda: MedianOfUniforms(5, 10**9).privacy(1).self_compose(3).delta("1e-3"),
    "sparse table": lambda: TableLaw({0: 1, 10**12: 1}).privacy(1).self_compose(2).delta("0.5"),
    "tiny alarm": lambda: PrivacyLoss.laplace(epsilon=1).tradeoff("1e-400"),
    "large group": lambda: PrivacyLoss.worst_case(epsilon=1).for_group(10**5).delta(1),
    "a billion": lambda: PrivacyLoss.laplace(epsilon="0.001").self_compose(10**9).delta(1),
}


@pytest.mark.parametrize("ask", SOUND_OR_REFUSED.values(), ids=SOUND_OR_REFUSED.keys())
def test_extremes_are_answered_or_refused(ask: Callable[[], Interval]) -> None:
    try:
        found = ask()
    except UnsupportedQuery:
        return
    assert 0 <= found.lower <= found.upper <= 1


def test_sampling_at_absurd_scales() -> None:
    assert DiscreteLaplace("1e-1000").sample(3).tolist() == [0, 0, 0]
    assert DiscreteLaplace("1e60").sample(3).dtype == object
