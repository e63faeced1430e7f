"""Exact geometric draws at any scale, digit by digit."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.numeric import ball as balls
from leastnoise.randomness.source import Source
from leastnoise.randomness.table import LookUpTable

_DIGIT_BITS = 9  # a table of 512 entries is made fast and fits a cache
_TOP_MEAN_BITS = 3  # a mean of 8 keeps the table of the rest short


def geometric_table(rate: Fraction, below: int | None) -> LookUpTable:
    """P(N = n) ∝ exp(−rate·n) on 0 ≤ n < below, or on all n ≥ 0 if there is no bound."""
    return LookUpTable(_floor(rate, below), lambda n: n, below)


def _floor(rate: Fraction, below: int | None) -> Callable[[int, int], int]:
    def survival(n: int) -> arb:
        power = (-balls.ball(rate * n)).exp()
        if below is None:
            return power
        end = (-balls.ball(rate * below)).exp()
        return (power - end) / (1 - end)

    def floor(n: int, bits: int) -> int:
        return balls.floor(lambda: survival(n) * (arb(2) ** bits))

    return floor


class Geometric:
    r"""Draws G with P(G = g) ∝ exp(−rate·g) on g ≥ 0, or on 0 ≤ g < 2**cap_bits.

    Theorem: the binary digits of G, grouped into low groups of fixed length and one top group, are
    independent; a low group of length l at position o is geometric with rate·2**o, truncated to
    0..2**l − 1, and the top group is geometric with the rate times its own weight.
    Proof: exp(−rate·Σ 2**oᵢ·dᵢ) is a product over the groups, and the groups range freely.

    So a few small tables serve any scale. A rate of 0 (needs a cap) is a row of fair bits.
    """

    __slots__ = ("_cap_bits", "_digits", "_low_bits", "_top")

    def __init__(self, rate: Fraction, cap_bits: int | None = None) -> None:
        if not rate and cap_bits is None:
            raise ValueError("a geometric law with rate 0 needs a cap")
        self._cap_bits = cap_bits
        low_bits = _low_bits(rate) if rate else 0
        self._low_bits = low_bits if cap_bits is None else min(low_bits, cap_bits)
        self._digits = self._digit_tables(rate) if rate else []
        self._top = self._top_table(rate) if rate else None

    def _digit_tables(self, rate: Fraction) -> list[tuple[int, LookUpTable]]:
        parts = -(-self._low_bits // _DIGIT_BITS)
        ends = [self._low_bits * part // parts for part in range(parts + 1)] if parts else [0]
        return [
            (start, geometric_table(rate * 2**start, 2 ** (end - start)))
            for start, end in pairwise(ends)
        ]

    def _top_table(self, rate: Fraction) -> LookUpTable | None:
        above = None if self._cap_bits is None else 2 ** (self._cap_bits - self._low_bits)
        return None if above == 1 else geometric_table(rate * 2**self._low_bits, above)

    @property
    def nbytes(self) -> int:
        """Memory held by the tables."""
        tables = [table for _, table in self._digits] + ([self._top] if self._top else [])
        return sum(table.nbytes for table in tables)

    def sample(self, count: int, source: Source) -> NDArray[np.int64] | NDArray[np.object_]:
        """`count` independent draws; Python integers where 64 bits do not suffice."""
        if self._top is None and not self._digits and (self._cap_bits or 0) > 62:
            return np.array([source.bits(self._cap_bits or 0) for _ in range(count)], np.object_)
        if self._top is None and not self._digits:
            mask = np.uint64(2 ** (self._cap_bits or 0) - 1)
            return (source.words(count) & mask).view(np.int64)
        top = np.zeros(count, np.int64) if self._top is None else self._top.sample(count, source)
        fits = int(top.max(initial=0)).bit_length() + self._low_bits < 63
        drawn: NDArray[np.int64] | NDArray[np.object_]
        drawn = (top if fits else top.astype(np.object_)) * 2**self._low_bits
        for start, table in self._digits:
            digit = table.sample(count, source)
            drawn = drawn + (digit if fits else digit.astype(np.object_)) * 2**start
        return drawn


def _low_bits(rate: Fraction) -> int:
    """How many low bits to split off so that the rest has a mean of about 2**_TOP_MEAN_BITS."""
    return max(0, int(1 / rate).bit_length() - 1 - _TOP_MEAN_BITS)
