"""Forecasts of answers that are computed from several noisy sums, in the answers' own unit."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from leastnoise.release.questions.moved_answer import Case
from leastnoise.release.questions.noise_together import NoiseTogether, size_exceeded
from leastnoise.release.result.forecast import Forecast, SizedError

SIZES = 100, 10**4, 10**6
_MANY = 10**9  # rows beside which noise is small: errors are in proportion to 1/rows


def in_own_unit(  # noqa: PLR0913, PLR0917 - each is part of the forecast
    told: Forecast,
    noise: NoiseTogether,
    cases: Sequence[Case],
    unit: float,
    rows: int | None,
    confidence: Fraction,
) -> Forecast:
    """A forecast, its errors being the largest among tables that might be.

    Args:
        told: what is known beside errors.
        noise: of the sums, in units of what one row adds.
        cases: tables that might be.
        unit: what an error of 1 is in the answer's unit.
        rows: how many are expected; None if nobody says.
        confidence: of the interval.
    """
    risk = float(1 - confidence)

    def sized(count: int) -> SizedError:
        found = [_errors(noise, case, count, risk) for case in cases]
        mean, half = (max(each) * unit for each in zip(*found, strict=True))
        return SizedError(count, _finite(mean), _finite(half))

    many = sized(_MANY)
    expected = SizedError(0, None, None) if rows is None else sized(rows)
    return replace(
        told,
        expected_error=expected.error,
        interval=None if expected.interval is None else Fraction(expected.interval),
        of="answer",
        expected=rows,
        per_row=SizedError(1, _times(many.error), _times(many.interval)),
        sizes=tuple(map(sized, SIZES)) if rows is None else (expected,),
    )


@lru_cache(maxsize=8192)
def _errors(noise: NoiseTogether, case: Case, rows: int, risk: float) -> tuple[float, float]:
    """The mean error, and the one that is exceeded with this risk; nan if they are not known."""
    sizes = case.errors(noise.points, float(rows))
    if np.isnan(sizes).any():
        return math.nan, math.nan
    return float(np.mean(sizes)), size_exceeded(sizes, risk)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _times(number: float | None) -> float | None:
    return None if number is None else number * _MANY
