"""`TablesPart`: all tables of so many columns, to each of which one unit's rows add once."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb, prod

from leastnoise._dataclass import dataclass

MOST_TABLES = 16
"""So many such parts a plan's certificate may have: a stranger's must not keep a checker busy."""

_MOST_SUBSETS = 1 << 15  # for the same reason
_MOST_COLUMNS = 1 << 8
_MOST_VALUES = 1 << 20


@dataclass(frozen=True)
class TablesPart:
    r"""The cells of all tables of `ways` of some columns: every row is in one cell of each table.

    The random unit has its rows in one cell of the product of all columns, chosen evenly. If units
    are added or removed, it is there with the stated chance. If they are replaced, another such
    unit takes its place with this chance, and nobody otherwise.

    Attributes:
        questions: their places in the plan, from 0.
        sizes: how many values each column has.
        ways: how many columns make a table.
        high: how much one unit adds to its cell of each table, at most.
        weight: of the variance of one cell.
        variance: of the noise of a cell, the mean over all cells, at most.
        chance: of the random unit.
    """

    questions: tuple[int, ...]
    sizes: tuple[int, ...]
    ways: int
    high: int
    weight: Fraction
    variance: Fraction
    chance: Fraction = Fraction(1)

    @property
    def cells(self) -> int:
        """How many numbers there are."""
        return sum(prod(table) for table in combinations(self.sizes, self.ways))

    @property
    def is_box(self) -> bool:
        """Cells of a table never move whatever the others do."""
        return False

    @property
    def weighed(self) -> Fraction:
        """The weighted sum of its numbers' variances."""
        return self.weight * self.variance * self.cells

    @property
    def is_possible(self) -> bool:
        """Whether there are such tables, not too many."""
        columns = len(self.sizes)
        small = 1 <= self.ways <= columns <= _MOST_COLUMNS
        few = small and comb(columns, self.ways) << self.ways <= _MOST_SUBSETS
        sizes = few and min(self.sizes) >= 2 and max(self.sizes) <= _MOST_VALUES
        return sizes and self.weight >= 0 <= self.variance and self.high >= 0

    def is_allowed(self, *, replaced: bool) -> bool:
        """Whether the random unit is one: it always is."""
        del replaced
        return 0 <= self.chance <= 1

    def shares(self) -> dict[tuple[int, ...], Fraction]:
        r"""For each set A of columns that some table has, Σ 1/(cells of S) over all tables S ⊇ A.

        Times weight·high² that is the mean square of the unit in each of the ∏ (size − 1)
        directions that belong to A: docs/proofs/plan_bound.md, section 3.
        """
        found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for table in combinations(range(len(self.sizes)), self.ways):
            share = Fraction(1, prod(self.sizes[column] for column in table))
            for size in range(self.ways + 1):
                for inner in combinations(table, size):
                    found[inner] += share
        return dict(found)

    def directions(self, columns: tuple[int, ...]) -> int:
        """How many directions belong to a set of columns."""
        return prod(self.sizes[column] - 1 for column in columns)
