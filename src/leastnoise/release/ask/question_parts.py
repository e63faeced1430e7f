"""Parts of questions as users give them, checked."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.chosen_ends import ChosenEnds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.grid import Grid

_MOST_IMPORTANCE = 10**12  # ratios beyond this leave the other nothing
_CLIP_COARSER = 8  # see `sum_grid`
_SQUARES_COARSER = 6  # squares have twice the bits of their roots


def checked_importance(importance: Exact) -> Fraction:
    """How much an error matters beside those of other questions."""
    weight = _check.positive(importance, "importance")
    if Fraction(1, _MOST_IMPORTANCE) <= weight <= _MOST_IMPORTANCE:
        return weight
    raise _check.refuse(
        "`importance` must lie in 10^-12..10^12",
        f"importance={_check.shown(importance)}",
        "1 is that of the other questions, 2 counts twice as much.",
    )


def counts_missing(missing: str | None, clip: Clip | None, ends: ChosenEnds) -> bool:
    """Whether missing values count as the middle of their range; else they do not count."""
    if missing is not None and missing != "middle":
        raise _check.refuse(
            "`missing` must be 'middle' or left out",
            _check.shown(missing),
            "With 'middle' a missing value counts as the middle of the range.",
        )
    if missing and clip is not None:
        raise _check.refuse(
            "a mean with a clip leaves missing values out",
            "missing='middle' with a clip",
            "Take one of the two away.",
        )
    if missing and ends.names:
        raise _check.refuse(
            "the middle of a range must be known if missing values count as it",
            f"missing='middle' with {ends.names[0]}='auto'",
            "Leave `missing` out, or give both bounds.",
        )
    return missing is not None


def sum_grid(lower: Exact, upper: Exact, clip: Clip | None) -> Grid:
    """For sums. Under a clip rows weigh up to 2^20, so that fewer steps are left for values."""
    fine = Grid(lower=lower, upper=upper)
    return fine if clip is None else _coarser(fine, _CLIP_COARSER)


def mean_grid(lower: Exact, upper: Exact, clip: Clip | None) -> Grid:
    """For means, whose bounds must differ on the grid."""
    return _wide(sum_grid(lower, upper, clip))


def square_grid(lower: Exact, upper: Exact) -> Grid:
    """For sums of squares."""
    return _wide(_coarser(Grid(lower=lower, upper=upper), _SQUARES_COARSER))


def weight_grid(most: Exact) -> Grid:
    """For sums of weights, which are not negative."""
    return Grid(lower=0, upper=_check.positive(most, "most_weight"))


def _coarser(grid: Grid, bits: int) -> Grid:
    return Grid(lower=grid.lower, upper=grid.upper, bits=grid.bits - bits)


def _wide(grid: Grid) -> Grid:
    if grid.least < grid.most:
        return grid
    raise _check.refuse(
        "the bounds of a mean or variance must be told apart next to their size",
        f"lower={float(grid.lower):g}, upper={float(grid.upper):g}",
        "Widen them, or take a constant from the column first.",
    )
