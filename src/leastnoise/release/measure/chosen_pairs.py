"""Which groups of a unit count, and what it adds to them, by sorting words instead of tables.

Theorem: of rows with words unit·2^31 + turn, where rows of one unit and group have the same turn,
the result is what `groups_in_turn` leaves: per unit its `most` groups of the least turns, with all
their rows. Units of which two groups have the same turn are told apart and left to the caller,
whose order goes on with further bits.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

Words: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int64]
"""Numbers of rows."""

_TURN = 31
_MANY = 4  # rows of so many times the groups that count are looked at first


@dataclass(frozen=True, repr=False)
class Pairs:
    """Pairs of unit and group that count. Secret.

    Attributes:
        rows: the numbers of their rows, pair after pair.
        starts: where in these each pair begins.
        undecided: the units that are not among them, because two of their groups share a turn.
    """

    rows: Rows
    starts: Rows
    undecided: Words

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each pair has."""
        return _lengths(self.starts, len(self.rows))

    def beside(self, other: "Pairs") -> "Pairs":
        """Those of other units, too."""
        return Pairs(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.starts, other.starts + len(self.rows)]),
            np.concatenate([self.undecided, other.undecided]),
        )

    def sums(self, values: Words) -> Words:
        """What each pair adds up to, of values in the order of `rows`.

        The caller knows that no sum leaves 64 bits.
        """
        if not len(self.starts):
            return np.zeros(0, np.int64)
        return np.add.reduceat(values, self.starts)


def chosen_pairs(
    words: Words, groups: Callable[[Rows], Words], most: int | None, cells: int
) -> Pairs:
    """The pairs that count.

    Args:
        words: of each row, unit·2^31 + turn. In whatever order they come, all rows of a unit are
            here.
        groups: the groups of some rows.
        most: how many groups of a unit count; None for all.
        cells: how many groups there are.
    """
    every = np.arange(len(words))
    if most is None or not len(words):
        return _all_pairs(words, groups, every, most)
    units = words >> _TURN
    scale = np.minimum(np.bincount(units), cells)
    crowded = scale > _MANY * most
    if not crowded.any():
        return _all_pairs(words, groups, every, most)
    # Of groups with the least turns there are enough among those with small ones, mostly.
    near = (words & ((1 << _TURN) - 1)) * scale[units] <= (_MANY * most) << _TURN
    found = _all_pairs(words, groups, np.flatnonzero(near), most)
    kept = np.bincount(words[found.rows[found.starts]] >> _TURN, minlength=len(scale))
    again = crowded & (kept < most)
    again[found.undecided] = False
    if not again.any():
        return found
    whole = _all_pairs(words, groups, np.flatnonzero(again[units]), most)
    return _without(found, again[words[found.rows] >> _TURN]).beside(whole)


def _all_pairs(
    words: Words, groups: Callable[[Rows], Words], rows: Rows, most: int | None
) -> Pairs:
    """The pairs of some rows: of each unit all of its rows, or all with turns up to some bound."""
    # Fast where rows nearly come in their order, and right in any.
    rows = rows[words[rows].argsort(kind="stable")]
    ordered, group = words[rows], groups(rows)
    fresh = np.ones(len(rows), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    clash = ~fresh[1:] & (group[1:] != group[:-1])
    undecided = np.unique(ordered[1:][clash] >> _TURN)
    starts = np.flatnonzero(fresh)
    owner = ordered[starts] >> _TURN
    keep = np.isin(owner, undecided, invert=True)
    if most is not None:
        keep &= _place(owner) < most
    found = Pairs(rows, starts, undecided)
    return found if keep.all() else _without(found, np.repeat(~keep, found.sizes))


def _place(owner: Words) -> NDArray[np.int64]:
    """Of pairs in order: how many pairs of the same unit come before each."""
    begins = np.ones(len(owner), bool)
    np.not_equal(owner[1:], owner[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    return np.arange(len(owner)) - np.repeat(first, _lengths(first, len(owner)))


def _lengths(starts: Rows, end: int) -> NDArray[np.int64]:
    """How far it is from each start to the next."""
    found = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=found[:-1])
    found[-1:] = end - starts[-1:]
    return found


def _without(pairs: Pairs, dropped: NDArray[np.bool_]) -> Pairs:
    """Without some rows, which are whole pairs."""
    keep = ~dropped[pairs.starts]
    sizes = pairs.sizes[keep]
    starts = np.cumsum(sizes) - sizes
    return Pairs(pairs.rows[~dropped], starts, pairs.undecided)
