"""`Audit`: what an audit found, and what its silence is worth."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise import _show
from leastnoise._dataclass import dataclass
from leastnoise.auditing.judged_event import JudgedEvent
from leastnoise.auditing.power import Power
from leastnoise.privacy.guarantee import exact_text


@dataclass(frozen=True, repr=False)
class Audit:
    r"""The outcome of a black-box audit. Truthy if no violation was found.

    Attributes:
        violated: whether the promise is refuted, at the stated confidence.
        epsilon: the promise that was tested.
        delta: likewise.
        epsilon_lower: with the stated confidence, the mechanism keeps no smaller ε at this δ.
        confidence: 1 − the probability of a false alarm, whatever the mechanism, if it keeps its
            promise and its outputs are independent.
        samples: how many outputs were drawn, for both inputs together.
        event: the event on which the bound rests, in words.
        tested: every event that was tested, the telling one first.
        power: which violation would have been seen; None where one was.
        wealth: for a sequential audit, (outputs drawn, log10 of the evidence) as it grew; evidence
            of 1/(1 − confidence) refutes the promise.
    """

    violated: bool
    epsilon: Fraction
    delta: Fraction
    epsilon_lower: Fraction
    confidence: Fraction
    samples: int
    event: str
    tested: tuple[JudgedEvent, ...]
    power: Power | None = None
    wealth: tuple[tuple[int, float], ...] = ()

    plot = _show.plot
    _repr_html_ = _show.html

    def __bool__(self) -> bool:
        return not self.violated

    def __str__(self) -> str:
        return self._accusation() if self.violated else self._silence()

    def __repr__(self) -> str:
        return f"Audit({self})"

    @property
    def _promise(self) -> str:
        leak = f", δ = {exact_text(self.delta)}" if self.delta else ""
        return f"ε = {exact_text(self.epsilon)}{leak}"

    def _accusation(self) -> str:
        sure = exact_text(self.confidence)
        return (
            f"violation found: ε {self._bound} where {self._promise} was "
            f"promised (confidence {sure}, {self.samples} samples); event: {self.event}"
        )

    @property
    def _bound(self) -> str:
        more = self.epsilon_lower > self.epsilon
        return f"≥ {_down(self.epsilon_lower)}" if more else f"> {exact_text(self.epsilon)}"

    def _silence(self) -> str:
        sure = exact_text(self.confidence)
        return (
            f"no violation found up to {self._promise} (ε ≥ {_down(self.epsilon_lower)} "
            f"is shown, confidence {sure}, {self.samples} samples); {self._power_words()}"
        )

    def _power_words(self) -> str:
        if self.power is None or self.power.epsilon == math.inf:
            return f"power: too few samples to see any violation on the event: {self.event}"
        return (
            f"power: a violation of size ε = {self.power.epsilon:.4g} on the event "
            f"({self.event}) would have been seen with probability {self.power.probability:.2f}"
        )

    def evidence(self) -> dict[str, NDArray[np.generic]]:
        """Columns for a plot: one row per event tested, then the growth of the evidence.

        `chance` and `other_chance` are the bounds on the event's probability under the input that
        makes it likely and under the other; a promise that is kept has chance ≤ `allowed`.
        `samples` and `log10_wealth` are empty unless the audit was sequential.
        """
        rows = self.tested
        other = np.array([float(row.other_chance) for row in rows])
        return {
            "event": np.array([row.words for row in rows], dtype=np.str_),
            "likely": np.array([row.likely for row in rows], dtype=np.int64),
            "trials": np.array([row.trials for row in rows], dtype=np.int64),
            "hits": np.array([row.hits[0] for row in rows], dtype=np.int64),
            "other_hits": np.array([row.hits[1] for row in rows], dtype=np.int64),
            "chance": np.array([float(row.chance) for row in rows]),
            "other_chance": other,
            "allowed": np.minimum(1.0, math.exp(self.epsilon) * other + float(self.delta)),
            "epsilon_lower": np.array([float(row.epsilon_lower) for row in rows]),
            "samples": np.array([count for count, _ in self.wealth], dtype=np.int64),
            "log10_wealth": np.array([level for _, level in self.wealth]),
        }


def _down(value: Fraction) -> str:
    """Four decimals, rounded down: what is shown is a bound too."""
    return f"{math.floor(value * 10**4) / 10**4:g}"
