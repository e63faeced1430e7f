"""`SingleTable`: one table as if it were a dataset, for those who have described none."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.sources import Rows, Stored, owned


@dataclass(frozen=True)
class SingleTable:
    """A table with a name.

    Attributes:
        name: what statements call it.
        one: the table.
        bounds: of plans: max_groups, max_rows and so on.
        spend: of releases that say no budget.
        public: that its rows are somebody's.
        ledger: where the budget is kept, if that is said.
        unique: no columns.
    """

    name: str
    one: Table
    bounds: Mapping[str, Any] = field(default_factory=dict)
    spend: Guarantee | None = None

    public: bool = False
    ledger: str = ""
    unique: tuple[str, ...] = ()

    @property
    def described(self) -> dict[str, "SingleTable"]:
        """The table by its name."""
        return {self.name: self}

    @property
    def neighbours(self) -> Neighbours:
        """What privacy is promised for."""
        return self.one.neighbours

    def __getitem__(self, name: str) -> "SingleTable":
        """Itself."""
        self.table(name)
        return self

    def leaf(self, name: str) -> Table:
        """The table."""
        return self.table(name)

    def owner_column(self, name: str) -> str | None:
        """The column that names the units."""
        return self.table(name).unit

    def rows(self, name: str) -> Rows:
        """The rows with their owner.

        Raises:
            InvalidParameter: every row is a unit, so that rows cannot be told apart by it.
        """
        table = self.table(name)
        if table.unit is None:
            raise _check.refuse(
                "joins and subqueries need a column that names the units",
                "rows that are units themselves",
                "Give `unit`, or ask about the table as it is.",
            )
        return owned(Stored(self.name, table.location, table.schema), table.unit)  # type: ignore[arg-type]

    @property
    def private(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def table(self, name: str) -> Table:
        """The table.

        Raises:
            InvalidParameter: it is called otherwise.
        """
        if name.casefold() == self.name.casefold():
            return self.one
        raise _check.refuse(
            "a table must be one that there is", f"{name!r}", f"There is {self.name!r}."
        )
