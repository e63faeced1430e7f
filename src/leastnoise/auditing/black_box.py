"""`black_box`: events chosen on one half of the outputs, tested on the other."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leastnoise.auditing.audit_report import Audit
from leastnoise.auditing.audited_promise import AuditedPromise
from leastnoise.auditing.judged_event import JudgedEvent, judged_event
from leastnoise.auditing.learning import Learned, learn
from leastnoise.auditing.outputs import Feature, Outputs
from leastnoise.auditing.power import power
from leastnoise.auditing.progress import Progress
from leastnoise.auditing.subject import Subject

MOST_EVENTS = 16  # the risk is shared among them
_CHUNK = 1 << 14  # outputs at a time, in turns between the inputs


def black_box(
    subject: Subject,
    promise: AuditedPromise,
    *,
    samples: int,
    features: tuple[Feature, ...] = (),
    progress: Progress,
) -> Audit:
    r"""Draw, choose events on one half, test them on the other.

    Theorem: if the outputs are independent and the mechanism is (ε, δ)-DP for the pair of
    neighbours, the audit reports `violated` with probability at most 1 − confidence; and for every
    mechanism, `epsilon_lower` exceeds its least ε at δ with at most that probability.
    Proof: docs/proofs/auditing.md, section 2.

    References: DingEtAl2018; BichselEtAl2021; ClopperPearson1934.
    """
    first, second = draw_both(subject, samples // 2, progress)
    half = samples // 4
    learned = learn(first[:half], second[:half], promise, MOST_EVENTS, features)
    tested = _test(learned, first[half:], second[half:], promise)
    best = tested[0]
    violated = best.epsilon_lower > promise.epsilon
    return Audit(
        violated=violated,
        epsilon=promise.epsilon,
        delta=promise.delta,
        epsilon_lower=best.epsilon_lower,
        confidence=1 - promise.risk,
        samples=2 * len(first),
        event=best.words,
        tested=tested,
        power=None if violated else power(best, _share(promise, len(tested))),
    )


def _test(
    learned: Learned, one: Outputs, other: Outputs, promise: AuditedPromise
) -> tuple[JudgedEvent, ...]:
    """Every event chosen, on fresh outputs, each at its share of the risk; the best first."""
    share = _share(promise, len(learned.events))
    tested = [
        judged_event(
            found.event.words,
            found.likely,
            len(one),
            (int(hits[0].sum()), int(hits[1].sum())),
            share,
        )
        for found, hits in zip(learned.events, learned.hits(one, other), strict=True)
    ]
    tested.sort(key=lambda event: -event.epsilon_lower)
    return tuple(tested)


def _share(promise: AuditedPromise, events: int) -> AuditedPromise:
    return replace(promise, risk=promise.risk / events)


def draw_both(subject: Subject, count: int, progress: Progress) -> tuple[Outputs, Outputs]:
    """So many outputs under each input, in turns, so that slow changes meet both alike."""
    drawn: tuple[list[Any], list[Any]] = ([], [])
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        turn = (0, 1) if start // _CHUNK % 2 == 0 else (1, 0)
        for place in turn:
            drawn[place].append(subject.draw(place, size))
        progress(2 * (start + size), 2 * count)
    return joined(drawn[0]), joined(drawn[1])


def joined(pieces: Sequence[Outputs]) -> Outputs:
    """The outputs of several draws as one row."""
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate([np.asarray(piece) for piece in pieces])
    return [output for piece in pieces for output in piece]
