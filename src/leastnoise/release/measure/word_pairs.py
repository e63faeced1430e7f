"""Pairs of unit and group in sorted words, and which of a unit's groups count.

Theorem: for all sorted words, every `most` and every hash of pairs, `parts_of_words` cuts the words
into parts of which none has rows of a unit of another, and `counting` leaves of each unit its
`most` first pairs by hash, then by group.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.bool_]

_HASH = 64
_MANY = 4  # pairs of so many times the groups that count are looked at first
_NEAR = 24  # by so many bits of their hashes


def parts_of_words(words: Words, low: int, size: int) -> Iterator[Words]:
    """Sorted words in parts; all of a unit are in one.

    Args:
        words: each a unit with so many bits below it.
        low: how many bits these are.
        size: how many words a part has at most, if it has two units or more.
    """
    start, below = 0, np.uint64((1 << low) - 1)
    while start < len(words):
        end = min(start + size, len(words))
        if end < len(words):
            last = words[end] | below  # the greatest word that the next row's unit could have
            end = start + int(np.searchsorted(words[start:], last - below))
            if end == start:
                end = start + int(np.searchsorted(words[start:], last, side="right"))
        yield words[start:end]
        start = end


@dataclass(frozen=True, repr=False)
class Pairs:
    """The pairs of a part. Secret.

    Attributes:
        names: words without the bits below the group: one for each pair, in their order.
        starts: where the rows of each pair begin.
        sizes: how many they are.
    """

    names: Words
    starts: Numbers
    sizes: Numbers


def pairs_of(words: Words, shift: int) -> Pairs:
    """The pairs of sorted words; there is one word at least.

    Args:
        words: sorted.
        shift: how many bits of each are below unit and group.
    """
    names = words >> np.uint64(shift) if shift else words
    starts = _beginnings(names)
    return Pairs(names[starts], starts, _lengths(starts, len(words)))


def counting(units: Numbers, most: int, hashes: Callable[[Numbers], Words]) -> Marks | None:
    """Which pairs are among the first of their unit; None if all are.

    Args:
        units: of each pair, in the order of units and then of groups.
        most: how many groups of a unit count.
        hashes: of some pairs, by their places in this order.
    """
    begins = _beginnings(units)
    counts = _lengths(begins, len(units))
    crowded = counts > most
    if not crowded.any():
        return None
    among = np.repeat(crowded, counts)
    places, sizes = np.flatnonzero(among), counts[crowded]
    found = ~among
    found[places[_first(sizes, most, hashes(places))]] = True
    return found


def _first(sizes: Numbers, most: int, hashes: Words) -> Numbers:
    """The places of the first pairs of units, each of which has more than count.

    Args:
        sizes: how many pairs each unit has; these lie side by side.
        most: how many of them count.
        hashes: of each pair.
    """
    owner = np.repeat(np.arange(len(sizes)), sizes)
    chosen, clear = _first_by_words(owner, most, hashes, len(sizes), _near(sizes, most, hashes))
    if clear.all():
        return chosen
    unclear = np.flatnonzero(~clear[owner])
    every = _first_by_all_bits(owner[unclear], most, hashes[unclear])
    return np.concatenate([chosen, unclear[every]])


def _near(sizes: Numbers, most: int, hashes: Words) -> Numbers | None:
    """The places of pairs with small hashes, among which are mostly enough; None for all places."""
    if sizes.max() <= _MANY * most:
        return None
    turn = (hashes >> np.uint64(_HASH - _NEAR)).view(np.int64)
    return np.flatnonzero(turn * np.repeat(sizes, sizes) <= (_MANY * most) << _NEAR)


def _first_by_words(
    owner: Numbers, most: int, hashes: Words, units: int, near: Numbers | None
) -> tuple[Numbers, Marks]:
    """The first pairs of those units that have enough near ones, and which units these are.

    A word is the unit, the first bits of the hash and the place. If these bits of two pairs are
    equal, and one of them would count and the other not, the unit is not clear.
    """
    if near is not None:
        owner, hashes = owner[near], hashes[near]
    place_bits, unit_bits = max(1, len(owner).bit_length()), max(1, units.bit_length())
    turns = (hashes >> np.uint64(unit_bits + place_bits)) << np.uint64(place_bits)
    words = owner.astype(np.uint64) << np.uint64(_HASH - unit_bits)
    words |= turns
    words |= np.arange(len(owner), dtype=np.uint64)
    words.sort()
    of = (words >> np.uint64(_HASH - unit_bits)).view(np.int64)
    counts = np.bincount(of, minlength=units)
    begins = np.cumsum(counts) - counts
    clear = counts >= most
    more = np.flatnonzero(counts > most)
    last = begins[more] + (most - 1)
    low = np.uint64(place_bits)
    clear[more[words[last] >> low == words[last + 1] >> low]] = False
    turn = np.arange(len(words)) - begins[of]
    chosen = (words[(turn < most) & clear[of]] & np.uint64((1 << place_bits) - 1)).view(np.int64)
    return chosen if near is None else near[chosen], clear


def _first_by_all_bits(owner: Numbers, most: int, hashes: Words) -> Numbers:
    """The first pairs of units of which all pairs are here, by all bits and then by group."""
    order = np.lexsort((hashes, owner))  # pairs with equal hashes stay in the order of groups
    of = owner[order]
    begins = _beginnings(of)
    turn = np.arange(len(of)) - np.repeat(begins, _lengths(begins, len(of)))
    return order[turn < most]


def _beginnings(ordered: NDArray[np.int64] | Words) -> Numbers:
    """Where something begins that is not what came before."""
    fresh = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return np.flatnonzero(fresh)


def _lengths(starts: Numbers, end: int) -> Numbers:
    """How far it is from each start to the next, and from the last to the end."""
    found = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=found[:-1])
    found[-1:] = end - starts[-1:]
    return found
