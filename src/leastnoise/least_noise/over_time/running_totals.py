"""`running_totals`: the least noise for totals that are published step by step."""

from fractions import Fraction
from typing import Literal, SupportsIndex

import numpy as np

from leastnoise import _check
from leastnoise.certificates.over_time.check_stream import achieved_error, proved_bound
from leastnoise.certificates.over_time.integer_stream import SCALE, IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.least_noise.over_time.best_law import best_law
from leastnoise.least_noise.over_time.best_patterns import best_patterns
from leastnoise.least_noise.over_time.buffers import Buffers
from leastnoise.least_noise.over_time.half_inverse import Floats
from leastnoise.least_noise.over_time.toeplitz import toeplitz_factor

_MOST_STEPS = 4096
_MOST_PATTERN_STEPS = 1024
_PARTS = 1 << 52  # of which the chances of a law are whole numbers


def running_totals(
    steps: SupportsIndex,
    *,
    most: SupportsIndex = 1,
    apart: SupportsIndex = 1,
    objective: Literal["worst", "mean square"] = "worst",
) -> StreamCertificate:
    r"""How to measure running totals of a schedule, with the proof that little is left to gain.

    Args:
        steps: how many steps the schedule has, up to 4096; up to 1024 for several participations.
        most: in how many steps one unit may be.
        apart: at least how many steps after one of them the next may be.
        objective: 'worst' for the largest error of a total, 'mean square' for that of all.

    Raises:
        InvalidParameter: an argument is out of range.

    Example:
        >>> year = running_totals(365)
        >>> year.check().accepted, float(year.ratio) < 1.0001
        (True, True)
        >>> round(float(year.achieved), 3)  # a daily count's noise of 1 adds up to 19.1
        2.642
    """
    if objective not in ("worst", "mean square"):
        raise _check.refuse(
            "`objective` must be 'worst' or 'mean square'", _check.shown(objective), "Choose one."
        )
    allowed = Participation(most=most, apart=apart)
    worst = objective == "worst"
    whole = _check.integer_between(steps, "steps", 1, _MOST_STEPS)
    if allowed.times(whole) == 1:
        best = best_law(whole, worst=worst)
        stream, law = Buffers.of(best).rounded, best.law
    else:
        whole = _check.integer_between(steps, "steps", 1, _MOST_PATTERN_STEPS)
        stream = _listed(toeplitz_factor(whole, allowed))
        law = best_patterns(np.full(whole, 1 / whole), allowed)
        worst = False
    return _certified(stream, allowed, law, worst=worst)


def _listed(matrix: Floats) -> IntegerStream:
    longest = np.sqrt((matrix**2).sum(axis=0).max())
    return IntegerStream.of_matrix(np.rint(np.ldexp(matrix / longest, SCALE)).astype(np.int64))


def _certified(
    stream: IntegerStream, allowed: Participation, law: Floats, *, worst: bool
) -> StreamCertificate:
    chances = tuple(max(1, int(each)) for each in np.rint(law * _PARTS))
    achieved = achieved_error(stream, allowed, worst=worst)
    bound = proved_bound(chances, allowed, worst=worst)
    return StreamCertificate(stream, allowed, worst, chances, _up(achieved), _down(bound))


def _up(value: Fraction) -> Fraction:
    return Fraction(-(-value.numerator * 2**48 // value.denominator), 2**48)


def _down(value: Fraction) -> Fraction:
    return Fraction(value.numerator * 2**48 // value.denominator, 2**48)
