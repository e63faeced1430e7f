"""What the counts of one event prove about a promise, at a stated risk.

An event has chance p under one input and q under its neighbour. With a lower limit of p and an upper
limit of q the greatest parameter of every promise that allows them is known from below:

- (epsilon, delta)-DP: epsilon >= log((p - delta)/q).
- mu-GDP: mu >= z(p) - z(q), with the quantiles z of the standard normal law.
- rho-zCDP: rho >= D/a, for the Renyi divergence D of order a between two coins that show heads with
  chances p and q; for every a > 1.

Each grows with p and falls with q where p > q, so limits may stand for the chances.
Proof page: docs/proofs/audit.md, sections 1 and 2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.numbers import ball as balls
from leastnoise.numbers.chance import clopper_pearson
from leastnoise.numbers.exact import written
from leastnoise.numbers.inverse import bracket
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

Floats = NDArray[np.float64]

ORDERS = tuple(map(Fraction, ("11/10", "3/2", "2", "3", "4", "8", "16", "32", "64")))
_ROOM = 1 - Fraction(1, 2**30)  # for the error of a limit found in floating point
_FARTHEST = Fraction(40)  # a quantile of the normal law that no limit reaches
_LEAST = 1e-300  # a chance of 0 has no logarithm


@dataclass(frozen=True)
class Measure:
    """The parameter of a promise, and how much of it two chances show.

    Attributes:
        name: of the parameter.
        at: what it belongs to.
        promised: its value in the promise.
        proved: from limits p > q of the chances of an event, rounded down.
        rough: the same of many events in floating point, to choose by; nothing rests on it.
    """

    name: str
    at: str
    promised: Fraction
    proved: Callable[[Fraction, Fraction], Fraction]
    rough: Callable[[Floats, Floats], Floats]


def measure_of(promise: Guarantee) -> Measure:
    """The parameter of a promise that a violation exceeds."""
    match promise:
        case PureDP():
            return _of_epsilon(promise.epsilon, Fraction(0))
        case ApproxDP():
            return _of_epsilon(promise.epsilon, promise.delta)
        case GDP():
            return Measure("mu", "", promise.mu, _mu, _rough_mu)
        case ZCDP():
            return Measure("rho", "", promise.rho, _rho, _rough_rho)


def _of_epsilon(epsilon: Fraction, delta: Fraction) -> Measure:
    leak = float(delta)

    def proved(p: Fraction, q: Fraction) -> Fraction:
        if p - delta <= q:
            return Fraction(0)
        return balls.lower_end(lambda: balls.ball((p - delta) / q).log())

    def rough(p: Floats, q: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(p - leak, _LEAST)) - np.log(np.maximum(q, _LEAST)))

    return Measure(
        "epsilon", f" at delta {written(delta)}" if delta else "", epsilon, proved, rough
    )


def _mu(p: Fraction, q: Fraction) -> Fraction:
    if p <= q:
        return Fraction(0)
    return max(Fraction(0), _normal_quantile(p)[0] - _normal_quantile(q)[1])


def _normal_quantile(p: Fraction) -> tuple[Fraction, Fraction]:
    """z with P(Z <= z) = p, from below and from above."""

    def is_below(z: Fraction) -> bool:
        return balls.sign(lambda: balls.normal_tail(-balls.ball(z)) - balls.ball(p)) <= 0

    found = bracket(is_below, -_FARTHEST, _FARTHEST, bits=40)
    return Fraction(found.lower), Fraction(found.upper)


def _rough_mu(p: Floats, q: Floats) -> Floats:
    from scipy.special import ndtri

    inside = (np.clip(each, _LEAST, 1 - 1e-16) for each in (p, q))
    return np.asarray(np.subtract(*map(ndtri, inside)))


def _rho(p: Fraction, q: Fraction) -> Fraction:
    if p <= q:
        return Fraction(0)

    def at(order: Fraction) -> Callable[[], arb]:
        a = order
        pairs = [(p, q), (1 - p, 1 - q)]

        def compute() -> arb:
            logs = [balls.ball(a) * balls.ball(x).log() - balls.ball(a - 1) * balls.ball(y).log()
                    for x, y in pairs if x]  # fmt: skip
            return sum((each.exp() for each in logs), arb(0)).log() / balls.ball(a * (a - 1))

        return compute

    return max(balls.lower_end(at(order)) for order in ORDERS)


def _rough_rho(p: Floats, q: Floats) -> Floats:
    a = np.array([float(order) for order in ORDERS]).reshape(-1, *([1] * p.ndim))
    heads, tails = (
        a * np.log(np.maximum(x, _LEAST)) - (a - 1) * np.log(np.maximum(y, _LEAST))
        for x, y in ((p, q), (1 - p, 1 - q))
    )
    level = np.logaddexp(heads, tails) / (a * (a - 1))
    return np.asarray(np.where(p > q, level.max(axis=0), 0.0))


def shown(measure: Measure, hits: tuple[int, int], trials: int, risk: Fraction) -> Fraction:
    """What so many hits, under the input that makes the event likely and under the other, show.

    It exceeds what is true with a chance of at most `risk`.
    """
    over = lower_limit(hits[0], trials, risk / 2)
    under = 1 - lower_limit(trials - hits[1], trials, risk / 2)
    return measure.proved(over, under)


def lower_limit(successes: int, trials: int, risk: Fraction) -> Fraction:
    """Above the chance of a success with a chance of at most `risk`, whatever it is.

    It is found in floating point and then checked: P(X >= successes) <= risk at this chance.

    >>> round(float(lower_limit(10, 10, Fraction(1, 40))), 4)
    0.6915
    """
    from scipy.special import betaincinv

    if not successes:
        return Fraction(0)
    guess = float(betaincinv(successes, trials - successes + 1, float(risk)))
    limit = Fraction(guess) * _ROOM if 0 < guess < 1 else Fraction(0)
    with balls.precision(balls.FIRST_BITS):
        tail = balls.ball(limit).beta_lower(successes, trials - successes + 1, 1)
        if limit and tail <= balls.ball(risk):
            return limit
    return Fraction(clopper_pearson(successes, trials, 2 * risk).lower)


def rough_limits(rates: Floats, trials: int, risk: float) -> tuple[Floats, Floats]:
    """Lower and upper limits of many chances in floating point: Wilson's, to choose events by."""
    from scipy.special import ndtri

    width = -float(ndtri(risk / 2))
    square = width * width / trials
    middle = rates + square / 2
    half = width * np.sqrt(rates * (1 - rates) / trials + square / (4 * trials))
    return (
        np.maximum(middle - half, 0.0) / (1 + square),
        np.minimum((middle + half) / (1 + square), 1.0),
    )
