"""All neighbours of small tables in memory: each unit left out, or put in the place of another."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from leastnoise import _check
from leastnoise.auditing.frame_rows import column_values, taken
from leastnoise.auditing.neighbouring_joins import owners_of, units_of, without_unit
from leastnoise.release.ask.location import Frame, Joined, Location
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.rows.rows import Rows

_MOST_UNITS = 64  # any two of them may have to be compared

Places = tuple[int, ...]
"""The numbers of some rows."""


def neighbouring_tables(table: Table) -> tuple[list[Table], list[tuple[int, int]]]:
    """Tables, and which pairs of them are neighbours.

    The first table is the one given; in each other one unit is missing. If neighbours have a unit
    replaced, those are the pairs of tables that miss one unit each: they differ by exactly that.

    Raises:
        InvalidParameter: the data are not in memory, or there are too many units.
    """
    tables = [table, *(_without_units(table) if _is_plain(table) else _without_owners(table))]
    places = range(1, len(tables))
    if table.neighbours is Neighbours.REPLACE:
        return tables, list(combinations(places, 2))
    return tables, [(0, place) for place in places]


def _is_plain(table: Table) -> bool:
    return not isinstance(table.location, Joined)


def _without_units(table: Table) -> list[Table]:
    data = _in_memory(table.location)
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


def _in_memory(location: Location) -> Any:
    if isinstance(location, Frame):
        return location.data
    raise _check.refuse(
        "a plan is audited on small tables in memory",
        f"a {type(location).__name__}",
        "Make the same plan for a pandas, Polars or Arrow table of a few made-up rows.",
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
