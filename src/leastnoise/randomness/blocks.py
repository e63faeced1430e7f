"""`Blocks`: the integers cut into blocks of equal size to both sides of a mode, and their weights.

The helper of `BlockSampler` that knows the mathematics: which block is how likely, and which lines
enclose the weights inside a block.
"""

from collections.abc import Callable
from functools import cached_property

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import Undecided
from leastnoise.numeric import ball as balls
from leastnoise.randomness.source import Source

_GUARD_BITS = 32  # a comparison is undecided with chance 2**-32
_WORD = 64  # one word of the source

# A slope of 1 or more is no use in 32 bits: such a block is left to the balls.
NO_LINE = 1 << 32

Weight = Callable[[int], arb]
"""k ↦ a ball around the weight of k, at the working precision."""


@dataclass(frozen=True)
class _Side:
    """The blocks to one side of the mode, outward; `length` of them, or without end."""

    weight: Weight
    first: int
    stride: int
    length: int | None

    def inner_end(self, number: int) -> int:
        return self.first + number * self.stride

    def envelopes(self, negligible: arb) -> list[arb]:
        """Greatest weights of the blocks; the last is a ball [0, sum of all those left out].

        Ratios of successive envelopes fall, for the weights are log-concave, so a geometric series
        bounds what is left out.
        """
        kept: list[arb] = []
        while self.length is None or len(kept) < self.length:
            kept.append(self.weight(self.inner_end(len(kept))))
            if len(kept) > 1 and kept[-1] < negligible:
                ratio = kept[-1] / kept[-2]
                rest = kept[-1] * ratio / (1 - ratio)
                if ratio < 1 and rest < negligible:
                    return [*kept, arb(0).union(rest)]
        return [*kept, arb(0)]


@dataclass(frozen=True)
class _Ladder:
    """The envelopes of both sides, and their sums from each block outward as shares of all."""

    up: list[arb]
    down: list[arb]
    up_shares: list[arb]
    down_shares: list[arb]

    @classmethod
    def of(cls, up: list[arb], down: list[arb]) -> "_Ladder":
        unit = 1 / (sum(up, arb(0)) + sum(down, arb(0)))
        return cls(up, down, _outer_shares(up, unit), _outer_shares(down, unit))

    def beyond(self, up: int, down: int) -> arb:
        """The share of the blocks further out than the first `up` and the first `down` ones."""
        last_up, last_down = len(self.up) - 1, len(self.down) - 1
        return self.up_shares[min(up, last_up)] + self.down_shares[min(down, last_down)]


def _outer_shares(envelopes: list[arb], unit: arb) -> list[arb]:
    total, shares = arb(0), []
    for envelope in reversed(envelopes):
        total += envelope * unit
        shares.append(total)
    return shares[::-1]


@dataclass(frozen=True)
class Blocks:
    """Blocks 0, 1, 2, … from the mode upward and −1, −2, … below it, 2**shift integers each."""

    weight: Weight
    mode: int
    shift: int
    least: int | None
    greatest: int | None

    @cached_property
    def _up(self) -> _Side:
        points = None if self.greatest is None else self.greatest - self.mode + 1
        return _Side(self.weight, self.mode, 1 << self.shift, self._count(points))

    @cached_property
    def _down(self) -> _Side:
        points = None if self.least is None else self.mode - self.least
        return _Side(self.weight, self.mode - 1, -(1 << self.shift), self._count(points))

    def _count(self, points: int | None) -> int | None:
        return None if points is None else -(-points >> self.shift)

    @property
    def length(self) -> int | None:
        """How many blocks there are, or None if they never end."""
        if self._up.length is None or self._down.length is None:
            return None
        return self._up.length + self._down.length

    def _split(self, n: int) -> tuple[int, int]:
        """How many of the first n blocks lie up and down: in turn, then the longer side alone."""
        up, down = self._up.length, self._down.length
        if up is not None and up < (n + 1) // 2:
            return up, n - up
        if down is not None and down < n // 2:
            return n - down, down
        return (n + 1) // 2, n // 2

    def block(self, n: int) -> int:
        """The block that comes n-th in the table."""
        up, down = self._split(n)
        return up if self._split(n + 1)[0] > up else ~down

    def _supports(self, k: int) -> bool:
        return (self.least is None or self.least <= k) and (
            self.greatest is None or k <= self.greatest
        )

    def mode_is_exceeded(self) -> bool:
        """Whether a neighbour of the mode is heavier, so that the mode is none."""
        neighbours = [k for k in (self.mode - 1, self.mode + 1) if self._supports(k)]
        with balls.precision(balls.FIRST_PRECISION):
            return any(self.weight(k) > self.weight(self.mode) for k in neighbours)

    def _inner_end(self, block: int) -> int:
        return self._up.inner_end(block) if block >= 0 else self._down.inner_end(~block)

    @cached_property
    def _ladders(self) -> dict[int, _Ladder]:
        return {}

    def _ladder(self, bits: int) -> _Ladder:
        if bits not in self._ladders:
            negligible = self.weight(self.mode) * arb(2) ** -bits
            self._ladders[bits] = _Ladder.of(
                self._up.envelopes(negligible), self._down.envelopes(negligible)
            )
        return self._ladders[bits]

    def floor(self, n: int, bits: int) -> int:
        """The floor of P(N ≥ n)·2**bits for the block that comes N-th, decided."""
        guard = _GUARD_BITS
        while bits + guard <= balls.LAST_PRECISION:
            with balls.precision(bits + 2 * guard):
                scaled = self._ladder(bits + guard).beyond(*self._split(n)) * arb(2) ** bits
                whole = scaled.floor().unique_fmpz()
            if scaled < 1:
                return 0
            if whole is not None:
                return int(whole)
            guard *= 2
        raise Undecided(
            "a sum of weights must not be a multiple of a power of 1/2; it is one to "
            f"{balls.LAST_PRECISION} bits. Move one of the parameters a little."
        )

    def slopes(self) -> tuple[list[tuple[int, int]], int]:
        """Slopes of the two lines for each block, from the lowest up, and the place of block 0."""
        with balls.precision(_WORD + 2 * _GUARD_BITS):
            ladder = self._ladder(_WORD + _GUARD_BITS)
            up, down = _slopes(ladder.up[:-1]), _slopes(ladder.down[:-1])
        return [*reversed(down), *up], len(down)

    def refuses(self, block: int, place: int, word: int, source: Source) -> bool:
        """Whether a uniform number with these 32 first bits lies below 1 − weight/envelope."""
        k, bits = self.mode + (block << self.shift) + place, 32
        if not self._supports(k):
            return True
        while True:
            word, bits = (word << _WORD) | source.bits(_WORD), bits + _WORD
            with balls.precision(bits + _GUARD_BITS):
                envelope = self.weight(self._inner_end(block))
                edge = (1 - self.weight(k) / envelope) * arb(2) ** bits
                if edge <= word or edge >= word + 1:
                    return bool(edge >= word + 1)


def _slopes(envelopes: list[arb]) -> list[tuple[int, int]]:
    """32-bit (steep, gentle) of each block: 1 − steep·t ≤ weight/envelope ≤ 1 − gentle·t.

    Here t in [0, 1) is how far out a place lies in its block, as a fraction. At either end a block
    without lines stands for all those beyond.
    """
    lines = []
    for number, envelope in enumerate(envelopes):
        steep, gentle = NO_LINE, 0
        if number + 1 < len(envelopes):
            rise = (envelope / envelopes[number + 1] - 1) * NO_LINE
            steep = min(int(rise.upper().ceil().fmpz()), NO_LINE)
        if number:
            fall = (1 - envelope / envelopes[number - 1]) * NO_LINE
            gentle = max(int(fall.lower().floor().fmpz()), 0)
        lines.append((steep, gentle))
    return [*lines, (NO_LINE, 0)]
