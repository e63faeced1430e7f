"""`JudgedEvent`: one event, how often it happened under each input, and what follows."""

import math
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.binomial_ends import lower_end, upper_end
from leastnoise.numeric import ball as balls


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
