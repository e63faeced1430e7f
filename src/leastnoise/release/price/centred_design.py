"""How precisely to measure each part of a plan with centred Gaussian noise, in floats.

A search: what it finds is made of integers afterwards, and priced from those alone.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex

Floats = NDArray[np.float64]

_PLACES = 0.5 + 0.5 * np.linspace(0, 1, 257)[1:] ** 2
"""Where the total of a simplex may be centred, of the most that one unit adds."""
_ROUNDS = 6
_NARROW = 1e-6


@dataclass(frozen=True)
class CentredDesign:
    r"""Precisions, in units of one common scale.

    At μ = 1 and for precisions of price 1 in all, the noise of a part's numbers has the variances
    that they say. For given centres the best precisions are √(cost/price) of each number by Cauchy
    and Schwarz; see docs/proofs/joint_gaussian.md, section 3.

    Attributes:
        common: on the number of units.
        own: on each part's number or total, less its centre times the number of units.
        centre: the centres.
        residual: on what a simplex's numbers differ from their mean by; 0 elsewhere.
        price: what one unit moves of all of them, in squares.
    """

    common: float
    own: Floats
    centre: Floats
    residual: Floats
    price: float

    def variances(self, cells: Floats) -> Floats:
        """The variance of one number of each part, given how many numbers share its total."""
        with np.errstate(divide="ignore", invalid="ignore"):
            shared = np.where(self.centre == 0, 0.0, self.centre**2 / (self.common or np.inf))
            whole = (1 / self.own + shared) / cells**2
            spread = np.where(cells > 1, (1 - 1 / cells) / self.residual, 0.0)
        return self.price * (whole + spread)


@dataclass(frozen=True)
class Kinds:
    """Parts in numbers: boxes are one block for each number, simplices one for all of theirs."""

    low: Floats
    high: Floats
    cells: Floats
    groups: Floats
    blocks: Floats

    @classmethod
    def of(cls, parts: Sequence[Part], times: Sequence[int]) -> "Kinds":
        """The numbers of parts that are each there several times; Everyone has no block."""
        rows = [_row(part) for part in parts]
        low, high, cells, groups, blocks = np.array(rows, dtype=float).reshape(-1, 5).T
        return cls(low, high, cells, groups, blocks * np.array(times, dtype=float))


def _row(part: Part) -> tuple[float, float, float, float, float]:
    match part:
        case Everyone():
            return 1, 1, 1, 1, 0
        case Box():
            return part.low, part.high, 1, 1, part.cells
        case Simplex():
            most = min(part.cell or part.total, part.total)
            groups = min(part.total / most, part.cells)
            return 0, most * groups, part.cells, groups, 1
        case Diamond():
            raise TypeError("a Diamond has no centre: centred noise is not for it")


def centred_design(kinds: Kinds, weights: Floats, everyone: float) -> CentredDesign:
    """The best precisions for Σ weight·variance over all numbers.

    Args:
        kinds: the parts.
        weights: of each number of each part.
        everyone: the weight of the number of units itself.
    """
    half, middle = (kinds.high - kinds.low) / 2, (kinds.high + kinds.low) / 2
    half = np.maximum(half, _NARROW * (1 + np.abs(middle)))
    wide = kinds.cells > 1
    place, ratio = np.full(len(half), 0.5), np.ones(len(half))
    price, cost = half**2, weights.copy()
    shared = kinds.blocks * weights * middle**2
    for _ in range(_ROUNDS if wide.any() else 0):
        common = np.sqrt(shared.sum() + everyone)
        place[wide], ratio[wide] = _best_places(kinds, weights, wide, common)
        total = place[wide] * kinds.high[wide]
        price[wide] = total**2
        cost[wide] = weights[wide] * _spread_cost(kinds, wide, ratio[wide])
        shared[wide] = kinds.blocks[wide] * weights[wide] * total**2 / kinds.cells[wide]
    own = np.sqrt(cost / price)
    common = float(np.sqrt(shared.sum() + everyone))
    return CentredDesign(
        common,
        own,
        np.where(wide, place * kinds.high, middle),
        np.where(wide, own * ratio, 0.0),
        common + float(kinds.blocks @ (own * price)),
    )


def _spread_cost(kinds: Kinds, wide: NDArray[np.bool_], ratio: Floats) -> Floats:
    """What the variances of a simplex's numbers add up to, times the precision of its total."""
    cells = kinds.cells[wide]
    return np.asarray((cells - 1) / ratio + 1 / cells)


def _best_places(
    kinds: Kinds, weights: Floats, wide: NDArray[np.bool_], common: float
) -> tuple[Floats, Floats]:
    """The best centre of each simplex, and residual precision over that of the total."""
    cells, groups = kinds.cells[wide, None], kinds.groups[wide, None]
    weight, total = weights[wide, None], kinds.high[wide, None] * _PLACES
    empty = np.maximum(1 - groups / cells, 1e-12)
    # One unit shall move it no farther with all that it may add than with nothing.
    ratio = groups * np.minimum(2 * _PLACES, (2 * _PLACES - 1) / empty)
    alone = total * np.sqrt(weight * ((cells - 1) / ratio + 1 / cells))
    best = np.argmin(alone + weight * total**2 / (2 * cells * max(common, 1e-300)), axis=1)
    return _PLACES[best], np.take_along_axis(ratio, best[:, None], axis=1)[:, 0]
