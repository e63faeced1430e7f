r"""`Histograms`: many groupings of the same rows, counted in one pass; rows per unit are bounded.

A unit with more than `max_rows` rows is not sampled: all of its rows count, each with the same
smaller weight, an integer multiple of 1/2^20. No row is chosen, so nothing is random and nothing is
sorted.
"""

from math import prod
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import Bin, KeyExpression
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table

WEIGHT = 2**20  # so that rounding weights down loses at most a millionth of a row
_MOST_ROWS = 2**20


@dataclass(frozen=True)
class Grouping:
    """One way to group rows: each row is in one cell, or in none.

    A row is in no cell if one of the grouping's expressions has no value, if its key is not among
    the public ones, or if a private key is a text of more than 1000 characters. Such a row still
    counts as one of its unit's rows.

    Attributes:
        by: columns and bins, none twice; none at all for one cell with everything.
        keys: the values of the columns among them, in their order, if they are public. Bins need no
            keys, because their parts are public anyway, but keys may name some of all parts.
    """

    by: tuple[KeyExpression, ...]
    keys: Keys | None = None

    @property
    def columns(self) -> tuple[KeyExpression, ...]:
        """The parts of the key that need keys; all of them, if the keys name all."""
        if self.keys is not None and len(self.keys.columns) == len(self.by):
            return self.by
        return tuple(each for each in self.by if not isinstance(each, Bin))

    @property
    def bins(self) -> tuple[Bin, ...]:
        """The parts of the key that are numbers of parts."""
        columns = self.columns
        return tuple(e for e in self.by if isinstance(e, Bin) and e not in columns)

    @property
    def is_private(self) -> bool:
        """Whether which cells there are is secret."""
        return bool(self.columns) and self.keys is None

    @property
    def inner(self) -> int:
        """How many cells the bins make for each key."""
        return prod(each.cells for each in self.bins)

    @property
    def cells(self) -> int | None:
        """How many cells there are; None if that is secret."""
        if self.is_private:
            return None
        return self.inner * (1 if self.keys is None else len(self.keys))


@dataclass(frozen=True, init=False)
class Histograms:
    r"""The rows in each cell of several groupings, in units of 1/W rows.

    Law: let a unit have n rows that meet the condition. Each of them weighs W if n ≤ max_rows, else
    ⌊W·max_rows/n⌋. A cell's count is the weight of the rows in it. W is `row_weight(table)`.
    Theorem: a unit adds non-negative integers to the cells of each grouping, max_rows·W in all at
    most.
    Proof: n·W ≤ max_rows·W in the one case, n·⌊W·max_rows/n⌋ ≤ max_rows·W in the other; each row is
    in at most one cell of a grouping. More: docs/proofs/sensitivity.md, section 5.

    The answers of a grouping whose cells are public are dense: `rows` has the keys (one empty key
    if there are no columns), and `totals` has one array with all of a key's parts after one
    another, the last bin's parts running fastest. If keys are private, `rows` has the non-empty
    cells, in the order of `by`.

    Args:
        groupings: at least one.
        max_rows: how many rows of one unit count, an integer in 1..2^20.
        where: only rows for which this is true.
    """

    groupings: tuple[Grouping, ...]
    max_rows: int
    where: Condition | None

    def __init__(
        self,
        groupings: tuple[Grouping, ...],
        max_rows: SupportsIndex,
        where: Condition | None = None,
    ) -> None:
        rows = _check.integer_between(max_rows, "max_rows", 1, _MOST_ROWS)
        object.__setattr__(self, "groupings", tuple(groupings))
        object.__setattr__(self, "max_rows", rows)
        object.__setattr__(self, "where", where)

    @property
    def results(self) -> int:
        """How many `SecretTotals` the engine finds for it: one for each grouping."""
        return len(self.groupings)


def row_weight(table: Table) -> int:
    """W: what a row weighs that is not weighed down; 1 if each row is a unit of its own."""
    return 1 if table.unit is None else WEIGHT
