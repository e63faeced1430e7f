"""Rows of small tables in memory: a column's values, and some of the rows."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np


def column_values(data: Any, name: str) -> list[Any]:
    """A column's values; None where there is none."""
    column = data[name]
    found = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return [None if isinstance(value, float) and isnan(value) else value for value in found]


def taken(data: Any, places: Sequence[int]) -> Any:
    """Some of the rows, with all types as they were."""
    if hasattr(data, "iloc"):
        return data.iloc[list(places)]
    if hasattr(data, "to_pylist"):
        return data.take(np.array(places, dtype=np.int64))
    return data[list(places)]
