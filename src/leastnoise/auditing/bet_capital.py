"""Bets on events being too likely, and `BetCapital`: what a stake of 1 has become."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.columns import Floats
from leastnoise.numeric import ball as balls

_BITS = 128  # logarithms of up to millions of bets keep their digits
_FRACTIONS = np.linspace(0.0, 0.98, 50)  # of the greatest stake that cannot ruin


@dataclass(frozen=True)
class PairCounts:
    """How many pairs of outputs had a hit on both sides, on one, or on none.

    Attributes:
        both: in the event under both inputs.
        likely: only under the input that makes it likely.
        other: only under the other.
        neither: under none.
    """

    both: int = 0
    likely: int = 0
    other: int = 0
    neither: int = 0

    @classmethod
    def of(cls, likely: np.ndarray, other: np.ndarray) -> "PairCounts":
        """The counts of two rows of hits, paired in order."""
        both, one, two = (int((likely & other).sum()), int(likely.sum()), int(other.sum()))
        return cls(both, one - both, two - both, likely.size - one - two + both)

    def __add__(self, more: "PairCounts") -> "PairCounts":
        return PairCounts(
            self.both + more.both,
            self.likely + more.likely,
            self.other + more.other,
            self.neither + more.neither,
        )

    @property
    def pairs(self) -> int:
        """How many there are."""
        return self.both + self.likely + self.other + self.neither

    @property
    def rates(self) -> tuple[float, float]:
        """The frequency of the event under the input that makes it likely, and under the other."""
        total = max(1, self.pairs)
        return (self.both + self.likely) / total, (self.both + self.other) / total


def log_growth(counts: PairCounts, stake: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    r"""The sum of ln(1 + λ·Zₜ), Z = 1[likely hit] − e^ε·1[other hit] − δ, as a ball.

    Theorem: if the mechanism is (ε, δ)-DP and 0 ≤ λ < 1/(e^ε + δ), each factor is positive and has
    mean at most 1, whatever the event and λ were before the pair was drawn.
    Proof: docs/proofs/auditing.md, section 3.
    """
    if not stake:
        return arb(0)
    rate, leak = balls.ball(stake), balls.ball(delta)
    growth = balls.ball(epsilon).exp()
    cases = (
        (counts.both, 1 - growth - leak),
        (counts.likely, 1 - leak),
        (counts.other, -growth - leak),
        (counts.neither, -leak),
    )
    return sum((count * (1 + rate * z).log() for count, z in cases if count), arb(0))


def best_stakes(counts: PairCounts, promise: AuditedPromise) -> tuple[Fraction, Fraction]:
    r"""The stake that would have grown most on these pairs, and half of it (Kelly's rule).

    Both are below 1/(e^ε + δ). They are found in floating point: any stake is fair.
    """
    stakes, gains = _growth_table(promise.epsilon, promise.delta)
    over, under = counts.rates
    odds = (over * under, over * (1 - under), (1 - over) * under, (1 - over) * (1 - under))
    best = Fraction(float(stakes[int(np.argmax(gains @ odds))]))
    return best, best / 2


@lru_cache(maxsize=256)
def _growth_table(epsilon: Fraction, delta: Fraction) -> tuple[Floats, Floats]:
    """Stakes, and ln(1 + stake·Z) for each of them in the four cases."""
    growth, leak = math.exp(epsilon), float(delta)
    gains = np.array([1 - growth - leak, 1 - leak, -growth - leak, -leak])
    stakes = _FRACTIONS / (growth + leak)
    return stakes, np.log1p(np.outer(stakes, gains))


@dataclass
class BetCapital:
    """The evidence against one promise: it exceeds 1/risk with probability at most `risk`.

    Within a block every bet keeps its own winnings; between blocks all are put together and
    divided anew. Only `settled` and the counts of the current block are kept.
    """

    promise: AuditedPromise
    settled: arb
    stakes: tuple[tuple[int, Fraction], ...] = ()
    refuted: bool = False

    @classmethod
    def against(cls, promise: AuditedPromise, epsilon: Fraction) -> "BetCapital":
        """A stake of 1 against (epsilon, δ)-DP."""
        return cls(replace(promise, epsilon=epsilon), arb(0))

    def place(self, learned: Sequence[PairCounts]) -> None:
        """Divide the capital among bets on the events, as the counts of earlier pairs suggest."""
        self.stakes = tuple(
            (event, stake)
            for event, counts in enumerate(learned)
            for stake in best_stakes(counts, self.promise)
        )

    def log(self, counts: Sequence[PairCounts]) -> arb:
        """The logarithm of the whole capital, with these counts in the current block."""
        if not self.stakes:
            return self.settled
        promise = self.promise
        logs = [
            log_growth(counts[event], stake, promise.epsilon, promise.delta)
            for event, stake in self.stakes
        ]
        greatest = max(float(value.mid()) for value in logs)
        total = sum(((value - greatest).exp() for value in logs), arb(0))
        return self.settled + greatest + (total / len(logs)).log()

    def look(self, counts: Sequence[PairCounts]) -> float:
        """Note whether the promise is refuted by now; log10 of the capital."""
        with balls.precision(_BITS):
            value = self.log(counts)
            self.refuted |= bool(value > -balls.ball(self.promise.risk).log())
            return float(value.mid()) / math.log(10)

    def settle(self, counts: Sequence[PairCounts]) -> None:
        """Put all winnings together at the end of a block."""
        with balls.precision(_BITS):
            self.settled, self.stakes = self.log(counts), ()
