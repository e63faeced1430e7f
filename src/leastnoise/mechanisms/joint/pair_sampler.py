"""`PairSampler`: the two counters of a joint draw, drawn exactly by rejection."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import Undecided
from leastnoise.mechanisms.joint.pair_blocks import PairBlocks
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.numeric import ball as balls
from leastnoise.randomness.geometric import Geometric
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_integer

_WORD = 64

Proposal = tuple[int, int, Callable[[], arb]]
"""A pair, and a ball around the chance that it is kept."""


@dataclass(frozen=True)
class PairSampler:
    r"""Draws (p, q) with probability proportional to the law's weight, exactly.

    A square is drawn by its share and a pair in it uniformly, or a pair beyond all squares by a
    geometric sum; it is kept with probability weight/(what it was proposed with). Shares come from
    floats; that no weight exceeds them is decided by balls for every pair proposed.
    Proof: docs/proofs/joint_noise.md, section 5.
    """

    law: PairLaw

    @cached_property
    def blocks(self) -> PairBlocks:
        """The squares."""
        return PairBlocks.of(self.law)

    @cached_property
    def _sums(self) -> list[int]:
        return [int(share) for share in np.cumsum(self.blocks.shares)]

    @cached_property
    def _excess(self) -> Geometric:
        return Geometric(self.law.rate / 2)

    def make_ready(self) -> None:
        """Makes the tables; draws nothing."""
        _ = self._sums, self._excess

    def draw(self, source: Source) -> tuple[int, int]:
        """One exact draw."""
        while True:
            word = uniform_integer(self._sums[-1] + self.blocks.tail, source)
            inside = word < self._sums[-1]
            p, q, chance = self._inside(word, source) if inside else self.beyond(source)
            if keeps(chance, source):
                return p, q

    def _inside(self, word: int, source: Source) -> Proposal:
        blocks, place = self.blocks, int(np.searchsorted(self._sums, word, side="right"))
        size = int(blocks.sizes[place])
        p, q = (int(low) + uniform_integer(size, source) for low in blocks.corners[place])
        envelope = int(blocks.shares[place])
        return p, q, lambda: self.law.weight(p, q) * size**2 / envelope * self._unit()

    def beyond(self, source: Source) -> Proposal:
        """A pair outside the squares, or one inside, which is never kept."""
        blocks, rate = self.blocks, self.law.rate
        excess = int(self._excess.sample(1, source)[0])
        radius = blocks.limit + excess
        p = uniform_integer(radius + 1, source)
        if max(p, radius - p) < blocks.limit:
            return p, radius - p, lambda: arb(0)

        def chance() -> arb:
            rest = (1 - (-balls.ball(rate / 2)).exp()) * (-balls.ball(rate * excess / 2)).exp()
            each = rest * blocks.tail / (radius + 1)
            return self.law.weight(p, radius - p) / each * self._unit()

        return p, radius - p, chance

    def _unit(self) -> arb:
        return arb(2) ** -self.blocks.exponent


def keeps(chance: Callable[[], arb], source: Source) -> bool:
    """A coin that is True with exactly this probability.

    Raises:
        Undecided: the chance is not below 1, so that a proposal would be no bound.
    """
    word, bits = source.bits(_WORD), _WORD
    while True:
        with balls.precision(2 * bits):
            ball = chance()
            edge = ball * arb(2) ** bits
        if not ball <= 1:
            raise Undecided(
                "a proposal must lie above the weight of a pair; it does not. Nothing was drawn: "
                "please report the parts of this draw."
            )
        if edge <= word or edge >= word + 1:
            return bool(edge >= word + 1)
        word, bits = (word << _WORD) | source.bits(_WORD), bits + _WORD
