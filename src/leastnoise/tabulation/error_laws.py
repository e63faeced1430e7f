"""The errors of noisy counts: of the worst column, and of a single one.

A count carries Yⱼ, or (Yⱼ + X)/2 where the number of rows is secret and noisy too.
"""

from fractions import Fraction
from math import ceil

from leastnoise.tabulation.column_noise import ColumnNoise, Offset
from leastnoise.tabulation.error_law import ErrorLaw

_HALF = Fraction(1, 2)


def worst_error(noise: ColumnNoise, offset: Offset) -> ErrorLaw:
    """The law of the largest error of all columns."""
    return ErrorLaw(
        lambda t: noise.worst_within(t, offset),
        square=_square(noise, offset, noise.columns),
        typical=ceil(3 * noise.absolute_mean.upper),
        unit=error_unit(offset),
        bound=_bound(noise, offset),
    )


def single_error(noise: ColumnNoise, offset: Offset) -> ErrorLaw:
    """The law of the error of one column."""
    return ErrorLaw(
        lambda t: noise.one_within(t, offset),
        square=_square(noise, offset, 1),
        typical=ceil(noise.absolute_mean.upper),
        unit=error_unit(offset),
        bound=_bound(noise, offset),
        # Sums of symmetric unimodal variables are symmetric and unimodal.
        convex=True,
    )


def _square(noise: ColumnNoise, offset: Offset, columns: int) -> Fraction:
    """An upper bound on E max (Yⱼ + X)² ≤ Σ E Yⱼ² + …; (y + x)² ≤ 2y² + 2x²."""
    square = columns * Fraction(noise.variance.upper)
    return square if offset is None else 2 * (square + Fraction(offset.variance.upper))


def error_unit(offset: Offset) -> Fraction:
    """All errors are multiples of this: 1, or 1/2 where the number of rows is noisy."""
    return Fraction(1) if offset is None else _HALF


def _bound(noise: ColumnNoise, offset: Offset) -> int | None:
    if offset is None or noise.bound is None:
        return noise.bound
    return None if offset.support is None else noise.bound + offset.support[1]
