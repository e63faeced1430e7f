"""`Bounds`: how much of one unit a measurement takes into account."""

from typing import SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass

_MOST = 2**20


@dataclass(frozen=True, init=False)
class Bounds:
    """At most `max_groups` groups of one unit count, and in each at most `max_rows` of its rows.

    Which groups count is decided by a secret random order of the unit's own groups. Rows beyond
    the bound are not dropped: all rows of the unit in the group count with a smaller weight, so
    that together they weigh as much as `max_rows`.

    Args:
        max_groups: an integer in 1..2^20.
        max_rows: an integer in 1..2^20.
    """

    max_groups: int
    max_rows: int

    def __init__(self, *, max_groups: SupportsIndex, max_rows: SupportsIndex) -> None:
        object.__setattr__(self, "max_groups", checked_bound(max_groups, "max_groups"))
        object.__setattr__(self, "max_rows", checked_bound(max_rows, "max_rows"))


def checked_bound(bound: SupportsIndex, name: str) -> int:
    """An integer in 1..2^20."""
    return _check.integer_between(bound, name, 1, _MOST)


ONE_ROW = Bounds(max_groups=1, max_rows=1)
"""For tables in which every row is a unit of its own."""
