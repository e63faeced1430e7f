"""Ranges of units that are looked at together, from how many units have how many rows."""

from collections.abc import Iterable, Mapping

from leastnoise._dataclass import dataclass

TOGETHER = 2**20
"""How many rows are looked at together, if their units allow it."""

_LIGHT = 8  # up to so many rows, units with as many have ranges of their own


@dataclass(frozen=True, repr=False)
class UnitRange:
    """Units with successive numbers. Secret.

    Attributes:
        first: the least number.
        last: the greatest.
        rows: how many rows they have together.
        most: how many rows one of them has at most.
    """

    first: int
    last: int
    rows: int
    most: int

    def beside(self, other: "UnitRange") -> "UnitRange":
        """Both together; the other begins where this one ends."""
        assert self.last + 1 == other.first, "a gap would lose units, an overlap count them twice"
        most = max(self.most, other.most)
        return UnitRange(self.first, other.last, self.rows + other.rows, most)


def unit_ranges(units: Mapping[int, int], together: int = TOGETHER) -> tuple[UnitRange, ...]:
    """Every unit in one range.

    Args:
        units: by a number of rows, how many units have so many. Numbers of units begin with 0 and
            go by their rows.
        together: how many rows a range has at most, if it has two units or more.
    """
    found: list[UnitRange] = []
    first = 0
    for rows in sorted(units):
        left, size = units[rows], max(1, together // rows)
        while left:
            count = min(left, size)
            part = UnitRange(first, first + count - 1, count * rows, rows)
            joins = found and rows > _LIGHT and found[-1].most > _LIGHT
            if joins and found[-1].rows + part.rows <= together:
                found[-1] = found[-1].beside(part)
            else:
                found.append(part)
            first, left = first + count, left - count
    return tuple(found)


def merged(ranges: Iterable[UnitRange], together: int = TOGETHER) -> list[UnitRange]:
    """As few ranges as have so many rows together at most; a range is never cut."""
    found: list[UnitRange] = []
    for each in ranges:
        if found and found[-1].last + 1 == each.first and found[-1].rows + each.rows <= together:
            found[-1] = found[-1].beside(each)
        else:
            found.append(each)
    return found
