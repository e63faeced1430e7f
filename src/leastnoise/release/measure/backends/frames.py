"""Tables in memory: what they are, and the names of their columns."""

import sys
from typing import Any

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


def frame_names(data: Any) -> list[str]:
    """The names of a frame's columns, as its own library has them."""
    if hasattr(data, "collect_schema"):
        return list(data.collect_schema().names())
    if hasattr(data, "schema") and hasattr(data.schema, "names"):
        return list(data.schema.names)
    return [str(name) for name in data.columns]
