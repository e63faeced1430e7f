"""Sets of outputs that look most like a violation, learned from examples.

Each column of the outputs is divided into cells: a number by edges, a code by its values. By the lemma
of Neyman and Pearson the best event on a column is a set of cells with the highest ratios of the two
chances, so these are proposed, and for numbers the half-lines. One column more, the likelihood ratio
of the output, adds up the log ratios of all columns of numbers; another one is the weighted sum of a
vector that tells the inputs apart best (Fisher's discriminant), which sees noise that is shared.

One half of the examples orders the cells, the other half says how good the sets are: what fits by
accident is left behind. No verdict rests on the choice: docs/proofs/audit.md, section 3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from leastnoise.auditing.outputs import Columns, Floats, Ints, Outputs, View

Flags = NDArray[np.bool_]
Worth = Callable[[Floats, Floats, int], Floats]
"""From the hits of events under both inputs, and how many outputs there were, to what they show."""

_CELLS = 128  # of about equal numbers of outputs
_MOST_CODES = 1 << 12  # the most frequent ones; the others are one cell
_FARTHEST = 1e100  # numbers beyond are moved here before their squares are added up
_RATIO, _SUM = "likelihood ratio of the output", "weighted sum of the output"


@dataclass(frozen=True, eq=False)
class Edges:
    """Cells (edge, next edge] of a column of numbers; the last cell is for no number."""

    column: str
    edges: Floats

    @classmethod
    def of(cls, column: str, sides: list[Columns]) -> "Edges":
        """Cells of about equal numbers of outputs; a frequent value gets its own.

        It is alone where the next edge below is the float below it.
        """
        values = np.concatenate([side.number(column) for side in sides])
        known = np.sort(values[~np.isnan(values)])
        if not known.size:
            return cls(column, known)
        chosen = known[np.linspace(0, known.size - 1, _CELLS + 1).astype(np.int64)]
        with np.errstate(over="ignore"):  # below the least float comes -infinity
            below = np.nextafter(chosen[1:][chosen[1:] == chosen[:-1]], -np.inf)
        return cls(column, np.unique(np.concatenate([chosen, below])))

    @property
    def count(self) -> int:
        """How many cells there are."""
        return self.edges.size + 2

    def cells(self, columns: Columns) -> Ints:
        """The cell of each output."""
        values = columns.number(self.column)
        places = np.searchsorted(self.edges, values)
        return np.where(np.isnan(values), self.count - 1, places).astype(np.int64)

    def text(self, chosen: Flags) -> str:
        """A set of cells in words."""
        inside, size = chosen[:-1], int(chosen[:-1].sum())
        missing = [f"no number in {self.column}"] if chosen[-1] else []
        if size == inside.size:
            parts = [f"a number in {self.column}"]
        elif size and inside[:size].all():
            parts = [f"{self.column} {self._end(size - 1, '<=', '<')}"]
        elif size and inside[-size:].all():
            parts = [f"{self.column} {self._end(inside.size - size - 1, '>', '>=')}"]
        else:
            parts = [f"{self.column} in {size} of {inside.size} cells"] if size else []
        return " or ".join(parts + missing)

    def _end(self, place: int, sign: str, beside: str) -> str:
        """A half-line; an edge that is the float below the next one stands for that."""
        edge, above = (float(self.edges[min(i, self.edges.size - 1)]) for i in (place, place + 1))
        is_below = edge < above == nextafter(edge, inf)
        return f"{beside} {above:.6g}" if is_below else f"{sign} {edge:.6g}"


@dataclass(frozen=True, eq=False)
class Codes:
    """A cell for each frequent code of a column; the last cell is for all others."""

    column: str
    known: Ints
    examples: Callable[[int], str]

    @classmethod
    def of(cls, column: str, sides: list[Columns]) -> "Codes":
        """Cells for the codes of these outputs."""
        seen = [side.code(column) for side in sides]
        known, totals = np.unique(np.concatenate(seen), return_counts=True)
        frequent = np.sort(known[np.argsort(-totals, kind="stable")[:_MOST_CODES]])

        def example(code: int) -> str:
            found = [(side, np.flatnonzero(side.code(column) == code)) for side in sides]
            return next(side.text(column, int(rows[0])) for side, rows in found if rows.size)

        return cls(column, frequent, example)

    @property
    def count(self) -> int:
        """How many cells there are."""
        return self.known.size + 1

    def cells(self, columns: Columns) -> Ints:
        """The cell of each output."""
        codes = columns.code(self.column)
        places = np.minimum(np.searchsorted(self.known, codes), self.known.size - 1)
        return np.where(self.known[places] == codes, places, self.known.size).astype(np.int64)

    def text(self, chosen: Flags) -> str:
        """A set of cells in words."""
        outside = bool(chosen[-1])
        listed = self.known[chosen[:-1] != outside]
        example = self.examples(int(listed[0]))
        if listed.size == 1:
            return f"{self.column} is {'not ' if outside else ''}{example}"
        which = "none" if outside else "one"
        return f"{self.column} is {which} of {listed.size:,} such as {example}"


@dataclass(frozen=True, eq=False)
class Event:
    """A set of outputs: chosen cells of one column."""

    partition: Edges | Codes
    chosen: Flags
    likely: int  # the input that seems to make it likely, 0 or 1
    worth: float  # what it seems to show

    @property
    def text(self) -> str:
        """The condition in words."""
        return self.partition.text(self.chosen)

    def hits(self, columns: Columns) -> Flags:
        """For each output whether it is in the set."""
        return self.chosen[self.partition.cells(columns)]


@dataclass(frozen=True)
class Learned:
    """How columns are made of outputs, and the best events."""

    columns: Callable[[Outputs], Columns]
    events: tuple[Event, ...]

    def counts(self, sides: tuple[Outputs, Outputs]) -> Ints:
        """For each event and each pair of outputs: how often hit by both, by one, other, neither.

        The first of a pair is under the input that makes the event likely.
        """
        seen = [self.columns(outputs) for outputs in sides]
        found = []
        for each in self.events:
            one, other = each.hits(seen[each.likely]), each.hits(seen[1 - each.likely])
            cases = (one & other, one & ~other, ~one & other, ~one & ~other)
            found.append([int(case.sum()) for case in cases])
        return np.array(found, dtype=np.int64).reshape(-1, 4)


def learn(sides: tuple[Outputs, Outputs], worth: Worth, most: int) -> Learned:
    """The events that these outputs suggest, best first; at least one."""
    half = len(sides[0]) // 2
    view = View.of(sides[0][:half], sides[1][:half])
    first = [view.columns(outputs[:half]) for outputs in sides]
    beside = _scores(first)
    fit = [beside(columns) for columns in first]
    rank = [beside(view.columns(outputs[half:])) for outputs in sides]
    found = sorted(_proposed(fit, rank, worth), key=_merit)
    return Learned(lambda outputs: beside(view.columns(outputs)), tuple(found[:most]))


def _merit(event: Event) -> tuple[float, int, str]:
    """What shows most comes first; of what shows the same, the shortest description."""
    return -round(event.worth, 2), len(event.text), event.text


def _proposed(fit: list[Columns], rank: list[Columns], worth: Worth) -> Iterator[Event]:
    """For each column and each input the set of cells that begins an order, and shows most."""
    numbers = sorted({*fit[0].numbers, *fit[1].numbers})
    codes = sorted({*fit[0].codes, *fit[1].codes})
    partitions: list[Edges | Codes] = [Edges.of(name, fit) for name in numbers]
    for partition in partitions + [Codes.of(name, fit) for name in codes]:
        seen, judged = ([_tally(partition, side) for side in each] for each in (fit, rank))
        rising = np.arange(partition.count - 1)
        lines = [rising, rising[::-1]] if isinstance(partition, Edges) else []
        for likely in (0, 1):
            found = []
            for order in (*lines, _by_ratio(seen[likely], seen[1 - likely])):
                over, under = (np.cumsum(judged[side][order]) for side in (likely, 1 - likely))
                # The set of all cells says nothing, so it is left out.
                level = worth(over, under, int(judged[likely].sum()))[: partition.count - 1]
                best = int(np.argmax(level))
                chosen = np.zeros(partition.count, dtype=np.bool_)
                chosen[order[: best + 1]] = True
                found.append(Event(partition, chosen, likely, float(level[best])))
            yield min(found, key=_merit)


def _tally(partition: Edges | Codes, columns: Columns) -> Floats:
    return np.bincount(partition.cells(columns), minlength=partition.count).astype(np.float64)


def _by_ratio(over: Floats, under: Floats) -> Ints:
    """The cells, those with the highest ratio of chances first, and of equal ones the frequent."""
    return np.lexsort((-over, -(over + 0.5) / (under + 0.5)))


def _scores(sides: list[Columns]) -> Callable[[Columns], Columns]:
    """Adds to columns two numbers for a whole output, which tell these outputs apart best.

    Sums go column by column: no row depends on another.
    """
    ratios = []
    for name in sorted({*sides[0].numbers, *sides[1].numbers}):
        edges = Edges.of(name, sides)
        one, other = (_tally(edges, side) for side in sides)
        ratios.append((edges, np.log(one + 1) - np.log(other + 1)))
    plain = [edges.column for edges, _ in ratios if edges.column.startswith("output[")]
    weights = _discriminant(plain, sides) if len(plain) > 1 else []

    def beside(columns: Columns) -> Columns:
        numbers = dict(columns.numbers)
        if len(ratios) > 1:
            numbers[_RATIO] = np.zeros(columns.size)
            for edges, logs in ratios:
                numbers[_RATIO] += logs[edges.cells(columns)]
        if weights:
            numbers[_SUM] = np.zeros(columns.size)
            for name, middle, weight in weights:
                numbers[_SUM] += (_bounded(columns.number(name)) - middle) * weight
        return Columns(columns.size, numbers, columns.codes, columns.texts)

    return beside


def _discriminant(names: list[str], sides: list[Columns]) -> list[tuple[str, float, float]]:
    """Of each column its name, the middle and a weight."""
    tables = [np.stack([_bounded(side.number(name)) for name in names]) for side in sides]
    one, other = (table.mean(axis=1) for table in tables)
    spread = np.cov(tables[0]) + np.cov(tables[1])
    ridge = 1e-9 * (float(np.trace(spread)) + 1e-300) * np.eye(len(names))
    weights = np.linalg.lstsq(spread + ridge, one - other, rcond=None)[0]
    return list(zip(names, ((one + other) / 2).tolist(), weights.tolist(), strict=True))


def _bounded(values: Floats) -> Floats:
    return np.nan_to_num(np.clip(values, -_FARTHEST, _FARTHEST))
