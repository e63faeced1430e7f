r"""How far exp(K/M − shift) − a is from the count, in balls, for the lattice that is drawn.

Let p be the *position* of a count, ln(x + a) or its place over M, and Z standard normal. A lattice
of no width would release p + σZ. The steps of the lattice, the rounding of places and that of
floats in decoding together amount to less than `DRIFT_STEPS` steps: each tail lies between those
of p ± drift + σZ (docs/proofs/relative_counts.md, section 4).

`side` = 1 makes every function here an upper bound, −1 a lower bound.
"""

from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.numeric import ball as balls
from leastnoise.numeric.normal_cdf import normal_cdf, normal_density

DRIFT_STEPS = 3  # more than lattice, places and floats add up to


@dataclass(frozen=True)
class LogError:
    """Tails and expected errors of decoded counts; all answers at the working precision.

    Args:
        channel: what was released.
        log_shift: σ² for the estimate of least absolute error, σ²/2 for the unbiased one.
    """

    channel: LogChannel
    log_shift: Fraction

    def position(self, x: int) -> arb:
        """Where a count lies, on the scale of logarithms."""
        if x >= self.channel.map.bend:
            return self.shifted(x).log()
        return arb(self.channel.map.place(x)) / (1 << self.channel.bits)

    def shifted(self, value: Fraction | int) -> arb:
        """The value plus the offset."""
        return balls.ball(value + self.channel.offset)

    def border(self, value: Fraction) -> arb:
        """The place, over M, from which an estimate exceeds the value."""
        return self.shifted(value).log() + balls.ball(self.log_shift)

    def above(self, position: arb, border: arb, side: int) -> arb:
        """P(K/M > border)."""
        return normal_cdf(self._deviations(position - border, side))

    def below(self, position: arb, border: arb, side: int) -> arb:
        """P(K/M < border)."""
        return normal_cdf(self._deviations(border - position, side))

    def _deviations(self, distance: arb, side: int) -> arb:
        return (distance + self.drift(side)) / self.channel.sigma()

    def drift(self, side: int) -> arb:
        """How far a place may be off, to the given side."""
        return arb(side * DRIFT_STEPS) / (1 << self.channel.bits)

    def excess(self, position: arb, value: Fraction | int, side: int) -> arb:
        """E(x̂ − value)⁺, the integral of `above` over all larger values."""
        t, place = self.shifted(value), position - self.border(Fraction(value))
        high = self._deviations(place, side)
        return self._mean(position, side) * normal_cdf(high + self.channel.sigma()) - (
            t * normal_cdf(high)
        )

    def shortfall(self, position: arb, value: Fraction | int, side: int) -> arb:
        """E(value − x̂)⁺, the integral of `below` over all smaller values."""
        t, place = self.shifted(value), self.border(Fraction(value)) - position
        low = self._deviations(place, side)
        return t * normal_cdf(low) - self._mean(position, -side) * normal_cdf(
            low - self.channel.sigma()
        )

    def _mean(self, position: arb, side: int) -> arb:
        """E exp(p + σZ − log_shift + drift)."""
        log = balls.ball(self.channel.squared_sigma / 2 - self.log_shift) + self.drift(side)
        return (position + log).exp()

    def relative(self, side: int) -> arb:
        r"""E|x̂ − x|/(x + a) for real-valued estimates; the same for every x.

        Theorem: without drift it is 2Φ(σ) − 1 for the shift σ², the least of all shifts, and
        4Φ(σ/2) − 2 for the shift σ²/2.
        Proof: docs/proofs/relative_counts.md, section 3.
        """
        unit = 1 - self.channel.offset
        return self.excess(arb(0), unit, side) + self.shortfall(arb(0), unit, side)

    def density(self, position: arb, value: Fraction | int, side: int) -> arb:
        """The derivative of P(x̂ < value) by the value, for the tail `below` of this side."""
        return self._density(position, self.shifted(value), side)

    def _density(self, position: arb, t: arb, side: int) -> arb:
        place = t.log() + balls.ball(self.log_shift) - position
        return normal_density(self._deviations(place, side)) / (self.channel.sigma() * t)

    def _mode(self, position: arb, side: int) -> arb:
        """Where the density is greatest; it grows before and falls after."""
        log = balls.ball(self.log_shift + self.channel.squared_sigma) + self.drift(side)
        return (position - log).exp()

    def fall(self, position: arb, first: Fraction | int, last: Fraction | int) -> arb:
        r"""How far the density of the upper bound `below` falls between two values.

        An eighth of it bounds the sum of `below` over the middles of cells minus its integral.
        """
        low, high, mode = self.shifted(first), self.shifted(last), self._mode(position, 1)
        if high <= mode:
            return arb(0)
        summit = low if low >= mode else mode
        return self._density(position, summit, 1) - self._density(position, high, 1)

    def rise(self, position: arb, first: Fraction | int, last: Fraction | int) -> arb:
        """How far the density of the lower bound `below` rises between two values; or more."""
        low, high, mode = self.shifted(first), self.shifted(last), self._mode(position, -1)
        if low >= mode:
            return arb(0)
        return self._density(position, high if high <= mode else mode, -1)
