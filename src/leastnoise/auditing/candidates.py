"""The events that look most like a violation, on outputs that are not used to test them."""

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.auditing.columns import Columns
from leastnoise.auditing.event import Among, Event, HalfLine, InCells
from leastnoise.auditing.scores import cell_edges

Counts = NDArray[np.int64]
Evidence = Callable[[Counts, Counts], NDArray[np.float64]]
"""(hits under one input, hits under the other) ↦ how much they look like a violation."""

_THRESHOLDS = 256  # steps of less than half a percent of the outputs
_CELLS = 128  # of about equal numbers of outputs
_SINGLE = 64  # the most frequent values
_OF_ONE_FORM = 2  # at most for each column


@dataclass(frozen=True)
class CandidateEvent:
    """An event, and the input under which it seems too likely.

    Attributes:
        event: a set of outputs.
        likely: 0 or 1, the place of that input in the pair of neighbours.
        evidence: how much it looks like a violation.
    """

    event: Event
    likely: int
    evidence: float


def candidates(one: Columns, other: Columns, evidence: Evidence, most: int) -> list[CandidateEvent]:
    """The best events of all families, best first; at most so many."""
    found = [
        candidate
        for name in sorted({*one.numbers, *other.numbers})
        for candidate in _of_numbers(name, one, other, evidence)
    ]
    for name in sorted({*one.codes, *other.codes}):
        found += _of_codes(name, one, other, evidence)
    return _best_of_each(found)[:most]


def _best_of_each(found: list[CandidateEvent]) -> list[CandidateEvent]:
    """At most two events of a form for each column; of equally good ones the plainest first."""
    found.sort(
        key=lambda candidate: (
            -round(candidate.evidence, 6),
            not candidate.event.column.startswith("kind"),
            len(candidate.event.words),
        )
    )
    taken: Counter[tuple[str, type]] = Counter()
    kept = []
    for candidate in found:
        form = candidate.event.column, type(candidate.event)
        taken[form] += 1
        if taken[form] <= _OF_ONE_FORM:
            kept.append(candidate)
    return kept


def _of_numbers(
    name: str, one: Columns, other: Columns, evidence: Evidence
) -> Iterator[CandidateEvent]:
    sides = [np.sort(x[~np.isnan(x)]) for x in (one.number(name), other.number(name))]
    pooled = np.concatenate(sides)
    if not pooled.size:
        return
    edges = cell_edges(pooled, _THRESHOLDS)
    below = [np.searchsorted(side, edges, "right") for side in sides]
    yield from _best(below, evidence, lambda k: HalfLine(name, float(edges[k]), above=False))
    beyond = [side.size - low for side, low in zip(sides, below, strict=True)]
    yield from _best(beyond, evidence, lambda k: HalfLine(name, float(edges[k]), above=True))
    cuts = cell_edges(pooled, _CELLS)
    cells = [np.bincount(np.searchsorted(cuts, x), minlength=cuts.size + 1) for x in sides]
    yield from _likelihood_classes(cells, evidence, lambda chosen: InCells(name, cuts, chosen))


def _of_codes(
    name: str, one: Columns, other: Columns, evidence: Evidence
) -> Iterator[CandidateEvent]:
    sides = one.code(name), other.code(name)
    codes, places = np.unique(np.concatenate(sides), return_inverse=True)
    if codes.size == 1:
        yield CandidateEvent(Among(name, codes, True, one.label(name, int(codes[0]))), 0, 0.0)
        return
    counts = [np.bincount(part, minlength=codes.size) for part in np.split(places, [sides[0].size])]

    def among(chosen: NDArray[np.bool_]) -> Among:
        # Listing the smaller side also says where outputs never seen before belong.
        inside = 2 * int(chosen.sum()) <= chosen.size
        listed = codes[chosen if inside else ~chosen]
        known = one if listed[0] in sides[0] else other
        return Among(name, listed, inside, known.label(name, int(listed[0])))

    yield from _single_codes(counts, evidence, among)
    yield from _likelihood_classes(counts, evidence, among)


def _single_codes(
    counts: list[Counts], evidence: Evidence, among: Callable[[NDArray[np.bool_]], Event]
) -> Iterator[CandidateEvent]:
    """Each of the most frequent values, and everything but it."""
    frequent = np.argsort(-(counts[0] + counts[1]), kind="stable")[:_SINGLE]
    size = counts[0].size

    def only(k: int) -> NDArray[np.bool_]:
        return np.asarray(np.arange(size) == frequent[k])

    yield from _best([side[frequent] for side in counts], evidence, lambda k: among(only(k)))
    others = [side.sum() - side[frequent] for side in counts]
    yield from _best(others, evidence, lambda k: among(~only(k)))


def _likelihood_classes(
    counts: list[Counts], evidence: Evidence, event: Callable[[NDArray[np.bool_]], Event]
) -> Iterator[CandidateEvent]:
    """All cells with a ratio of frequencies above some level: Neyman and Pearson's sets."""
    for likely in (0, 1):
        over, under = counts[likely], counts[1 - likely]
        # Ties go to the frequent, so that rare cells, whose ratios are luck, come last.
        order = np.lexsort((-over, -(over + 0.5) / (under + 0.5)))
        sums = [np.cumsum(over[order]), np.cumsum(under[order])]
        level = evidence(sums[0], sums[1])
        best = int(np.argmax(level))
        chosen = np.zeros(order.size, dtype=np.bool_)
        chosen[order[: best + 1]] = True
        if not chosen.all():
            yield CandidateEvent(event(chosen), likely, float(level[best]))


def _best(
    counts: list[Counts], evidence: Evidence, event: Callable[[int], Event]
) -> Iterator[CandidateEvent]:
    """The best event of a family for each of the two directions."""
    for likely in (0, 1):
        level = evidence(counts[likely], counts[1 - likely])
        best = int(np.argmax(level))
        yield CandidateEvent(event(best), likely, float(level[best]))
