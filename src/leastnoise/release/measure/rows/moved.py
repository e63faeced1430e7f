"""`moved`: the same rows of tables that lie elsewhere."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from leastnoise.release.ask.location import StoredLocation
from leastnoise.release.measure.rows.rows import PublicRows, Rows
from leastnoise.release.measure.rows.stored import Stored

Made = TypeVar("Made", bound=Rows | PublicRows)


def moved(rows: Made, places: Mapping[StoredLocation, StoredLocation]) -> Made:
    """Rows made in the same way of tables in other places, by old place.

    Raises:
        InvalidParameter: what was two tables before lies in one place now, and has two ways.
    """
    known: Any = rows
    parts = {field.name: _moved(getattr(rows, field.name), places) for field in fields(known)}
    made: Made = replace(known, **parts)
    return made


def _moved(part: Any, places: Mapping[StoredLocation, StoredLocation]) -> Any:
    if isinstance(part, Rows | PublicRows):
        return moved(part, places)
    if isinstance(part, Stored):
        return replace(part, location=places.get(part.location, part.location))
    if isinstance(part, tuple):
        return tuple(_moved(each, places) for each in part)
    return part
