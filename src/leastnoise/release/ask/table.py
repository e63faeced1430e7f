"""`Table`: what is public about a table: its columns, whose rows they are, where they lie."""

from collections.abc import Iterable
from dataclasses import field, fields
from functools import lru_cache

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.ledger.arguments import checked_text
from leastnoise.ledger.scope import Scope
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.column_facts import NOTHING_SAID, ColumnFacts
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import Location
from leastnoise.release.ask.neighbours import Neighbours, checked_neighbours
from leastnoise.release.ask.schema import Schema


@dataclass(frozen=True, init=False)
class Table:
    """Public facts only: no row, no count, no value of the data.

    Args:
        schema: the columns and their types.
        unit: the column that says whose row it is; None if every row is a unit of its own.
        neighbours: what privacy is promised for, or its name: "add_remove" or "replace".
        location: where the data are.
        dataset: the name of the data, in a ledger; public.
        facts: what the owner of the data says about columns, by name: defaults for questions.
        unit_name: what ledgers and readers call the unit; by default the name of its column.
        notes: sentences that readers of answers must know.
        called: the table's name among several of one dataset.

    Raises:
        InvalidParameter: the unit's column is unknown or of a type that cannot name units, facts
            are about a column that is not there, or there are no such neighbours.
    """

    schema: Schema
    unit: str | None
    neighbours: Neighbours
    location: Location
    dataset: str = field(repr=False)  # so that a plan has the same fingerprint under every name
    facts: tuple[tuple[str, ColumnFacts], ...]
    unit_name: str = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    called: str = field(repr=False)

    def __init__(  # noqa: PLR0913 - each is a fact of its own
        self,
        *,
        schema: Schema,
        unit: str | None,
        neighbours: Neighbours | str,
        location: Location,
        dataset: str = "",
        facts: Iterable[tuple[str, ColumnFacts]] = (),
        unit_name: str = "",
        notes: Iterable[str] = (),
        called: str = "",
    ) -> None:
        if unit is not None:
            _refuse_unit(unit, schema)
        said = tuple(facts)
        for name, _ in said:
            schema.type_of(Column(name))
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "neighbours", checked_neighbours(neighbours))
        object.__setattr__(self, "location", location)
        object.__setattr__(self, "dataset", checked_text(dataset, "dataset"))
        object.__setattr__(self, "facts", said)
        object.__setattr__(self, "unit_name", checked_text(unit_name, "unit_name"))
        object.__setattr__(self, "notes", tuple(notes))
        object.__setattr__(self, "called", checked_text(called, "called"))

    def __repr__(self) -> str:
        """Facts are a part of a plan's fingerprint where there are some."""
        told = [each.name for each in fields(self) if each.repr]
        told = told if self.facts else [name for name in told if name != "facts"]
        return f"Table({', '.join(f'{name}={getattr(self, name)!r}' for name in told)})"

    def fact(self, name: str) -> ColumnFacts:
        """What is said about a column; of columns that nobody described, nothing."""
        return dict(self.facts).get(name, NOTHING_SAID)

    @property
    def scope(self) -> Scope:
        """What promises about it are about, as a ledger has it."""
        return Scope.of(self.dataset, self.whose, self.neighbours.name.lower())

    @property
    def whose(self) -> str | None:
        """What readers call the unit; None if every row is a unit of its own."""
        return None if self.unit is None else self.unit_name or self.unit

    def effective_bounds(self, bounds: Bounds, *, grouped: bool, keys: Keys | None) -> Bounds:
        """The least bounds that hold of a measurement with these bounds.

        A unit that is one row is in one group; a total has one group, and public keys have as many
        as were named. Sensitivities derived from these bounds are never larger.
        """
        if self.unit is None:
            return ONE_ROW
        groups = bounds.max_groups if grouped else 1
        groups = groups if keys is None else min(groups, len(keys))
        return _bounds(groups, bounds.max_rows)


@lru_cache(maxsize=64)  # each question asks many times
def _bounds(max_groups: int, max_rows: int) -> Bounds:
    return Bounds(max_groups=max_groups, max_rows=max_rows)


def _refuse_unit(unit: str, schema: Schema) -> None:
    kind = schema.type_of(Column(unit))
    if not kind.can_be_unit:
        raise _check.refuse(
            "`unit` must be a column of integers or text",
            f"{unit!r}, which holds values of type {kind.value!r}",
            "Name the column that says whose row it is, or unit=None if every row is a unit.",
        )
