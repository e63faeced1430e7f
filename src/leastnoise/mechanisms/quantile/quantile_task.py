"""`QuantileTask`: which quantiles of which grid, and what one unit may add: all of it public."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Whole, checked, frozen
from leastnoise.privacy.guarantee import ZCDP, PureDP

USUAL_CONFIDENCE = Fraction(95, 100)
"""At which ways to find quantiles are compared."""

MOST_CELLS = 1 << 22  # trees over them stay within some 100 MB
_FINEST_LEVEL = 1 << 20
_MOST_CONTRIBUTION = 1 << 60  # sums of counts stay within 64 bits


def _levels(levels: Sequence[Exact] | NDArray[np.float64], name: str) -> tuple[Fraction, ...]:
    if isinstance(levels, np.ndarray) and levels.ndim == 1:
        levels = levels.tolist()
    if isinstance(levels, str) or not isinstance(levels, Sequence) or not len(levels):
        raise _check.refuse(
            f"`{name}` must be a list of at least one level",
            _check.shown(levels),
            "Write for example levels=[0.25, 0.5, 0.75].",
        )
    exact = tuple(_level(level) for level in levels)
    if all(one < other for one, other in pairwise(exact)):
        return exact
    raise _check.refuse(f"`{name}` must rise", _check.shown(levels), "Sort them, each once.")


def _level(level: Exact) -> Fraction:
    # People type 0.1 and mean a tenth, not the nearest binary number.
    typed = repr(float(level)) if isinstance(level, float) else level
    number = _check.rational(typed, "levels")
    if 0 < number < 1 and number.denominator <= _FINEST_LEVEL:
        return number
    raise _check.refuse(
        f"`levels` must lie strictly between 0 and 1, in at most {_FINEST_LEVEL} parts",
        _check.shown(level),
        "Write 0.5 for the median. For a least or greatest value take one near it, such as 0.01.",
    )


def _promise(promise: PureDP | ZCDP, name: str) -> PureDP | ZCDP:
    if isinstance(promise, PureDP) and promise.epsilon:
        return promise
    if isinstance(promise, ZCDP) and promise.rho and not promise.delta:
        return promise
    raise _check.refuse(
        f"`{name}` must be a PureDP or a ZCDP, above 0 and without delta",
        _check.shown(promise),
        "Write for example PureDP(epsilon=1) or ZCDP(rho='0.1').",
    )


@frozen
class QuantileTask:
    """The public facts of a question for quantiles.

    Attributes:
        levels: the quantiles asked for, rising, in (0, 1).
        cells: how many cells the grid has.
        contribution: L, the most that one unit adds to all counts together.
        promise: what all answers together keep.
        replace: whether a unit's rows are replaced by others, or one unit is added or removed.
        grouped: whether several rows of counts are released together.
        ends: whether it shall be said between which cells each quantile is.
    """

    levels: Checked[Sequence[Exact], tuple[Fraction, ...]] = checked(_levels)
    _: KW_ONLY
    cells: Whole = checked(_check.whole(1, MOST_CELLS))
    contribution: Whole = checked(_check.whole(1, _MOST_CONTRIBUTION))
    promise: PureDP | ZCDP = checked(_promise)
    replace: bool = checked(_check.flag, default=False)
    grouped: bool = checked(_check.flag, default=False)
    ends: bool = checked(_check.flag, default=False)

    @property
    def total_move(self) -> Fraction:
        """How far one unit moves distances apart, summed over levels.

        docs/proofs/quantiles.md, section 2.
        """
        most = max(sum(row, Fraction(0)) for row in self._moves)
        if not self.replace:
            return most * self.contribution
        return 2 * (most if self.grouped else len(self.levels)) * Fraction(self.contribution)

    @property
    def square_move(self) -> Fraction:
        """The same, its squares summed over levels and rows of counts."""
        most = max(sum((move * move for move in row), Fraction(0)) for row in self._moves)
        if self.replace:
            same = Fraction(4 * len(self.levels))
            most = max(same, 2 * most) if self.grouped else same
        return most * self.contribution**2

    @property
    def _moves(self) -> tuple[tuple[Fraction, ...], ...]:
        """What one count more does to each level, if it is above all quantiles or below all."""
        above = tuple(q + max(q, 1 - q) for q in self.levels)
        below = tuple(1 - q + max(q, 1 - q) for q in self.levels)
        return above, below
