"""`OptimalComposition`: the exact cost of repeating an (ε, δ)-DP mechanism."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import ceil
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.numeric.ball import ball, enclosure, sign
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER, at_least_zero
from leastnoise.privacy.guarantee import ApproxDP

_SHORT = 4096  # a power of the delta is written out only up to here


@frozen
class OptimalComposition:
    r"""The least (ε, δ) that holds for every k-fold adaptive composition of (ε₀, δ₀)-DP mechanisms.

    Theorem: for every ε ≥ 0 it is (ε, 1 − (1−δ₀)^k·(1−E))-DP, where
    E = Σ over l with (k−2l)ε₀ > ε of C(k,l)·(e^((k−l)ε₀) − e^(ε+lε₀))/(1+e^ε₀)^k.
    Exact: randomised response that gives the secret away with probability δ₀, repeated k times,
    attains it at every ε.
    Proof: docs/proofs/composition.md, section 3.

    Args:
        promise: (ε₀, δ₀) of each mechanism.
        count: the number k of mechanisms.

    References: KairouzOhViswanath2017, Theorem 3.3 (arXiv 1311.0776).

    Example:
        >>> hundred = OptimalComposition(ApproxDP(epsilon="0.1", delta=0), 100)
        >>> round(float(hundred.epsilon(delta="1e-6")), 4)
        4.7746
    """

    promise: ApproxDP
    count: Whole = checked(_check.whole(1))

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ at ε."""
        wanted = _check.non_negative(epsilon, "epsilon")
        step = self.promise.epsilon
        terms = max(ceil((self.count - wanted / step) / 2), 0) if step else 0
        if not terms and self.count * _bits(1 - self.promise.delta) <= _SHORT:
            return Interval.exactly(1 - (1 - self.promise.delta) ** self.count)
        return enclosure(lambda: self._total(self._excess(wanted, terms)))

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε at δ; infinite if δ is below 1 − (1−δ₀)^k."""
        wanted = _check.delta(delta)
        room = self._room(wanted)
        if room < 0:
            return NEVER
        if not (room and self.promise.epsilon):
            return Interval.exactly(self.count * self.promise.epsilon)
        return at_least_zero(enclosure(lambda: self._steepest(wanted).log(), relative_bits=60))

    def _room(self, delta: Fraction) -> int:
        """The sign of δ − (1 − (1−δ₀)^k)."""
        kept, asked = 1 - self.promise.delta, 1 - delta
        # A power in lowest terms has a long denominator: too long to equal a number typed in.
        if self.count * _bits(kept) > _bits(asked) + 1:
            return sign(lambda: self._share(delta))
        return (kept**self.count > asked) - (kept**self.count < asked)

    def _share(self, delta: Fraction) -> arb:
        """The E that is left for randomised response: 1 − (1−δ)/(1−δ₀)^k."""
        kept = self.count * ball(-self.promise.delta).log1p()
        return -(ball(-delta).log1p() - kept).expm1()

    def _total(self, excess: arb) -> arb:
        given_away = -(self.count * ball(-self.promise.delta).log1p()).expm1()
        return given_away + (1 - given_away) * excess

    def _excess(self, epsilon: Fraction, terms: int) -> arb:
        """E: what k-fold randomised response leaves above ε, over its first `terms` losses."""
        total, factor = arb(0), ball(epsilon).exp()
        for likely, unlikely in islice(self._outcomes(), terms):
            total += likely - factor * unlikely
        return total

    def _outcomes(self) -> Iterator[tuple[arb, arb]]:
        """Probabilities under the two laws of l lies among k answers, for l = 0, 1, …."""
        factor = ball(self.promise.epsilon).exp()
        likely = (1 + 1 / factor) ** -self.count
        unlikely = (1 + factor) ** -self.count
        for lies in range(self.count + 1):
            yield likely, unlikely
            ratio = ball(Fraction(self.count - lies, lies + 1))
            likely, unlikely = likely * ratio / factor, unlikely * ratio * factor

    def _steepest(self, delta: Fraction) -> arb:
        """The largest (A − t)/B over the first sums A and B of the outcomes: e^ε, at least 1.

        It rises while the next loss is above it and falls ever after, so the search can stop.
        """
        best, above, below = arb.neg_inf(), -self._share(delta), arb(0)
        for likely, unlikely in islice(self._outcomes(), (self.count + 1) // 2):
            above, below = above + likely, below + unlikely
            slope = above / below
            if slope < best:
                break
            best = best.max(slope)
        return best.max(arb(1))


def _bits(value: Fraction) -> int:
    """The denominator is at least 2 to this power, and below 2 to one more."""
    return value.denominator.bit_length() - 1


def optimal(*, epsilon: Exact, delta: Exact, count: SupportsIndex) -> OptimalComposition:
    """`OptimalComposition` of `count` mechanisms that are each (epsilon, delta)-DP.

    Example:
        >>> round(float(optimal(epsilon="0.1", delta=0, count=100).delta(epsilon=5)), 10)
        2.793e-07
    """
    times = _check.integer_between(count, "count", 1)
    return OptimalComposition(ApproxDP(epsilon=epsilon, delta=delta), times)
