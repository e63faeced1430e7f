"""`JudgedEvent`: one event, how often it happened under each input, and what follows."""

import math
from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.numeric import ball as balls
from leastnoise.numeric.clopper_pearson import clopper_pearson

_FIRST_ROOM = Fraction(1, 2**30)  # room for the float inverse to be off
_TRIES = 3  # with 256 times the room each


@dataclass(frozen=True)
class JudgedEvent:
    r"""An event S, likely under one input, tested on fresh outputs of both.

    Attributes:
        words: the condition that makes up S.
        likely: 0 or 1, the place in `neighbours` of the input under which S is the more likely.
        trials: fresh outputs drawn for each input.
        hits: how many of them were in S, under the likely input and under the other.
        chance: a lower bound on the probability of S under the likely input.
        other_chance: an upper bound on it under the other.
        epsilon_lower: no (ε, δ)-DP mechanism with a smaller ε has such probabilities.
    """

    words: str
    likely: int
    trials: int
    hits: tuple[int, int]
    chance: Fraction
    other_chance: Fraction
    epsilon_lower: Fraction


def judged_event(
    words: str, likely: int, trials: int, hits: tuple[int, int], promise: AuditedPromise
) -> JudgedEvent:
    r"""What the counts prove, but for the promise's risk.

    Theorem: for every event fixed before the trials and all probabilities p, q of it under the two
    inputs, with probability at least 1 − risk both bounds hold, and then every ε for which
    p ≤ e^ε·q + δ is at least ln((chance − δ)/other_chance).
    Proof: docs/proofs/auditing.md, section 1.
    """
    share = promise.risk / 2  # one half for each of the two bounds
    over = lower_end(hits[0], trials, share)
    under = upper_end(hits[1], trials, share)
    return JudgedEvent(
        words, likely, trials, hits, over, under, least_loss(over, under, promise.delta)
    )


def least_loss(over: Fraction, under: Fraction, delta: Fraction) -> Fraction:
    """A lower bound on ln((over − δ)/under), not below 0."""
    if over - delta <= under:
        return Fraction(0)
    ratio = (over - delta) / under
    found = balls.enclosure(lambda: balls.ball(ratio).log()).lower
    assert found != -math.inf  # a ratio above 1 has a finite logarithm
    return max(Fraction(0), Fraction(found))


def lower_end(successes: int, trials: int, risk: Fraction) -> Fraction:
    r"""A number that exceeds the probability of success with probability at most `risk`.

    Theorem: if P(X ≥ x) ≤ risk at success probability λ(x) for every x ≥ 1, λ(0) = 0 and λ does
    not decrease with x, then for every true p, P(λ(X) > p) ≤ risk.
    Proof: docs/proofs/auditing.md, section 1.

    The end is found in floating point and then proved by one ball.

    References: ClopperPearson1934.

    Example:
        >>> round(float(lower_end(10, 10, Fraction(1, 40))), 4)
        0.6915
    """
    if not successes:
        return Fraction(0)
    guess, room = _guess(successes, trials, risk), _FIRST_ROOM
    for _ in range(_TRIES):
        end = guess * (1 - room)
        if _tail_at_most(successes, trials, end, risk):
            return end
        room *= 1 << 8
    return clopper_pearson(successes, trials, 2 * risk)[0]


def upper_end(successes: int, trials: int, risk: Fraction) -> Fraction:
    """A number that falls short of the probability of success with probability at most `risk`.

    Example:
        >>> round(float(upper_end(0, 10, Fraction(1, 40))), 4)
        0.3085
    """
    return 1 - lower_end(trials - successes, trials, risk)


def _guess(successes: int, trials: int, risk: Fraction) -> Fraction:
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    return Fraction(float(betaincinv(successes, trials - successes + 1, float(risk))))


def _tail_at_most(successes: int, trials: int, chance: Fraction, risk: Fraction) -> bool:
    """Whether P(X ≥ successes) ≤ risk, proved."""
    if not 0 < chance < 1:
        return chance <= 0
    with balls.precision(balls.FIRST_PRECISION):
        tail: arb = balls.ball(chance).beta_lower(successes, trials - successes + 1, 1)
        return bool(tail <= balls.ball(risk))
