"""Neighbours of joined rows: every unit left out, with the rows of all tables that are its own.

Proof: docs/proofs/joins.md, section 1.
"""

from collections.abc import Mapping
from typing import Any

from leastnoise.auditing.frame_rows import column_values, taken
from leastnoise.release.ask.location import Frame, Joined, StoredLocation
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.rows.moved import moved
from leastnoise.release.measure.rows.rows import Rows
from leastnoise.release.measure.rows.stored import Way, Ways

Owners = list[frozenset[Any]]
"""Of each row of a table, the units that it belongs to."""


def owners_of(rows: Rows, data: Mapping[StoredLocation, Any]) -> dict[StoredLocation, Owners]:
    """Of every private table, whose its rows are; shared ones have several owners."""
    private = [place for place in data if rows.ways[place].column is not None]
    return {place: _owners(place, rows.ways, data) for place in private}


def _owners(place: StoredLocation, ways: Ways, data: Mapping[StoredLocation, Any]) -> Owners:
    way = ways[place]
    assert way.column is not None
    named = column_values(data[place], way.column)
    if way.key is None or _names_unit(way, ways):
        return [frozenset() if each is None else frozenset({each}) for each in named]
    of_key: dict[Any, frozenset[Any]] = {}
    keys = column_values(data[way.key.location], way.key.column)
    for key, owners in zip(keys, _owners(way.key.location, ways, data), strict=True):
        of_key[key] = of_key.get(key, frozenset()) | owners
    return [frozenset() if each is None else of_key.get(each, frozenset()) for each in named]


def _names_unit(way: Way, ways: Ways) -> bool:
    """Whether a foreign key refers to the unit's own name."""
    assert way.key is not None
    parent = ways[way.key.location]
    return parent.key is None and parent.column == way.key.column


def units_of(owners: Mapping[StoredLocation, Owners]) -> list[Any]:
    """All of them, in the order in which they are found."""
    return list(dict.fromkeys(unit for each in owners.values() for row in each for unit in row))


def without_unit(table: Table, unit: Any, owners: Mapping[StoredLocation, Owners]) -> Table:
    """The table without the rows that belong to a unit and to no other."""
    assert isinstance(table.location, Joined)
    assert isinstance(table.location.rows, Rows)
    places: dict[StoredLocation, StoredLocation] = {}
    for place, each in owners.items():
        assert isinstance(place, Frame)
        kept = [number for number, row in enumerate(each) if row != {unit}]
        places[place] = Frame(taken(place.data, kept))
    return Table(
        schema=table.schema,
        unit=table.unit,
        neighbours=table.neighbours,
        location=Joined(moved(table.location.rows, places)),
        dataset=table.dataset,
        facts=table.facts,
        unit_name=table.unit_name,
    )
