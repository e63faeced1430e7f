"""`RelativeDesign`: a response chain for small counts joined to a log channel for large ones."""

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.groupwise.log_error import LogError
from leastnoise.groupwise.response_chain import ResponseChain
from leastnoise.groupwise.rounded_error import RoundedError
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import sound_end
from leastnoise.privacy.implications import rho_of_pure
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


@dataclass(frozen=True)
class RelativeDesign:
    r"""Counts x ≥ smallest, smaller ones raised to it, each to an integer x̂ with small |x̂ − x|/x.

    Law: counts below `top` walk the chain; a walk that arrives at the top, like every count from
    there on, is released through the channel, where K decodes to an integer of at least top.
    Where K lies below the threshold, the count sinks into the chain instead. A walk that arrives
    at the top draws K of the count `top` until it is not below the threshold.

    Theorem: for the pairs (x−1, x) with x < top the ρ is that of the chain, for x > top that of
    the channel. At x = top it is that of a coin that is wrong with chance u(top) on one side and
    P(K < threshold) on the other.
    Proof: docs/proofs/relative_counts.md, section 2.

    Args:
        chain: the walk for counts from smallest to top; of length 0 if there is none.
        channel: for counts from top on.
        threshold: where K ends up in the chain.
    """

    chain: ResponseChain
    channel: LogChannel
    threshold: int

    @property
    def smallest(self) -> int:
        """Smaller counts are raised to this."""
        return self.chain.first

    @property
    def top(self) -> int:
        """The first count that goes through the channel."""
        return self.chain.top

    @cached_property
    def rounded(self) -> RoundedError:
        """How the channel is decoded, and its errors."""
        return RoundedError(LogError(self.channel, self.channel.squared_sigma))

    def release(self, counts: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
        """Integers drawn from the stated law, one for each count."""
        raised = np.maximum(counts, self.smallest)
        small = raised < self.top
        released = np.empty_like(raised)
        released[~small] = self._through_channel(raised[~small], source)
        if small.any():
            ends = self.chain.walk(raised[small], source)
            arrived = np.flatnonzero(ends == self.top)
            ends[arrived] = self._from_top(arrived.size, source)
            released[small] = ends
        return released

    def _through_channel(self, counts: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
        blurred = self.channel.blurred(counts, source)
        released = self.rounded.decoded(blurred)
        if self.chain.chances:
            sunk = np.flatnonzero(blurred < self.threshold)
            released[sunk] = self.chain.sink(sunk.size, source)
        return released

    def _from_top(self, size: int, source: Source) -> NDArray[np.int64]:
        """Estimates from K of the count `top`, given that it is not below the threshold."""
        place, noise = self.channel.map.place(self.top), self.channel.noise
        blurred = place + noise.sample(size, source).astype(np.int64)
        low = np.flatnonzero(blurred < self.threshold)
        while low.size:
            blurred[low] = place + noise.sample(low.size, source).astype(np.int64)
            low = low[blurred[low] < self.threshold]
        return self.rounded.decoded(blurred)

    def budget(self, x: int) -> Fraction:
        """The ρ of a count of x or more, compared with both neighbours; it does not grow with x."""
        size = max(x, self.smallest + 1)
        if size > self.top:
            return self.channel.budget(size)
        if size == self.top:
            return self._junction
        return max(sound_end(self.chain.rho(size)), self._junction)

    @cached_property
    def _junction(self) -> Fraction:
        return max(sound_end(rho_of_pure(self.junction_epsilon)), self.channel.budget(self.top + 1))

    @cached_property
    def junction_epsilon(self) -> Fraction:
        """The ε of the border below the top: the greatest log ratio of the two coins."""
        up, sunk = self.chain.chance(self.top), Fraction(self.sunk.lower)
        odds = max((1 - sunk) / up, (1 - up) / sunk)
        return sound_end(balls.enclosure(lambda: balls.ball(odds).log()))

    @property
    def is_sound(self) -> bool:
        """Whether gaps do not grow, borders follow each other, and the threshold is below all."""
        counts, chain = self.channel.map, self.chain
        joined = not chain.chances or self.threshold <= counts.place(self.top)
        return counts.gaps_never_grow and self.rounded.borders_rise and chain.is_sound and joined

    @property
    def beats_logarithms(self) -> bool:
        """Whether no count loses more than it would if all of them lay at their logarithms."""
        log, most = self.channel.map.log, 2 * self.channel.variance
        counts = range(self.smallest + 1, self.channel.map.bend + 1)
        return all(self.budget(x) * most <= log.gap(x) ** 2 for x in counts)

    @cached_property
    def sunk(self) -> Interval:
        """P(K < threshold) at the top."""
        return self.channel.noise.tail(self.channel.map.place(self.top) - self.threshold + 1)

    def loss(self, x: int) -> PrivacyLoss:
        """The privacy loss of the pair (x − 1, x), for x > smallest."""
        if x > self.top:
            return self.channel.loss(x)
        if x == self.top:
            return PrivacyLoss.worst_case(epsilon=self.junction_epsilon)
        return PrivacyLoss.worst_case(epsilon=sound_end(self.chain.epsilon(x)))
