"""`small_inputs`: every pair of neighbours in a small window of inputs, by mechanism."""

from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import combinations_with_replacement, pairwise, product
from typing import Any

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.bernoulli_mean import BernoulliMean
from leastnoise.mechanisms.choosing.selection import Selection
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.name_and_shame import NameAndShame
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.mechanisms.response import RandomizedResponse

Pair = tuple[Any, Any]
_MOST_PAIRS = 20_000  # evenly spread over all of them


@singledispatch
def small_inputs(mechanism: Any) -> tuple[Iterable[Pair], str]:
    """Pairs of neighbours, and in words which ones they are.

    Raises:
        UnsupportedQuery: nobody said what its inputs are, or it is too large to go through.
    """
    raise UnsupportedQuery(
        f"a mechanism must be known here to be audited from inside; got {mechanism!r:.60}. "
        "Audit it from outside: give neighbours=."
    )


@small_inputs.register
def _(mechanism: RandomizedResponse) -> tuple[Iterable[Pair], str]:
    categories = range(_small(mechanism.categories, 12))
    pairs = [(a, b) for a in categories for b in categories if a != b]
    return pairs, "all pairs of categories"


@small_inputs.register
def _(mechanism: BernoulliMean) -> tuple[Iterable[Pair], str]:
    size = _small(mechanism.records, 64)
    rows = [(1,) * ones + (0,) * (size - ones) for ones in range(size + 1)]
    return list(pairwise(rows)), "all numbers of ones and one more"


@small_inputs.register
def _(mechanism: NameAndShame) -> tuple[Iterable[Pair], str]:
    del mechanism
    tables = list(product("ab", repeat=3))
    pairs = [(x, y) for x in tables for y in tables if _changed(x, y) == 1]
    return pairs, "all tables of 3 records of 2 kinds, one replaced"


@small_inputs.register
def _(mechanism: Selection) -> tuple[Iterable[Pair], str]:
    return _utilities(mechanism)


@small_inputs.register
def _(mechanism: TopSelection) -> tuple[Iterable[Pair], str]:
    return _utilities(mechanism.selection)


def _utilities(selection: Selection) -> tuple[Iterable[Pair], str]:
    """Utilities of a few steps, each moved by up to the sensitivity."""
    size, reach = _small(selection.candidates, 4), selection.sensitivity
    window = sorted({0, 1, reach, reach + 1, 2 * reach})
    moves = list(product((0, reach) if selection.monotone else (-reach, 0, reach), repeat=size))
    # Only gaps matter, so the least may be taken to be 0; and the order of candidates does not.
    rising = combinations_with_replacement(window, size)
    starts = [start for start in rising if start[0] == 0]
    pairs = _thinned([(u, _sum(u, move)) for u in starts for move in moves if any(move)])
    return pairs, f"utilities in {window} moved by up to {reach} each"


@small_inputs.register
def _(mechanism: KeepRule) -> tuple[Iterable[Pair], str]:
    """Where one unit joins as many groups as it may; the others are independent of it."""
    groups, surely = _small(mechanism.changes, 3), mechanism.surely_kept
    counts = range(surely + 1) if groups == 1 else sorted({0, 1, 2, surely // 2, surely - 1})
    pairs = []
    for start in product(counts, repeat=groups):
        for joined in product((1, -1) if mechanism.replace else (1,), repeat=groups):
            after = _sum(start, joined)
            if min(after) >= 0 and (not mechanism.replace or sum(joined) == 0):
                pairs.append((start, after))
    return pairs, f"counts in {min(counts)}..{max(counts)}, one unit more or less in each group"


@small_inputs.register
def _(mechanism: Quantiles) -> tuple[Iterable[Pair], str]:
    cells, most = _small(mechanism.cells, 4), _small(mechanism.contribution, 2)
    tables = list(product(range(3), repeat=cells))
    rows = [row for row in product(range(most + 1), repeat=cells) if sum(row) <= most]
    if mechanism.replace:
        pairs = [
            (_sum(table, one), _sum(table, other))
            for table in tables
            for one in rows
            for other in rows
        ]
    else:
        pairs = [(table, _sum(table, row)) for table in tables for row in rows]
    distinct = [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
    return _thinned(distinct), "all tables with up to 2 rows in a cell, and one unit more"


def _small(size: int, most: int) -> int:
    if size <= most:
        return size
    raise UnsupportedQuery(
        f"a mechanism must be small to go through all its inputs, at most {most}; got {size}. "
        "Audit a smaller one of the same kind, or give neighbours=."
    )


def _changed(one: tuple[Any, ...], other: tuple[Any, ...]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _sum(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _thinned(pairs: list[Pair]) -> list[Pair]:
    """At most so many of them, evenly spread."""
    return pairs[:: max(1, -(-len(pairs) // _MOST_PAIRS))]


def both_ways(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Each pair in both orders."""
    for one, other in pairs:
        yield one, other
        yield other, one
