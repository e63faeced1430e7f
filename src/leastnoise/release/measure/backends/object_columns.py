"""Columns of Python objects in pandas frames, written as text once, value by value.

What they hold is declared, and DuckDB reads the text as that; an object that cannot be written is
unreadable, as a field of a text file may be.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import Declared, Frame, Location
from leastnoise.release.measure.sql.sql_field import UNREADABLE


def undeclared(location: Location) -> AbstractSet[str]:
    """The columns of Python objects of which nobody said what they hold."""
    if not isinstance(location, Frame) or not _is_pandas(location.data):
        return frozenset()
    found = zip(location.data.columns, location.data.dtypes, strict=True)
    objects = {str(name) for name, kind in found if str(kind) == "object"}
    return objects - {name for name, _ in location.declared}


def odd_columns(data: Any, names: tuple[str, ...]) -> tuple[int, ...]:
    """The places of columns that DuckDB might fail to write as text.

    Those of the named columns that hold objects; of all, those whose categories are no texts,
    because a list of categories is read whether the column is or not.
    """
    if not _is_pandas(data):
        return ()
    found = enumerate(zip(data.columns, data.dtypes, strict=True))
    return tuple(
        i
        for i, (name, kind) in found
        if _has_odd_categories(kind) or (str(name) in names and _has_objects(kind))
    )


def first_none(data: Any) -> Any:
    """Of a pandas frame, one without rows and with the same types; any other as it is."""
    if not _is_pandas(data):
        return data
    return with_texts(data.iloc[:0], odd_columns(data, ()))


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "isetitem")


def with_texts(data: Any, places: tuple[int, ...], declared: Declared = ()) -> Any:
    """The frame with some columns as text; it shares the others with the given one."""
    kinds, changed = dict(declared), data.copy(deep=False)
    for place in places:
        kind = kinds.get(str(data.columns[place]))
        write = _TEXTS.get(kind, _text if kind is None else _readable)
        changed.isetitem(place, _texts(data.iloc[:, place].astype(object), write))
    return changed


def _has_objects(kind: Any) -> bool:
    return str(kind) == "object" or getattr(kind, "storage", None) == "python"


def _has_odd_categories(kind: Any) -> bool:
    categories = getattr(kind, "categories", None)
    if categories is None or not _has_objects(categories.dtype):
        return False
    return not all(map(_is_text, categories))


def _is_text(value: object) -> bool:
    return _text(value) is value


def _texts(column: Any, write: Callable[[object], str | None]) -> NDArray[np.object_]:
    return np.array([write(value) for value in column], np.object_)


def _readable(value: object) -> str | None:
    """None for what is missing alone; what cannot be written has a mark."""
    found = _text(value)
    return UNREADABLE if found is None and not _is_missing(value) else found


def _day(value: object) -> str | None:
    """The day of a moment that is the beginning of one."""
    try:
        starts = isinstance(value, datetime) and value.time() == time()
    except Exception:  # the object's own: pandas' NaT is a datetime without a time
        return _readable(value)
    return value.date().isoformat() if starts else _readable(value)  # type: ignore[attr-defined]


_TEXTS: dict[ColumnType | None, Callable[[object], str | None]] = {ColumnType.DATE: _day}


def _is_missing(value: object) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - as NaN
    except Exception:  # the object's own
        return type(value).__name__ == "NAType"  # of which pandas cannot tell whether it is itself


def _text(value: object) -> str | None:
    """None for what is missing or cannot be written, whatever its own methods do."""
    try:
        if type(value) is str:
            text = value
        elif value is None or value != value:  # noqa: PLR0124 - as NaN and all of its kin
            return None
        else:
            text = str(value)
        return text if text.isascii() or text.encode() else None  # half a surrogate cannot be
    except Exception:  # the object's own
        return None
