"""`BlockSampler`: an exact sampler for wide log-concave laws on the integers."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.blocks import NO_LINE, Blocks, Weight
from leastnoise.randomness.source import Source
from leastnoise.randomness.table import LookUpTable

_BLOCKS_PER_SPREAD = 32  # so flat a block rejects few draws
_GREATEST_SPREAD = 1 << 62  # draws shall fit into 64 bits
_CHUNK = 1 << 16  # stays in the processor's cache
# A place in its block, as a fraction, is held to 31 bits: times a 32-bit slope it fits a word.
_PLACE = 31

Integers = NDArray[np.int64] | NDArray[np.object_]


class BlockSampler:
    r"""Draws an integer k with probability proportional to weight(k), exactly.

    Law: P(K = k) = weight(k) / Σ weight, over least..greatest.

    The integers to either side of the mode are cut into blocks of m = 2**shift. A block is drawn
    from a `LookUpTable` with its greatest weight, the one at its inner end, as the weight of each
    of its places; a place is drawn from raw bits; the pair is kept with probability
    weight(k)/(weight at the inner end), else both are drawn again. A 16-bit word settles 98 of 100
    pairs; two straight lines that enclose the ratio leave a few in ten thousand, and these are
    settled by balls, with as many further bits as it takes. A narrow law has m = 1: nothing is
    ever drawn again.
    Proof: docs/proofs/discrete_gaussian.md, "Block rejection".

    Args:
        weight: k ↦ a ball around a positive weight, for every k in least..greatest, which gets
            narrow without limit as the working precision grows. Weights need no normaliser. They
            must be log-concave, weight(k)² ≥ weight(k−1)·weight(k+1), and summable.
        mode: an integer of greatest weight.
        spread: about one standard deviation, up to 2**62. It sets speed and memory, never the law.
        least: the least integer with a positive weight; None if there is none.
        greatest: the greatest integer with a positive weight; None if there is none.

    Raises:
        Undecided: a sum of block weights is, to 2**17 bits, a multiple of 2**−64 of the total.
            Weights that are all rational might bring this about.

    Example:
        >>> from flint import arb
        >>> squares = BlockSampler(lambda k: (-arb(k * k)).exp(), mode=0, spread=1)
        >>> squares.sample(3, Source()).shape
        (3,)
    """

    __slots__ = ("_blocks", "_flat", "_gentle", "_origin", "_steep", "_table")

    def __init__(
        self,
        weight: Weight,
        *,
        mode: int,
        spread: int,
        least: int | None = None,
        greatest: int | None = None,
    ) -> None:
        if not 0 <= spread <= _GREATEST_SPREAD:
            raise ValueError("spread must lie in 0..2**62")
        shift = max(0, (spread // _BLOCKS_PER_SPREAD).bit_length() - 1)
        self._blocks = Blocks(weight, mode, shift, least, greatest)
        if self._blocks.mode_is_exceeded():
            raise ValueError("mode must be an integer of greatest weight")
        slopes, self._origin = self._blocks.slopes()
        self._steep = np.array([steep for steep, _ in slopes], dtype=np.uint64)
        self._gentle = np.array([gentle for _, gentle in slopes], dtype=np.uint64)
        highest = np.maximum((self._steep + np.uint64(0xFFFF)) >> np.uint64(16), 1)
        self._flat = (highest - np.uint64(1)).astype(np.uint16)
        self._table = LookUpTable(
            self._blocks.floor, lambda n: self._blocks.block(n) + self._origin, self._blocks.length
        )

    def sample(self, count: int, source: Source) -> Integers:
        """`count` independent draws; Python integers (dtype object) where 64 bits are too few."""
        drawn: Integers = np.empty(count, dtype=np.int64)
        for start in range(0, count, _CHUNK):
            part = self._chunk(min(_CHUNK, count - start), source)
            if part.dtype == object:
                drawn = drawn.astype(np.object_, copy=False)
            drawn[start : start + _CHUNK] = part
        return drawn

    def _chunk(self, count: int, source: Source) -> Integers:
        rows = self._table.sample(count, source)
        if not self._blocks.shift:
            return self._joined(rows, None)
        places = self._places(count, source)
        again = self._refused(rows, places, source)
        while again.size:
            rows[again] = self._table.sample(again.size, source)
            places[again] = self._places(again.size, source)
            again = again[self._refused(rows[again], places[again], source)]
        return self._joined(rows, places)

    def _joined(self, rows: NDArray[np.int64], places: NDArray[np.int64] | None) -> Integers:
        """The mode + block·m + place, in 64 bits if all of them fit; overwrites the rows."""
        shift = self._blocks.shift
        lowest = self._blocks.mode - (self._origin << shift)
        safe_rows = 1 << 62 >> shift if abs(lowest) < 1 << 62 else 0
        if rows.view(np.uint64).max() >= safe_rows:
            outer = (rows.astype(object) << shift) + lowest
            return outer if places is None else outer + places
        if places is not None:
            rows <<= shift
            rows += places
        rows += lowest
        return rows

    def _places(self, count: int, source: Source) -> NDArray[np.int64]:
        """Uniform integers below the block size."""
        shift = self._blocks.shift
        size = next(size for size in (1, 2, 4, 8) if shift <= 8 * size)
        raw = source.bytes(size * count).view(np.dtype(f"u{size}"))
        return raw.astype(np.int64) & ((1 << shift) - 1)

    def _refused(
        self, rows: NDArray[np.int64], places: NDArray[np.int64], source: Source
    ) -> NDArray[np.intp]:
        """Where to draw again: where a uniform number lies below 1 − weight/envelope."""
        heads = source.short_words(rows.size)
        doubtful = np.flatnonzero(heads <= np.take(self._flat, rows, mode="clip"))
        words = (heads[doubtful].astype(np.uint64) << np.uint64(16)) | source.short_words(
            doubtful.size
        )
        refused, undecided = self._squeezed(rows[doubtful], places[doubtful], words)
        for i in np.flatnonzero(undecided):
            place = doubtful[i]
            block = int(rows[place]) - self._origin
            refused[i] = self._blocks.refuses(block, int(places[place]), int(words[i]), source)
        return doubtful[refused]

    def _squeezed(
        self, rows: NDArray[np.int64], places: NDArray[np.int64], words: NDArray[np.uint64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(refused, undecided) by the two lines, for the first 32 bits of the uniform numbers."""
        steps = self._steps_out(rows, places)
        steep = np.take(self._steep, rows, mode="clip")
        gentle = np.take(self._gentle, rows, mode="clip")
        refused = (words + np.uint64(1)) << np.uint64(_PLACE) <= gentle * steps
        kept = words << np.uint64(_PLACE) >= steep * (steps + np.uint64(1))
        kept &= steep < np.uint64(NO_LINE)
        return refused, ~(refused | kept)

    def _steps_out(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.uint64]:
        """How far out in its block a place lies, in units of m/2**31, rounded down."""
        shift = self._blocks.shift
        steps = np.where(rows < self._origin, (1 << shift) - 1 - places, places)
        scaled = steps << (_PLACE - shift) if shift <= _PLACE else steps >> (shift - _PLACE)
        return scaled.astype(np.uint64)
