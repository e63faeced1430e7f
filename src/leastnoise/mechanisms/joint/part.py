"""What one unit adds to one part of a joint draw: a box, a simplex, a diamond, or 1."""

from typing import TypeAlias

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Box:
    """Numbers of which each moves by low..high, whatever the others do.

    Attributes:
        low: the least that one unit adds to each number.
        high: the most.
        cells: how many numbers.
        start: how much wider than a point the noise is before any unit is counted; even, so that
            the noise is symmetric.
    """

    low: int
    high: int
    cells: int = 1
    start: int = 0


@dataclass(frozen=True)
class Simplex:
    """Numbers to which one unit adds nothing negative, and at most `total` to all of them.

    Attributes:
        cells: how many numbers.
        total: the most that one unit adds to all of them together.
        start: as in `Box`, to either side.
        cell: the most that one unit adds to one of them; `total` if None.
    """

    cells: int
    total: int
    start: int = 0
    cell: int | None = None


@dataclass(frozen=True)
class Diamond:
    """Numbers that one unit moves up or down, by at most `total` in all.

    Attributes:
        cells: how many numbers.
        total: the most that the magnitudes of its changes add up to.
        start: how far the magnitudes of the noise may go before any unit is counted.
    """

    cells: int
    total: int
    start: int = 0


@dataclass(frozen=True)
class Everyone:
    """One number to which every unit adds exactly 1: how many units there are."""

    @property
    def cells(self) -> int:
        """One."""
        return 1


Part: TypeAlias = Box | Simplex | Diamond | Everyone
