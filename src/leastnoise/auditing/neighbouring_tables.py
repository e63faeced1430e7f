"""All neighbours of a small table in memory: each unit left out, or put in the place of another."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np

from leastnoise import _check
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table

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
    data = _in_memory(table)
    units = _units(table, data)
    tables = [table]
    for rows in units.values():
        left = [place for place in range(len(data)) if place not in set(rows)]
        tables.append(_with_data(table, _taken(data, left)))
    places = range(1, len(tables))
    if table.neighbours is Neighbours.REPLACE:
        return tables, list(combinations(places, 2))
    return tables, [(0, place) for place in places]


def _in_memory(table: Table) -> Any:
    if isinstance(table.location, Frame):
        return table.location.data
    raise _check.refuse(
        "a plan is audited on a small table in memory",
        f"a {type(table.location).__name__}",
        "Make the same plan for a pandas, Polars or Arrow table of a few made-up rows.",
    )


def _units(table: Table, data: Any) -> dict[Any, Places]:
    """Each unit's rows; rows that belong to nobody are nobody's to remove."""
    names: Sequence[Any] = range(len(data)) if table.unit is None else _column(data, table.unit)
    units: dict[Any, Places] = {}
    for place, name in enumerate(names):
        if name is not None and not (isinstance(name, float) and isnan(name)):
            units[name] = (*units.get(name, ()), place)
    if len(units) <= _MOST_UNITS:
        return units
    raise _check.refuse(
        f"a plan is audited on a table of at most {_MOST_UNITS} units",
        "more of them (not shown: it is data)",
        "Every unit is left out once: make up a smaller table.",
    )


def _column(data: Any, name: str) -> list[Any]:
    column = data[name]
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())


def _taken(data: Any, places: Sequence[int]) -> Any:
    """Some of the rows, with all types as they were."""
    if hasattr(data, "iloc"):
        return data.iloc[list(places)]
    if hasattr(data, "to_pylist"):
        return data.take(np.array(places, dtype=np.int64))
    return data[list(places)]


def _with_data(table: Table, data: Any) -> Table:
    return Table(
        schema=table.schema,
        unit=table.unit,
        neighbours=table.neighbours,
        location=replace(table.location, data=data),
    )
