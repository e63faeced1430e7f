"""`running_totals`: the least noise for totals that are published step by step."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, SupportsIndex

import numpy as np

from leastnoise import _check
from leastnoise.certificates.over_time.check_stream import MOST_SPANS, achieved_error, proved_bound
from leastnoise.certificates.over_time.integer_stream import SCALE, IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.spans import Span, running
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.least_noise.over_time.best_law import best_law
from leastnoise.least_noise.over_time.best_patterns import best_patterns
from leastnoise.least_noise.over_time.buffers import Buffers
from leastnoise.least_noise.over_time.dense_factor import dense_factor
from leastnoise.least_noise.over_time.half_inverse import Floats
from leastnoise.least_noise.over_time.toeplitz import toeplitz_factor

_MOST_STEPS = 4096
_MOST_PATTERN_STEPS = 1024
_MOST_WEIGHT = 1 << 40
_LAST = 19  # times all others: the weight of the last total where it matters most
_PARTS = 1 << 52  # of which the chances of a law are whole numbers


def running_totals(
    steps: SupportsIndex,
    *,
    most: SupportsIndex = 1,
    apart: SupportsIndex = 1,
    objective: Literal["worst", "mean square", "last"] = "worst",
    weights: Sequence[SupportsIndex] | None = None,
) -> StreamCertificate:
    r"""How to measure running totals of a schedule, with the proof that little is left to gain.

    Args:
        steps: how many steps the schedule has, up to 4096; up to 1024 for several participations.
        most: in how many steps one unit may be.
        apart: at least how many steps after one of them the next may be.
        objective: 'worst' for the largest error of a total, 'mean square' for that of all, 'last'
            for that of the last one, which has 19 times the weight of all others together. For
            several participations 'worst' is 'mean square'.
        weights: how much the square of each total's error matters, in place of an objective: whole
            numbers from 1 on.

    Raises:
        InvalidParameter: an argument is out of range.

    Example:
        >>> year = running_totals(365)
        >>> year.check().accepted, float(year.ratio) < 1.0001
        (True, True)
        >>> round(float(year.achieved), 3)  # a daily count's noise of 1 adds up to 19.1
        2.642
    """
    if objective not in ("worst", "mean square", "last"):
        raise _check.refuse(
            "`objective` must be 'worst', 'mean square' or 'last'",
            _check.shown(objective),
            "Choose one.",
        )
    allowed = Participation(most=most, apart=apart)
    whole = _check.integer_between(steps, "steps", 1, _MOST_STEPS)
    if objective == "last" and weights is None:
        weights = [1] * (whole - 1) + [_LAST * max(1, whole - 1)]
    spans = () if weights is None else running(_weights(weights, whole))
    if allowed.times(whole) > 1:
        return _several(whole, allowed, spans)
    worst = objective == "worst" and not spans
    shares = np.array([weight for _, _, weight in spans], np.float64) if spans else None
    best = best_law(whole, worst=worst, shares=None if shares is None else shares / shares.sum())
    return _certified(Buffers.of(best).rounded, allowed, best.law, worst=worst, spans=spans)


def sums_of_steps(
    steps: SupportsIndex,
    spans: Sequence[tuple[int, int, int]],
    *,
    most: SupportsIndex = 1,
    apart: SupportsIndex = 1,
) -> StreamCertificate:
    r"""How to measure any sums of consecutive steps: windows, weeks, months and totals together.

    What is measured tells all sums, also those that are not asked for here.

    Args:
        steps: how many steps the schedule has, up to 1024.
        spans: the first step of each sum, its last one, and how much its squared error matters.
        most: in how many steps one unit may be.
        apart: at least how many steps after one of them the next may be.

    Raises:
        InvalidParameter: an argument is out of range.

    Example:
        >>> weeks = sums_of_steps(28, [(max(1, t - 6), t, 1) for t in range(1, 29)])
        >>> weeks.check().accepted, float(weeks.ratio) < 1.0001
        (True, True)
        >>> 7**0.5 / float(weeks.achieved) > 1.5  # noise of its own for every step
        True
    """
    whole = _check.integer_between(steps, "steps", 1, _MOST_PATTERN_STEPS)
    asked = tuple(_span(each, whole) for each in spans)
    if not 1 <= len(asked) <= MOST_SPANS:
        raise _check.refuse("`spans` must be 1 … 8192 sums", str(len(asked)), "Take fewer.")
    allowed = Participation(most=most, apart=apart)
    if allowed.times(whole) > 1:
        return _several(whole, allowed, asked)
    matrix, law = dense_factor(whole, asked)
    return _certified(_listed(matrix), allowed, law, worst=False, spans=asked)


def _several(steps: int, allowed: Participation, spans: tuple[Span, ...]) -> StreamCertificate:
    """For units in several steps: alike along diagonals, then scaled."""
    whole = _check.integer_between(steps, "steps", 1, _MOST_PATTERN_STEPS)
    asked = spans or running((1,) * whole)
    stream = _listed(toeplitz_factor(whole, allowed, asked))
    law = best_patterns(whole, allowed, asked)
    return _certified(stream, allowed, law, worst=False, spans=spans)


def _weights(weights: Sequence[SupportsIndex], steps: int) -> tuple[int, ...]:
    if len(weights) == steps:
        return tuple(_check.integer_between(each, "weights", 1, _MOST_WEIGHT) for each in weights)
    raise _check.refuse(
        "`weights` must be a whole number for each step", f"{len(weights)} of them", "Give all."
    )


def _span(span: tuple[int, int, int], steps: int) -> Span:
    first, last, weight = span
    end = _check.integer_between(last, "the last step of a sum", 1, steps)
    return (
        _check.integer_between(first, "the first step of a sum", 1, end),
        end,
        _check.integer_between(weight, "the weight of a sum", 1, _MOST_WEIGHT),
    )


def _listed(matrix: Floats) -> IntegerStream:
    longest = np.sqrt((matrix**2).sum(axis=0).max())
    return IntegerStream.of_matrix(np.rint(np.ldexp(matrix / longest, SCALE)).astype(np.int64))


def _certified(
    stream: IntegerStream,
    allowed: Participation,
    law: Floats,
    *,
    worst: bool,
    spans: tuple[Span, ...] = (),
) -> StreamCertificate:
    chances = tuple(max(1, int(each)) for each in np.rint(law * _PARTS))
    achieved = _up(achieved_error(stream, allowed, worst=worst, spans=spans))
    bound = _down(proved_bound(chances, allowed, worst=worst, spans=spans))
    return StreamCertificate(stream, allowed, worst, chances, achieved, bound, spans=spans)


def _up(value: Fraction) -> Fraction:
    return Fraction(-(-value.numerator * 2**48 // value.denominator), 2**48)


def _down(value: Fraction) -> Fraction:
    return Fraction(value.numerator * 2**48 // value.denominator, 2**48)
