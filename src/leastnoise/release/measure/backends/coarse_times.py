"""Time stamps in seconds or milliseconds: they reach beyond what DuckDB can hold with a zone.

It converts them while it reads, where one that does not fit fails. So columns of such moments with
a zone are none of ours.
"""

from collections.abc import Iterable
from typing import Any

from leastnoise.release.measure.sql.fragment import Fragment

_COARSE = frozenset({"s", "ms"})


def coarse_in_frame(data: Any) -> frozenset[str]:
    """The columns of a pandas, Polars or Arrow table that hold seconds or milliseconds."""
    return frozenset(str(name) for name, kind in _kinds(data) if _unit(kind) in _COARSE)


def _kinds(data: Any) -> Iterable[tuple[Any, Any]]:
    if hasattr(data, "collect_schema"):
        return list(data.collect_schema().items())
    if hasattr(data, "schema"):
        return [(field.name, field.type) for field in data.schema]
    return list(zip(data.columns, data.dtypes, strict=True)) if hasattr(data, "dtypes") else []


def _unit(kind: Any) -> object:
    arrow = getattr(kind, "pyarrow_dtype", kind)
    return getattr(arrow, "unit", getattr(arrow, "time_unit", None))


def coarse_in_files(paths: tuple[str, ...]) -> Fragment:
    """The query for the columns of Parquet files that hold milliseconds."""
    return Fragment(
        "SELECT DISTINCT name FROM parquet_schema(?) WHERE converted_type = 'TIMESTAMP_MILLIS'",
        (list(paths),),
    )
