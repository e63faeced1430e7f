r"""Which demands share one draw of noise, under pure ε: a search, and it may be wrong.

A draw for demands of D numbers in all has errors of about √((D+2)(D+3)·κ)·L for each of them, at a
price of ε = 1. Groups of demands are intervals in one order (docs/proofs/joint_noise.md), so the
best are found by looking at intervals only.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.part import Box, Everyone, Simplex
from leastnoise.release.step.demand import Demand

Floats = NDArray[np.float64]

_WIDEST = 64  # cells of one demand: wider ones gain next to nothing, and take long to draw
_EQUAL = 1 - 1e-9  # sums of floats are no nearer
_MEAN_PER_SPREAD = 0.76  # mean |error| over standard deviation, between Laplace's and Gauss's
# How much of the variance is left with the best start widths, at ε = 1, by the number of cells.
_CELLS = np.log([1, 2, 5, 10, 20, 50, 1000, 10**6])
_LEFT = np.array([0.96, 0.9975, 0.872, 0.782, 0.698, 0.613, 0.52, 0.5])


@dataclass(frozen=True)
class Block:
    """Demands that share a draw, or one with noise of its own.

    Attributes:
        places: which demands.
        cost: about the weighted sum of their mean errors at ε = 1.
        alone: whether its cells get independent noise.
    """

    places: tuple[int, ...]
    cost: float
    alone: bool


def joint_blocks(demands: Sequence[Demand]) -> list[Block]:
    """All demands in blocks such that errors are about least."""
    open_, alone = _sorted(demands)
    blocks = [Block((place,), _alone(demands[place]), alone=True) for place in alone]
    return [*blocks, *_intervals(demands, open_)]


def part_of(demand: Demand) -> Box | Simplex | Everyone:
    """A box or a simplex around what one unit moves, whichever makes less noise."""
    box, adds = box_of(demand), demand.adds
    if isinstance(box, Everyone) or adds is None or adds.total is None or box.cells == 1:
        return box
    simplex = Simplex(box.cells, adds.total, cell=adds.high)
    wide = _size(box, demand.replaced) <= _size(simplex, demand.replaced)
    return box if wide else simplex


def box_of(demand: Demand) -> Box | Everyone:
    """Each number with its own range, whatever the others do."""
    adds = demand.adds
    assert adds is not None, "others share nothing"
    assert adds.cells is not None, "nor do private groups"
    if adds.everyone:
        return Everyone()
    if demand.replaced:
        width = adds.high - adds.low
        return Box(-width, width, adds.cells)
    return Box(adds.low, adds.high, adds.cells)


def _size(part: Box | Simplex | Everyone, replaced: bool) -> float:
    """√κ·L: how large the errors of its cells are, beside those of others in the same draw."""
    match part:
        case Everyone():
            return math.sqrt(1 / 6)
        case Simplex():
            return float(part.total) * math.sqrt(_kappa(part.cells, replaced))
        case Box():
            return math.hypot(part.high - part.low, part.high + part.low) / math.sqrt(12)


def _sorted(demands: Sequence[Demand]) -> tuple[list[int], list[int]]:
    """The demands that may share a draw, in the order of weight·size per cell; and the others."""
    ratios: dict[int, float] = {}
    for place, demand in enumerate(demands):
        adds = demand.adds
        if adds is not None and adds.cells is not None and 0 < adds.cells <= _WIDEST:
            ratios[place] = _pull(demand) / adds.cells
    others = [place for place in range(len(demands)) if place not in ratios]
    return sorted(ratios, key=ratios.__getitem__), others


def _pull(demand: Demand) -> float:
    return float(demand.weight) * _size(part_of(demand), demand.replaced)


def _alone(demand: Demand) -> float:
    return float(demand.weight) * demand.pure


def _intervals(demands: Sequence[Demand], order: list[int]) -> list[Block]:
    """The cheapest way to cut the order into intervals; the square root of costs adds up."""
    width = _sums([part_of(demands[place]).cells for place in order])
    pull = _sums([_pull(demands[place]) for place in order])
    alone = np.sqrt([_alone(demands[place]) for place in order])
    best, cut = np.zeros(len(order) + 1), np.zeros(len(order) + 1, dtype=np.intp)
    for end in range(1, len(order) + 1):
        costs = best[:end] + np.sqrt(_cost(width[end] - width[:end], pull[end] - pull[:end]))
        costs[end - 1] = min(costs[end - 1], best[end - 1] + alone[end - 1])
        cut[end] = np.argmin(costs)
        best[end] = costs[cut[end]]
    found, end = [], len(order)
    while end:
        start = int(cut[end])
        cost = float((best[end] - best[start]) ** 2)
        single = end - start == 1 and cost >= _EQUAL * float(alone[start] ** 2)
        found.append(Block(tuple(order[start:end]), cost, alone=single))
        end = start
    return found


def _sums(numbers: Sequence[float]) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.asarray(numbers, dtype=np.float64))])


def _cost(width: Floats, pull: Floats) -> Floats:
    """The weighted mean errors of a draw at ε = 1."""
    left = np.interp(np.log(width), _CELLS, _LEFT)
    return np.asarray(_MEAN_PER_SPREAD * pull * np.sqrt((width + 2) * (width + 3) * left))


@lru_cache(maxsize=2 * _WIDEST)
def _kappa(cells: int, replaced: bool) -> float:
    """κ of a simplex: a cell's mean square in the limit, over λ = p/r by the midpoint rule.

    Where units are replaced, one counter bounds what is added and what is taken away. It falls with
    the square of the number of cells in the end, where binomials are beyond floats.
    """
    if cells > _WIDEST:
        return _kappa(_WIDEST, replaced) * (_WIDEST / cells) ** 2
    counts = np.arange(cells + 1)
    squares = np.array([float(math.comb(cells, int(j))) ** 2 for j in counts])
    share = (np.arange(256) + 0.5)[:, None] / 256
    above, below = (np.ones(1), np.ones(1)) if replaced else (share, 1 - share)
    rest = cells - counts
    weights = squares * above**counts * below**rest
    up = counts / cells * 2 * above**2 / ((counts + 1) * (counts + 2))
    down = rest / cells * 2 * below**2 / ((rest + 1) * (rest + 2))
    means = (weights * (up + down)).sum(axis=-1) / weights.sum(axis=-1)
    return float(np.mean(means))
