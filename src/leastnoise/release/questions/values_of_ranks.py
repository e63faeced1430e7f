"""Forecasts of quantiles: from errors of ranks to errors of values."""

from dataclasses import replace
from fractions import Fraction

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.dates import is_dated
from leastnoise.release.result.forecast import Forecast, SizedError, shown_error


def quantiles_in_values(told: Forecast, part: Bin, rows: int | None) -> Forecast:
    """The forecast in values of the column, if somebody says how many rows there will be.

    How far apart the values are that so many rows lie between, only the data know. It is told for
    values spread evenly over the range, as the forecast says; without a number of rows the error
    stays one of ranks. Proof: docs/proofs/forecasts.md, section 4.

    Args:
        told: the forecast, with errors of ranks, in rows.
        part: the parts of the column's range.
        rows: how many are expected.
    """
    if rows is None or told.interval is None or told.expected_error is None:
        return told
    width = part.grid.upper - part.grid.lower
    rounding = width / part.cells / 2  # the answer is the middle of a part

    def in_values(ranks: Fraction) -> Fraction:
        return min(ranks * width / rows, width)

    half = min(in_values(told.interval) + rounding, width)
    error = float(in_values(Fraction(told.expected_error)))
    return replace(
        told,
        of="days" if is_dated(part) else "answer",
        expected_error=error,
        interval=half,
        expected=rows,
        per_row=SizedError(1, error * rows, float(half * rows)),
        sizes=(SizedError(rows, error, float(half)),),
        assumed=", if values are spread evenly over their range: less where many are alike, more "
        f"where there are few; ±{shown_error(float(told.interval))} in rank",
        yardstick=float(width),
        yardstick_words="the width of its range",
        rounding=float(rounding),
    )
