"""The least noise for a target: exact roots, refusals, and the discrete relatives."""

from fractions import Fraction

import dp_accounting
import pytest
from mpmath import erfc, exp, findroot, mp, mpf, sqrt

from leastnoise import InvalidParameter
from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.accounting.discrete_gaussian_vector_calibration import (
    discrete_gaussian_vector_variance,
)
from leastnoise.accounting.discrete_laplace_calibration import discrete_laplace_scale
from leastnoise.accounting.gaussian_calibration import (
    classical_gaussian_range,
    classical_gaussian_sigma,
    gaussian_sigma,
)
from leastnoise.noise import DiscreteLaplace
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian

EPSILONS = ["0", "0.001", "0.5", "1", "10", "100"]
DELTAS = ["1e-300", "1e-30", "1e-6", "0.1", "0.9"]


def number(value: Fraction | float | str) -> mpf:
    exact = Fraction(value)
    return mpf(exact.numerator) / exact.denominator


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_sigma_is_the_root_found_at_sixty_digits(epsilon: str, delta: str) -> None:
    answer = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=3)
    with mp.workdps(700 if epsilon == "0" else 60):
        e, d = number(epsilon), number(delta)

        def excess(sigma: mpf) -> mpf:
            near, far = 3 / (2 * sigma) - e * sigma / 3, 3 / (2 * sigma) + e * sigma / 3
            value = erfc(-near / sqrt(2)) - exp(e) * erfc(far / sqrt(2))
            return mp.log(value / 2 / d)

        truth = findroot(excess, (number(answer.lower) * 0.999, number(answer.upper) * 1.001))
        assert number(answer.lower) <= truth <= number(answer.upper)
    assert answer.width <= answer.upper / 10**15


def test_dp_accounting_agrees() -> None:
    theirs = dp_accounting.get_sigma_gaussian(1.0, 1e-6)
    ours = gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1)
    assert float(ours) == pytest.approx(theirs, rel=1e-6)


def test_classical_formula_and_its_region() -> None:
    ranges = {"1e-6": 8.339, "1e-12": 9.829, "0.5": 3.534}
    for delta, greatest in ranges.items():
        found = classical_gaussian_range(delta=delta, constant=1)
        assert float(found) == pytest.approx(greatest, abs=6e-4)
    assert classical_gaussian_range(delta="0.98033", constant=1).lower >= 1
    assert classical_gaussian_range(delta="0.98034", constant=1).upper < 1
    grid = [f"1e-{k}" for k in range(1, 40)] + ["0.3", "0.6", "0.8", "0.9", "0.99", "0.999999"]
    assert min(classical_gaussian_range(delta=d).lower for d in grid) > Fraction("3.787")


def test_classical_formula_outside_its_region_is_refused_by_name() -> None:
    with pytest.raises(InvalidParameter, match=r"at most 8\.3393 .* true delta is 2\.4.*e-06"):
        classical_gaussian_sigma(epsilon=10, delta="1e-6", sensitivity=1, constant=1)
    with pytest.raises(InvalidParameter, match=r"true delta is 0\.99931"):
        classical_gaussian_sigma(epsilon=1, delta="0.99", sensitivity=1, constant=1)
    with pytest.raises(InvalidParameter, match="`constant` must be at least 1"):
        classical_gaussian_sigma(epsilon=1, delta="0.1", sensitivity=1, constant="0.5")


@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.01"])
def test_classical_noise_is_never_less(delta: str) -> None:
    for epsilon in ("0.1", "0.5", "1"):
        exact = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=2)
        textbook = classical_gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=2)
        assert textbook.lower > exact.upper


# Discrete Gaussian.

TARGETS = [("1", "1e-6", 1), ("8", "0.0006", 3), ("0", "0.01", 1), ("5", "1e-30", 10)]


@pytest.mark.parametrize(("epsilon", "delta", "sensitivity"), TARGETS)
def test_the_least_variance_passes_and_less_fails(
    epsilon: str, delta: str, sensitivity: int
) -> None:
    target = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    answer = discrete_gaussian_variance(**target)  # type: ignore[arg-type]
    assert answer.width <= answer.upper / 10**11
    assert DiscreteGaussian(answer.upper).verify(**target)  # type: ignore[arg-type]
    for share in ("0.999999", "0.99", "0.95", "0.9", "0.8", "0.5", "0.1"):
        law = DiscreteGaussian(Fraction(answer.lower) * Fraction(share))
        assert not law.verify(**target)  # type: ignore[arg-type]


def test_more_discrete_gaussian_noise_can_be_less_private() -> None:
    narrow, wide = DiscreteGaussian("1.7221"), DiscreteGaussian("1.8275")
    assert narrow.delta(8, 3).upper < wide.delta(8, 3).lower
    # So the least variance lies far below the last one that fails, and is still found.
    target = {"epsilon": "8", "delta": "0.0025", "sensitivity": 3}
    answer = discrete_gaussian_variance(**target)  # type: ignore[arg-type]
    assert answer.upper < Fraction("1.7221")
    assert DiscreteGaussian(answer.upper).verify(**target)  # type: ignore[arg-type]
    assert not wide.verify(**target)  # type: ignore[arg-type]


def test_wide_discrete_and_continuous_noise_agree() -> None:
    wide = discrete_gaussian_variance(epsilon=1, delta="1e-6", sensitivity=1024)
    smooth = gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1024)
    assert float(wide) == pytest.approx(float(smooth) ** 2, rel=1e-8)


@pytest.mark.parametrize("square", [1, 3, 100])
def test_vectors_are_bracketed(square: int) -> None:
    answer = discrete_gaussian_vector_variance(epsilon=1, delta="1e-6", squared_sensitivity=square)
    smooth = float(gaussian_sigma(epsilon=1, delta="1e-6", sensitivity=1)) ** 2 * square
    assert answer.lower < answer.upper
    assert 1 < answer.upper / smooth < 1.2


# Discrete Laplace.


def test_pure_scale_is_exact() -> None:
    assert discrete_laplace_scale(epsilon="0.3", sensitivity=7).is_exact
    assert discrete_laplace_scale(epsilon="0.3", sensitivity=7).lower == Fraction(70, 3)
    with pytest.raises(InvalidParameter, match="`epsilon` must be positive"):
        discrete_laplace_scale(epsilon=0, sensitivity=1)


@pytest.mark.spread(8)
@pytest.mark.parametrize("epsilon", ["0", "0.5", "4"])
@pytest.mark.parametrize("delta", ["1e-12", "0.01", "0.9"])
@pytest.mark.parametrize("sensitivity", [1, 6])
def test_approximate_scale_is_least(epsilon: str, delta: str, sensitivity: int) -> None:
    answer = discrete_laplace_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    assert answer.width <= answer.upper / 2**58
    sound = DiscreteLaplace(Fraction(answer.upper)).delta(epsilon, sensitivity)
    tight = DiscreteLaplace(Fraction(answer.lower)).delta(epsilon, sensitivity)
    assert sound.lower <= Fraction(delta) <= tight.upper
    less = DiscreteLaplace(Fraction(answer.lower) * Fraction("0.999999"))
    assert less.delta(epsilon, sensitivity).lower > Fraction(delta)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"`delta` must lie in \(0, 1\)"):
        gaussian_sigma(epsilon=1, delta=0, sensitivity=1)
    with pytest.raises(InvalidParameter, match="`sensitivity` must be positive"):
        gaussian_sigma(epsilon=1, delta="0.1", sensitivity=0)
    with pytest.raises(InvalidParameter, match="`sensitivity` must be an integer"):
        discrete_gaussian_variance(epsilon=1, delta="0.1", sensitivity=1.5)  # type: ignore[arg-type]
