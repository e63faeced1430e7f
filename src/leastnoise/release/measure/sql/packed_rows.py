r"""Rows in SQL as a few 64-bit words each: whose they are, in which group, and what they add.

The first word is unit·2^31 + turn, where turn is the first 31 bits of the very hash by which groups
of a unit are chosen elsewhere; or the group itself, if none has to be chosen. The others hold the
group and what is summed, each in as many bits as its range takes: a `Grid` lets no place leave it.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.measure.one_pass import ranks
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined, named, names

TURN_BITS = 31
_WORD = 62


@dataclass(frozen=True)
class Field:
    """Where in which word a small number is.

    Attributes:
        name: of what it is the summand, or k0 for the group.
        value: a row's own, in SQL; never NULL.
        least: the least that it can be.
        bits: how many it takes above that.
        word: the number of its word.
        shift: its place in it.
    """

    name: str
    value: Fragment
    least: int
    bits: int
    word: int
    shift: int

    def read(self, words: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """The numbers, from the words of rows."""
        return ((words[self.word] >> self.shift) & ((1 << self.bits) - 1)) + self.least


class PackedRows:
    """The words of a pass's rows.

    Args:
        query: the pass: of one grouping with public groups, under `Bounds`. Its rows have a column
            d beside them, the number of the unit.
        first: the number of the first unit.
        apart: whether marks of conditions are no part of words, but columns f0, … of their own.
    """

    def __init__(self, query: BoundedQuery, first: int, *, apart: bool = False) -> None:
        self._query = query
        self._first = first
        self._apart = apart
        self.fields = _packed(self._summands())

    @property
    def words(self) -> int:
        """How many words of a row there are, beside the first."""
        return 1 + max((each.word for each in self.fields), default=-1)

    @property
    def summands(self) -> tuple[Field, ...]:
        """All fields but the group."""
        return self.fields[1:] if self._query.cells.keys else self.fields

    def groups(
        self, words: Sequence[NDArray[np.int64]], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The groups of some rows."""
        if not self._query.cells.keys:
            return np.zeros(len(rows), np.int64)
        group = self.fields[0]
        return group.read([each[rows] for each in words[: group.word + 1]])

    def select(self) -> Fragment:
        """One row per row that counts: w, then x0, x1 and so on, then marks that are apart."""
        query = self._query
        carried = [Fragment("u"), Fragment("d"), *query.rows.carried]
        rows = query.cells.numbered(query.rows.query(query.scan), carried)
        unit = fill(f"((d - {self._first}) * {1 << TURN_BITS} + {{}}) AS w", self._turn())
        words = named("x", map(self._word, range(self.words)))
        marks = names("f", len(query.asked.conditions)) if self._apart else []
        return fill("SELECT {} FROM ({}) AS kept", joined(", ", [unit, *words, *marks]), rows)

    def _turn(self) -> Fragment:
        query, (grouping,) = self._query, self._query.asked.groupings
        keys = [Fragment("k0")] if query.cells.keys else []
        if not ranks(grouping, query.asked.bounds):
            return fill("CAST({} AS BIGINT)", *(keys or [Fragment("0")]))
        hashed = query.dialect.hash(query.salt, [Fragment("u"), *keys])
        return fill(f"CAST({{}} >> {64 - TURN_BITS} AS BIGINT)", hashed)

    def _word(self, number: int) -> Fragment:
        parts = [
            fill(f"(CAST({{}} AS BIGINT) - {each.least}) * {1 << each.shift}", each.value)
            for each in self.fields
            if each.word == number
        ]
        return joined(" + ", parts)

    def _summands(self) -> list[tuple[str, Fragment, int, int]]:
        """Names and values of what is summed of a row, each with its least and its greatest."""
        query = self._query
        found = []
        if query.cells.keys:
            (grouping,) = query.asked.groupings
            assert grouping.cells is not None, "private groups have no numbers"
            found.append(("k0", Fragment("k0"), 0, grouping.cells - 1))
        if query.rows.marks and not self._apart:
            for number in query.asked.conditions.values():
                met = fill("CASE WHEN {} IS NULL THEN 0 ELSE 1 END", query.rows.masked("1", number))
                found.append((f"n{number}", met, 0, 1))
        for (_, grid), i, value, (counts, squares) in query.slots:
            ends = (min(0, grid.least), max(0, grid.most))
            found.append((f"s{i}", fill("COALESCE({}, 0)", value), *ends))
            if counts:
                there = fill("CASE WHEN {} IS NULL THEN 0 ELSE 1 END", value)
                found.append((f"c{i}", there, 0, 1))
            if squares:
                most = (grid.most - grid.least) ** 2
                square = fill("COALESCE({}, 0)", query.square(value, grid))
                found.append((f"z{i}", square, 0, most))
        return found


def can_be_packed(query: BoundedQuery) -> bool:
    """Whether a pass is one of public groups, of which few count and few rows in each."""
    groupings, bounds = query.asked.groupings, query.asked.bounds
    return (
        isinstance(bounds, Bounds)
        and query.is_bounded
        and query.asked.valued is None
        and query.asked.turns is None
        and len(groupings) == 1
        and not any(each.is_private for each in groupings)
        and all((each.cells or 1) <= 1 << TURN_BITS for each in groupings)
    )


def _packed(summands: list[tuple[str, Fragment, int, int]]) -> tuple[Field, ...]:
    found: list[Field] = []
    word, used = 0, 0
    for name, value, least, most in summands:
        bits = (most - least).bit_length()
        assert bits <= _WORD, "a place takes 32 bits at most, a square 42"
        if used + bits > _WORD:
            word, used = word + 1, 0
        found.append(Field(name, value, least, bits, word, used))
        used += bits
    return tuple(found)
