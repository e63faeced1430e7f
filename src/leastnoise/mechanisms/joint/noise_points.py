"""`joint_points`: points that stand for the noise of some numbers of one joint draw."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.joint_part import JointDraw
from leastnoise.mechanisms.joint.normal_points import normal_points
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.pair_table import PairTable
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.radius_table import RadiusTable
from leastnoise.mechanisms.joint.simplex_points import Pairs, simplex_points
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise

Columns = Iterator[Floats]


def joint_points(whole: JointDraw, places: Sequence[int], columns: Columns) -> list[Floats]:
    r"""The noise of one number of each of the parts, at points that all have the same weight.

    A part that is named several times gives as many different numbers of it. Given the counters,
    numbers of boxes are independent and uniform, and those of a simplex are gaps between points;
    centred noise is normal and rounded (docs/proofs/joint_noise.md, docs/proofs/joint_gaussian.md).

    Args:
        whole: the draw.
        places: the parts.
        columns: coordinates that fill a cube evenly, one column for each call of `next`.

    Returns:
        One column of noise for each place.
    """
    match whole:
        case CentredGaussian():
            return normal_points(whole, places, columns)
        case TwoCounterNoise():
            counters = _pairs(whole.counter_table, columns)
        case OneCounterNoise():
            radii = _radii(whole.counter_table, next(columns))
            counters = _Counters(radii, radii)
        case _:
            raise TypeError("only noise of this library has points")
    found: dict[int, Iterator[Floats]] = {}
    for place in dict.fromkeys(places):
        part, count = whole.parts[place], places.count(place)
        found[place] = iter(_given(part, count, counters, columns))
    return [next(found[place]) for place in places]


class _Counters(NamedTuple):
    """Both counters at each point, and the different pairs, if they are known already."""

    up: Floats
    down: Floats
    listed: Pairs | None = None


def _radii(table: RadiusTable, column: Floats) -> Floats:
    order = np.argsort(table.radii)
    return np.asarray(table.radii[order][_picked(table.shares[order], column)])


def _pairs(table: RadiusTable | PairTable, columns: Columns) -> _Counters:
    """Both counters; where only their sum is listed, p is uniform given it."""
    if isinstance(table, RadiusTable):
        radii = _radii(table, next(columns))
        p = np.floor(next(columns) * (radii + 1))
        return _Counters(p, radii - p)
    order = np.lexsort((table.p, table.p + table.q))
    rows = order[_picked(table.shares[order], next(columns))]
    return _Counters(table.p[rows], table.q[rows], Pairs(table.p, table.q, rows))


def _picked(shares: Floats, column: Floats) -> NDArray[np.intp]:
    """For each number of 0..1 the place where the sum of shares reaches it."""
    return np.minimum(np.searchsorted(np.cumsum(shares), column), len(shares) - 1)


def _given(part: Part, count: int, counters: _Counters, columns: Columns) -> list[Floats]:
    """Numbers of one part, given p and q; with one counter both are the same."""
    up, down, listed = counters
    match part:
        case Everyone():
            return [up - down] * count
        case Box():
            half = part.start // 2
            if up is down:  # one counter: from −high to high for each step
                low, high = -up * part.high - half, up * part.high + half
            else:
                low = up * part.low - down * part.high - half
                high = up * part.high - down * part.low + half
            return [low + np.floor(next(columns) * (high - low + 1)) for _ in range(count)]
        case Simplex():
            return simplex_points(part, count, listed or Pairs.of(up, down), columns)
        case Diamond():
            raise TypeError("no question of a plan has a Diamond")
