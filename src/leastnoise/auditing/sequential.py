"""`sequential`: bets against the promise, until there is evidence or the limit is reached."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise.auditing.audit_report import Audit
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.bet_capital import BetCapital, PairCounts
from leastnoise.auditing.black_box import draw_both, joined
from leastnoise.auditing.learning import Learned, learn, loss_evidence
from leastnoise.auditing.limit import Limit
from leastnoise.auditing.outputs import Feature, Outputs
from leastnoise.auditing.power import Power
from leastnoise.auditing.progress import Progress, silent
from leastnoise.auditing.subject import Subject

_FIRST_BLOCK = 256  # pairs; each next block is twice as long
_LAST_BLOCK = 1 << 16  # so that memory is bounded
_LOOKS = 16  # at the evidence in each block
_EVENTS = 8  # that the capital is shared among
_GRID = 16  # ε is bounded to a sixteenth of the promise
_MOST_POINTS = 2000  # of the path that is drawn


def sequential(
    subject: Subject,
    promise: AuditedPromise,
    *,
    limit: Limit,
    features: tuple[Feature, ...] = (),
    progress: Progress,
) -> Audit:
    r"""Draw pair after pair, bet on events that earlier pairs suggest, and stop at evidence.

    Theorem: if the outputs are independent and the mechanism is (ε, δ)-DP for the pair of
    neighbours, the audit reports `violated` with probability at most 1 − confidence, however often
    one looks and whenever one stops; and `epsilon_lower` exceeds the least ε that the mechanism
    keeps at δ with at most that probability.
    Proof: docs/proofs/auditing.md, section 3.

    What it remembers does not grow with the number of outputs.

    References: Ville1939.
    """
    run = _Run(subject, promise, limit, progress)
    size = _FIRST_BLOCK
    while run.going:
        outputs = run.block(size)
        if run.going:
            run.learn(*outputs, features)
        size = min(2 * size, _LAST_BLOCK)
    return run.report()


class _Run:
    """One sequential audit: the capital against the promise, and against each ε of a grid."""

    def __init__(
        self, subject: Subject, promise: AuditedPromise, limit: Limit, progress: Progress
    ) -> None:
        self.subject, self.promise, self.limit, self.progress = subject, promise, limit, progress
        # One half of the risk for the verdict, one for the bound on ε.
        half = replace(promise, risk=promise.risk / 2)
        self.main = BetCapital.against(half, promise.epsilon)
        self.grid = [BetCapital.against(half, point) for point in _grid(promise.epsilon)]
        self.drawn = self.betting = 0
        self.path: list[tuple[int, float]] = []
        self.learned: Learned | None = None
        self.known: list[PairCounts] = []
        self.counts: list[PairCounts] = []

    @property
    def going(self) -> bool:
        return not self.main.refuted and not self.limit.reached(self.drawn)

    def block(self, size: int) -> tuple[Outputs, Outputs]:
        """Draw a block, look at the evidence several times on the way, settle the bets."""
        self.counts = [PairCounts() for _ in self.known]
        pieces: list[tuple[Outputs, Outputs]] = []
        total = 0
        while total < size and self.going:
            pairs = self.limit.pairs(self.drawn, min(max(1, size // _LOOKS), size - total))
            pieces.append(draw_both(self.subject, pairs, silent))
            total, self.drawn = total + pairs, self.drawn + 2 * pairs
            self.progress(self.drawn, int(min(self.limit.samples, 1 << 62)))
            self._look(*pieces[-1])
        for capital in (self.main, *self.grid):
            capital.look(self.counts)
            capital.settle(self.counts)
        return joined([one for one, _ in pieces]), joined([other for _, other in pieces])

    def _look(self, one: Outputs, other: Outputs) -> None:
        """Count the events in fresh outputs, and weigh the evidence."""
        if self.learned is None:
            return
        for place, (likely, unlikely) in enumerate(self.learned.hits(one, other)):
            self.counts[place] += PairCounts.of(likely, unlikely)
        self.betting += len(one)
        # Half of the risk is kept for the bound on ε, so it takes twice the capital to convict.
        self.path.append((self.drawn, self.main.look(self.counts) - math.log10(2)))
        if len(self.path) > _MOST_POINTS:
            self.path = self.path[::2]

    def learn(self, one: Outputs, other: Outputs, features: tuple[Feature, ...]) -> None:
        """Choose events and stakes for the next block from this one."""
        self.learned = learn(one, other, self.promise, _EVENTS, features)
        self.known = [PairCounts.of(*hits) for hits in self.learned.hits(one, other)]
        for capital in (self.main, *self.grid):
            capital.place(self.known)

    def report(self) -> Audit:
        """What the capital shows by now."""
        violated = self.main.refuted
        lower = Fraction(0)
        for capital in self.grid:
            if not capital.refuted:
                break
            lower = capital.promise.epsilon
        return Audit(
            violated=violated,
            epsilon=self.promise.epsilon,
            delta=self.promise.delta,
            epsilon_lower=max(lower, self.promise.epsilon) if violated else lower,
            confidence=1 - self.promise.risk,
            samples=self.drawn,
            event=self._event(),
            tested=(),
            power=None if violated else self._power(),
            wealth=tuple(self.path),
        )

    def _telling(self) -> int:
        """The place of the event whose frequencies show the greatest loss."""
        counts = self.counts or self.known
        over, under = (
            np.array([count.both + count.likely for count in counts]),
            np.array([count.both + count.other for count in counts]),
        )
        return int(np.argmax(loss_evidence(counts[0].pairs, self.promise, _EVENTS)(over, under)))

    def _event(self) -> str:
        if self.learned is None or not self.known:
            return "none: too few samples"
        return self.learned.events[self._telling()].event.words

    def _power(self) -> Power | None:
        """The violation of the event bet on that as many pairs would mostly have shown."""
        if not self.known:
            return None
        return _sequential_power(self.known[self._telling()].rates[0], self.betting, self.promise)


def _grid(epsilon: Fraction) -> list[Fraction]:
    """From 0 to about twice the ε of the promise."""
    step = max(epsilon, Fraction(1, 4)) / _GRID
    return [step * place for place in range(2 * _GRID + 1)]


def _sequential_power(over: float, pairs: int, promise: AuditedPromise) -> Power:
    """The least loss at which Kelly's bet grows past 1/risk, but for 1.65 deviations."""
    leak, growth = float(promise.delta), math.exp(promise.epsilon)
    goal = math.log(4 * _EVENTS / float(promise.risk))
    for size in float(promise.epsilon) + np.geomspace(1e-3, 30.0, 400):
        under = max(over - leak, 0.0) * math.exp(-size)
        edge = over - growth * under - leak
        spread = math.sqrt(over * (1 - over) + growth**2 * under * (1 - under) + 1e-300)
        stake = min(edge / spread**2, 0.98 / (growth + leak))
        mean = pairs * (stake * edge - (stake * spread) ** 2 / 2)
        if mean - 1.65 * stake * spread * math.sqrt(pairs) > goal:
            return Power(float(size), 0.95)
    return Power(math.inf, 0.95)
