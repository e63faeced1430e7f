"""What percentages of an answer are of: what is expected of it, or a stated guess."""

from dataclasses import replace
from fractions import Fraction

from leastnoise.release.ask.expected import Expected
from leastnoise.release.ask.grid import TRUTH, Grid
from leastnoise.release.result.forecast import Forecast, shown_size


def measured_by(
    told: Forecast, guess: Fraction | None, words: str, answer: Fraction | None
) -> Forecast:
    """The forecast with its yardstick: the answer that is expected, or a guess.

    Args:
        told: the forecast.
        guess: for an answer that nobody said anything about; None or 0 if there is no good one.
        words: where the guess is from.
        answer: what is expected.
    """
    if answer:
        return replace(told, yardstick=abs(float(answer)), yardstick_words="as expected")
    if not guess:
        return told
    return replace(told, yardstick=abs(float(guess)), yardstick_words=words)


def of_rows(told: Forecast, expected: Expected, each: Fraction, words: str = "") -> Forecast:
    """The same for answers that grow with the number of rows.

    Args:
        told: the forecast.
        expected: of the answers.
        each: what a row adds to the answer, as far as can be guessed.
        words: where that guess is from.
    """
    told = replace(told, expected=expected.rows)
    rows = None if expected.rows is None else expected.rows * each
    known = "" if expected.rows is None else f"{expected.rows:,} {told.rows} expected{words}"
    return measured_by(told, rows, known, expected.answer)


def in_range(told: Forecast, grid: Grid, expected: Expected) -> Forecast:
    """The same for means of values in a range; they are rounded before they are summed up."""
    words = (
        ", wherever between its bounds it is"
        if expected.answer is None
        else f", at about {shown_size(float(expected.answer))}"
    )
    told = replace(told, assumed=words, rounding=0.0 if grid == TRUTH else float(grid.step) / 2)
    return measured_by(told, grid.middle, "the middle of its range", expected.answer)
