r"""Many points of a trade-off curve at once, from shared evaluations of δ.

With δ(ε) for the pair (P, Q) and y = e^ε, the least missed-detection rate at false-alarm rate a is
T(a) = max over y > 0 of 1 − δ − y·a, and δ is convex in y, at least 1 − y and at least P(L = ∞). So
each y at which δ is bracketed bounds T from below, for all a; and between two neighbours δ lies
above the chords prolonged from either side, which bounds T from above.
Proof: docs/proofs/tradeoff_view.md.

The arithmetic is that of floats. Where a maximum is attained all numbers are at most 1 in size, so
that moving each end of a bracket outward by 1e-9 is far more than all rounding together.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.loss_variable import LossVariable

Floats = NDArray[np.float64]

_ROUNDING = Fraction(1, 10**9)  # more than all rounding of the floats that find the lines
_FARTHEST = 16.0  # e^-16 is below what a picture shows
_FIRST_PLACES = 129  # one for each quarter of a loss
_ROUNDS = 4  # each looks where the bracket is still wide
_NARROW = 1e-4  # narrower than a line in a picture
_MOST_CORNERS = 512  # more would take seconds
_LEAST_GAP = 1e-4  # closer lines tell nothing new


def tradeoff_brackets(
    directions: Sequence[LossVariable], alarms: Sequence[Fraction]
) -> list[Interval]:
    """Brackets on the least missed-detection rates, for the worse direction."""
    curves = [_Curve(variable).brackets(alarms) for variable in directions]
    return [
        Interval(min(point.lower for point in points), min(point.upper for point in points))
        for points in zip(*curves, strict=True)
    ]


class _Curve:
    """δ of one variable at chosen places, more of them where a bracket on T is wide."""

    def __init__(self, variable: LossVariable) -> None:
        self._variable = variable
        self._known: dict[float, tuple[float, float]] = {}

    def brackets(self, alarms: Sequence[Fraction]) -> list[Interval]:
        """One bracket for each alarm."""
        inner = [alarm for alarm in alarms if 0 < alarm < 1]
        bounds = zip(inner, *self._bounds(np.array([float(a) for a in inner])), strict=True)
        found = {alarm: _bracket(alarm, low, high) for alarm, low, high in bounds}
        infinite = self._variable.infinite_mass
        found[Fraction(0)] = Interval(1 - infinite.upper, 1 - infinite.lower)
        found[Fraction(1)] = Interval.exactly(0)
        return [found[alarm] for alarm in alarms]

    def _bounds(self, alarms: Floats) -> tuple[Floats, Floats]:
        self._evaluate(self._first_places())
        lower, upper, near = self._known_lines().bounds(alarms)
        for _ in range(_ROUNDS):
            wide = upper - lower > _NARROW
            if not wide.any():
                break
            self._evaluate(near[wide].ravel().tolist())
            lower, upper, near = self._known_lines().bounds(alarms)
        return lower, upper

    def _first_places(self) -> list[float]:
        """For losses on a lattice the corners of δ nearest to 0; and evenly spread ones."""
        even: list[float] = np.linspace(-_FARTHEST, _FARTHEST, _FIRST_PLACES).tolist()
        step = self._variable.lattice_step
        if step is None or step < _LEAST_GAP:
            return even
        most = min(_MOST_CORNERS, int(_FARTHEST / step))
        return [float(n * step) for n in range(-most, most + 1)] + even

    def _evaluate(self, places: list[float]) -> None:
        """Brackets on δ, rounded outward; nothing next to a place already known."""
        for place in places:
            if all(abs(place - known) >= _LEAST_GAP for known in self._known):
                found = self._variable.delta(Fraction(place))
                low, high = float(found.lower), float(found.upper)
                self._known[place] = math.nextafter(low, -1.0), math.nextafter(high, 2.0)

    def _known_lines(self) -> "_Lines":
        epsilons = np.array(sorted(self._known))
        low, high = np.array([self._known[place] for place in epsilons.tolist()]).T
        return _Lines(epsilons, low, high, float(self._variable.infinite_mass.lower))


@dataclass(frozen=True)
class _Lines:
    """Brackets on δ at increasing ε, and what follows for T."""

    epsilons: Floats
    low: Floats
    high: Floats
    infinite: float

    def bounds(self, alarms: Floats) -> tuple[Floats, Floats, Floats]:
        """Bounds on T at each alarm, and two places where a closer look might narrow them."""
        y = np.exp(self.epsilons)
        lower = (1 - self.high - np.outer(alarms, y)).max(axis=1)
        peaks = self._peaks(y, alarms)
        beyond = np.maximum(y[0] * (1 - alarms), 1 - self.infinite - y[-1] * alarms)
        best = peaks.argmax(axis=1)
        first, last = self.epsilons[best], self.epsilons[best + 1]
        near = np.stack([(2 * first + last) / 3, (first + 2 * last) / 3], axis=1)
        return lower, np.maximum(peaks.max(axis=1), beyond), near

    def _peaks(self, y: Floats, alarms: Floats) -> Floats:
        """A bound on 1 − δ − y·a within each cell, by alarm and cell.

        The bound is concave in y with one corner, where the two prolonged chords meet.
        """
        width = np.diff(y)
        left = np.concatenate([[1 - y[0]], self.low[1:-1]])
        rise = np.concatenate([[-1.0], (self.low[1:-1] - self.high[:-2]) / width[:-1]])
        right = np.concatenate([self.low[1:-1], [self.infinite]])
        fall = np.concatenate([(self.high[2:] - self.low[1:-1]) / width[1:], [0.0]])
        gap = np.where(rise == fall, 1.0, rise - fall)
        corner = np.clip((right - fall * width - left) / gap, 0.0, width)
        peaks = np.full((len(alarms), len(width)), -np.inf)
        for offset in (np.zeros_like(width), corner, width):
            least = np.maximum(left + rise * offset, right + fall * (offset - width))
            peaks = np.maximum(peaks, 1 - least - np.outer(alarms, y[:-1] + offset))
        return peaks


def _bracket(alarm: Fraction, low: float, high: float) -> Interval:
    # Nobody needs the release to miss no more than 1 − a: accuse at random.
    upper = min(1 - alarm, max(Fraction(0), Fraction(high)) + _ROUNDING)
    return Interval(min(upper, max(Fraction(0), Fraction(low) - _ROUNDING)), upper)
