"""What is known of a promise: what the counts of an event prove, and `Audit`, the report.

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
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isinf
from textwrap import fill

import numpy as np
from flint import arb

from leastnoise.auditing.outputs import Floats
from leastnoise.numbers import ball as balls
from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import End, Interval
from leastnoise.numbers.inverse import bracket
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

ORDERS = tuple(map(Fraction, ("11/10", "3/2", "2", "3", "4", "8", "16")))
_ROOM = 1 - Fraction(1, 2**30)  # for the error of a limit found in floating point
_FARTHEST = Fraction(40)  # a quantile of the normal law that no limit reaches
_LEAST = 1e-300  # a chance of 0 has no logarithm
_WIDTH = 80  # columns
_MOST_TEXT = 240  # characters of the event or the neighbours


@dataclass(frozen=True)
class Measure:
    """The parameter of a promise, and how much of it the two chances of an event show."""

    name: str
    at: str  # what it belongs to
    promised: Fraction
    proved: Callable[[Fraction, Fraction], Fraction]  # from limits p > q, rounded down
    rough: Callable[[Floats, Floats], Floats]  # in floating point, to choose by

    def shown(self, hits: tuple[int, int], trials: int, risk: Fraction) -> Fraction:
        """What so many hits, under the input that makes the event likely and the other, show.

        It exceeds what is true with a chance of at most `risk`.
        """
        over = lower_limit(hits[0], trials, risk / 2)
        under = 1 - lower_limit(trials - hits[1], trials, risk / 2)
        return self.proved(over, under)

    def worth(self, risk: Fraction) -> Callable[[Floats, Floats, int], Floats]:
        """What many hits seem to show, by Wilson's limits in floating point."""
        from scipy.special import ndtri

        width = -float(ndtri(float(risk) / 2))

        def level(over: Floats, under: Floats, trials: int) -> Floats:
            square = width * width / trials
            ends = []
            for rate, side in ((over / trials, -1), (under / trials, 1)):
                half = width * np.sqrt(rate * (1 - rate) / trials + square / (4 * trials))
                ends.append(np.clip((rate + square / 2 + side * half) / (1 + square), 0.0, 1.0))
            return self.rough(ends[0], ends[1])

        return level


def measure_of(promise: Guarantee) -> Measure:
    """The parameter of a promise that a violation exceeds."""
    match promise:
        case PureDP() | ApproxDP():
            return _of_epsilon(promise.epsilon, getattr(promise, "delta", Fraction(0)))
        case GDP():
            return Measure("mu", "", promise.mu, _mu, _rough_mu)
        case ZCDP():
            # To choose by: mu-GDP is mu^2/2-zCDP.
            return Measure(
                "rho", "", promise.rho, _rho, lambda p, q: np.maximum(_rough_mu(p, q), 0.0) ** 2 / 2
            )


def _of_epsilon(epsilon: Fraction, delta: Fraction) -> Measure:
    def proved(p: Fraction, q: Fraction) -> Fraction:
        if p - delta <= q:
            return Fraction(0)
        return balls.lower_end(lambda: balls.ball((p - delta) / q).log())

    def rough(p: Floats, q: Floats) -> Floats:
        over, under = np.maximum(p - float(delta), _LEAST), np.maximum(q, _LEAST)
        return np.asarray(np.log(over) - np.log(under))

    at = f" at delta {written(delta)}" if delta else ""
    return Measure("epsilon", at, epsilon, proved, rough)


def _mu(p: Fraction, q: Fraction) -> Fraction:
    if p <= q:
        return Fraction(0)

    def quantile(chance: Fraction) -> Interval:
        def is_below(z: Fraction) -> bool:
            return balls.sign(lambda: balls.normal_tail(-balls.ball(z)) - balls.ball(chance)) <= 0

        return bracket(is_below, -_FARTHEST, _FARTHEST, bits=40)

    return max(Fraction(0), Fraction(quantile(p).lower) - Fraction(quantile(q).upper))


def _rough_mu(p: Floats, q: Floats) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(p, _LEAST, 1 - 1e-16)) - ndtri(np.clip(q, _LEAST, 1 - 1e-16)))


def _rho(p: Fraction, q: Fraction) -> Fraction:
    if p <= q:
        return Fraction(0)

    def level(order: Fraction) -> Callable[[], arb]:
        def term(x: Fraction, y: Fraction) -> arb:
            return (balls.ball(order) * balls.ball(x / y).log()).exp() * balls.ball(y)

        def compute() -> arb:
            total = term(p, q) + (term(1 - p, 1 - q) if p < 1 else 0)
            return total.log() / balls.ball(order * (order - 1))

        return compute

    return max(balls.lower_end(level(order)) for order in ORDERS)


def lower_limit(successes: int, trials: int, risk: Fraction) -> Fraction:
    """Above the chance of a success with a chance of at most `risk`, whatever it is.

    It is found in floating point and then checked: P(X >= successes) <= risk at this chance; else 0.

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
        return limit if tail <= balls.ball(risk) else Fraction(0)


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit found out about a promise. Print it.

    Attributes:
        promise: what was promised.
        violated: whether it is refuted: by a proof, or at the stated confidence.
        proved: whether the verdict is proved, for all neighbours that were looked at.
        measure: the number that is compared: epsilon, delta, mu or rho.
        at: what it belongs to, such as the epsilon of a delta.
        found: what is known of the measure; audits by samples know a lower end.
        allowed: the greatest value of the measure that the promise allows.
        how: how it is known.
        where: the event or the neighbours where the measure is greatest.
        samples: how many outputs were drawn.
    """

    promise: Guarantee
    violated: bool
    proved: bool
    measure: str
    at: str
    found: Interval
    allowed: Fraction
    how: str
    where: str
    samples: int = 0

    def __repr__(self) -> str:
        lower, upper = rounded(self.found.lower), rounded(self.found.upper, up=True)
        if self.violated:
            sign = ">=" if self.found.lower > self.allowed else ">"
            verdict, known = "violation", f"{sign} {lower}"
        elif isinf(self.found.upper):
            verdict, known = "no violation found", f">= {lower} is shown"
        else:
            verdict, known = f"no violation{'' if self.proved else ' found'}", f"<= {upper}"
        promised = f"{self.measure} = {rounded(self.allowed, up=True)} was promised ({self.how})"
        where = self.where if len(self.where) <= _MOST_TEXT else f"{self.where[:_MOST_TEXT]}..."
        text = f"{verdict}: {self.measure} {known}{self.at} where {promised}"
        return fill(f"{text}; {where}" if where else text, _WIDTH)


def rounded(value: End, *, up: bool = False, digits: int = 4) -> str:
    """A number in a few digits, rounded so that what is said with it stays true.

    >>> rounded(Fraction(2, 3)), rounded(Fraction(2, 3), up=True), rounded(Fraction(1, 10**6))
    ('0.6666', '0.6667', '1e-06')
    """
    if isinstance(value, float):
        return "infinity" if value > 0 else "-infinity"
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    short = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return written(Fraction(short))
