"""How a coalition may mix its words: what it writes where they differ.

A strategy says with which probability a coalition of c users writes a 1 at a position where z of
their words have one. Where all words agree the coalition must write what they say: it sees no
difference there (the marking assumption).
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.randomness.bernoulli import bernoulli_rational
from leastnoise.randomness.source import Source, checked_source

Bits = NDArray[np.bool_]

Strategy = Callable[[int, int], Fraction]
"""(ones, size) ↦ the probability of writing 1, for 0 < ones < size."""


def majority(ones: int, size: int) -> Fraction:
    """What most words say; a coin at a tie."""
    return Fraction((2 * ones > size) - (2 * ones < size) + 1, 2)


def minority(ones: int, size: int) -> Fraction:
    """What fewest words say; a coin at a tie."""
    return 1 - majority(ones, size)


def random_member(ones: int, size: int) -> Fraction:
    """The bit of a member drawn anew for each position."""
    return Fraction(ones, size)


def all_ones(ones: int, size: int) -> Fraction:
    """A 1 wherever one can be had."""
    del ones, size
    return Fraction(1)


def all_zeros(ones: int, size: int) -> Fraction:
    """A 0 wherever one can be had."""
    del ones, size
    return Fraction(0)


def coin(ones: int, size: int) -> Fraction:
    """A fair coin wherever the words differ."""
    del ones, size
    return Fraction(1, 2)


STRATEGIES: tuple[Strategy, ...] = (majority, minority, random_member, all_ones, all_zeros, coin)
"""The registry that the tests and the benchmark walk."""


def forge(words: Bits, strategy: Strategy, source: Source | None = None) -> Bits:
    """The copy a coalition makes of its words, one row each; coins are exact.

    Example:
        >>> words = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0]], dtype=bool)
        >>> forge(words, majority).astype(int), forge(words, all_ones).astype(int)
        (array([1, 0, 0, 0]), array([1, 1, 0, 1]))
    """
    if words.ndim != 2 or not words.size:
        raise _check.refuse(
            "`words` must be a table, one row per member",
            f"shape {words.shape}",
            "Give at least one row and one column.",
        )
    size, drawer = words.shape[0], checked_source(source)
    ones = words.sum(axis=0)
    copy: Bits = ones == size
    for count in range(1, size):
        places = np.flatnonzero(ones == count)
        copy[places] = bernoulli_rational(strategy(count, size), places.size, drawer)
    return copy
