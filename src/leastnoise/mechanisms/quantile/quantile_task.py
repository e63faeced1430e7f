"""`QuantileTask`: which quantiles of which grid, and what one unit may add: all of it public."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.mechanisms.checked_flag import checked_flag
from leastnoise.privacy.guarantee import ZCDP, PureDP

MOST_CELLS = 1 << 22
_FINEST_LEVEL = 1 << 20


@dataclass(frozen=True, init=False)
class QuantileTask:
    """The public facts of a question for quantiles.

    Attributes:
        levels: the quantiles asked for, rising, in (0, 1).
        cells: how many cells the grid has.
        contribution: L, the most that one unit adds to all counts together.
        promise: what all answers together keep.
        replace: whether a unit's rows are replaced by others, or one unit is added or removed.
        grouped: whether several rows of counts are released together.
    """

    levels: tuple[Fraction, ...]
    cells: int
    contribution: int
    promise: PureDP | ZCDP
    replace: bool
    grouped: bool

    def __init__(  # noqa: PLR0913 - each is part of the question
        self,
        *,
        levels: Sequence[Exact],
        cells: SupportsIndex,
        contribution: SupportsIndex,
        promise: PureDP | ZCDP,
        replace: bool,
        grouped: bool,
    ) -> None:
        object.__setattr__(self, "levels", _levels(levels))
        object.__setattr__(self, "cells", _check.integer_between(cells, "cells", 1, MOST_CELLS))
        most = _check.integer_between(contribution, "contribution", 1, 1 << 60)
        object.__setattr__(self, "contribution", most)
        object.__setattr__(self, "promise", _promise(promise))
        object.__setattr__(self, "replace", checked_flag(replace, "replace"))
        object.__setattr__(self, "grouped", checked_flag(grouped, "grouped"))

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


def _levels(levels: Sequence[Exact] | NDArray[np.float64]) -> tuple[Fraction, ...]:
    if isinstance(levels, np.ndarray) and levels.ndim == 1:
        levels = levels.tolist()
    if isinstance(levels, str) or not isinstance(levels, Sequence) or not len(levels):
        raise _check.refuse(
            "`levels` must be a list of at least one level",
            f"a {type(levels).__name__}",
            "Write for example levels=[0.25, 0.5, 0.75].",
        )
    exact = tuple(_level(level) for level in levels)
    if all(one < other for one, other in pairwise(exact)):
        return exact
    raise _check.refuse(
        "`levels` must rise", "a level that is not above the one before", "Sort them, each once."
    )


def _level(level: Exact) -> Fraction:
    # People type 0.1 and mean a tenth, not the nearest binary number.
    typed = repr(float(level)) if isinstance(level, float) else level
    number = _check.rational(typed, "levels")
    if 0 < number < 1 and number.denominator <= _FINEST_LEVEL:
        return number
    raise _check.refuse(
        f"`levels` must lie strictly between 0 and 1, in at most {_FINEST_LEVEL} parts",
        f"{level!r:.60}",
        "Write 0.5 for the median. For a least or greatest value take one near it, such as 0.01.",
    )


def _promise(promise: PureDP | ZCDP) -> PureDP | ZCDP:
    if isinstance(promise, PureDP) and promise.epsilon:
        return promise
    if isinstance(promise, ZCDP) and promise.rho and not promise.delta:
        return promise
    raise _check.refuse(
        "`promise` must be a PureDP or a ZCDP, above 0 and without delta",
        f"{promise!r:.60}",
        "Write for example PureDP(epsilon=1) or ZCDP(rho='0.1').",
    )
