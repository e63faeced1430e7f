r"""Rows in SQL as one 64-bit word each: whose they are, in which group, and what they add.

From the highest bits to the lowest: the unit, as how far it is above the least unit or as a number
of `HashedUnits`; the number of the group, a mark for each of several conditions, and for each place
on a grid its number from 1 on, 0 where it has none. Each has as many bits as its range takes, or
there is no word. So words sorted as integers have the rows of a unit side by side, and in them
those of each group.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.hashed_units import HashedUnits
from leastnoise.release.step.aggregate import Place

Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]

_WORD = 64
_UNIT = 62  # the greatest unit less the least is then no sum of 64 bits that fails
_SUM = 62


@dataclass(frozen=True)
class Part:
    """Some bits of a word.

    Attributes:
        shift: how many bits are below them.
        bits: how many they are.
    """

    shift: int
    bits: int

    def read(self, words: Words) -> Numbers:
        """The numbers in these bits."""
        low = words >> np.uint64(self.shift) if self.shift else words
        return (low & np.uint64((1 << self.bits) - 1)).view(np.int64)


class UnitWords:
    """The words of a pass's rows.

    Args:
        query: the pass: of one grouping with public groups, under `Bounds`.
        least: the least unit.
        most: the greatest unit.
        rows: how many rows there are at most.
        hashed: numbers for units; then these are from `least`, 0, to `most`.
    """

    def __init__(
        self, query: BoundedQuery, least: int, most: int, rows: int,
        hashed: HashedUnits | None = None,
    ) -> None:  # fmt: skip
        self.query = query
        self.least = least
        self.rows = rows
        self.hashed = hashed
        self.unit_bits = max(1, (most - least).bit_length())
        marks = query.asked.conditions.values() if query.rows.marks else ()
        sizes = [("k", 0, self.cells - 1)]
        sizes += [("f", number, 1) for number in marks]
        sizes += [("q", i, each.most - each.least + 1)
                  for i, (_, each) in enumerate(query.rows.places)]  # fmt: skip
        self._parts: dict[tuple[str, int], Part] = {}
        self.low = 0
        for letter, number, largest in reversed(sizes):
            part = Part(self.low, largest.bit_length())
            self._parts[letter, number] = part
            self.low += part.bits

    @property
    def cells(self) -> int:
        """How many groups there are; one if there are none."""
        (grouping,) = self.query.asked.groupings
        return grouping.cells or 1

    @property
    def fit(self) -> bool:
        """Whether a row is one word, and no sum of a unit leaves 63 bits."""
        largest = [place[1].most - place[1].least + 1 for place in self.query.rows.places]
        squares = (each[0][1] for each in self.query.slots if each[3][1])
        largest += [(grid.most - grid.least) ** 2 for grid in squares]
        sums = max(largest, default=1).bit_length() + self.rows.bit_length()
        ends = (abs(e) for _, g in self.query.rows.places for e in (g.least, g.most))
        far = max(ends, default=1).bit_length() + self.rows.bit_length()
        return self.unit_bits <= _UNIT and self.unit_bits + self.low <= _WORD and (
            max(sums, far) <= _SUM
        )  # fmt: skip

    @property
    def free_bits(self) -> int:
        """How many bits are there for a unit."""
        return min(_UNIT, _WORD - self.low)

    def select(self) -> Fragment:
        """One row per row that counts: w. It fails where a unit is beyond the least or greatest."""
        query, dialect = self.query, self.query.dialect
        carried = [Fragment("u"), *query.rows.carried]
        rows = query.cells.numbered(query.rows.query(query.scan), carried)
        above = fill("u - {}", dialect.value(self.least, dialect.integer))
        units = self.hashed
        parts = [_moved(above if units is None else units.number, self.low)]
        if query.cells.keys:
            parts.append(_moved(Fragment("k0"), self._parts["k", 0].shift))
        for (letter, number), part in self._parts.items():
            if letter == "f":
                met = Fragment(f"CASE WHEN f{number} THEN 1 ELSE 0 END")
                parts.append(_moved(met, part.shift))
            if letter == "q":
                grid = query.rows.places[number][1]
                code = Fragment(f"COALESCE(q{number} - ({grid.least - 1}), 0)")
                parts.append(_moved(code, part.shift))
        beside = Fragment("") if units is None else units.beside
        return fill("SELECT {} AS w FROM ({}) AS kept{}", joined(" + ", parts), rows, beside)

    # Of words: what they say.

    @property
    def pair_shift(self) -> int:
        """How many bits are below unit and group."""
        return self._parts["k", 0].shift

    def units(self, pairs: Words) -> Numbers:
        """The numbers of units, from `least` on, of words without the bits below the group."""
        return (pairs >> np.uint64(self._parts["k", 0].bits)).view(np.int64)

    def groups(self, pairs: Words) -> Numbers:
        """Groups, of words without the bits below them."""
        return Part(0, self._parts["k", 0].bits).read(pairs)

    def sums(self, words: Words, starts: Numbers, sizes: Numbers) -> Iterator[tuple[str, Numbers]]:
        """Names and values of what the rows of each pair add up to.

        Args:
            words: of rows, sorted.
            starts: where each pair begins.
            sizes: how many rows each pair has.
        """
        reading = _Reading(self._parts, words, starts, sizes)
        for number in self.query.asked.conditions.values():
            marked = self.query.rows.marks
            yield f"n{number}", reading.added(reading.mark(number)) if marked else sizes
        places = {place: i for i, place in enumerate(self.query.rows.places)}
        for slot, i, _, (counts, squares) in self.query.slots:
            mark = self._condition(i)
            total, present = reading.place(places[slot], mark)
            yield f"s{i}", total + (slot[1].least - 1) * present
            if counts:
                yield f"c{i}", present
            if squares:
                yield f"z{i}", reading.squares(places[slot], slot, mark)

    def _condition(self, slot: int) -> int | None:
        """The number of the condition of what is summed; None if there is one for all."""
        return self.query.slot_conditions[slot] if self.query.rows.marks else None


@dataclass(frozen=True, repr=False)
class _Reading:
    """Sorted words and the pairs in them. Secret."""

    parts: dict[tuple[str, int], Part]
    words: Words
    starts: Numbers
    sizes: Numbers

    def added(self, values: Numbers) -> Numbers:
        """What each pair adds up to."""
        before = np.empty(len(values) + 1, np.int64)
        before[0] = 0
        np.cumsum(values, out=before[1:])
        found: Numbers = before[self.starts + self.sizes] - before[self.starts]
        return found

    def mark(self, number: int) -> Numbers:
        """1 for each row that meets a condition, 0 for each other."""
        return self.parts["f", number].read(self.words)

    def place(self, number: int, mark: int | None) -> tuple[Numbers, Numbers]:
        """Of places that are there, counted from 1 on: their sum, and how many they are."""
        codes = self._codes(number, mark)
        if np.count_nonzero(codes) == len(codes):
            return self.added(codes), self.sizes
        return self.added(codes), self.added((codes != 0).astype(np.int64))

    def squares(self, number: int, place: Place, mark: int | None) -> Numbers:
        """The sum of (2·place − least − most)² over places that are there."""
        codes, (_, grid) = self._codes(number, mark), place
        twice = 2 * codes + (2 * (grid.least - 1) - grid.least - grid.most)
        return self.added(np.where(codes != 0, twice * twice, 0))

    def _codes(self, number: int, mark: int | None) -> Numbers:
        codes = self.parts["q", number].read(self.words)
        return codes if mark is None else codes * self.mark(mark)


def _moved(value: Fragment, shift: int) -> Fragment:
    """A number that is never negative, with so many bits below it; else the query fails."""
    return fill(f"CAST({{}} AS UBIGINT) * CAST({1 << shift} AS UBIGINT)", value)
