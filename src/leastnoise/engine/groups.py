"""`Groups`: for which groups, and which rows, a question is asked."""

from dataclasses import dataclass
from enum import Enum

from leastnoise.engine.bounds import Bounds
from leastnoise.engine.expression import Column, Condition
from leastnoise.engine.keys import Keys
from leastnoise.engine.table import Table


class KeyChoice(Enum):
    """How keys are found when they are not public."""

    PRIVATE = "private"


PRIVATE = KeyChoice.PRIVATE
"""Keys that occur in the data, each shown only if enough units are behind it."""


@dataclass(frozen=True)
class Groups:
    """For which groups, and which rows, a question is asked.

    Attributes:
        by: the columns that make the groups; none for one total.
        keys: the groups, if they are public; `PRIVATE` to find them; None for a total.
        where: only rows for which this is true.
    """

    by: tuple[Column, ...] = ()
    keys: Keys | KeyChoice | None = None
    where: Condition | None = None

    @property
    def public_keys(self) -> Keys | None:
        """The groups, if they are public."""
        return self.keys if isinstance(self.keys, Keys) else None

    @property
    def are_private(self) -> bool:
        """Whether the groups must be found in the data."""
        return self.keys is PRIVATE

    @property
    def count(self) -> int | None:
        """How many answers there will be; None if only the data know."""
        if self.are_private:
            return None
        return len(self.public_keys.rows) if self.public_keys else 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that make the groups."""
        return tuple(column.name for column in self.by)

    def effective_bounds(self, table: Table, bounds: Bounds) -> Bounds:
        """The least bounds that hold of these groups of a table."""
        return table.effective_bounds(bounds, grouped=bool(self.by), keys=self.public_keys)

    def __str__(self) -> str:
        by = " by " + ", ".join(self.names) if self.by else ""
        where = f" where {self.where}" if self.where is not None else ""
        return f"{by}{where}"
