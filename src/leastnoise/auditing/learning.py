"""What is learned from outputs that are not tested on: how to look, and at which events."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.candidates import CandidateEvent, Counts, Evidence, candidates
from leastnoise.auditing.columns import Columns
from leastnoise.auditing.outputs import Feature, Outputs, View, chosen_view
from leastnoise.auditing.parities import learned_parities
from leastnoise.auditing.scores import Score, learned_scores


@dataclass(frozen=True)
class Learned:
    """A way to look at outputs, and the events that then look most like a violation."""

    view: View
    scores: Sequence[Score]
    events: Sequence[CandidateEvent]

    def columns(self, outputs: Outputs) -> Columns:
        """The columns the events speak of."""
        found = self.view.columns(outputs)
        return found.beside({score.name: score.of(found) for score in self.scores})

    def hits(self, one: Outputs, other: Outputs) -> list[tuple[NDArray[np.bool_], ...]]:
        """For each event, which outputs of its likely input and which of the other are in it."""
        sides = self.columns(one), self.columns(other)
        return [
            (found.event.hits(sides[found.likely]), found.event.hits(sides[1 - found.likely]))
            for found in self.events
        ]


def learn(
    one: Outputs,
    other: Outputs,
    promise: AuditedPromise,
    most: int,
    features: tuple[Feature, ...] = (),
) -> Learned:
    """The events that these outputs suggest, best first."""
    view = chosen_view(one, other, features)
    plain = view.columns(one), view.columns(other)
    scores = (*learned_scores(*plain), *learned_parities(*plain))
    sides = [side.beside({score.name: score.of(side) for score in scores}) for side in plain]
    evidence = loss_evidence(len(one), promise, most)
    return Learned(view, scores, candidates(sides[0], sides[1], evidence, most))


def loss_evidence(trials: int, promise: AuditedPromise, most: int) -> Evidence:
    r"""The ε that counts would show if the test were as long: ln((p − δ)/q) at cautious p and q.

    Wilson's bounds, which are quick and good enough to choose by; nothing rests on them.
    """
    width = _normal_width(float(promise.risk) / (2 * most))
    leak = float(promise.delta)

    def ends(hits: Counts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rate, square = hits / trials, width * width / trials
        middle = rate + square / 2
        half = width * np.sqrt(rate * (1 - rate) / trials + square / (4 * trials))
        return (middle - half) / (1 + square), (middle + half) / (1 + square)

    def evidence(over: Counts, under: Counts) -> NDArray[np.float64]:
        low, high = np.maximum(ends(over)[0] - leak, 1e-300), ends(under)[1]
        level: NDArray[np.float64] = np.log(low) - np.log(np.maximum(high, 1e-300))
        return level

    return evidence


def _normal_width(risk: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    return -float(ndtri(risk))
