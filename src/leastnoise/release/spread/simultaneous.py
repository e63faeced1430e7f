"""`simultaneous_reach`: how many standard deviations hold for several sums of noise at once."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.joint.joint_part import CellLaw
from leastnoise.mechanisms.joint.normal_points import normal
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.release.spread.noise_sum import NoiseSum

Floats = NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]
"""For each sum the factors of the noises."""

_POINTS = 1 << 16
SURE = 5
"""Standard deviations of a share of the points: one in three million."""
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def simultaneous_reach(rows: Rows, law: CellLaw, risk: float) -> float:
    r"""κ such that with chance 1 − risk no sum is above κ of its standard deviations.

    Of 2^16 fixed points that stand for the noise, so many keep κ that a share of 1 − risk is
    beaten by five standard deviations: right unless the points are worse than random ones ever are.
    Laws that have no such points share the risk: the sum of all risks is kept.

    Args:
        rows: the sums; they hang together, as the noises are the same.
        law: of every noise, independent.
        risk: that one of the sums is above.
    """
    if isinstance(law, DiscreteLaplace | DiscreteGaussian):
        return _from_points(rows, isinstance(law, DiscreteLaplace), risk)
    sums = [NoiseSum.of(row, [law] * len(row)) for row in rows]
    return max(each.above(risk / len(rows)) / (each.deviation or 1.0) for each in sums)


@lru_cache(maxsize=64)
def _from_points(rows: Rows, laplace: bool, risk: float) -> float:
    factors = np.array(rows)
    factors /= np.sqrt(np.square(factors).sum(axis=1, keepdims=True))
    sizes = (factors @ _points(factors.shape[1], laplace)).max(axis=0)
    more = SURE * math.sqrt(risk * (1 - risk) / _POINTS)
    place = min(math.ceil((1 - risk + more) * _POINTS), _POINTS - 1)
    return float(np.partition(sizes, place)[place])


@lru_cache(maxsize=2)
def _points(count: int, laplace: bool) -> Floats:
    """A row for each noise of variance 1, a column for each point."""
    found = [uniform(place) for place in range(count)]
    if not laplace:
        return np.array([normal(iter([each])) for each in found])
    sides = [np.log(2 * np.minimum(each, 1 - each)) for each in found]
    signs = [np.sign(0.5 - each) for each in found]
    return np.asarray(np.array(sides) * np.array(signs) / math.sqrt(2))


def uniform(place: int, first: int = 0, count: int = _POINTS) -> Floats:
    """Numbers between 0 and 1: counters whose bits are mixed well. Nothing here is secret.

    Args:
        place: of a noise; others have other numbers.
        first: the first of up to 2^16 points.
        count: how many points.
    """
    start = place * _POINTS + first
    mixed = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    mixed = mixed * np.uint64(_GOLDEN)
    for shift, factor in ((30, _FIRST), (27, _SECOND)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53 + 2**-54
