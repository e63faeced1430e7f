"""Where a function on an interval is positive, found by bisection with balls."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from heapq import heappop, heappush

from flint import arb

from leastnoise.numeric import ball as balls

Cell = tuple[Fraction, Fraction]
"""The ends of an interval."""

_MOST_CELLS = 4096  # some seconds of bisection
_NARROWEST = Fraction(1, 2**60)  # of the whole: a sign unclear there matters to no digit shown


def cell_ball(cell: Cell) -> arb:
    """A ball that contains the whole interval."""
    return balls.ball(cell[0]).union(balls.ball(cell[1]))


def sign_cells(function: Callable[[arb], arb], whole: Cell) -> tuple[list[Cell], list[Cell]]:
    """Intervals on which the function is positive, and the few left where its sign is unclear.

    On all the rest it is negative. The widest unclear interval is halved first, so that whatever is
    left when the work is cut short is as narrow as can be.

    Example:
        >>> above, unclear = sign_cells(lambda x: x - 1, (Fraction(0), Fraction(4)))
        >>> above[0][1], len(above), sum(high - low for low, high in unclear) < Fraction(1, 2**50)
        (Fraction(4, 1), 1, True)
    """
    narrow = (whole[1] - whole[0]) * _NARROWEST
    todo, above, unclear = [(whole[0] - whole[1], whole)], [], []
    for _ in range(_MOST_CELLS):
        if not todo:
            break
        low, high = heappop(todo)[1]
        value = function(cell_ball((low, high)))
        if value > 0:
            above.append((low, high))
        elif not value < 0:
            if high - low <= narrow:
                unclear.append((low, high))
                continue
            middle = (low + high) / 2
            for part in ((low, middle), (middle, high)):
                heappush(todo, (part[0] - part[1], part))
    return _merged(above), unclear + [cell for _, cell in todo]


def _merged(cells: Iterable[Cell]) -> list[Cell]:
    """The same set in as few intervals as possible."""
    joined: list[Cell] = []
    for low, high in sorted(cells):
        if joined and joined[-1][1] == low:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined
