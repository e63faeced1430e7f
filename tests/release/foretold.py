"""The errors of forecasts that have them: not of means without a number of rows to expect."""

from fractions import Fraction

from leastnoise.release.result.forecast import Forecast


def half(told: Forecast) -> Fraction:
    """Half the width of the 95 % interval."""
    assert told.interval is not None
    return told.interval


def error(told: Forecast) -> float:
    """The mean size of the error."""
    assert told.expected_error is not None
    return told.expected_error
