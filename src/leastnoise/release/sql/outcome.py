"""`Outcome`: how a result is made of released numbers, after the noise."""

from typing import Any

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Outcome:
    """How the result is made of released numbers, which costs nothing.

    Attributes:
        columns: the names of the result's columns.
        cells: what each of them is computed by.
        having: which groups are kept.
        order: formulas to sort by, whether they fall, and whether NULL comes first.
        limit: how many groups are kept, the first ones.
        offset: how many are left out before them.
    """

    columns: tuple[str, ...]
    cells: tuple[Any, ...]
    having: Any = None
    order: tuple[tuple[Any, bool, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
