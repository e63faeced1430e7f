"""`Dataset`: tables described once by whoever owns them, and the ways to ask about them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.ledger.scope import Scope
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.dataset.cautions import cautions
from leastnoise.release.dataset.described_table import DescribedTable, Reference
from leastnoise.release.dataset.joined_rows import (
    on_one_engine,
    rows_of_owners,
    with_public_tables,
)
from leastnoise.release.dataset.reading import read_as_declared
from leastnoise.release.dataset.ways import Way, way_to_unit
from leastnoise.release.measure.local_files import same_files
from leastnoise.release.measure.public_values import repeats_in_public
from leastnoise.release.measure.rows.leaves import Public
from leastnoise.release.measure.sources import PublicRows, Rows, Stored
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import files_of


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
        total: the whole budget, for a ledger that is yet to be begun.
        ledger: where the budget is kept, if that is said.
        description: for people.
    """

    name: str
    unit: Reference | None
    described: Mapping[str, DescribedTable]
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    zone: str = ""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    spend: Guarantee | None = None
    total: Guarantee | None = None
    ledger: str | Path | None = None
    description: str = ""
    _read: dict[str, Table] = field(default_factory=dict, repr=False, compare=False)
    _checked: set[str] = field(default_factory=set, repr=False, compare=False)

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

    @property
    def scope(self) -> Scope:
        """What promises about the data are about, as a ledger has it."""
        unit = None if self.unit is None else str(self.unit)
        return Scope.of(self.name, unit, self.neighbours.name.lower())

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
            found = read_as_declared(said, self.zone or None)
            self._read[name] = replace(found, dataset=self.name, facts=said.facts, called=name)
        return self._read[name]

    def schema(self, name: str) -> Schema:
        """The columns of a table."""
        return self.leaf(name).schema

    def rows(self, name: str) -> Rows:
        """The rows of a private table with their owner, along the keys to the unit.

        Raises:
            InvalidParameter: there is no such table, it is public, or every row is a unit.
        """
        return self._rows(name, ())

    def _rows(self, name: str, keep: Collection[str]) -> Rows:
        self._refuse_public(name)
        if self.unit is not None:
            return on_one_engine(rows_of_owners(self.way(name), self.unit, self.stored, keep))
        raise _check.refuse(
            "rows of several tables need a unit that has a name",
            'unit = "row"',
            "Name the key of the units in the dataset, such as patients.id.",
        )

    def public_rows(self, name: str) -> PublicRows:
        """The rows of a public table.

        Raises:
            InvalidParameter: there is no such table, its rows are somebody's, or rows repeat that
                are said to be unique.
        """
        if self[name].public:
            found = Public(self.stored(name))
            self._refuse_private_files(name)
            self._refuse_repeated(name, found)
            return found
        raise _check.refuse(
            "rows that are shown to all must be of a public table",
            f"{name!r}, which is private",
            "Say public = true if it is the same whoever is in the data.",
        )

    def _refuse_private_files(self, name: str) -> None:
        """Checks that no file of a public table is one of a private one, under whatever name."""
        own = files_of(self[name].data)
        if own and any(same_files(own, files_of(self[each].data)) for each in self.private):
            raise _check.refuse(
                f"the files of {name!r} must be public alone",
                "one that a private table is made of, too",
                "Keep the public rows in a file of their own.",
            )

    def _refuse_repeated(self, name: str, rows: Public) -> None:
        """Checks once that a public table is as unique as it is said to be: reading it is free."""
        columns = self[name].unique
        if not columns or name in self._checked:
            return
        if repeats_in_public(rows, columns):
            raise _check.refuse(
                f"the columns of {name!r} that are declared unique must name one row each",
                f"rows that repeat {', '.join(columns)}",
                "Name more columns in `unique`, leave it out, or correct the table.",
            )
        self._checked.add(name)

    def stored(self, name: str) -> Stored:
        """A table as it lies."""
        leaf = self.leaf(name)
        return Stored(name, leaf.location, leaf.schema)  # type: ignore[arg-type]

    def table(self, name: str, *, join: Iterable[str] = ()) -> Table:
        """A private table to ask questions about.

        Args:
            name: of the table.
            join: tables that it refers to, whose columns are then called patients.born: tables on
                its way to the unit, and public ones.

        Raises:
            InvalidParameter: there is no such table, it is public, or not as described.
        """
        self._refuse_public(name)
        joined = [join] if isinstance(join, str) else list(join)
        column = self.owner_column(name)
        if joined or (self.unit is not None and column is None):
            return self._joined(name, joined)
        return replace(
            self.leaf(name),
            unit=column,
            neighbours=self.neighbours,
            unit_name="" if self.unit is None else str(self.unit),
            notes=cautions(self.way(name), self.described),
        )

    def _joined(self, name: str, joined: Sequence[str]) -> Table:
        """A table whose owners are found by a join, or beside whose columns are those of others."""
        on_way = [key.table for _, key in self.way(name)]
        others = [each for each in joined if self[each].public]
        strange = [each for each in joined if each not in {*on_way, *others}]
        if strange or len(set(joined)) < len(joined):
            raise _check.refuse(
                f"tables beside {name!r} must be public or on its way to the unit, each once",
                _check.shown(strange or list(joined)),
                f"There are: {', '.join(map(repr, on_way)) or 'none on the way'}.",
            )
        keep = [each for each in on_way if each in joined]
        rows = self._rows(name, keep)
        rows = with_public_tables(rows, [name, *keep], others, self.described, self.public_rows)
        beside = [
            (f"{each}.{column}", facts) for each in joined for column, facts in self[each].facts
        ]
        made = on_one_engine(rows).table(
            dataset=self.name, neighbours=self.neighbours, facts=[*self[name].facts, *beside]
        )
        return replace(made, notes=cautions(self.way(name), self.described, others))

    def _refuse_public(self, name: str) -> None:
        if self[name].public:
            raise _check.refuse(
                "questions are asked of tables that have units",
                f"{name!r}, which is public",
                "Read it as it is: it needs no noise.",
            )

    def plan(self, name: str | None = None, *, join: Iterable[str] = (), **bounds: Any) -> Plan:
        """An empty plan for a table, with the dataset's bounds where none are given.

        Args:
            name: the table; it may be left out if one alone is private.
            join: tables it refers to, whose columns are asked about too; see `table`.
            bounds: as `leastnoise.plan` has them.
        """
        if name is None:
            name = self._only()
        return plan(self.table(name, join=join), **{**self.bounds, **bounds})

    def sql(self, text: str, **bounds: Any) -> Any:
        """A plan from a SELECT statement, with `preview` and `release`; see docs/sql.md.

        Args:
            text: the statement.
            bounds: as `leastnoise.plan` has them, in the place of the dataset's.
        """
        # Loaded here: who asks in Python need not wait for a parser.
        from leastnoise.release.sql.sql_plan import sql_plan  # noqa: PLC0415

        return sql_plan(text, self, bounds=bounds)

    def _only(self) -> str:
        if len(self.private) == 1:
            return self.private[0]
        raise _check.refuse(
            "a plan is about one table",
            f"{len(self.private)} private ones",
            f"Name it: plan({next(iter(self.private), 'visits')!r}).",
        )
