"""Audits by samples: events are found on some outputs and judged on others.

`black_box` draws all outputs, finds events on one half and judges them on the other by limits of
Clopper and Pearson (1934). `sequential` bets against the promise and may be stopped at any time:
outputs come in pairs, one of each input. A bet on an event and a stake s multiplies its capital by
1 + s*Z, where Z = 1[likely output in it] - e^epsilon * 1[other output in it] - delta. If the mechanism
is (epsilon, delta)-DP, Z has a mean of at most 0, so a capital of 1 ever reaches 1/risk with a chance
of at most `risk` (Ville 1939). Events and stakes are learned from pairs before those they are bet on.

Theorem: if outputs are independent and the mechanism keeps its promise for the two neighbours, a
violation is reported with a chance of at most 1 - confidence; and whatever the mechanism is, what
`black_box` shows exceeds the truth with at most that chance. Proof: docs/proofs/audit.md, sections 1
to 4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf
from typing import Any

import numpy as np
from flint import arb

from leastnoise.auditing.events import Learned, learn
from leastnoise.auditing.evidence import Audit, Measure, measure_of
from leastnoise.auditing.outputs import Ints, Outputs, Raised
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP

_MOST_EVENTS = 16  # the risk is shared among them
_NEARLY = 0.05
_TURN = 1 << 12  # outputs of one input before it is the other's turn

_FIRST_BLOCK = 256  # pairs
_GROWTH = 2  # a block has half as many as all pairs before it
_MOST_BETS = 8  # events that are bet on
_DELTAS = tuple(map(Fraction, ("1e-1", "1e-2", "1e-3", "1e-6")))  # for a promise of mu or rho
_STAKES = np.linspace(0.0, 0.98, 50)  # as parts of the greatest stake that cannot ruin


@dataclass(frozen=True)
class Subject:
    """A function of the data that is audited, and two inputs that its promise calls neighbours."""

    function: Callable[..., Any]
    neighbours: tuple[Any, Any]
    vectorised: bool  # whether the function takes size= and gives so many outputs at once

    def draw(self, count: int) -> tuple[Outputs, Outputs]:
        """So many outputs of each input, by turns, so that slow changes meet both alike."""
        drawn: tuple[list[Outputs], list[Outputs]] = ([], [])
        for turn, start in enumerate(range(0, count, _TURN)):
            for side in (0, 1) if turn % 2 == 0 else (1, 0):
                drawn[side].append(self._outputs(side, min(_TURN, count - start)))
        return joined(drawn[0]), joined(drawn[1])

    def _outputs(self, side: int, count: int) -> Outputs:
        data = self.neighbours[side]
        if not self.vectorised:
            return [self._one(data) for _ in range(count)]
        try:
            outputs = self.function(data, size=count)
        except (Exception, SystemExit) as error:
            raise InvalidInput(
                f"With size={count} the function raises {type(error).__name__}. Call it by hand."
            ) from error
        if not hasattr(outputs, "__len__") or len(outputs) != count:
            raise InvalidInput(f"With size={count} the function must give {count} outputs.")
        return outputs if isinstance(outputs, np.ndarray) else list(outputs)

    def _one(self, data: Any) -> Any:
        try:
            return self.function(data)
        except (Exception, SystemExit) as error:  # whether data make it fail can be seen by others
            return Raised(type(error).__name__)


def joined(pieces: list[Outputs]) -> Outputs:
    """The outputs of several draws as one."""
    known = [piece for piece in pieces if len(piece)]
    if all(isinstance(piece, np.ndarray) for piece in known):
        return np.concatenate([np.asarray(piece) for piece in known])
    return [output for piece in known for output in piece]


def _refuse_failures(sides: tuple[Outputs, Outputs]) -> None:
    """A function that always fails is no mechanism."""
    kinds = {each.kind if isinstance(each, Raised) else "" for side in sides for each in side}
    if len(kinds) == 1 and "" not in kinds:
        raise InvalidInput(f"The function always raises {kinds.pop()}. Call it once by hand.")


def _report(
    promise: Guarantee, measure: Measure, violated: bool, shown: Fraction, risk: Fraction,
    samples: int, event: str,
) -> Audit:  # fmt: skip
    return Audit(
        promise=promise,
        violated=violated,
        proved=False,
        measure=measure.name,
        at=measure.at,
        found=Interval(shown, inf),
        allowed=measure.promised,
        how=f"confidence {written(1 - risk)}, {samples:,} outputs",
        where=f"event: {event}",
        samples=samples,
    )


# All outputs at once


def black_box(subject: Subject, promise: Guarantee, samples: int, risk: Fraction) -> Audit:
    """Holds a promise against `samples` outputs, one half of them of each input."""
    sides = subject.draw(samples // 2)
    _refuse_failures(sides)
    half, measure = samples // 4, measure_of(promise)
    found = learn(
        (sides[0][:half], sides[1][:half]), measure.worth(risk / _MOST_EVENTS), _MOST_EVENTS
    )
    fresh = sides[0][half:], sides[1][half:]
    trials = len(fresh[0])
    hits = [(int(both + one), int(both + other)) for both, one, other, _ in found.counts(fresh)]
    # Only the event that shows most is reported. All of them have their share of the risk.
    each_risk = risk / len(hits)
    over, under = np.array(hits, dtype=np.float64).T
    rough = measure.worth(each_risk)(over, under, trials)
    # Of events that show nearly the same, the one with the shortest description.
    near = rough.max() - _NEARLY * max(0.0, rough.max() - float(measure.promised))
    best = min(np.flatnonzero(rough >= near), key=lambda place: len(found.events[place].text))
    shown = measure.shown(hits[best], trials, each_risk)
    violated, event = shown > measure.promised, found.events[best].text
    return _report(promise, measure, violated, shown, risk, samples, event)


# Bets


@dataclass(frozen=True)
class Bet:
    """On one event, against (epsilon, delta)-DP, with a stake below 1/(e^epsilon + delta)."""

    event: int
    claim: ApproxDP
    stake: Fraction

    def log_growth(self, counts: Ints) -> arb:
        """The logarithm of what a capital of 1 has become after so many pairs of each kind."""
        rate, leak = balls.ball(self.stake), balls.ball(self.claim.delta)
        growth = balls.ball(self.claim.epsilon).exp()
        cases = (1 - growth - leak, 1 - leak, -growth - leak, -leak)
        pairs = zip(counts[self.event].tolist(), cases, strict=True)
        return sum((count * (1 + rate * z).log() for count, z in pairs if count), arb(0))


def sequential(subject: Subject, promise: Guarantee, samples: int, risk: Fraction) -> Audit:
    """Draws until there is evidence against a promise, and at most `samples` outputs."""
    claims, measure = implied(promise), measure_of(promise)
    worth = measure.worth(risk)
    drawn, log_capital, event = 0, arb(0), "none yet"
    seen: tuple[Outputs, Outputs] = ([], [])
    found, bets, refuted = None, list[Bet](), False
    while not refuted and drawn < samples // 2:
        size = min(max(_FIRST_BLOCK, drawn // _GROWTH), samples // 2 - drawn)
        block = subject.draw(size)
        drawn += size
        if found and bets:
            gain, best = settled(bets, found.counts(block))
            event = found.events[best.event].text
            with balls.precision(balls.FIRST_BITS):
                log_capital += gain
                refuted = bool(log_capital > -balls.ball(risk).log())
        if not found:
            _refuse_failures(block)
        seen = joined([seen[0], block[0]]), joined([seen[1], block[1]])
        if not refuted:
            found = learn(seen, worth, _MOST_BETS)
            bets = _bets(found, seen, claims)
    shown = measure.promised if refuted else Fraction(0)
    return _report(promise, measure, refuted, shown, risk, 2 * drawn, event)


def implied(promise: Guarantee) -> list[ApproxDP]:
    """The claims that are bet against; of a promise of mu or rho, some that it implies."""
    if isinstance(promise, PureDP | ApproxDP):
        return [ApproxDP(epsilon=promise.epsilon, delta=getattr(promise, "delta", 0))]
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


def best_stake(claim: ApproxDP, counts: Ints) -> tuple[Fraction, float]:
    """The stake that would have gained most on these pairs, and how much for each pair.

    In floating point: any stake below the greatest is fair.
    """
    growth, leak = exp(min(float(claim.epsilon), 700)), float(claim.delta)
    stakes = _STAKES / (growth + leak)
    cases = np.array([1 - growth - leak, 1 - leak, -growth - leak, -leak])
    mean = np.log1p(np.outer(stakes, cases)) @ ((counts + 0.25) / (counts.sum() + 1))
    best = int(np.argmax(mean))
    return Fraction(float(stakes[best])), float(mean[best])


def settled(bets: list[Bet], counts: Ints) -> tuple[arb, Bet]:
    """The log of what a capital becomes that is divided equally among bets; and the best of them."""
    with balls.precision(balls.FIRST_BITS):
        logs = [bet.log_growth(counts) for bet in bets]
        best = max(range(len(bets)), key=lambda place: float(logs[place].mid()))
        total = sum(((each - logs[best]).exp() for each in logs), arb(0))
        return logs[best] + (total / len(bets)).log(), bets[best]
