"""Objects with the methods of Arrow's that are used, so that tests need no Arrow library."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrowArray:
    """Like a pyarrow.Array: None stands for a missing value."""

    def __init__(self, values: Sequence[Any], dtype: str = "bool") -> None:
        self.values, self.dtype = list(values), dtype

    def __len__(self) -> int:
        return len(self.values)

    def slice(self, start: int, length: int) -> "ArrowArray":
        return ArrowArray(self.values[start : start + length], self.dtype)

    def to_numpy(self, zero_copy_only: bool = True) -> NDArray[Any]:
        if zero_copy_only and self.dtype == "bool":
            raise ValueError("Needed to copy 1 chunks with 987654321 nulls")
        if self.dtype == "list":
            raise NotImplementedError("values like 987654321")
        missing = any(value is None for value in self.values)
        return np.array(self.values, dtype=object if missing else self.dtype)


class ChunkedArray:
    """Like a pyarrow.ChunkedArray."""

    def __init__(self, chunks: Sequence[ArrowArray]) -> None:
        self.chunks = list(chunks)


@dataclass
class Schema:
    names: list[str]


class ArrowTable:
    """Like a pyarrow.Table or RecordBatch."""

    def __init__(self, columns: dict[str, ArrowArray | ChunkedArray], num_rows: int) -> None:
        self.columns, self.schema, self.num_rows = (
            list(columns.values()),
            Schema(list(columns)),
            num_rows,
        )
