"""`normal_points`: points that stand for centred Gaussian noise of some numbers."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.lever import Lever
from leastnoise.mechanisms.joint.part import Everyone

Columns = Iterator[Floats]

_KNOTS = np.linspace(-8.0, 8.0, 4001)  # lines between them err by a millionth
_CHANCES = np.array([math.erfc(-knot / math.sqrt(2)) / 2 for knot in _KNOTS])
_CELLS = 1 << 13


def normal_points(whole: CentredGaussian, places: Sequence[int], columns: Columns) -> list[Floats]:
    """The noise of one number of each part: its load on the common draw, and what is its own.

    Before rounding the law is taken as normal: see docs/proofs/joint_gaussian.md, section 4.
    """
    sigma, common = float(whole.parameter) ** 0.5, normal(columns)
    own = {place: _Own(_lever(whole, place), columns) for place in dict.fromkeys(places)}
    return [np.rint(sigma * (own[each].load * common + own[each].next())) for each in places]


def _lever(whole: CentredGaussian, place: int) -> Lever:
    return Lever(whole.parts[place], whole.precisions[place], whole.common, whole.steps)


class _Own:
    """The noise of a part's numbers, one after another, but for the common draw's share."""

    def __init__(self, lever: Lever, columns: Columns) -> None:
        self._lever, self._columns = lever, columns
        self._total = normal(columns) if lever.fine.residual else np.zeros(1)
        self._sum, self._left = np.zeros(1), lever.part.cells

    @property
    def load(self) -> float:
        """What one step of the common draw does to a number."""
        lever, fine = self._lever, self._lever.fine
        if isinstance(lever.part, Everyone):
            return 1 / (lever.common * lever.steps)
        whole = fine.centre / (fine.scale * (lever.common or 1))
        return whole / lever.part.cells if fine.residual else whole

    def next(self) -> Floats:
        """Of a box a draw of its own; of a simplex a part of the total's, and the residual."""
        fine, cells = self._lever.fine, self._lever.part.cells
        if isinstance(self._lever.part, Everyone):
            return np.zeros(1)
        if not fine.residual:
            return normal(self._columns) / float(fine.own * fine.scale)
        total = self._total / float(fine.own * fine.scale * cells)
        return np.asarray(total + self._residual() / float(cells * fine.residual))

    def _residual(self) -> Floats:
        """Zⱼ − mean Z: given the sum R of the earlier ones, k left, −R/k with variance 1 − 1/k."""
        spread = max(1 - 1 / self._left, 0.0) ** 0.5
        found = np.asarray(spread * normal(self._columns) - self._sum / self._left)
        self._sum, self._left = self._sum + found, self._left - 1
        return found


def normal(columns: Columns) -> Floats:
    """A column of normal numbers: where the distribution function reaches those of a column.

    What `np.interp` finds by halving, a table finds at once where a cell of it has one knot.
    """
    chances = next(columns)
    first, several, slopes = _cells()
    cells = (chances * _CELLS).astype(np.int64)
    places = first[cells]
    places += chances >= _CHANCES[places + 1]
    found = slopes[places] * (chances - _CHANCES[places]) + _KNOTS[places]
    rest = np.flatnonzero(several[cells])
    found[rest] = np.interp(chances[rest], _CHANCES, _KNOTS)
    return np.asarray(found)


@lru_cache(maxsize=1)
def _cells() -> tuple[NDArray[np.int64], NDArray[np.bool_], Floats]:
    """The last knot before each cell of 0..1, whether it has several, and slopes after knots."""
    edges = np.arange(_CELLS + 2) / _CELLS
    before = np.searchsorted(_CHANCES, edges, side="right") - 1
    several = np.diff(before) > 1
    several[-1] = True  # the cell of 1 itself
    rises = np.diff(_CHANCES)
    slopes = np.divide(np.diff(_KNOTS), rises, out=np.zeros(len(rises)), where=rises > 0)
    return np.minimum(before[:-1], len(_KNOTS) - 3), several, slopes
