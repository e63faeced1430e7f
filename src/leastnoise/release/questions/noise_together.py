"""`NoiseTogether`: the joint law of the noises that one answer is made of."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.joint_part import CellLaw, JointDraw
from leastnoise.mechanisms.joint.noise_points import Columns, joint_points
from leastnoise.mechanisms.joint.normal_points import normal
from leastnoise.noise.even_columns import even_columns
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.step.grant import Grant

_POINTS = 1 << 16
_DOUBT = 5e-4  # of a chance, as even points tell it: taken from the risk
_LISTED = 1 << 10  # tails of a law that are computed
_FAR = Fraction(1, 10**7)
_PART = 16
_SMOOTH = 1.0  # a variance from which on a discrete Gaussian is a rounded normal, for intervals


Cell: TypeAlias = tuple[CellLaw, JointDraw | None, int]
"""A number's noise; the draw it is part of, if it shares one; and which part."""


@dataclass(frozen=True)
class NoiseTogether:
    r"""The noises of some numbers, known by many points of equal weight.

    Numbers of one joint draw hang together by its counters, or by what all of them share; others
    are independent. All of it is public. A chance is wrong by about `_DOUBT`, which quantiles
    allow for; measured, not proved.

    Attributes:
        cells: the numbers.
        units: of how many steps each is told.
    """

    cells: tuple[Cell, ...]
    units: tuple[float, ...]

    @staticmethod
    def of(given: Sequence[Grant], units: Sequence[float]) -> "NoiseTogether":
        """One number for each grant, in units of so many steps.

        A grant that is named twice stands for two numbers of it.
        """
        return NoiseTogether(_alike(list(map(_cell, given))), tuple(units))

    @property
    def points(self) -> Floats:
        """A row for each point, a column for each number."""
        return _known(self.cells, self.units)

    def quantile(self, factors: Sequence[float], risk: float) -> float:
        """What |Σ factor·noise| exceeds with at most this chance."""
        return size_exceeded(np.abs(self.points @ np.asarray(factors)), risk)

    def quantiles(self, factors: Floats, risk: float) -> Floats:
        """The same for each row of factors; independent normal noise needs no points."""
        spreads = [_normal_spread(cell) for cell in self.cells]
        known = [each for each in spreads if each is not None]
        if len(known) < len(spreads):
            return np.array([self.quantile(row, risk) for row in factors.tolist()])
        sizes = np.sqrt((factors / self.units * known) ** 2 @ np.ones(len(known)))
        return np.asarray(NormalDist().inv_cdf(1 - risk / 2) * sizes)

    def spreads(self, factors: Floats) -> Floats:
        """The standard deviation of Σ factor·noise, for each row of factors."""
        if any(whole is not None for _, whole, _ in self.cells):
            together = _second_moments(self.cells, self.units)
            return np.asarray(np.sqrt(np.einsum("ri,ij,rj->r", factors, together, factors)))
        variances = np.array([float(law.moment(2)) for law, _, _ in self.cells])
        return np.asarray(np.sqrt((factors / self.units) ** 2 @ variances))


def size_exceeded(sizes: Floats, risk: float) -> float:
    """Of sizes at all points: the one that is exceeded with at most this chance."""
    kept = int(np.ceil((1 - max(risk - _doubt(risk), 0.0)) * len(sizes)))
    place = min(kept, len(sizes) - 1)
    after = len(sizes) - place
    # Most sizes lie below what every sixteenth of them tells, and need not be put in order.
    part = sizes[::_PART]
    least = max(0, len(part) - 1 - 2 * (after // _PART))
    near = sizes[sizes > np.partition(part, least)[least]]
    left = near if len(near) >= after else sizes
    return float(np.partition(left, len(left) - after)[len(left) - after])


@lru_cache(maxsize=16)
def _second_moments(cells: tuple[Cell, ...], units: tuple[float, ...]) -> Floats:
    points = _known(cells, units)
    return np.asarray(points.T @ points / len(points))


def _normal_spread(cell: Cell) -> float | None:
    """The deviation of noise that is as good as normal and shares nothing; else None."""
    law, whole, _ = cell
    if whole is None and isinstance(law, DiscreteGaussian) and law.sigma_squared >= _SMOOTH:
        return math.sqrt(law.sigma_squared)
    return None


def _doubt(risk: float) -> float:
    return min(_DOUBT, risk / 10)


def _cell(given: Grant) -> Cell:
    joint = given.joint
    return (given.law, None, 0) if joint is None else (given.law, joint.whole, joint.place)


def _alike(cells: list[Cell]) -> tuple[Cell, ...]:
    """The same law told by the first parts of the draw that are equal: questions alike share it."""
    found: dict[tuple[int, int], int] = {}
    for _, whole, place in cells:
        if whole is not None and (id(whole), place) not in found:
            taken = {new for (draw, _), new in found.items() if draw == id(whole)}
            equal = (i for i, part in enumerate(whole.parts) if part == whole.parts[place])
            found[id(whole), place] = next(i for i in equal if i not in taken)
    return tuple((law, whole, found.get((id(whole), place), 0)) for law, whole, place in cells)


@lru_cache(maxsize=16)
def _known(cells: tuple[Cell, ...], units: tuple[float, ...]) -> Floats:
    """Made once for all groups of a question, and for questions alike."""
    return np.asarray(_points(cells) / np.asarray(units))


def _points(cells: tuple[Cell, ...]) -> Floats:
    columns = even_columns(_POINTS)
    found: list[Floats | None] = [None] * len(cells)
    for whole in {id(cell[1]): cell[1] for cell in cells}.values():
        places = [i for i, cell in enumerate(cells) if cell[1] is whole]
        for i, noise in zip(
            places, _together(whole, [cells[i] for i in places], columns), strict=True
        ):
            found[i] = np.broadcast_to(noise, _POINTS)
    return np.stack([noise for noise in found if noise is not None], axis=1)


def _together(
    whole: JointDraw | None,
    cells: Sequence[Cell],
    columns: Columns,
) -> list[Floats]:
    if whole is not None:
        return joint_points(whole, [place for _, _, place in cells], columns)
    return [_alone(law, columns) for law, _, _ in cells]


def _alone(law: CellLaw, columns: Columns) -> Floats:
    """The noise of a number that has a law of its own."""
    assert isinstance(law, LatticeLaw), "noise that is not shared has a law of its own"
    match law:
        case DiscreteGaussian() if law.sigma_squared >= _SMOOTH:
            spread = math.sqrt(law.sigma_squared - Fraction(1, 12))
            return np.asarray(np.rint(spread * normal(columns)))
        case DiscreteLaplace():
            scale, column = float(law.scale), next(columns)
            sizes = np.floor(scale * np.log(2 / (np.exp(-1 / scale) + 1) / _both(column)))
            return np.asarray(np.copysign(np.maximum(sizes, 0), column - 0.5))
        case _:
            return _listed(law, next(columns))


def _both(column: Floats) -> Floats:
    """The chance of being at least as far from the middle."""
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.maximum(2 * np.minimum(column, 1 - column), tiny))


@lru_cache(maxsize=64)
def _tails(law: LatticeLaw) -> tuple[Floats, Floats, int]:
    """Some sizes m ≥ 1, P(|X| ≥ m), and how far apart they are."""
    farthest = law.quantile(1 - _FAR) + 1
    step = max(1, -(-farthest // _LISTED))
    sizes = [1 + step * k for k in range(farthest // step + 1)]
    return np.array(sizes, np.float64), np.array([2 * float(law.tail(m)) for m in sizes]), step


def _listed(law: LatticeLaw, column: Floats) -> Floats:
    """By a list of tails; of the sizes between two that are listed, the greatest."""
    sizes, tails, step = _tails(law)
    place = np.searchsorted(-tails, -_both(column), "right")
    found = np.concatenate(([0.0], sizes + (step - 1)))[np.minimum(place, len(sizes))]
    return np.asarray(np.copysign(found, column - 0.5))
