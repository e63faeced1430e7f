"""Sequential audits: bets against a promise, which may be stopped at any time.

Outputs come in pairs, one of each input. A bet on an event and a stake s multiplies its capital by
1 + s*Z, where Z = 1[likely output in it] - e^epsilon * 1[other output in it] - delta. If the mechanism
is (epsilon, delta)-DP, Z has a mean of at most 0, so a capital of 1 ever reaches 1/risk with a chance
of at most `risk` (Ville 1939). Events and stakes are learned from pairs before those they are bet on.

A promise of mu or rho implies (epsilon, delta)-DP at many epsilons; bets are laid against some.
Proof: docs/proofs/audit.md, section 4.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.auditing.black_box import Subject, joined, refuse_failures
from leastnoise.auditing.events import Learned, learn
from leastnoise.auditing.evidence import measure_of
from leastnoise.auditing.outputs import Outputs
from leastnoise.auditing.report import Audit
from leastnoise.numbers import ball as balls
from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

Tally = NDArray[np.int64]

_FIRST_BLOCK = 256  # pairs
_GROWTH = 2  # a block has half as many as all pairs before it
_EVENTS = 8
_DELTAS = tuple(map(Fraction, ("1e-1", "1e-2", "1e-3", "1e-6")))  # for a promise of mu or rho
_STAKES = np.linspace(0.0, 0.98, 50)  # as parts of the greatest stake that cannot ruin


@dataclass(frozen=True)
class Bet:
    """On one event, against (epsilon, delta)-DP, with a stake below 1/(e^epsilon + delta)."""

    event: int
    claim: ApproxDP
    stake: Fraction

    def log_growth(self, counts: Tally) -> arb:
        """The logarithm of what a capital of 1 has become after so many pairs of each kind."""
        rate, leak = balls.ball(self.stake), balls.ball(self.claim.delta)
        growth = balls.ball(self.claim.epsilon).exp()
        cases = (1 - growth - leak, 1 - leak, -growth - leak, -leak)
        pairs = zip(counts[self.event].tolist(), cases, strict=True)
        return sum((count * (1 + rate * z).log() for count, z in pairs if count), arb(0))


def best_stake(claim: ApproxDP, counts: Tally) -> tuple[Fraction, float]:
    """The stake that would have gained most on these pairs, and how much for each pair.

    In floating point: any stake below the greatest is fair.
    """
    growth, leak = exp(min(float(claim.epsilon), 700)), float(claim.delta)
    stakes = _STAKES / (growth + leak)
    cases = np.array([1 - growth - leak, 1 - leak, -growth - leak, -leak])
    mean = np.log1p(np.outer(stakes, cases)) @ ((counts + 0.25) / (counts.sum() + 1))
    best = int(np.argmax(mean))
    return Fraction(float(stakes[best])), float(mean[best])


def sequential(subject: Subject, promise: Guarantee, samples: int, risk: Fraction) -> Audit:
    """Draws until there is evidence against a promise, and at most `samples` outputs."""
    claims, measure = implied(promise), measure_of(promise)
    level = measure.worth(risk)
    drawn, log_capital, text = 0, arb(0), "none yet"
    seen: tuple[Outputs, Outputs] = ([], [])
    found, bets, refuted = None, list[Bet](), False
    while not refuted and drawn < samples // 2:
        size = min(max(_FIRST_BLOCK, drawn // _GROWTH), samples // 2 - drawn)
        block = subject.draw(size)
        drawn += size
        if found and bets:
            gain, best = settled(bets, found.counts(block))
            text = found.events[best.event].text
            with balls.precision(balls.FIRST_BITS):
                log_capital += gain
                refuted = bool(log_capital > -balls.ball(risk).log())
        if not found:
            refuse_failures(block)
        seen = joined([seen[0], block[0]]), joined([seen[1], block[1]])
        found = learn(seen, level, _EVENTS)
        bets = _bets(found, seen, claims)
    return Audit(
        promise=promise,
        violated=refuted,
        proved=False,
        measure=measure.name,
        at=measure.at,
        found=Interval(measure.promised if refuted else Fraction(0), inf),
        allowed=measure.promised,
        how=f"confidence {written(1 - risk)}, {2 * drawn:,} outputs",
        where=f"event: {text}",
        samples=2 * drawn,
    )


def implied(promise: Guarantee) -> list[ApproxDP]:
    """The claims that are bet against."""
    match promise:
        case PureDP():
            return [ApproxDP(epsilon=promise.epsilon)]
        case ApproxDP():
            return [promise]
        case GDP() | ZCDP():
            found = [convert(promise, ApproxDP, delta=delta) for delta in _DELTAS]
            return [each for each in found if isinstance(each, ApproxDP)]


def _bets(found: Learned, sides: tuple[Outputs, Outputs], claims: list[ApproxDP]) -> list[Bet]:
    """Kelly's stake on each event that would have gained, against the best claim, and half of it."""
    bets = []
    for event, counts in enumerate(found.counts(sides)):
        known = [(claim, *best_stake(claim, counts)) for claim in claims]
        claim, stake, gain = max(known, key=lambda each: each[2])
        if gain > 0:
            bets += [Bet(event, claim, stake), Bet(event, claim, stake / 2)]
    return bets


def settled(bets: list[Bet], counts: Tally) -> tuple[arb, Bet]:
    """The log of what a capital becomes that is divided equally among bets; and the best of them."""
    with balls.precision(balls.FIRST_BITS):
        logs = [bet.log_growth(counts) for bet in bets]
        best = max(range(len(bets)), key=lambda place: float(logs[place].mid()))
        total = sum(((each - logs[best]).exp() for each in logs), arb(0))
        return logs[best] + (total / len(bets)).log(), bets[best]
