"""What no unbiased mechanism beats, against mechanisms whose covariance is known."""

from fractions import Fraction
from math import exp, expm1, sinh

import pytest

from leastnoise.certificates.unbiased_bound import unbiased_bound
from leastnoise.noise import Canonical, DiscreteGaussian


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(5)])
def test_one_count_is_below_the_best_noise_and_near_it_for_small_epsilon(epsilon: Fraction) -> None:
    bound = unbiased_bound(Fraction(1), epsilon=epsilon)
    assert float(bound) == pytest.approx(1 / (4 * sinh(float(epsilon) / 2) ** 2), rel=1e-12)
    best = Canonical(epsilon=epsilon, delta=0).moment(2)
    assert bound < best.lower
    assert float(best) / float(bound) == pytest.approx(2, rel=0.01)  # two-sided geometric noise


def test_gaussian_noise_nearly_attains_the_bound_for_small_rho() -> None:
    variance = Fraction(1000)
    rho = 1 / (2 * variance)
    bound = unbiased_bound(Fraction(1), rho=rho)
    assert float(bound) == pytest.approx(1 / expm1(2 * float(rho)), rel=1e-12)
    attained = DiscreteGaussian(variance=variance).moment(2)
    assert bound < attained.lower
    assert float(attained) / float(bound) < 1.001


def test_it_is_rounded_down() -> None:
    bound = unbiased_bound(Fraction(1), epsilon=Fraction(1))
    truth = 1 / (exp(1) + exp(-1) - 2)
    assert bound.denominator & (bound.denominator - 1) == 0
    assert abs(float(bound) - truth) < 1e-15


def test_nothing_is_claimed_where_nothing_is_promised() -> None:
    assert unbiased_bound(Fraction(1), epsilon=Fraction(5000)) == 0
    assert unbiased_bound(Fraction(1), rho=Fraction(0)) == 0
    with pytest.raises(ValueError, match="exactly one"):
        unbiased_bound(Fraction(1))
    with pytest.raises(ValueError, match="exactly one"):
        unbiased_bound(Fraction(1), epsilon=Fraction(1), rho=Fraction(1))


def test_randomised_response_attains_the_divergence() -> None:
    """One bit told truly with chance 1/(1+b), unbiased after scaling, has variance 1/χ²."""
    epsilon = 0.7
    p = 1 / (1 + exp(-epsilon))
    variance = p * (1 - p) / (2 * p - 1) ** 2
    assert variance == pytest.approx(float(unbiased_bound(Fraction(1), epsilon=Fraction("0.7"))))
