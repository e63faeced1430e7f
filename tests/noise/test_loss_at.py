"""The loss of a law on the integers at one output."""

import math

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.noise import Canonical, DiscreteGaussian, DiscreteLaplace, Staircase, Uniform
from leastnoise.numeric.interval import Interval


@pytest.mark.parametrize(
    "law",
    [
        DiscreteLaplace(scale=3),
        DiscreteGaussian(4),
        Staircase(sensitivity=4, epsilon=1, width=2),
        Canonical(epsilon=1, delta="0.01"),
        Uniform(sensitivity=2, delta="0.2"),
    ],
    ids=["laplace", "gaussian", "staircase", "canonical", "uniform"],
)
@pytest.mark.parametrize("distance", [1, -2])
def test_loss_at_of_lattice_laws(law: DiscreteLaplace, distance: int) -> None:
    """Against the chances themselves, and the chance of a large loss against its own tail."""
    for k in range(-6, 7):
        mine, theirs = float(law.pmf(k)), float(law.pmf(k - distance))
        if mine and theirs:
            assert float(law.loss_at(k, distance)) == pytest.approx(
                math.log(mine / theirs), abs=1e-12
            )
        elif mine:
            assert law.loss_at(k, distance).lower == math.inf
        elif theirs:
            assert law.loss_at(k, distance).upper == -math.inf
        else:
            with pytest.raises(InvalidParameter, match="possible under one of the laws"):
                law.loss_at(k, distance)


def test_two_sided_tail_of_a_lattice_law_is_the_sum_over_outputs() -> None:
    law = DiscreteGaussian(2)
    found = law.privacy(1).two_sided_tail("0.6")
    outputs = range(-40, 41)
    large = [k for k in outputs if abs(float(law.loss_at(k))) > 0.6]
    assert float(found) == pytest.approx(sum(float(law.pmf(k)) for k in large), rel=1e-9)


def test_equal_chances_are_an_exact_zero() -> None:
    law = DiscreteLaplace(scale=3)
    assert law.loss_at(1, 2) == law.loss_at(5, 0) == Interval.exactly(0)
    assert float(law.loss_at(-4, 3)) == pytest.approx(1, abs=1e-15)
