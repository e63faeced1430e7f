"""The independent checker of a stream's certificate: nothing of the search is used."""

from fractions import Fraction
from typing import TypedDict

from leastnoise.certificates.check import Check
from leastnoise.certificates.over_time.integer_stream import SCALE, IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.pattern_bound import pattern_bound
from leastnoise.certificates.over_time.running_bound import running_bound
from leastnoise.certificates.over_time.spans import Span, running_weights
from leastnoise.certificates.over_time.stream_claim import STREAM_REFERENCE, StreamClaim
from leastnoise.certificates.over_time.stream_error import (
    mean_square,
    total_errors,
    weighted_mean_square,
)
from leastnoise.errors import InvalidParameter, Undecided
from leastnoise.numeric import ball as balls

MOST_STEPS = 4096
_MOST_PATTERN_STEPS = 1024  # singular values take their time
MOST_SPANS = 8 * _MOST_PATTERN_STEPS
_ACCEPTED = "every claim was computed anew and holds"


class _About(TypedDict):
    worst: bool
    spans: tuple[Span, ...]


def check_stream(claim: StreamClaim) -> Check:
    """Whether the errors are as small as stated, and the bound is proved by the law of steps."""
    try:
        complaint = _about_form(claim) or _about_numbers(claim)
    except (Undecided, InvalidParameter) as limit:
        complaint = str(limit)
    if not complaint and not set(claim.words) <= {"", claim.sentence, STREAM_REFERENCE}:
        complaint = "its words, under `claim` or `reference`, say something else than its numbers"
    return Check(False, complaint) if complaint else Check(True, _ACCEPTED, claim.sentence)


def achieved_error(
    stream: IntegerStream, allowed: Participation, *, worst: bool, spans: tuple[Span, ...] = ()
) -> Fraction:
    """The standard deviation at μ = 1, rounded up."""
    errors = total_errors(stream.matrix, spans)
    if spans:
        one = weighted_mean_square(errors, tuple(weight for _, _, weight in spans))
    else:
        one = Fraction(float(errors.max())) if worst else mean_square(errors)
    with balls.precision(128):
        reach = balls.ball(Fraction(allowed.squared_reach(stream.matrix), 1 << 2 * SCALE)).sqrt()
        return Fraction(balls.interval(balls.ball(one) * reach).upper)


def proved_bound(
    law: tuple[int, ...], allowed: Participation, *, worst: bool, spans: tuple[Span, ...] = ()
) -> Fraction:
    """The least error of the scope, rounded down."""
    shares = running_weights(spans, len(law)) if spans else None
    if allowed.times(len(law)) == 1 and (shares or not spans):
        return running_bound(law, worst=worst, shares=shares)
    if spans:
        return pattern_bound(law, tuple(weight for _, _, weight in spans), allowed, spans)
    return pattern_bound(law, tuple(reversed(law)) if worst else (1,) * len(law), allowed)


def _about_form(claim: StreamClaim) -> str:
    steps = claim.stream.steps
    running = running_weights(claim.spans, steps) is not None
    several = claim.allowed.times(steps) > 1 or bool(claim.spans and not running)
    if not 1 <= steps <= (_MOST_PATTERN_STEPS if several else MOST_STEPS):
        return "there are too many steps to check"
    if len(claim.law) != steps or min(claim.law) < 1:
        return "the law must give every step a chance"
    if claim.spans and (claim.worst or not all(_is_span(each, steps) for each in claim.spans)):
        return "sums must be of steps that there are, each with a weight, and not the worst of them"
    return "" if len(claim.spans) <= MOST_SPANS else "there are too many sums to check"


def _is_span(span: Span, steps: int) -> bool:
    first, last, weight = span
    return 1 <= first <= last <= steps and weight >= 1


def _about_numbers(claim: StreamClaim) -> str:
    about: _About = {"worst": claim.worst, "spans": claim.spans}
    if achieved_error(claim.stream, claim.allowed, **about) > claim.achieved:
        return "the errors are larger than stated"
    if claim.bound <= 0 or proved_bound(claim.law, claim.allowed, **about) < claim.bound:
        return "the law of steps proves less than the bound that is stated"
    return ""
