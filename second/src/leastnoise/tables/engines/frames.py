"""Data frames and relations as Arrow, without a look at values where types are concerned.

pandas columns of Python objects become text, value by value: to guess a type from the values would
let one row decide about all others.

Trusted.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def _is_arrow(data: Any) -> bool:
    """Whether it is an Arrow table. Whoever has one has imported pyarrow."""
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(data, arrow.Table)


def is_relation(data: Any) -> bool:
    """Whether it is a DuckDB relation, which is computed anew each time it is read."""
    return type(data).__name__ == "DuckDBPyRelation"


def columns_of_frame(data: Any) -> list[str]:
    """The names of the columns, in order."""
    if _is_arrow(data):
        return list(data.column_names)
    if _library(data) == "polars" and type(data).__name__ == "LazyFrame":
        return list(data.collect_schema().names())
    return [str(name) for name in data.columns]


def as_arrow(data: Any, columns: list[str], *, rows: bool = True) -> Any:
    """A table of these columns, or a stream that is read once; without rows, only the types."""
    if _is_arrow(data):
        table = data.select(columns)
        return table if rows else table.slice(0, 0)
    if is_relation(data):
        import duckdb

        chosen = data.select(*map(duckdb.ColumnExpression, columns))
        return chosen.to_arrow_reader() if rows else chosen.limit(0).to_arrow_table()
    if _library(data) == "polars":
        chosen = data.select(columns)
        if type(data).__name__ == "LazyFrame":
            chosen = (chosen if rows else chosen.limit(0)).collect()
        return (chosen if rows else chosen.clear()).to_arrow()
    return _of_pandas(data[columns] if rows else data[columns].iloc[:0])


def _library(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _of_pandas(frame: Any) -> "pa.Table":
    import pyarrow as pa

    arrays = []
    for name in frame.columns:
        column = frame[name]
        if str(column.dtype) == "object":
            arrays.append(pa.array([_text(value) for value in column], pa.string()))
        elif str(column.dtype) == "category" and str(column.cat.categories.dtype) == "object":
            texts = [_text(value) for value in column.cat.categories]
            arrays.append(
                pa.array(
                    [texts[code] if code >= 0 else None for code in column.cat.codes], pa.string()
                )
            )
        else:
            arrays.append(pa.Array.from_pandas(column))
    return pa.table(arrays, names=[str(name) for name in frame.columns])


def _text(value: Any) -> str | None:
    """A Python object as text; None for what is missing or cannot be written."""
    try:
        if value is None or value != value:
            return None
        text = value if type(value) is str else str(value)
        text.encode()  # half of a surrogate pair is no text
    except Exception:  # whatever the object's own methods do
        return None
    return text
