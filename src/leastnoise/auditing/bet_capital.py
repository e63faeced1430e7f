"""`BetCapital`: what a stake of 1 against a promise has become, block after block of bets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.bet import PairCounts, best_stakes, log_growth
from leastnoise.numeric import ball as balls

_BITS = 128


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
