"""`ExchangedVariable`: a record exchanged for another, seen as one removed and one added."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.variables.chords import tail_between_chords
from leastnoise.privacy.variables.grid_cells import Twins
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.product_variable import joined, repeated

_SHARES = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))  # of delta; all are sound
_TRIALS = 10  # of places around 0 and epsilon; all are sound
_GOLDEN = (math.sqrt(5) - 1) / 2
_ABOVE_ONE = Fraction(3, 2)  # its divergence bounds those of orders up to 1

Least = Callable[[LossVariable, Fraction], Interval]
"""From a loss and a delta to its least epsilon."""


@dataclass(frozen=True)
class ExchangedVariable(LossVariable):
    r"""A bound on the loss of an exchanged record, from those of removing and of adding one.

    Theorem (docs/proofs/sampling.md, section 8): for every real s, an exchanged record costs
    δ(ε) ≤ δ_remove(s) + e^s·δ_add(ε − s), in either direction; so do all steps together. The
    lower end is that of a record exchanged for one that counts for nothing.

    Args:
        remove: the loss where a record is removed.
        add: the loss where it is added.
    """

    remove: LossVariable
    add: LossVariable

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        if epsilon < 0:  # of the reversed pair, which has the same bound
            other = self.delta(-epsilon)
            factor = _exponential(epsilon)
            least, most = 1 - factor.upper * (1 - other.lower), 1 - factor.lower * (1 - other.upper)
            return Interval(max(Fraction(0), Fraction(least)), most)
        low = max(way.delta(epsilon).lower for way in (self.remove, self.add))
        high = min(self._split(epsilon, place) for place in self._places(epsilon))
        return Interval(min(low, high), high)

    def _split(self, epsilon: Fraction, place: Fraction) -> Fraction:
        """What the theorem says with s = place."""
        factor = _exponential(place)
        first, second = self.remove.delta(place), self.add.delta(epsilon - place)
        return min(Fraction(1), Fraction(first.upper + factor.upper * second.upper))

    def _places(self, epsilon: Fraction) -> Iterator[Fraction]:
        """A golden section towards the least, as the bound is convex in e^s."""
        # Beyond these, one of the two curves costs about 1 − e^s.
        low, high = -2 * Fraction(self.remove.spread), epsilon + 2 * Fraction(self.add.spread)
        inner = [high - Fraction(_GOLDEN) * (high - low), low + Fraction(_GOLDEN) * (high - low)]
        found = [self._split(epsilon, place) for place in inner]
        for _ in range(_TRIALS):
            if found[0] <= found[1]:
                high, inner[1], found[1] = inner[1], inner[0], found[0]
                inner[0] = high - Fraction(_GOLDEN) * (high - low)
                found[0] = self._split(epsilon, inner[0])
            else:
                low, inner[0], found[0] = inner[0], inner[1], found[1]
                inner[1] = low + Fraction(_GOLDEN) * (high - low)
                found[1] = self._split(epsilon, inner[1])
        yield from inner

    def epsilon(self, delta: Fraction, least: Least) -> Interval:
        """The least epsilon for a delta: a share of it for removing, the rest for adding."""
        low = max(least(way, delta).lower for way in (self.remove, self.add))
        high: Endpoint = math.inf
        for share in _SHARES:
            first = least(self.remove, share * delta).upper
            if first == math.inf:
                continue
            rest = (1 - share) * delta * Fraction(_exponential(-Fraction(first)).lower)
            high = min(high, first + least(self.add, rest).upper)
        return Interval(min(low, high), high)

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return tail_between_chords(self.delta, epsilon)

    def renyi(self, order: Order) -> Interval:
        r"""By Hölder's inequality; orders up to 1 take the upper end of 3/2.

        D_a ≤ ((2a − 1)/2·D_2a(remove) + (a − 1)·D_(2a−1)(add))/(a − 1) for a > 1.
        """
        low = max(way.renyi(order).lower for way in (self.remove, self.add))
        if order == math.inf:
            return Interval(low, self.remove.renyi(order).upper + self.add.renyi(order).upper)
        exact = max(Fraction(order), _ABOVE_ONE)
        first, second = self.remove.renyi(2 * exact).upper, self.add.renyi(2 * exact - 1).upper
        if math.inf in (first, second):
            return Interval(low, math.inf)
        weight = (2 * exact - 1) / (2 * (exact - 1))
        return Interval(low, weight * Fraction(first) + Fraction(second))

    @cached_property
    def infinite_mass(self) -> Interval:
        """None if neither way has any; else not known."""
        parts = [way.infinite_mass for way in (self.remove, self.add)]
        nothing = all(part.upper == 0 for part in parts)
        return Interval(max(part.lower for part in parts), Fraction(0 if nothing else 1))

    @property
    def spread(self) -> float:
        """Those of both ways together."""
        return self.remove.spread + self.add.spread

    @property
    def span(self) -> float:
        """Those of both ways together."""
        return self.remove.span + self.add.span

    def cells(self, step: float) -> Twins:
        """None: what is added up are the losses of removing and of adding."""
        del step
        raise UnsupportedQuery(
            "a loss of exchanged records that is bounded by removing and adding must be composed "
            "with its like; this one is composed with another kind, or sampled. Compose the "
            "losses of added and removed records first, and exchange records of their sum."
        )

    def joined(self, other: LossVariable, count: int) -> "ExchangedVariable | None":
        """All records removed first, then all added."""
        if not isinstance(other, ExchangedVariable):
            return None
        more = other.repeated(count)
        return ExchangedVariable(joined(self.remove, more.remove), joined(self.add, more.add))

    def repeated(self, count: int) -> "ExchangedVariable":
        """The same of so many copies."""
        return ExchangedVariable(repeated(self.remove, count), repeated(self.add, count))


def _exponential(exponent: Fraction) -> Interval:
    return balls.enclosure(lambda: balls.ball(exponent).exp())
