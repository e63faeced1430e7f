"""Rounded sums of discrete Gaussians against sums over the lattice."""

import math
from fractions import Fraction

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.joint.rounded_sum import RoundedSum
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians

V = 1 << 24


def rounded(factor: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """|R| and its chances, R = factor·X rounded; X has the parameter V."""
    k = np.arange(-12 << 12, (12 << 12) + 1)
    chance = np.exp(-(k.astype(float) ** 2) / (2 * V))
    size = (2 * np.abs(k) * factor.numerator + factor.denominator) // (2 * factor.denominator)
    return size, chance / chance.sum()


def law(factor: Fraction) -> RoundedSum:
    return RoundedSum(LatticeGaussians(Fraction(V), 64, 1), factor**2)


FACTORS = [Fraction(n) / 4096 for n in ("1/10", "1/4", "1", "3.9", "4.1", "20", "100", "4096")]


@pytest.mark.parametrize("factor", FACTORS, ids=str)
def test_moments_hold_the_sum_over_the_lattice(factor: Fraction) -> None:
    size, chance = rounded(factor)
    for order in (1, 2):
        exact, bracket = float((size.astype(float) ** order) @ chance), law(factor).moment(order)
        assert bracket.lower - 1e-9 <= exact <= bracket.upper + 1e-9
        # V is as small as it may be here; a search takes it 2**40 times larger.
        assert float(bracket.width) <= 0.3 * exact + 0.1


@pytest.mark.parametrize("factor", FACTORS, ids=str)
@pytest.mark.parametrize("probability", ["0.5", "0.95", "0.999"])
def test_quantiles_are_never_too_small(factor: Fraction, probability: str) -> None:
    size, chance = rounded(factor)
    found = law(factor).quantile(probability)
    assert chance[size <= found].sum() >= float(probability) - 1e-12
    least = np.sort(size)[np.searchsorted(np.cumsum(chance[np.argsort(size)]), float(probability))]
    assert found <= 1.05 * least + 1


def test_on_a_fine_lattice_little_is_in_doubt() -> None:
    fine = RoundedSum(LatticeGaussians(Fraction(1 << 64), 64, 1000), Fraction(9, 1 << 64))
    assert float(fine.moment(2)) == pytest.approx(9 + 1 / 12, rel=1e-6)
    assert float(fine.moment(2).width) < 1e-5
    assert fine.quantile("0.95") == 6


@pytest.mark.parametrize("deviation", ["0.2", "1", "3.9", "4.1", "12"])
def test_moments_on_a_fine_lattice_are_those_of_rounded_normal_noise(deviation: str) -> None:
    tau = Fraction(deviation)
    fine = RoundedSum(LatticeGaussians(Fraction(1 << 76), 64, 1), tau**2 / (1 << 76))
    tails = [math.erfc((k - 0.5) / float(tau) / math.sqrt(2)) for k in range(1, 200)]
    exact = {1: sum(tails), 2: sum((2 * k - 1) * tail for k, tail in enumerate(tails, 1))}
    for order, value in exact.items():
        found = fine.moment(order)
        assert float(found) == pytest.approx(value, abs=1e-6 if order == 2 or tau < 4 else 8e-5)
        assert found.lower <= Fraction(value) + Fraction(1, 10**12)
        assert found.upper >= Fraction(value) - Fraction(1, 10**12)


@pytest.mark.parametrize("order", [0, 3])
def test_other_moments_are_refused(order: int) -> None:
    with pytest.raises(InvalidParameter):
        law(Fraction(1)).moment(order)
