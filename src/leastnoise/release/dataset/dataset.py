"""`Dataset`: tables described once by whoever owns them, and the ways to ask about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.dataset.described_table import DescribedTable, Reference
from leastnoise.release.dataset.ways import Way, way_to_unit
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read


@dataclass(frozen=True)
class Dataset:
    """Public facts about tables that belong together; no row, no count, no value of the data.

    Make one with `dataset`. Nothing is read until it is asked about, and then of a table its
    columns' names and types alone.

    Attributes:
        name: by which ledgers know the data.
        unit: the key that names the units, such as patients.id; None if every row is a unit.
        described: the tables by name.
        neighbours: what privacy is promised for.
        zone: in which time stamps with a zone are read; empty if that is not said.
        bounds: of plans that say none: max_groups, max_rows, most_rows, measure_cut.
        spend: of releases that say no budget.
        ledger: where the budget is kept, if that is said.
    """

    name: str
    unit: Reference | None
    described: Mapping[str, DescribedTable]
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    zone: str = ""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    spend: Guarantee | None = None
    ledger: str | Path | None = None
    _read: dict[str, Table] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, name: str) -> DescribedTable:
        """A table's description.

        Raises:
            InvalidParameter: there is no such table.
        """
        if name in self.described:
            return self.described[name]
        raise _check.refuse(
            "a table must be one of the dataset",
            _check.shown(name),
            f"There are: {', '.join(map(repr, list(self.described)[:20]))}.",
        )

    @property
    def private(self) -> tuple[str, ...]:
        """The names of the tables whose rows are protected."""
        return tuple(name for name, each in self.described.items() if not each.public)

    def way(self, name: str) -> Way:
        """The keys that lead from a private table to the unit; none if it is the unit's own."""
        return () if self.unit is None else way_to_unit(name, self.described, self.unit)

    def owner_column(self, name: str) -> str | None:
        """The table's own column that names the unit; None if a join is needed, or none exists."""
        if self.unit is None:
            return None
        way = self.way(name)
        if not way:
            return self.unit.column
        column, key = way[0]
        return column.column if key == self.unit else None

    def leaf(self, name: str) -> Table:
        """A table as it is stored, with its facts; whose rows they are is not said.

        Raises:
            InvalidParameter: there is no such table, or its columns are not as described.
            BackendError: its columns could not be read.
        """
        said = self[name]
        if name not in self._read:
            found = read(said.data, unit=None, types=_types(said), **dict(said.options))
            _refuse_others(said, found.schema)
            self._read[name] = replace(found, dataset=self.name, facts=said.facts)
        return self._read[name]

    def schema(self, name: str) -> Schema:
        """The columns of a table."""
        return self.leaf(name).schema

    def rows(self, name: str) -> Any:
        """The rows of a private table with their owner, along the keys to the unit."""
        raise NotImplementedError

    def public_rows(self, name: str) -> Any:
        """The rows of a public table."""
        raise NotImplementedError

    def table(self, name: str) -> Table:
        """A private table to ask questions about.

        Raises:
            InvalidParameter: there is no such table, it is public, or not as described.
        """
        if self[name].public:
            raise _check.refuse(
                "questions are asked of tables that have units",
                f"{name!r}, which is public",
                "Read it as it is: it needs no noise.",
            )
        leaf, column = self.leaf(name), self.owner_column(name)
        if self.unit is not None and column is None:
            return self.rows(name).table(  # type: ignore[no-any-return]
                dataset=self.name, neighbours=self.neighbours, facts=self[name].facts
            )
        return replace(
            leaf,
            unit=column,
            neighbours=self.neighbours,
            unit_name="" if self.unit is None else str(self.unit),
        )

    def plan(self, name: str | None = None, **bounds: Any) -> Plan:
        """An empty plan for a table, with the dataset's bounds where none are given.

        Args:
            name: the table; it may be left out if one alone is private.
            bounds: as `leastnoise.plan` has them.
        """
        if name is None:
            name = self._only()
        return plan(self.table(name), **{**self.bounds, **bounds})

    def sql(self, text: str) -> Any:
        """A plan from a SELECT statement; see docs/sql.md."""
        # By name: SQL is made of datasets, so it lives above them.
        return import_module("leastnoise.release.sql.sql_plan").sql_plan(text, self)

    def _only(self) -> str:
        if len(self.private) == 1:
            return self.private[0]
        raise _check.refuse(
            "a plan is about one table",
            f"{len(self.private)} private ones",
            f"Name it: plan({next(iter(self.private), 'visits')!r}).",
        )


def _types(said: DescribedTable) -> dict[str, ColumnType] | None:
    del said
    return None


def _refuse_others(said: DescribedTable, schema: Schema) -> None:
    """Declared columns must be there, with the types declared."""
    for name, kind in said.types:
        found = schema.type_of(Column(name))
        if found is not kind:
            raise _check.refuse(
                f"{said.name}.{name} must be what was declared, {kind.value!r}",
                repr(found.value),
                "Declare the type that it has.",
            )
