"""Mechanisms that cost what Laplace noise costs, those that go by steps, and those that do not."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mpf

from leastnoise.mechanisms import PermuteAndFlip
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_transcripts import HonestMachine
from leastnoise.privacy.loss import PrivacyLoss
from tests.mechanisms.selection_reference import flipping_law


def stick(p: list[mpf], q: list[mpf], epsilon: mpf) -> mpf:
    return sum((max(mpf(0), a - exp(epsilon) * b) for a, b in zip(p, q, strict=True)), mpf(0))


@settings(deadline=None, max_examples=60)
@given(
    st.fractions(Fraction(1, 20), 2, max_denominator=30),
    st.lists(st.tuples(st.integers(-6, 6), st.integers(-2, 2)), min_size=2, max_size=4),
    st.booleans(),
)
def test_permute_and_flip_is_dominated_by_laplace(
    rate: Fraction, row: list[tuple[int, int]], monotone: bool
) -> None:
    one = [u for u, _ in row]
    other = [u + (abs(move) if monotone else move) for u, move in row]
    p, q = flipping_law(one, rate), flipping_law(other, rate)
    epsilon = 2 * mpf(rate.numerator) / rate.denominator * (1 if monotone else 2)
    for share in range(-3, 4):
        level = epsilon * share / 4
        assert stick(p, q, level) <= 1 - exp((level - epsilon) / 2) + mpf(10) ** -40


@pytest.mark.parametrize("share", [0, 1, 3])
def test_and_by_nothing_less(share: int) -> None:
    """Two candidates are half-line tests between Laplace laws, at each integer threshold."""
    mechanism, move = PermuteAndFlip(candidates=2, epsilon=1, sensitivity=20), 20
    level = Fraction(share, 4)
    found = max(
        stick(
            flipping_law([u, 0], mechanism.rate),
            flipping_law([u - move, move], mechanism.rate),
            mpf(share) / 4,
        )
        for u in range(-10, 60)
    )
    assert float(mechanism.privacy().delta(level)) == pytest.approx(float(found), rel=2e-3)


def test_golden_prices_of_permute_and_flip() -> None:
    one = PermuteAndFlip(candidates=9, epsilon="0.1", sensitivity=1)
    together = one.privacy().self_compose(100).epsilon("1e-6")
    assert 4.6926 < together.lower <= together.upper < 4.6927
    as_pure = PrivacyLoss.worst_case(epsilon="0.1").self_compose(100).epsilon("1e-6")
    assert float(as_pure) == pytest.approx(4.774568, abs=1e-6)


# Sparse vector, in steps of 1


def test_more_steps_cost_less_and_tend_to_laplace() -> None:
    rhos = [
        float(ThresholdNoise(epsilon=1, sensitivity=n).concentrated.rho) for n in (1, 2, 3, 1000)
    ]
    assert rhos == pytest.approx([0.462117, 0.393469, 0.379435, 0.367880], abs=1e-6)
    assert all(low > high for low, high in pairwise(rhos))


def test_a_sparse_vector_with_geometric_noise_is_not_dominated_by_laplace() -> None:
    noise = ThresholdNoise(epsilon=4, sensitivity=1, threshold_share="0.5")
    machine, level = HonestMachine(noise, threshold=0), Fraction(18, 5)
    p, q = machine.law([-1, 0]), machine.law([0, -1])
    found = sum(
        max(0.0, float(p.ends(x)[0]) - math.exp(level) * float(q.ends(x)[1])) for x in p.chances
    )
    assert found == pytest.approx(0.193173, abs=1e-5)
    assert found > PrivacyLoss.laplace(epsilon=4).delta(level).upper
    assert found <= noise.privacy().delta(level).upper  # what is charged for it holds
