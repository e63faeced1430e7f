r"""Whether two coins keep ρ-zCDP: proved for all orders at once, or not at all.

For coins with chances a and b let K(t) = ln(a·e^(tL₁) + (1−a)·e^(tL₀)), L₁ = ln(a/b),
L₀ = ln((1−a)/(1−b)). Then K(t) = t·D_{1+t}, and the promise is K(t) ≤ ρ·t·(1+t) for all t > 0. K is
convex, so on an interval its chord lies above it; docs/proofs/partition_selection.md, section 5.
"""

from fractions import Fraction
from functools import cached_property

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls

_BITS = 192  # the proof needs differences of numbers that nearly agree
_FIRST = 1 / 256  # near order 1 the divergence is nearly a line
_DEEPEST = 7  # halvings of one interval before the proof is given up
_LAST = 2.0**40  # the greatest loss has decided long before


def coins_keep(low: Fraction, high: Fraction, rho: Fraction) -> bool:
    """Whether coins with chances 0 < low < high < 1 are proved to keep ρ-zCDP, both ways round."""
    with balls.precision(_BITS):
        return _Pair(high, low, rho).is_proved and _Pair(low, high, rho).is_proved


@dataclass(frozen=True)
class _Pair:
    """The divergence of one coin from another, against ρ.

    Places t are sums of few powers of two, so that floats hold them exactly.
    """

    one: Fraction
    other: Fraction
    rho: Fraction

    @cached_property
    def _losses(self) -> tuple[arb, arb]:
        heads = balls.ball(self.one / self.other).log()
        return heads, balls.ball((1 - self.one) / (1 - self.other)).log()

    @cached_property
    def _chance(self) -> arb:
        return balls.ball(self.one)

    @cached_property
    def _limit(self) -> arb:
        return balls.ball(self.rho)

    def _at(self, t: float) -> arb:
        """K(t)."""
        heads, tails = (arb(t) * loss for loss in self._losses)
        return (self._chance * heads.exp() + (1 - self._chance) * tails.exp()).log()

    @property
    def is_proved(self) -> bool:
        """Interval after interval, until the greatest loss itself is small enough."""
        left, value, right = 0.0, arb(0), _FIRST
        while right < _LAST:
            after = self._at(right)
            if not self._holds(left, value, right, after):
                return False
            if self._holds_beyond(right):
                return True
            left, value, right = right, after, 2 * right
        return False

    def _holds_beyond(self, t: float) -> bool:
        """K(t) is at most t times the greatest loss: enough once that is below ρ·(1+t)."""
        limit = self._limit * (1 + arb(t))
        return all(bool(loss <= limit) for loss in self._losses)

    def _holds(
        self, left: float, at: arb, right: float, after: arb, deeper: int = _DEEPEST
    ) -> bool:
        """Whether K lies below on an interval, by its chord or those of its parts."""
        if after > self._parabola(right):
            return False
        if self._chord_holds(left, at, right, after):
            return True
        if not deeper:
            return False
        middle = (left + right) / 2
        between = self._at(middle)
        first = self._holds(left, at, middle, between, deeper - 1)
        return first and self._holds(middle, between, right, after, deeper - 1)

    def _parabola(self, t: float) -> arb:
        return self._limit * (arb(t) * (1 + arb(t)))

    def _chord_holds(self, left: float, at: arb, right: float, after: arb) -> bool:
        """A line minus a parabola is greatest at an end or at its vertex."""
        slope = (after - at) / (arb(right) - arb(left))
        if slope <= self._limit * (1 + 2 * arb(left)):
            return bool(at <= self._parabola(left))
        if slope >= self._limit * (1 + 2 * arb(right)):
            return bool(after <= self._parabola(right))
        vertex = (slope - self._limit) ** 2 / (4 * self._limit)
        return bool(at - slope * arb(left) + vertex <= 0)
