r"""Checks certificates of running totals: every number of the claim is computed anew.

A claim names a schedule, in which steps one unit may be, the integers that are measured (`factor`),
how large the errors of the running totals are at mu = 1 (`achieved`), and what no rival undercuts
(`bound`). Rivals are all mechanisms that measure linear functions of the totals with Gaussian noise
and give linear unbiased estimates. The objective is the largest standard deviation ("worst"), or
the root of the mean of all variances ("mean square"). The witness is a law on steps.

Error: from an approximate inverse of the matrix, in floats with the bounds of their rounding.

Bound, units in one step. For laws pi on steps and theta on totals, each chance positive, the sum of
theta_t * Var_t is at least f^2, f being the sum of pi_t * K_tt for the K of `one_step_bound`, found in
balls. "worst" takes pi reversed for theta, "mean square" equal chances.

Bound, units in several steps. With pi a law on sets P_b of steps that a unit may be in, and X the
matrix of sqrt(theta_t * pi_b) times the number of steps of P_b up to t, f is the sum of X's
singular values, and f >= tr(U^T*X) / |U| for every matrix U.

Proof page: docs/proofs/running_totals.md. Nothing here imports what makes certificates.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from leastnoise.mechanisms.certificate import Certificate, checks, number
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import CertificateRejected, Undecided
from leastnoise.workloads.factor import (
    MOST_STEPS,
    SCALE,
    Factor,
    Floats,
    Integers,
    Participation,
    squared_sensitivity,
)

KIND = "running totals"
OBJECTIVES = {"worst": "worst error", "mean square": "root mean square error"}
RIVALS = "all linear unbiased mechanisms"
MOST_STEPS_OF_SEVERAL = 1024  # where units are in several steps: singular values take their time
MOST_CHANCE = 1 << 53

_BITS = 64
_STEP = Fraction(3, 5)  # between the nodes of an integral, in ln t
_MARGIN = 14  # beyond the spectrum, in ln t: what is left out is below a millionth
_ROUNDING = 2.0**-53
_SLACK = 1 + 2.0**-36  # more than all that a sum of up to 2^14 squares and its root are off


def claim_of(
    factor: Factor, allowed: Participation, objective: str, achieved: Fraction, bound: Fraction
) -> dict[str, Any]:
    """The claim; the ratio in its words is rounded up."""
    times, gap = allowed.times(factor.steps), allowed.min_separation
    each = "one step" if times == 1 else f"at most {times} steps"
    apart = f", at least {gap} apart" if times > 1 and gap > 1 else ""
    ratio = Decimal(math.ceil(achieved / bound * 10**5)).scaleb(-5)
    return {
        "steps": factor.steps,
        "max_participations": allowed.max_participations,
        "min_separation": gap,
        "objective": objective,
        "factor": factor.values(),
        "achieved": str(achieved),
        "bound": str(bound),
        "rivals": RIVALS,
        "statement": f"{factor.steps} totals, {each} per unit{apart}, Gaussian: "
        f"{OBJECTIVES[objective]} within {ratio} of the least of {RIVALS}",
    }


# The error


def achieved_error(factor: Factor, allowed: Participation, objective: str) -> Fraction:
    """The standard deviation at mu = 1, before totals are rounded to whole numbers; rounded up."""
    errors = total_errors(factor.matrix)
    one = float(errors.max() if objective == "worst" else _length(errors) / math.sqrt(len(errors)))
    squared = Fraction(squared_sensitivity(factor.matrix, allowed), 1 << 2 * SCALE)
    scaled = Fraction(one * _SLACK) ** 2 * squared
    return balls.upper_end(lambda: balls.ball(scaled).sqrt())


def total_errors(matrix: Integers) -> Floats:
    """Bounds on the standard deviation of each running total, for noise of variance 2^48."""
    steps, scaled = len(matrix), np.ldexp(matrix.astype(np.float64), -SCALE)  # exact
    with np.errstate(all="ignore"):
        inverse = np.linalg.inv(scaled)  # trusted for nothing
        left = np.eye(steps) - scaled @ inverse
        # Entries of a product are off by _gamma times the product of absolute values.
        off = _length(left) + _gamma(steps) * _length(scaled) * _length(inverse) + 2.0**-200
        slack = _gamma(steps) * _length(np.abs(inverse).sum(axis=0))
        totals = np.cumsum(inverse, axis=0)
        errors = (np.sqrt((totals**2).sum(axis=1)) * _SLACK + slack) / (1 - off) * _SLACK
    if not off < 1 / 2:
        raise Undecided("The matrix is too near to one without an inverse.")
    return np.asarray(errors)


def _gamma(count: int) -> float:
    """A bound on the relative error of a sum of so many products, in any order of summation."""
    return 2 * (count + 4) * _ROUNDING


def _length(values: Floats) -> float:
    """The root of the sum of squares of up to 2^24 numbers, rounded up."""
    return float(np.sqrt(np.square(values).sum(axis=-1).sum())) * _SLACK


# The bound


def proved_bound(law: Sequence[int], allowed: Participation, objective: str) -> Fraction:
    """The least error of all rivals at mu = 1, rounded down.

    Args:
        law: chances of steps, as integers over their sum, each at least 1. Where units are in
            several steps: of the first step of a unit that is in as many as it may, as soon as it may.
        allowed: in which steps one unit may be.
        objective: one of `OBJECTIVES`. Where units are in several steps the bound is that of "mean
            square", which the worst error is never below.
    """
    if allowed.times(len(law)) > 1:
        return several_steps_bound(law, allowed)
    return one_step_bound(law, law[::-1] if objective == "worst" else [1] * len(law))


def one_step_bound(law: Sequence[int], shares: Sequence[int]) -> Fraction:
    r"""f, by a sum in place of an integral: all terms are positive, in time linear in the steps.

    K is the integral over t > 0 of (2/pi) * (N + t^2*D_pi)^-1, N being tridiagonal. The sum over
    nodes e^(k*h) for all integers k is at most 1 + 2*(sum over n >= 1 of sech(pi^2*n/h)) times f,
    and leaving nodes out lowers it.

    Args:
        law: pi, as integers over their sum.
        shares: theta, as integers over their sum.
    """
    heaviest = math.log(4) + math.log(sum(shares)) - math.log(min(shares))
    top = (heaviest + math.log(sum(law)) - math.log(min(law))) / 2  # the spectrum begins above 1
    step = float(_STEP)
    places = range(math.floor(-_MARGIN / step), math.ceil((top + _MARGIN) / step) + 1)
    with balls.precision(_BITS):
        chances = [arb(each) / sum(law) for each in law]
        weights = [arb(sum(shares)) / each for each in shares]
        found = sum((_node(k, chances, weights) for k in places), arb(0))
        base = (-(arb.pi() ** 2) / balls.ball(_STEP)).exp()  # 2*sech(x) <= 4*e^-x
        return Fraction(balls.interval(found / (1 + 4 * base / (1 - base))).lower)


def _node(place: int, chances: list[arb], weights: list[arb]) -> arb:
    """What one node adds: (2/pi)*h*t times the sum of pi_i/(p_i + r_i), at t = e^(h*place)."""
    node = (balls.ball(_STEP) * place).exp()
    own = [node * node * chance for chance in chances]
    below = [weights[-1]] * len(own)
    for i in range(len(own) - 1, 0, -1):
        after = own[i] + below[i]
        below[i - 1] = weights[i - 1] * after / (weights[i - 1] + after)
    above, found = own[0], chances[0] / (own[0] + below[0])
    for i in range(1, len(own)):
        before = weights[i - 1]
        above = own[i] + before * above / (before + above)
        found += chances[i] / (above + below[i])
    return 2 / arb.pi() * balls.ball(_STEP) * node * found


def several_steps_bound(law: Sequence[int], allowed: Participation) -> Fraction:
    """f for the mean square of all totals, from a guess of the best U."""
    totals = moved_totals(np.array(law, np.float64) / float(sum(law)), allowed)
    left, _, right = np.linalg.svd(totals)
    guess = left @ right
    terms = guess * totals
    # Entries of X are products of a few rounded numbers: less than 16 roundings each.
    slack = 32 * _ROUNDING * math.fsum(np.abs(terms).ravel().tolist())
    trace = math.fsum(terms.ravel().tolist()) - slack
    square = _length(guess.T @ guess - np.eye(len(law))) + _gamma(len(law)) * _length(guess) ** 2
    return Fraction(max(0.0, trace / (math.sqrt(1 + square) * _SLACK**2)))


def moved_totals(law: Floats, allowed: Participation) -> Floats:
    """X, to some roundings: how a unit that begins at step b moves total t."""
    steps, apart = len(law), allowed.min_separation
    counts = np.zeros((steps, steps))
    for begin in range(steps):
        counts[begin : begin + apart * allowed.times(steps) : apart, begin] = 1
    return np.asarray(np.cumsum(counts, axis=0) * np.sqrt(law) * math.sqrt(1 / steps))


# The check


@checks(KIND)
def check(certificate: Certificate) -> str:
    """What is proved, in a sentence."""
    claim, law = certificate.claim, certificate.witness["law"]
    factor, objective = Factor(**claim["factor"]), claim["objective"]
    allowed = Participation(claim["max_participations"], claim["min_separation"])
    achieved, bound = number(claim["achieved"]), number(claim["bound"])
    several = allowed.times(factor.steps) > 1
    _require([*certificate.witness] == ["law"], "the witness")
    _require(factor.steps <= (MOST_STEPS_OF_SEVERAL if several else MOST_STEPS), "the schedule")
    _require(isinstance(law, list) and len(law) == factor.steps, "the law")
    _require(all(type(each) is int and 1 <= each <= MOST_CHANCE for each in law), "the law")
    _require(bound > 0 and claim == claim_of(factor, allowed, objective, achieved, bound), "a part")
    _require(achieved >= achieved_error(factor, allowed, objective), "the error")
    _require(bound <= proved_bound(law, allowed, objective), "the bound")
    return str(claim["statement"])


def _require(holds: bool, part: str) -> None:
    if not holds:
        raise CertificateRejected(f"This certificate proves nothing: {part} is wrong.")
