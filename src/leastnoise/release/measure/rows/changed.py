"""`Changed`: rows made of other rows, of each its own; what a step does not say stays."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.rows import PublicRows, Rows, checked_public, checked_rows
from leastnoise.release.measure.rows.stored import Origin, Stored, Ways


@dataclass(frozen=True)
class Changed(Rows):
    """Rows of the same owners, each from a row that shows where its columns come from."""

    rows: Rows

    def __post_init__(self) -> None:
        checked_rows(self.rows, "rows")

    @property
    def schema(self) -> Schema:
        """As before."""
        return self.rows.schema

    @property
    def whose(self) -> str:
        """As before."""
        return self.rows.whose

    @property
    def owner_kind(self) -> ColumnType:
        """As before."""
        return self.rows.owner_kind

    @property
    def leaves(self) -> tuple[Stored, ...]:
        """As before."""
        return self.rows.leaves

    @property
    def ways(self) -> Ways:
        """As before."""
        return self.rows.ways

    @property
    def only_grows(self) -> bool:
        """As before."""
        return self.rows.only_grows

    @property
    def grain(self) -> object:
        """As before."""
        return self.rows.grain

    @property
    def unique(self) -> frozenset[str] | None:
        """As before."""
        return self.rows.unique

    @property
    def steps(self) -> int:
        """One more."""
        return 1 + self.rows.steps

    def traced(self, name: str) -> Origin | None:
        """As before."""
        return self.rows.traced(name)


@dataclass(frozen=True)
class PublicChanged(PublicRows):
    """The same of public rows."""

    rows: PublicRows

    def __post_init__(self) -> None:
        checked_public(self.rows, "rows")

    @property
    def schema(self) -> Schema:
        """As before."""
        return self.rows.schema

    @property
    def leaf(self) -> Stored:
        """As before."""
        return self.rows.leaf

    @property
    def ways(self) -> Ways:
        """As before."""
        return self.rows.ways

    @property
    def only_grows(self) -> bool:
        """As before."""
        return self.rows.only_grows
