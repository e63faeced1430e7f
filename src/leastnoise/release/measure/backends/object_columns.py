"""Columns of Python objects in pandas frames, written as text once: a strange object is missing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def with_texts(data: Any, places: tuple[int, ...]) -> Any:
    """The frame with some columns as text; it shares the others with the given one."""
    changed = data.copy(deep=False)
    for place in places:
        changed.isetitem(place, _texts(data.iloc[:, place].astype(object)))
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


def _texts(column: Any) -> NDArray[np.object_]:
    return np.array([_text(value) for value in column], np.object_)


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
