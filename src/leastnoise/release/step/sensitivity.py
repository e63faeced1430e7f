r"""`Sensitivity`: how far one unit can move a measurement, derived and never typed in."""

from math import isqrt
from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip, Norm
from leastnoise.release.ask.neighbours import Neighbours


@dataclass(frozen=True)
class Sensitivity:
    """The most a vector of cells changes between neighbours, in exact integers.

    Attributes:
        cell: the most one cell changes (ℓ∞).
        cells: the most cells that change (ℓ0).
        total: the most all cells together change (ℓ1).
        square: the most the sum of squared changes is (ℓ2²).
    """

    cell: int
    cells: int
    total: int
    square: int


UNMOVED = Sensitivity(0, 0, 0, 0)
"""Of numbers that are the same for all neighbours: they are public."""


def cell_sensitivity(
    low: int, high: int, bounds: Bounds, neighbours: Neighbours, groups: int | None = None
) -> Sensitivity:
    r"""For cells that each sum, over units, a contribution in R·low..R·high, low ≤ 0 ≤ high.

    Theorem: let each unit contribute to at most G cells, to each a number in [R·low, R·high]. With
    a = max(−low, high) and r = high − low, neighbours' vectors differ by at most R·a in a cell, in
    G cells, by G·R·a in all and G·(R·a)² in squares, if a unit is added or removed. If one is
    replaced, and there are at least 2G − m cells, 0 ≤ m ≤ G: by R·r in a cell, in 2G − m cells, by
    2·(G − m)·R·a + m·R·r in all, and by the greater of 2·(G − m)·(R·a)² + m·(R·r)² and G·(R·r)² in
    squares.
    Proof: adding a unit adds its contributions. Replacing one takes its G contributions away and
    adds G others: if k of the cells are shared, at most 2(G − k) cells change by up to R·a and k by
    up to R·r, where a ≤ r ≤ 2a; and k ≥ m, for there are no more cells. The sum is linear in k and
    does not grow with it, hence is largest at k = m; the sum of squares is linear in k, hence
    largest at k = m or k = G. More: docs/proofs/sensitivity.md, section 3.

    Args:
        low: the least that one row adds; at most 0.
        high: the greatest that one row adds; at least 0.
        bounds: G and R.
        neighbours: what privacy is promised for.
        groups: how many cells there are, if that is public.
    """
    few, rows = bounds.max_groups, bounds.max_rows
    most, width = rows * max(-low, high), rows * (high - low)
    match neighbours:
        case Neighbours.ADD_REMOVE:
            return Sensitivity(most, few, few * most, few * most**2)
        case Neighbours.REPLACE:
            shared = 0 if groups is None else min(max(2 * few - groups, 0), few)
            apart = 2 * (few - shared)
            square = max(apart * most**2 + shared * width**2, few * width**2)
            total = apart * most + shared * width
            return Sensitivity(width, apart + shared, total, square)
        case _:
            assert_never(neighbours)


def histogram_sensitivity(
    most: int, neighbours: Neighbours, *, groupings: int = 1, cells: int | None = None
) -> Sensitivity:
    r"""For groupings to each of which a unit adds non-negative integers, `most` in all at most.

    Theorem: with m = most and g groupings taken as one vector, neighbours' counts differ by at most
    m in a cell, by g·m in all and g·m² in squares, if a unit is added or removed; and by m in a
    cell, 2·g·m in all and 2·g·m² in squares, if one is replaced. No more cells change than there
    are, nor more than the sum of changes.
    Proof: in one grouping a unit's contribution is a point of the simplex with corners 0 and m·e_i,
    on which the convex functions ‖p‖₁, ‖p‖₂², and for pairs ‖p − q‖₁, ‖p − q‖₂² and |p_i − q_i|,
    are largest at corners. Groupings add up. More: docs/proofs/sensitivity.md, section 5.

    Args:
        most: max_rows times the weight of a row.
        neighbours: what privacy is promised for.
        groupings: how many are taken together.
        cells: how many cells they have in all, if that is public.
    """
    times = groupings if neighbours is Neighbours.ADD_REMOVE else 2 * groupings
    changed = times * most if cells is None else min(cells, times * most)
    return Sensitivity(most, changed, times * most, times * most**2)


def clipped_sensitivity(
    low: int, high: int, clip: Clip, neighbours: Neighbours, groups: int | None = None
) -> Sensitivity:
    r"""For cells that sum, over units, contributions in y·low..y·high, with y the unit's rows.

    Theorem: let a unit's weighed row counts be integers y_k ≥ 0 with Σ y_k ≤ m, or Σ y_k² ≤ m², and
    its contribution to group k in [y_k·low, y_k·high], low ≤ 0 ≤ high. Put a = max(−low, high) and
    r = high − low. If a unit is added or removed, a cell changes by at most m·a, the sum by m·a
    under the first bound, and the squares by (m·a)² under both. If one is replaced, a cell changes
    by at most m·r, the sum by 2·m·a under the first bound, and the squares by max(2·a², r²)·m²
    under the first and 2·(low² + high²)·m² under the second. Sums under the second bound follow
    from Cauchy's inequality over the groups, or from y ≤ y².
    Proof: docs/proofs/sensitivity.md, section 3.

    Args:
        low: the least contribution of a row.
        high: the greatest contribution of a row.
        clip: the bound.
        neighbours: what privacy is promised for.
        groups: how many groups there are, if that is public.
    """
    most, reach = clip.reach, max(-low, high)
    times = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    cell = most * (reach if times == 1 else high - low)
    if clip.norm is Norm.TOTAL:
        square = reach**2 if times == 1 else max(2 * reach**2, (high - low) ** 2)
        total = times * most * reach
    else:
        square = reach**2 if times == 1 else 2 * (low**2 + high**2)
        one = most**2 * reach if groups is None else isqrt(groups * (most * reach) ** 2)
        total = times * min(one, most**2 * reach)
    cells = total if groups is None else min(groups, total)
    return Sensitivity(cell, cells, total, square * most**2)


def clipped_units_sensitivity(
    clip: Clip, neighbours: Neighbours, groups: int | None = None
) -> Sensitivity:
    r"""For numbers of units, of which each weighs the same in all groups that it is in.

    Theorem: let a unit's weights be integers 0 ≤ y_k ≤ W with Σ y_k ≤ C·W, or Σ y_k² ≤ (C·W)². Put
    n = C or n = C², and let no more than g cells be looked at, whichever they are. If a unit is
    added or removed, a cell changes by at most W, the squares by S = min(g, n)·W², the sum by
    T = min(g, C)·W under the first bound and T = min(g·W, ⌊√g·C·W⌋) under the second. If one is
    replaced: by W, min(2·S, g·W²) and min(2·T, g·W). If g is not known, T follows from y ≤ y².
    Proof: docs/proofs/sensitivity.md, section 3.

    Args:
        clip: C, and which of both bounds.
        neighbours: what privacy is promised for.
        groups: g, if that is public.
    """
    one, times = CLIP_WEIGHT, 1 if neighbours is Neighbours.ADD_REMOVE else 2
    full = clip.rows if clip.norm is Norm.TOTAL else clip.rows**2
    total = clip.reach if clip.norm is Norm.TOTAL else clip.reach**2
    if groups is None:
        return Sensitivity(one, times * total, times * total, times * full * one**2)
    if clip.norm is Norm.EUCLIDEAN:
        total = isqrt(groups * clip.reach**2)
    total = min(times * min(total, groups * one), groups * one)
    square = min(times * min(groups, full), groups) * one**2
    return Sensitivity(one, min(groups, total), total, square)
