r"""`Sensitivity`: how far one unit can move a measurement, derived and never typed in."""

from dataclasses import dataclass

from leastnoise.engine.bounds import Bounds
from leastnoise.engine.neighbours import Neighbours


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


def cell_sensitivity(low: int, high: int, bounds: Bounds, neighbours: Neighbours) -> Sensitivity:
    r"""For cells that each sum, over units, a contribution in R·low..R·high, low ≤ 0 ≤ high.

    Theorem: let each unit contribute to at most G cells, to each a number in [R·low, R·high]. With
    a = max(−low, high) and r = high − low, neighbours' vectors differ by at most R·a in a cell, in
    G cells, by G·R·a in all and G·(R·a)² in squares, if a unit is added or removed; and by R·r in
    a cell, in 2G cells, by 2·G·R·a in all and max(2·G·(R·a)², G·(R·r)²) in squares, if one is
    replaced.
    Proof: adding a unit adds its contributions. Replacing one takes its G contributions away and
    adds G others: if m of the cells are shared, at most 2(G − m) cells change by up to R·a and m by
    up to R·r, where a ≤ r ≤ 2a. The sum of squares is linear in m, hence largest at m = 0 or m = G;
    the sum is at most that of all 2G contributions. More: docs/proofs/sensitivity.md, section 3.
    """
    groups, rows = bounds.max_groups, bounds.max_rows
    most, width = rows * max(-low, high), rows * (high - low)
    match neighbours:
        case Neighbours.ADD_REMOVE:
            return Sensitivity(most, groups, groups * most, groups * most**2)
        case Neighbours.REPLACE:
            square = max(2 * groups * most**2, groups * width**2)
            return Sensitivity(width, 2 * groups, 2 * groups * most, square)
