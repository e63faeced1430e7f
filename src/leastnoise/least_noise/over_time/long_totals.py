"""`long_running_totals`: the least noise for schedules of very many steps."""

from dataclasses import field
from fractions import Fraction
from typing import Literal, SupportsIndex

import numpy as np

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.certificates.over_time.buffered_stream import FINE, POINT, BufferedStream
from leastnoise.certificates.over_time.long_bound import Floats, long_bound
from leastnoise.least_noise.over_time.best_law import best_law
from leastnoise.least_noise.over_time.buffers import FEWER_APART, Buffers

_MOST_STEPS = 1 << 20
_SHORT = 1 << 14
_TOLERANCE = 3e-4  # of the gap, in variance, where a turn takes long


@dataclass(frozen=True, eq=False)
class LongTotals:
    r"""How to measure running totals of very many steps, and how near to the least that is.

    All errors are for units that move one step by 1, and for noise of μ = 1 or ρ = 1/2.

    Attributes:
        stream: what `BufferedNoise` measures with.
        worst: whether errors are those of the worst total; else the root of their mean square.
        law: how likely a unit is in each step: the proof of the bound.
        bound: no linear unbiased Gaussian mechanism has less; its rounding is proved.
        achieved: the standard deviation, as doubles tell it: its rounding is not proved.
    """

    stream: BufferedStream
    worst: bool
    law: Floats = field(repr=False)
    bound: Fraction
    achieved: float

    @property
    def ratio(self) -> float:
        """Achieved over bound."""
        return self.achieved / float(self.bound)


def long_running_totals(
    steps: SupportsIndex, *, objective: Literal["worst", "mean square"] = "worst"
) -> LongTotals:
    r"""Running totals of up to 2^20 steps, of units that are in one: buffers in place of a matrix.

    Args:
        steps: how many steps the schedule has.
        objective: 'worst' for the largest error of a total, 'mean square' for that of all.

    Raises:
        InvalidParameter: an argument is out of range.

    Example:
        >>> hours = long_running_totals(1000)
        >>> hours.stream.buffers, hours.ratio < 1.001
        (11, True)
    """
    whole = _check.integer_between(steps, "steps", 2, _MOST_STEPS)
    if objective not in ("worst", "mean square"):
        raise _check.refuse(
            "`objective` must be 'worst' or 'mean square'", _check.shown(objective), "Choose one."
        )
    worst = objective == "worst"
    best = best_law(whole, worst=worst, tolerance=1e-5 if whole <= _SHORT else _TOLERANCE)
    made = Buffers.of(best, FEWER_APART)
    stream = BufferedStream(
        _rounded(made.decay, FINE),
        _rounded(made.intake, POINT),
        _rounded(made.outlet, FINE),
        _rounded(made.direct, POINT),
    )
    del made
    errors = stream.errors()
    one = float(errors.max()) if worst else float(np.sqrt((errors**2).mean()))
    achieved = one * float(np.sqrt(np.float64(stream.squared_reach))) / 2**POINT
    return LongTotals(stream, worst, best.law, long_bound(best.law, best.weights), achieved)


def _rounded(part: Floats, bits: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.rint(np.ldexp(part, bits)).astype(np.int64)
