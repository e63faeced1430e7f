"""Tables in memory: what they are, and the names of their columns."""

import sys
from typing import Any

from leastnoise import _check

_IN_MEMORY = (
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("pyarrow", "Table"),
    ("pyarrow", "RecordBatch"),
)


def is_in_memory(data: Any) -> bool:
    """Whether a table is held in memory by its library's own class, and computed by nobody."""
    return any(
        type(data) is getattr(sys.modules.get(library), name, None) for library, name in _IN_MEMORY
    )


def refuse_objects(data: Any) -> None:
    """Columns of Python objects in Polars, which no engine can be shown.

    Raises:
        InvalidParameter: there is one.
    """
    if not hasattr(data, "collect_schema"):
        return
    found = [name for name, kind in data.collect_schema().items() if str(kind) == "Object"]
    if found:
        raise _check.refuse(
            "a Polars table must have no columns of Python objects",
            f"{found[0]!r}",
            "Cast it to a type, or leave it out: frame.drop(…).",
        )


def frame_names(data: Any) -> list[str]:
    """The names of a frame's columns, as its own library has them."""
    if hasattr(data, "collect_schema"):
        return list(data.collect_schema().names())
    if hasattr(data, "schema") and hasattr(data.schema, "names"):
        return list(data.schema.names)
    return [str(name) for name in data.columns]
