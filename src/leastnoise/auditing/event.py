"""`Event`: sets of outputs, each a condition on one column."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.auditing.columns import Codes, Columns, Floats

Hits = NDArray[np.bool_]


class Event(Protocol):
    """A set of outputs, fixed before the outputs that it is tested on are looked at."""

    @property
    def column(self) -> str:
        """The aspect that is looked at."""

    @property
    def words(self) -> str:
        """The condition in words."""

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""


@dataclass(frozen=True)
class HalfLine:
    """A number at most, or above, a threshold."""

    column: str
    threshold: float
    above: bool

    @property
    def words(self) -> str:
        """The condition in words."""
        return f"{self.column} {'>' if self.above else '≤'} {self.threshold:.10g}"

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""
        values = columns.number(self.column)
        return values > self.threshold if self.above else values <= self.threshold


@dataclass(frozen=True, eq=False)
class InCells:
    """A number in some of the cells that edges cut the line into."""

    column: str
    edges: Floats
    chosen: NDArray[np.bool_]

    @property
    def words(self) -> str:
        """The condition in words."""
        return f"{self.column} in {int(self.chosen.sum())} of {self.chosen.size} cells"

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""
        values = columns.number(self.column)
        return self.chosen[np.searchsorted(self.edges, values)] & ~np.isnan(values)


@dataclass(frozen=True, eq=False)
class Among:
    """A code that is, or is not, one of some."""

    column: str
    codes: Codes
    inside: bool
    example: str

    @property
    def words(self) -> str:
        """The condition in words."""
        if self.codes.size == 1:
            return f"{self.column} is {'' if self.inside else 'not '}{self.example}"
        which = "one" if self.inside else "none"
        return f"{self.column} is {which} of {self.codes.size} values such as {self.example}"

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""
        found = np.isin(columns.code(self.column), self.codes)
        return found if self.inside else ~found
