"""`SingleTable`: one table as if it were a dataset, for those who have described none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leastnoise import _check
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.table import Table


@dataclass(frozen=True)
class SingleTable:
    """A table with a name.

    Attributes:
        name: what statements call it.
        one: the table.
        bounds: of plans: max_groups, max_rows and so on.
        spend: of releases that say no budget.
    """

    name: str
    one: Table
    bounds: Mapping[str, Any] = field(default_factory=dict)
    spend: Guarantee | None = None

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
