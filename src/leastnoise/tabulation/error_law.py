r"""`ErrorLaw`: how large an error will be, known before any data is.

Theorem (mean from a bracket): let F be a distribution function on 0, 1, 2, … and E its mean. For
places 0 = t₀ < … < tₘ with gaps gᵢ = tᵢ₊₁ − tᵢ,
Σ gᵢ·(1 − F(tᵢ₊₁)) ≤ E ≤ Σ gᵢ·(1 − F(tᵢ)) + √(s·(1 − F(tₘ))), where s bounds the mean square.
Proof: E = Σ (1 − F(t)) over t ≥ 0 and 1 − F falls; what lies beyond tₘ is at most the mean of
error·1{error > tₘ}, which Cauchy and Schwarz bound by the root.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer

Inside = Callable[[int], Interval]
"""t ↦ a bracket on P(error ≤ t·unit), for integers t ≥ 0."""

_NEGLIGIBLE = Fraction(1, 2**64)  # of the mass
_MOST_PIECES = 96  # each is a look at the law
_NARROW = Fraction(1, 2000)  # means are told to three digits
_ROOT_BITS = 32  # behind the point
_FAR_BITS = 40  # times the typical error: not looked for


@dataclass(frozen=True)
class ErrorLaw:
    """The law of a non-negative error, a multiple of a unit.

    Args:
        inside: brackets on the distribution function; both ends rise with t, and reach 1.
        square: an upper bound on the mean of (error/unit)².
        typical: roughly the error in units, where searches start.
        unit: what one step is worth in counts.
        bound: the greatest error, in units; None if there is none.
        convex: whether P(error = t) does not grow with t ≥ 1.

    Example:
        >>> faces = lambda t: Interval.exactly(Fraction(min(t, 6), 6))
        >>> die = ErrorLaw(faces, square=Fraction(91, 6), typical=3, bound=6)
        >>> die.quantile("0.5"), die.mean
        (Interval(3), Interval(3.5))
    """

    inside: Inside
    square: Fraction
    typical: int
    unit: Fraction = Fraction(1)
    bound: int | None = None
    convex: bool = False

    def quantile(self, confidence: Exact) -> Interval:
        """A bracket on the least error not exceeded with this probability.

        Promise the upper end: the error stays within it at least that often.
        """
        level = _check.probability(confidence, "confidence")
        if level == 1:
            return Interval.exactly(self.unit * self._certain)
        low = self._least(lambda bracket: bracket.upper >= level)
        high = self._least(lambda bracket: bracket.lower >= level)
        return Interval(self.unit * low, self.unit * high)

    def within(self, error: Exact) -> Interval:
        """A bracket on the probability that the error is at most this."""
        steps = math.floor(_check.non_negative(error, "error") / self.unit)
        return self._at(steps)

    @property
    def _certain(self) -> int:
        if self.bound is not None:
            return self.bound
        raise UnsupportedQuery(
            "`confidence` must be below 1 for an error without bound; got confidence=1. "
            "Ask for a confidence such as 0.999, or use bounded noise."
        )

    def _least(self, enough: Callable[[Interval], bool]) -> int:
        far = (self.typical + 1) << _FAR_BITS
        found = least_integer(lambda t: t >= far or enough(self._at(t)), 0, self.typical)
        if found < far:
            return found
        raise UnsupportedQuery(
            "`confidence` must not be closer to 1 than the error's law is known; got one that is. "
            "Ask for a confidence such as 0.999999."
        )

    @cached_property
    def _known(self) -> dict[int, Interval]:
        return {}

    def _at(self, t: int) -> Interval:
        if self.bound is not None and t >= self.bound:
            return Interval.exactly(1)
        if t not in self._known:
            self._known[t] = self.inside(t)
        return self._known[t]

    @cached_property
    def mean(self) -> Interval:
        """A bracket on the expected error."""
        top = self._top
        pieces: list[tuple[Fraction, int, int]] = []
        heappush(pieces, self._piece(0, top))
        low, high = self._sums(0, top)
        while len(pieces) < _MOST_PIECES and high - low > _NARROW * high:
            doubt, start, stop = heappop(pieces)
            if not doubt:
                break
            middle = (start + stop) // 2
            parts = [self._sums(start, middle), self._sums(middle, stop)]
            before = self._sums(start, stop)
            low += sum(part[0] for part in parts) - before[0]
            high += sum(part[1] for part in parts) - before[1]
            heappush(pieces, self._piece(start, middle))
            heappush(pieces, self._piece(middle, stop))
        beyond = _root_above(self.square * (1 - Fraction(self._at(top).lower)))
        return Interval(self.unit * low, self.unit * (high + beyond))

    @cached_property
    def _top(self) -> int:
        """Beyond this place next to nothing lies."""
        if self.bound is not None:
            return self.bound
        place = max(1, self.typical)
        while 1 - self._at(place).lower > _NEGLIGIBLE:
            place += max(1, place // 4)
        return place

    def _sums(self, start: int, stop: int) -> tuple[Fraction, Fraction]:
        """Bounds on Σ (1 − F(t)) over start ≤ t < stop."""
        width = stop - start
        first = self._at(start)
        most = 1 - Fraction(first.lower)
        if width == 1:
            return 1 - Fraction(first.upper), most
        if not self.convex:
            return width * (1 - Fraction(self._at(stop).upper)), width * most
        # A convex function lies below its chord, and its mean is at least its value in the middle.
        middle = 1 - Fraction(self._at(start + width // 2).upper)
        end = 1 - Fraction(self._at(stop).lower)
        return width * middle, ((width + 1) * most + (width - 1) * end) / 2

    def _piece(self, start: int, stop: int) -> tuple[Fraction, int, int]:
        """A stretch with how much of its sum is in doubt, the most doubtful first in a heap."""
        if stop - start == 1:
            return Fraction(0), start, stop
        low, high = self._sums(start, stop)
        return low - high, start, stop


def _root_above(square: Fraction) -> Fraction:
    """√square, rounded up."""
    scale = 1 << _ROOT_BITS
    scaled = math.ceil(square * scale * scale)
    return Fraction(math.isqrt(scaled) + 1, scale) if scaled else Fraction(0)
