"""All neighbours of small tables: each unit left out, or put in the place of another."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.auditing.frame_rows import column_values, taken
from leastnoise.auditing.left_out import LeftOut, units_in
from leastnoise.auditing.neighbouring_joins import owners_of, units_of, without_unit
from leastnoise.randomness.source import Source
from leastnoise.release.ask.location import Frame, Joined, Location, StoredLocation
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.rows.rows import Rows
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.secret_totals import SecretTotals

_MOST_UNITS = 64  # any two of them may have to be compared

Places = tuple[int, ...]
"""The numbers of some rows."""


@dataclass(frozen=True)
class Neighbour:
    """A table, whole or without one unit.

    Attributes:
        table: what is read.
        left_out: which unit its engine leaves out, as `LeftOut` takes it; None if none.
    """

    table: Table
    left_out: str | int | None = None

    def measured(self, asked: Sequence[Asked], source: Source) -> list[SecretTotals]:
        """The exact answers."""
        return measure(self.table, asked, source=source, opener=self._opened)

    def _opened(self, location: Location, *, memory: int | None = None) -> Session:
        session = opened(location, memory=memory)
        return session if self.left_out is None else LeftOut(session, self.table, self.left_out)


def neighbouring_tables(table: Table) -> tuple[list[Neighbour], list[tuple[int, int]]]:
    """Tables, and which pairs of them are neighbours.

    The first table is the one given; in each other one unit is missing. If neighbours have a unit
    replaced, those are the pairs of tables that miss one unit each: they differ by exactly that.

    Raises:
        InvalidParameter: tables that are joined are not in memory, or there are too many units.
    """
    tables = [Neighbour(table), *_others(table)]
    places = range(1, len(tables))
    if table.neighbours is Neighbours.REPLACE:
        return tables, list(combinations(places, 2))
    return tables, [(0, place) for place in places]


def _others(table: Table) -> list[Neighbour]:
    if isinstance(table.location, Joined):
        return [Neighbour(each) for each in _without_owners(table)]
    if isinstance(table.location, Frame):
        return [Neighbour(each) for each in _without_units(table, table.location.data)]
    with opened(table.location) as session:
        units = units_in(session, table, _MOST_UNITS)
    _refuse_many(len(units))
    return [Neighbour(table, each) for each in units]


def _without_units(table: Table, data: Any) -> list[Table]:
    tables = []
    for rows in _units(table, data).values():
        left = [place for place in range(len(data)) if place not in set(rows)]
        tables.append(_with_data(table, taken(data, left)))
    return tables


def _without_owners(table: Table) -> list[Table]:
    assert isinstance(table.location, Joined)
    assert isinstance(table.location.rows, Rows)
    data = {place: _in_memory(place) for place in table.location.rows.locations}
    owners = owners_of(table.location.rows, data)
    units = units_of(owners)
    _refuse_many(len(units))
    return [without_unit(table, unit, owners) for unit in units]


def _in_memory(location: StoredLocation) -> Any:
    if isinstance(location, Frame):
        return location.data
    raise _check.refuse(
        "tables that are joined are audited in memory",
        f"one that is a {type(location).__name__}",
        "Make the same plan for pandas, Polars or Arrow tables of a few made-up rows.",
    )


def _units(table: Table, data: Any) -> dict[Any, Places]:
    """Each unit's rows; rows that belong to nobody are nobody's to remove."""
    names: Sequence[Any] = (
        range(len(data)) if table.unit is None else column_values(data, table.unit)
    )
    units: dict[Any, Places] = {}
    for place, name in enumerate(names):
        if not _is_missing(name):
            units[name] = (*units.get(name, ()), place)
    _refuse_many(len(units))
    return units


def _is_missing(name: Any) -> bool:
    """In each library's way of saying so."""
    nan = isinstance(name, float) and name != name  # noqa: PLR0124 - NaN alone is not itself
    return name is None or nan or type(name).__name__ in {"NAType", "NaTType"}


def _refuse_many(units: int) -> None:
    if units > _MOST_UNITS:
        raise _check.refuse(
            f"a plan is audited on a table of at most {_MOST_UNITS} units",
            "more of them (not shown: it is data)",
            "Every unit is left out once: make up a smaller table.",
        )


def _with_data(table: Table, data: Any) -> Table:
    return Table(
        schema=table.schema,
        unit=table.unit,
        neighbours=table.neighbours,
        location=replace(table.location, data=data),
    )
