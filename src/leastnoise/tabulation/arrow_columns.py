"""Arrow tables and record batches, read through their own methods: no Arrow library is imported."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.tabulation.bit_counts import Integers

_MOST_ENTRIES = 1 << 20  # at a time


@dataclass(frozen=True)
class ArrowColumns:
    """The columns of a table, each as pieces that NumPy can hold, made when they are asked for.

    Args:
        records: the number of rows.
        names: the names of the columns.
        pieces: for each column a function that goes through its pieces.
    """

    records: int
    names: tuple[str, ...]
    pieces: tuple[Callable[[], Iterator[Integers]], ...]


def arrow_columns(table: Any) -> ArrowColumns | None:
    """The columns of an Arrow table or record batch; None for anything else."""
    if not all(hasattr(table, name) for name in ("num_rows", "columns", "schema")):
        return None
    names = tuple(str(name) for name in table.schema.names)
    readers = tuple(partial(_pieces, column) for column in table.columns)
    return ArrowColumns(int(table.num_rows), names, readers)


def _pieces(column: Any) -> Iterator[Integers]:
    """Pieces of bounded size; what cannot be read as numbers becomes a piece of objects."""
    for chunk in getattr(column, "chunks", [column]):
        for start in range(0, len(chunk), _MOST_ENTRIES):
            yield _numbers(chunk.slice(start, _MOST_ENTRIES))


def _numbers(piece: Any) -> Integers:
    try:
        return np.asarray(piece.to_numpy(zero_copy_only=False))
    except Exception:  # what a foreign library says may quote the data
        return np.array([None])
