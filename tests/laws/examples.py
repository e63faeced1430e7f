"""Instances of every law, each with the guarantee its theorem states and a way to spoil it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leastnoise.noise import (
    Canonical,
    DiscreteGaussian,
    DiscreteLaplace,
    GeneralizedGaussian,
    MedianOfUniforms,
    Staircase,
    TableLaw,
    TruncatedLaplace,
    TruncatedStaircase,
    Uniform,
)
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric import Interval

NEGLIGIBLE = Fraction(1, 2**100)


@dataclass(frozen=True)
class Guarantee:
    """A claim that is met with equality: a little less epsilon or delta makes it false."""

    sensitivity: int
    epsilon: Fraction
    delta: Fraction = Fraction(0)


@dataclass(frozen=True)
class Example:
    """A law, its tight guarantee if a theorem states one, and copies with the scale 10 % off."""

    law: LatticeLaw
    guarantee: Guarantee | None = None
    off: tuple[LatticeLaw, LatticeLaw] | None = None

    def __str__(self) -> str:
        return str(self.law)


def tight(sensitivity: int, epsilon: object, delta: object = 0) -> Guarantee:
    return Guarantee(sensitivity, Fraction(str(epsilon)), Fraction(str(delta)))


def bell(*upper: int) -> dict[int, int]:
    """A symmetric table from the weights of 0, 1, 2, …"""
    return {k: upper[abs(k)] for k in range(1 - len(upper), len(upper))}


SMALL: tuple[Example, ...] = (
    Example(DiscreteLaplace(scale="0.1"), tight(1, 10)),
    Example(DiscreteLaplace(scale=1), tight(2, 2)),
    Example(
        DiscreteLaplace(scale=10),
        tight(3, "3/10"),
        off=(DiscreteLaplace(scale=9), DiscreteLaplace(scale=11)),
    ),
    Example(Staircase(sensitivity=1, epsilon=1, width=1), tight(1, 1)),
    Example(Staircase(sensitivity=5, epsilon=2, width=5), tight(5, 2)),
    Example(
        Staircase(sensitivity=10, epsilon="1/2", width=3),
        tight(10, "1/2"),
        off=(
            Staircase(sensitivity=9, epsilon="1/2", width=3),
            Staircase(sensitivity=11, epsilon="1/2", width=3),
        ),
    ),
    Example(Uniform(sensitivity=1, delta="1/2"), tight(1, 0, "1/2")),
    Example(
        Uniform(sensitivity=3, delta="1/20"),
        tight(3, 0, "1/20"),
        off=(Uniform(sensitivity=3, delta="11/200"), Uniform(sensitivity=3, delta="9/200")),
    ),
    Example(Uniform(sensitivity=2, delta="3/10"), tight(2, 0, "3/10")),
    Example(Canonical(epsilon=1, delta="1e-6"), tight(1, 1, "1e-6")),
    Example(Canonical(epsilon=0, delta="1/7"), tight(1, 0, "1/7")),
    Example(Canonical(epsilon=3, delta=0), tight(1, 3)),
    Example(
        Canonical(epsilon="0.1", delta="0.01"),
        tight(1, "0.1", "0.01"),
        off=(Canonical(epsilon="0.11", delta="0.011"), Canonical(epsilon="0.09", delta="0.009")),
    ),
    Example(
        TruncatedStaircase(sensitivity=1, epsilon=1, delta="1e-3", width=1), tight(1, 1, "1e-3")
    ),
    Example(
        TruncatedStaircase(sensitivity=4, epsilon="1/2", delta="1e-3", width=2),
        tight(4, "1/2", "1e-3"),
        off=(
            TruncatedStaircase(sensitivity=4, epsilon="5/9", delta="1e-3", width=2),
            TruncatedStaircase(sensitivity=4, epsilon="5/11", delta="1e-3", width=2),
        ),
    ),
    Example(
        TruncatedLaplace(sensitivity=3, epsilon="1/2", delta="1e-6"),
        tight(3, "1/2", "1e-6"),
        off=(
            TruncatedLaplace(sensitivity=3, epsilon="5/9", delta="1e-6"),
            TruncatedLaplace(sensitivity=3, epsilon="5/11", delta="1e-6"),
        ),
    ),
    Example(DiscreteGaussian(variance="1/4")),
    Example(
        DiscreteGaussian(variance=16),
        off=(DiscreteGaussian(variance="1296/100"), DiscreteGaussian(variance="1936/100")),
    ),
    Example(GeneralizedGaussian(scale="1/2", power="3/2")),
    Example(GeneralizedGaussian(scale=3, power=1), tight(2, "2/3")),
    Example(GeneralizedGaussian(scale=2, power=2)),
    Example(
        GeneralizedGaussian(scale=5, power="5/4"),
        off=(
            GeneralizedGaussian(scale="9/2", power="5/4"),
            GeneralizedGaussian(scale="11/2", power="5/4"),
        ),
    ),
    Example(MedianOfUniforms(order=1, radius=5)),
    Example(
        MedianOfUniforms(order=3, radius=20),
        off=(MedianOfUniforms(order=3, radius=18), MedianOfUniforms(order=3, radius=22)),
    ),
    Example(TableLaw({0: 1})),
    Example(TableLaw({-2: 3, 0: 1, 1: "0.5"})),
    Example(
        TableLaw(bell(34, 21, 13, 8, 5, 3, 2, 1)),
        off=(TableLaw(bell(40, 21, 13, 8, 5, 3, 2, 1)), TableLaw(bell(34, 24, 15, 9, 5, 3, 2, 1))),
    ),
)
"""Few enough likely values to sum over them all."""

LARGE: tuple[Example, ...] = (
    Example(
        DiscreteLaplace(scale=2**50),
        tight(1, Fraction(1, 2**50)),
        off=(DiscreteLaplace(scale=2**50 * 9 // 10), DiscreteLaplace(scale=2**50 * 11 // 10)),
    ),
    Example(
        Staircase(sensitivity=2**40, epsilon="1/3", width=2**39 + 1),
        tight(2**40, "1/3"),
        off=(
            Staircase(sensitivity=2**40 * 9 // 10, epsilon="1/3", width=2**38),
            Staircase(sensitivity=2**40 * 11 // 10, epsilon="1/3", width=2**39 + 2**38),
        ),
    ),
    Example(
        GeneralizedGaussian(scale=1000, power="7/4"),
        off=(
            GeneralizedGaussian(scale=900, power="7/4"),
            GeneralizedGaussian(scale=1100, power="7/4"),
        ),
    ),
    Example(
        DiscreteGaussian(variance=2**60),
        off=(
            DiscreteGaussian(variance=Fraction(81, 100) * 2**60),
            DiscreteGaussian(variance=Fraction(121, 100) * 2**60),
        ),
    ),
)

EXAMPLES = SMALL + LARGE
SPOILABLE = tuple(example for example in EXAMPLES if example.off is not None)
GUARANTEED = tuple(example for example in EXAMPLES if example.guarantee is not None)


@lru_cache
def window(law: LatticeLaw) -> range:
    """Every value of a finite law; of another one, all but a negligible part."""
    if law.support is not None:
        return range(law.support[0], law.support[1] + 1)
    most = law.quantile(1 - NEGLIGIBLE)
    return range(-most, most + 1)


@lru_cache
def probabilities(law: LatticeLaw) -> dict[int, Interval]:
    return {k: law.pmf(k) for k in window(law)}
