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
from functools import cached_property
from math import exp, inf

import numpy as np
from flint import arb

from leastnoise.auditing.black_box import Subject, joined, refuse_failures, worth
from leastnoise.auditing.events import Learned, learn
from leastnoise.auditing.evidence import Floats, measure_of
from leastnoise.auditing.outputs import Outputs
from leastnoise.auditing.report import Audit
from leastnoise.numbers import ball as balls
from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

_FIRST_BLOCK = 256  # pairs
_GROWTH = 4  # a block has a quarter of all pairs before it
_REMEMBERED = 1 << 16  # pairs that are learned from
_EVENTS = 8
_DELTAS = tuple(map(Fraction, ("1e-1", "1e-2", "1e-3", "1e-6")))  # for a promise of mu or rho
_STAKES = np.linspace(0.0, 0.98, 50)  # as parts of the greatest stake that cannot ruin


@dataclass(frozen=True)
class Bet:
    """On one event, against (epsilon, delta)-DP, with a stake below 1/(e^epsilon + delta)."""

    event: int
    claim: ApproxDP
    stake: Fraction

    def log_growth(self, counts: np.ndarray) -> arb:
        """The logarithm of what a capital of 1 has become after so many pairs of each kind."""
        rate, leak = balls.ball(self.stake), balls.ball(self.claim.delta)
        growth = balls.ball(self.claim.epsilon).exp()
        cases = (1 - growth - leak, 1 - leak, -growth - leak, -leak)
        pairs = zip(counts[self.event].tolist(), cases, strict=True)
        return sum((count * (1 + rate * z).log() for count, z in pairs if count), arb(0))


@dataclass(frozen=True)
class Gains:
    """What stakes gain, in floating point: any stake is fair, so this may be wrong."""

    claim: ApproxDP

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        growth, leak = exp(min(self.claim.epsilon, 700)), float(self.claim.delta)
        stakes = _STAKES / (growth + leak)
        cases = np.array([1 - growth - leak, 1 - leak, -growth - leak, -leak])
        return stakes, np.log1p(np.outer(stakes, cases))

    def best(self, counts: np.ndarray) -> tuple[Fraction, float]:
        """The stake that would have gained most on these pairs, and how much for each pair."""
        stakes, gains = self._table
        mean = gains @ ((counts + 0.25) / (counts.sum() + 1))
        best = int(np.argmax(mean))
        return Fraction(float(stakes[best])), float(mean[best])


def sequential(subject: Subject, promise: Guarantee, samples: int, risk: Fraction) -> Audit:
    """Draws until there is evidence against a promise, and at most `samples` outputs."""
    gains = [Gains(claim) for claim in _implied(promise)]
    measure = measure_of(promise)
    level = worth(measure, risk)
    drawn, log_capital, text = 0, arb(0), "none yet"
    memory: list[tuple[Outputs, Outputs]] = []
    found, bets, refuted = None, [], False
    while not refuted and drawn < samples // 2:
        size = min(max(_FIRST_BLOCK, drawn // _GROWTH), samples // 2 - drawn)
        block = subject.draw(size)
        drawn += size
        if found and bets:
            counts = found.counts(block)
            log_capital, best = _settled(log_capital, bets, counts)
            text = found.candidates[best.event].event.text
            with balls.precision(balls.FIRST_BITS):
                refuted = bool(log_capital > -balls.ball(risk).log())
        memory = _kept([*memory, block])
        sides = joined([one for one, _ in memory]), joined([other for _, other in memory])
        if not found:
            refuse_failures(sides)
        found = learn(sides, level, _EVENTS)
        bets = _bets(found, sides, gains)
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


def _implied(promise: Guarantee) -> list[ApproxDP]:
    """The claims that are bet against."""
    match promise:
        case PureDP():
            return [ApproxDP(epsilon=promise.epsilon)]
        case ApproxDP():
            return [promise]
        case GDP() | ZCDP():
            found = [convert(promise, ApproxDP, delta=delta) for delta in _DELTAS]
            return [each for each in found if isinstance(each, ApproxDP)]


def _bets(found: Learned, sides: tuple[Outputs, Outputs], gains: list[Gains]) -> list[Bet]:
    """Kelly's stake on each event that would have gained, against the best claim, and half of it."""
    bets = []
    for event, counts in enumerate(found.counts(sides)):
        known = [(each.claim, *each.best(counts)) for each in gains]
        claim, stake, gain = max(known, key=lambda each: each[2])
        if gain > 0:
            bets += [Bet(event, claim, stake), Bet(event, claim, stake / 2)]
    return bets


def _settled(log_capital: arb, bets: list[Bet], counts: np.ndarray) -> tuple[arb, Bet]:
    """The capital after a block, divided equally among the bets before it; and the best bet."""
    with balls.precision(balls.FIRST_BITS):
        logs = [bet.log_growth(counts) for bet in bets]
        best = max(range(len(bets)), key=lambda place: float(logs[place].mid()))
        total = sum(((each - logs[best]).exp() for each in logs), arb(0))
        return log_capital + logs[best] + (total / len(bets)).log(), bets[best]


def _kept(memory: list[tuple[Outputs, Outputs]]) -> list[tuple[Outputs, Outputs]]:
    """The last blocks, so that memory is bounded."""
    while len(memory) > 1 and sum(len(one) for one, _ in memory[1:]) >= _REMEMBERED:
        memory = memory[1:]
    return memory
