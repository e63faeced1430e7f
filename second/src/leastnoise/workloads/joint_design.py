r"""Which totals of a plan share a draw of noise, with which part of the price: a search.

It may be wrong about anything: laws prove their own prices. Both searches make the weighted sum of
the variances of all numbers small.

Pure epsilon (`pure_groups`). A draw for D numbers at epsilon = 1 has variances of about
(D + 2)*(D + 3)*size, with a size for each block; numbers that every unit moves alike are not among
the D. Groups with the least sum are intervals in the order of weighted size per number
(docs/proofs/joint_pure.md, section 4), so the best cut of that order is found by looking at intervals.
A group with the weighted variance A at epsilon = 1 gets a part of the price in proportion to A^(1/3).
Boxes get the start width that is best, one scale for all boxes of a group.

Gaussian noise (`gaussian_group`). All blocks share one draw. A measurement of price a per unit of
squared weight, and variance c over squared weight, gets a squared weight in proportion to
sqrt(c/a); the least weighted variance at mu = 1 is the square of the sum of all sqrt(a*c).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, sqrt

import numpy as np

from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import (
    MOST_BESIDE_SIMPLEX,
    MOST_CELLS,
    Block,
    Box,
    Diamond,
    KNormNoise,
    Simplex,
    ends,
)
from leastnoise.noise.joint_tables import Floats, Law, variance
from leastnoise.noise.vector_laplace import LaplaceNoise

_WIDEST = 64  # numbers of a simplex or diamond: wider ones gain next to nothing from a draw
_COARSE = (
    64  # scales of independent noise are whole numbers: above this, rounding costs next to nothing
)
_SHARE = 1 << 24  # shares are multiples of 1/_SHARE
_WEIGHT = 1 << 12  # the least weight of a measurement: rounded, it costs next to nothing
_GOLDEN, _ROUNDS = (sqrt(5) - 1) / 2, 16

# Of a simplex: the mean square of a number over total^2 * (D + 2) * (D + 3), for wide totals.
_CELLS = np.log([1, 2, 3, 5, 8, 20, 50, 1000])
_SIZES = np.log([0.166667, 0.103305, 0.070014, 0.037984, 0.01942, 0.004216, 0.000771, 2e-6])
# How much of the variance of boxes is left with the best start widths, by D.
_DRAWN = np.log([1, 2, 5, 10, 20, 50, 1000])
_LEFT = np.array([0.96, 0.96, 0.877, 0.785, 0.698, 0.613, 0.52])


@dataclass(frozen=True)
class Group:
    """Vectors that share a draw of noise.

    Attributes:
        law: the law of the draw; its blocks are those of the places, in their order.
        places: which vectors.
    """

    law: Law
    places: tuple[int, ...]


def weighted_variance(groups: Sequence[Group], importance: Sequence[float]) -> float:
    """The sum over all numbers of importance times variance; `importance` is one for each vector."""
    return sum(
        weight * importance[group.places[at]] * block.cells
        for group in groups
        for at, block, weight in _by_block(group.law)
    )


def _by_block(law: Law) -> list[tuple[int, Block | Ball, float]]:
    """Place, block and variance of every block; equal ones are computed once."""
    found = dict[tuple[Block | Ball, int], float]()
    rows = []
    for at, block in enumerate(law.blocks):
        key = block, law.weights[at] if isinstance(law, CentredGaussian) else 0
        if key not in found:
            found[key] = variance(law, at)
        rows.append((at, block, found[key]))
    return rows


def even_importance(reach: Sequence[Block | Ball]) -> list[float]:
    """1 for every vector, in equal parts for its numbers."""
    return [1 / each.cells for each in reach]


# Pure epsilon


def pure_groups(
    reach: Sequence[Block], epsilon: Fraction, importance: Sequence[float] | None = None
) -> tuple[Group, ...]:
    """Groups of vectors with laws of epsilon in all.

    Args:
        reach: how far one unit moves each vector.
        epsilon: the price of all together.
        importance: what the variance of each number of a vector counts; `even_importance` if None.

    >>> (group,) = pure_groups([Box(0, 1)] * 10, Fraction(1))
    >>> group.law.blocks[0]
    Box(low=0, high=1, cells=1, start=6)
    """
    weights = even_importance(reach) if importance is None else list(importance)
    parts = _intervals(reach, weights)
    costs = [_cost(_law([reach[i] for i in part], epsilon), part, weights) for part in parts]
    shares = np.cbrt(np.maximum(costs, max(max(costs) * 1e-12, 1e-300)))
    shares = shares / shares.sum()
    groups = []
    for part, share in zip(parts, shares.tolist(), strict=True):
        own = epsilon * Fraction(max(1, int(share * _SHARE) - (len(parts) > 1)), _SHARE)
        rate = epsilon if len(parts) == 1 else own
        groups.append(Group(_law([reach[i] for i in part], rate), tuple(part)))
    return tuple(groups)


def _cost(law: Law, part: Sequence[int], weights: Sequence[float]) -> float:
    return weighted_variance([Group(law, tuple(part))], weights)


def _size(block: Block) -> float:
    """The variance of a number of a wide draw of D numbers, over (D + 2)*(D + 3)."""
    if isinstance(block, Box):
        return ((block.high - block.low) ** 2 + (block.high + block.low) ** 2) / 12
    if isinstance(block, Diamond):
        return 2.0 * block.total**2 / ((block.cells + 1) * (block.cells + 2))
    return block.total**2 * float(np.exp(np.interp(np.log(block.cells), _CELLS, _SIZES)))


def _is_fixed(block: Block) -> bool:
    """Whether every unit moves its numbers alike: then p - q says all, and they cost nothing more."""
    return isinstance(block, Box) and block.low == block.high


def _is_wide(block: Block) -> bool:
    return block.cells > (MOST_CELLS if isinstance(block, Box) else _WIDEST)


def _intervals(reach: Sequence[Block], weights: Sequence[float]) -> list[list[int]]:
    """The cheapest way to cut the vectors, in the order of their weighted sizes, into groups."""
    alone = [[place] for place, block in enumerate(reach) if _is_wide(block)]
    joint = [place for place, block in enumerate(reach) if not _is_wide(block)]
    joint.sort(key=lambda place: (_is_fixed(reach[place]), weights[place] * _size(reach[place])))
    blocks = [reach[place] for place in joint]
    cells = _running([block.cells for block in blocks])
    width = _running([0 if _is_fixed(block) else block.cells for block in blocks])
    pull = _running([weights[i] * reach[i].cells * _size(reach[i]) for i in joint])
    simplexes = _running([isinstance(block, Simplex) for block in blocks])
    others = _running([not isinstance(block, Box) for block in blocks])
    best, cut = np.zeros(len(blocks) + 1), np.zeros(len(blocks) + 1, dtype=np.intp)
    for end in range(1, len(blocks) + 1):
        drawn = width[end] - width[:end]
        left = np.where(
            others[end] > others[:end], 1, np.interp(np.log(np.maximum(drawn, 1)), _DRAWN, _LEFT)
        )
        costs = best[:end] + np.cbrt((drawn + 2) * (drawn + 3) * (pull[end] - pull[:end]) * left)
        most = np.where(simplexes[end] > simplexes[:end], MOST_BESIDE_SIMPLEX, MOST_CELLS)
        costs[cells[end] - cells[:end] > most] = np.inf
        costs[end - 1] = min(
            costs[end - 1], best[end - 1] + _alone(blocks[end - 1], weights[joint[end - 1]])
        )
        cut[end] = np.argmin(costs)
        best[end] = costs[cut[end]]
    found, end = [], len(blocks)
    while end:
        found.append(sorted(joint[cut[end] : end]))
        end = int(cut[end])
    return sorted(found + alone)


def _alone(block: Block, weight: float) -> float:
    """The cost of independent noise, for a list of many groups: twice total^2 each."""
    if isinstance(block, Box):
        return float("inf")
    return float(np.cbrt(weight * block.cells * 2.0 * block.total**2))


def _running(numbers: Sequence[float]) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.asarray(numbers, dtype=np.float64))])


def _law(reach: Sequence[Block], rate: Fraction) -> Law:
    """The best law that the search knows for vectors that share a draw."""
    blocks = tuple(replace(each, start=0) for each in reach)
    (first, *rest) = blocks
    if not rest and (_is_wide(first) or (first.cells > 1 and not isinstance(first, Box))):
        most = max(map(abs, ends(first))) * (first.cells if isinstance(first, Box) else 1)
        alone = LaplaceNoise(max(1, ceil(most / rate)), first)
        if isinstance(first, Box) or first.cells > MOST_CELLS or not first.total:
            return alone
        joint = KNormNoise(rate, (Diamond(first.cells, first.total),), 1)
        rounds = alone.scale < _COARSE and alone.scale * rate != most
        return joint if rounds and variance(joint, 0) < variance(alone, 0) else alone
    counters = 1 if all(block.is_symmetric for block in blocks) else 2
    law = KNormNoise(rate, blocks, counters)
    if any(not isinstance(block, Box) for block in blocks):
        return law
    return KNormNoise(rate, _started(blocks, _best_scale(law)), counters)


def _started(blocks: Sequence[Block], scale: float) -> tuple[Block, ...]:
    """The same boxes with start widths, even so that noise has the mean 0."""
    return tuple(
        replace(each, start=2 * round(scale * (ends(each)[1] - ends(each)[0]) / 2))
        for each in blocks
    )


@lru_cache(maxsize=256)
def _best_scale(law: KNormNoise) -> float:
    """The scale of start widths with the least sum of variances over those without them."""
    kinds = Counter(law.blocks)
    plain = {block: weight for _, block, weight in _by_block(law)}

    def cost(scale: float) -> float:
        started = replace(law, blocks=_started([*kinds], scale))
        whole = replace(law, blocks=_started(law.blocks, scale))
        drawn = {block: weight for _, block, weight in _by_block(whole)}
        pairs = zip(kinds.items(), started.blocks, strict=True)
        return sum(n * drawn[new] / max(plain[old], 1e-300) for (old, n), new in pairs)

    widths = [ends(block)[1] - ends(block)[0] for block in kinds]
    narrowest = min((width for width in widths if width), default=0)
    if not narrowest:
        return 0.0
    scale = _least(cost, 2 * (law.cells + 2) / float(law.rate))
    below = 2 * int(scale * narrowest / 2) / narrowest
    return min((0.0, scale, below, below + 2 / narrowest), key=cost)


def _least(cost: Callable[[float], float], high: float) -> float:
    """About where a function that falls and then rises is least in 0 .. high."""
    low, ratio = 0.0, _GOLDEN
    left, right = high - ratio * high, ratio * high
    at_left, at_right = cost(left), cost(right)
    for _ in range(_ROUNDS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = cost(right)
    return (low + high) / 2


# Gaussian noise


def gaussian_group(
    reach: Sequence[Block | Ball],
    squared_mu: Fraction,
    importance: Sequence[float] | None = None,
) -> Group:
    """All vectors in one draw of centred Gaussian noise, of squared_mu in all.

    Args:
        reach: how far one unit moves each vector; a simplex or a diamond is measured as a ball.
        squared_mu: the price of all together.
        importance: as for `pure_groups`.
    """
    weights = even_importance(reach) if importance is None else list(importance)
    blocks = tuple(_centred(each) for each in reach)
    pairs = [(block, float(weight)) for block, weight in zip(blocks, weights, strict=True)]
    shared = sqrt(sum(w * block.cells * _centre(block) ** 2 / 4 for block, w in pairs))
    own = [_root_weight(block, weight) for block, weight in pairs]
    least = min((each for each in [shared, *own] if each), default=1.0)
    common, *sizes = (round(_WEIGHT * sqrt(each / least)) for each in [shared, *own])
    law = CentredGaussian(1, common, blocks, tuple(sizes))
    needed = law.squared_reach(reach) / squared_mu
    return Group(replace(law, variance=max(1, ceil(needed))), tuple(range(len(reach))))


def _centred(block: Block | Ball) -> Box | Ball:
    if isinstance(block, Box):
        return replace(block, start=0)
    return block if isinstance(block, Ball) else Ball(block.cells, block.total**2)


def _centre(block: Box | Ball) -> int:
    return block.low + block.high if isinstance(block, Box) else 0


def _root_weight(block: Box | Ball, importance: float) -> float:
    """sqrt(c/a) of a measurement with variance c over the squared weight, and price a times it."""
    if isinstance(block, Ball):
        return sqrt(importance * block.cells / max(block.square, 1))
    width = block.high - block.low
    return sqrt(importance) / (2 * width) if width else 0.0
