"""Sets of outputs that look most like a violation, learned from examples.

Each column of the outputs is divided into cells: a number by edges, a code by its values. By the lemma
of Neyman and Pearson the best event on a column is a set of cells with the highest ratios of the two
chances, so these are proposed, and for numbers the half-lines. One column more, the likelihood ratio
of the output, adds up the log ratios of all columns of numbers; another one is the weighted sum of a
vector that tells the inputs apart best (Fisher's discriminant), which sees noise that is shared.

One half of the examples orders the cells, the other half says how good the sets are: what fits by
accident is left behind. Nothing rests on the choice: proof page docs/proofs/audit.md, section 3.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.auditing.outputs import Codes, Columns, Floats, Outputs, View

Hits = NDArray[np.bool_]
Counts = NDArray[np.float64]
Worth = Callable[[Counts, Counts, int], Floats]
"""From the hits of events under both inputs, and how many outputs there were, to what they show."""

_CELLS = 128  # of about equal numbers of outputs
_MOST_CODES = 1 << 12  # the most frequent ones; the others are one cell
_OF_ONE_COLUMN = 2  # events at most
_TINY = 1e-300
_RATIO, _SUM = "likelihood ratio of the output", "weighted sum of the output"


class Event(Protocol):
    """A set of outputs: a condition on one column."""

    @property
    def column(self) -> str:
        """The aspect that is looked at."""

    @property
    def text(self) -> str:
        """The condition in words."""

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""


@dataclass(frozen=True, eq=False)
class InCells:
    """A number in some of the cells between edges; the last cell is for no number."""

    column: str
    edges: Floats
    chosen: Hits

    @property
    def text(self) -> str:
        """The condition in words."""
        inside, place = self.chosen[:-1], int(self.chosen[:-1].sum())
        missing = f" or no number in {self.column}" if self.chosen[-1] else ""
        if not place:
            return missing.removeprefix(" or ")
        if 0 < place < inside.size and inside[:place].all():
            return f"{self.column} <= {self.edges[place - 1]:.6g}{missing}"
        if 0 < place < inside.size and inside[-place:].all():
            return f"{self.column} > {self.edges[-place]:.6g}{missing}"
        return f"{self.column} in {place} of {inside.size} cells{missing}"

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""
        return self.chosen[_cells(columns.number(self.column), self.edges)]


@dataclass(frozen=True, eq=False)
class Among:
    """A code that is, or is not, one of some."""

    column: str
    codes: Codes
    is_inside: bool
    example: str

    @property
    def text(self) -> str:
        """The condition in words."""
        if self.codes.size == 1:
            return f"{self.column} is {'' if self.is_inside else 'not '}{self.example}"
        which = "one" if self.is_inside else "none"
        return f"{self.column} is {which} of {self.codes.size:,} such as {self.example}"

    def hits(self, columns: Columns) -> Hits:
        """For each output whether it is in the set."""
        return np.isin(columns.code(self.column), self.codes) == self.is_inside


@dataclass(frozen=True)
class Candidate:
    """An event, the input that seems to make it likely, 0 or 1, and what it seems to show."""

    event: Event
    likely: int
    worth: float


@dataclass(frozen=True)
class Learned:
    """How outputs are looked at, and the best events."""

    view: View
    scores: "Scores"
    candidates: tuple[Candidate, ...]

    def counts(self, sides: tuple[Outputs, Outputs]) -> NDArray[np.int64]:
        """For each event and each pair of outputs: how often hit by both, by one, other, neither.

        The first of a pair is under the input that makes the event likely.
        """
        seen = [self.scores.beside(self.view.columns(outputs)) for outputs in sides]
        found = []
        for each in self.candidates:
            likely = each.event.hits(seen[each.likely])
            other = each.event.hits(seen[1 - each.likely])
            cases = [likely & other, likely & ~other, ~likely & other, ~likely & ~other]
            found.append([int(case.sum()) for case in cases])
        return np.array(found, dtype=np.int64).reshape(-1, 4)


def learn(sides: tuple[Outputs, Outputs], worth: Worth, most: int) -> Learned:
    """The events that these outputs suggest, best first."""
    half = len(sides[0]) // 2
    view = View.of(sides[0][:half], sides[1][:half])
    fitted = [view.columns(outputs[:half]) for outputs in sides]
    scores = Scores.of(fitted[0], fitted[1])
    fit = [scores.beside(columns) for columns in fitted]
    rank = [scores.beside(view.columns(outputs[half:])) for outputs in sides]
    found = [
        candidate
        for proposals in (_of_numbers(fit, rank, worth), _of_codes(fit, rank, worth))
        for candidate in proposals
    ]
    found.sort(key=lambda each: (-round(each.worth, 2), len(each.event.text), each.event.text))
    taken: Counter[str] = Counter()
    kept = []
    for each in found:
        taken[each.event.column] += 1
        if taken[each.event.column] <= _OF_ONE_COLUMN:
            kept.append(each)
    return Learned(view, scores, tuple(kept[:most]))


@dataclass(frozen=True, eq=False)
class Scores:
    """Two numbers for a whole output, learned from examples.

    Attributes:
        ratios: of each column, its edges and the log ratios of its cells.
        weights: of each column, the middle and a weight.
    """

    ratios: dict[str, tuple[Floats, Floats]]
    weights: dict[str, tuple[float, float]]

    @classmethod
    def of(cls, one: Columns, other: Columns) -> "Scores":
        """Those that tell these outputs apart."""
        ratios = {}
        for name in sorted({*one.numbers, *other.numbers}):
            edges = _edges(np.concatenate([one.number(name), other.number(name)]))
            first, second = (_tally(side.number(name), edges) for side in (one, other))
            ratios[name] = edges, np.log((first + 1) / one.size) - np.log((second + 1) / other.size)
        plain = [name for name in ratios if name.startswith("output[")]
        return cls(ratios, _discriminant(plain, one, other) if len(plain) > 1 else {})

    def beside(self, columns: Columns) -> Columns:
        """The columns with the two scores. Sums go column by column: no row depends on another."""
        numbers = dict(columns.numbers)
        ratio, total = np.zeros(columns.size), np.zeros(columns.size)
        for name, (edges, ratios) in self.ratios.items():
            ratio += ratios[_cells(columns.number(name), edges)]
        for name, (middle, weight) in self.weights.items():
            total += np.nan_to_num(columns.number(name) - middle, posinf=0, neginf=0) * weight
        if len(self.ratios) > 1:
            numbers[_RATIO] = ratio
        if self.weights:
            numbers[_SUM] = total
        return Columns(columns.size, numbers, columns.codes, columns.texts)


def _discriminant(names: list[str], one: Columns, other: Columns) -> dict[str, tuple[float, float]]:
    tables = [
        np.nan_to_num(np.stack([side.number(name) for name in names]), posinf=0, neginf=0)
        for side in (one, other)
    ]
    means = [table.mean(axis=1) for table in tables]
    spread = np.cov(tables[0]) + np.cov(tables[1])
    ridge = 1e-9 * max(float(np.trace(spread)), _TINY) * np.eye(len(names))
    weights = np.linalg.lstsq(spread + ridge, means[0] - means[1], rcond=None)[0]
    middles = (means[0] + means[1]) / 2
    return dict(zip(names, zip(middles.tolist(), weights.tolist(), strict=True), strict=True))


def _edges(values: Floats) -> Floats:
    """Edges between cells of about equal numbers of outputs; a frequent value gets its own.

    A cell is (edge, next edge], so a value below whose float a second edge lies is alone.
    """
    known = np.sort(values[~np.isnan(values)])
    if not known.size:
        return known
    chosen = known[np.linspace(0, known.size - 1, _CELLS + 1).astype(np.int64)]
    repeated = chosen[1:][chosen[1:] == chosen[:-1]]
    return np.unique(np.concatenate([chosen, np.nextafter(repeated, -np.inf)]))


def _cells(values: Floats, edges: Floats) -> NDArray[np.int64]:
    """The cell of each value; the one after the last for no number."""
    places = np.searchsorted(edges, values)
    return np.where(np.isnan(values), edges.size + 1, places).astype(np.int64)


def _tally(values: Floats, edges: Floats) -> Counts:
    return np.bincount(_cells(values, edges), minlength=edges.size + 2).astype(np.float64)


def _of_numbers(fit: list[Columns], rank: list[Columns], worth: Worth) -> Iterator[Candidate]:
    for name in sorted({*fit[0].numbers, *fit[1].numbers}):
        edges = _edges(np.concatenate([side.number(name) for side in fit]))
        seen, judged = ([_tally(side.number(name), edges) for side in each] for each in (fit, rank))
        rising = np.arange(edges.size + 2)
        for likely in (0, 1):
            for order in (rising[:-1], rising[-2::-1], _by_ratio(seen, likely)):
                chosen, value = _best(judged, likely, order, worth)
                yield Candidate(InCells(name, edges, chosen), likely, value)


def _of_codes(fit: list[Columns], rank: list[Columns], worth: Worth) -> Iterator[Candidate]:
    for name in sorted({*fit[0].codes, *fit[1].codes}):
        known, places = np.unique(np.concatenate([x.code(name) for x in fit]), return_inverse=True)
        totals = np.bincount(places)
        known = np.sort(known[np.argsort(-totals, kind="stable")[:_MOST_CODES]])
        seen, judged = (
            [_tally_codes(side.code(name), known) for side in each] for each in (fit, rank)
        )
        for likely in (0, 1):
            chosen, value = _best(judged, likely, _by_ratio(seen, likely), worth)
            # Codes never seen before are outside of what is listed.
            is_inside = not chosen[-1]
            listed = known[chosen[:-1] == is_inside]
            if listed.size:
                example = _example(name, int(listed[0]), fit)
                yield Candidate(Among(name, listed, is_inside, example), likely, value)


def _tally_codes(codes: Codes, known: Codes) -> Counts:
    """How often each known code stands there; the last one is for all others."""
    places = np.minimum(np.searchsorted(known, codes), known.size - 1)
    places = np.where(known[places] == codes, places, known.size)
    return np.bincount(places, minlength=known.size + 1).astype(np.float64)


def _example(name: str, code: int, sides: list[Columns]) -> str:
    for side in sides:
        rows = np.flatnonzero(side.code(name) == code)
        if rows.size and name in side.texts:
            return side.texts[name](int(rows[0]))
    return "nothing"


def _by_ratio(counts: list[Counts], likely: int) -> NDArray[np.int64]:
    """The cells, those with the highest ratio of chances first, and of equal ones the frequent."""
    over, under = counts[likely], counts[1 - likely]
    return np.lexsort((-over, -(over + 0.5) / (under + 0.5)))


def _best(
    counts: list[Counts], likely: int, order: NDArray[np.int64], worth: Worth
) -> tuple[Hits, float]:
    """The best of the sets that begin an order of the cells, and what it shows."""
    over, under = (np.cumsum(counts[side][order]) for side in (likely, 1 - likely))
    level = worth(over, under, int(counts[likely].sum()))
    best = int(np.argmax(level))
    chosen = np.zeros(counts[likely].size, dtype=np.bool_)
    chosen[order[: best + 1]] = True
    return chosen, float(level[best])
