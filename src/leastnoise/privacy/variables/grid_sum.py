r"""`GridSum`: the sum of many independent grid variables, by a tilted Fourier transform.

The masses are first multiplied by e^(θl) and normalised. θ is chosen so that the tilted sum has its
mean near the ε asked for: there the transform's absolute rounding error is small against the mass,
and undoing the tilt turns it into a small *relative* error, however small δ is.

Any θ and any window are sound; floats without a proof choose them. What is charged is bounded by
`TiltedSum` and added on the sound side (docs/proofs/transforms.md).
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import crossing
from leastnoise.numeric.proved_floats import UNIT, above, below
from leastnoise.privacy.variables.grid_cells import GridMasses
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.tilted_sum import GridAtoms, TiltedSum, Window, tilted_sum

_BITS = 128  # of the few numbers that are balls
_WRAP = 1e-16  # mass that may lie outside of the window
_ROOT_PRECISION = Fraction(1, 10**10)  # finer than the grid itself
_MOST_TRIALS = 40  # the reach is flat near its best
_LONG = 1 << 18  # a transform of more points takes tens of milliseconds
_MOST_NOTCHES = 9  # down to a quarter of a tilt
_TILTS = range(-160, 161)  # a geometric scale on which any best tilt is nearly met
_GUESSED = 0.02  # a saddle-point estimate is mostly closer than this
_FURTHER = (0.1, 0.5)  # and else mostly closer than these
_HALVINGS = 8  # of a notch of the scale
_SHARP = 1e-6  # relative width of delta that a lowered tilt may cost
_SKETCH = 4096  # points of the law that tilts and windows are chosen by
_FEWEST = 4  # bits of the number of points of a window


@dataclass(frozen=True)
class _Sketch:
    """A law with few points that tilts and windows are chosen by; it carries no proof."""

    losses: Floats
    masses: Floats

    @classmethod
    def of(cls, atoms: GridAtoms, step: float) -> "_Sketch":
        losses = atoms.places.astype(np.float64) * step
        bundle = -(-len(losses) // _SKETCH)
        starts = np.arange(0, len(losses), bundle)
        masses = np.add.reduceat(atoms.masses, starts)
        means = np.add.reduceat(atoms.masses * losses, starts) / masses
        return cls(means, masses)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """The logarithm of E e^(tilt·L) and its first two derivatives."""
        exponents = tilt * self.losses
        shift = float(exponents.max())
        weights = self.masses * np.exp(exponents - shift)
        total = float(weights.sum())
        mean = float((weights * self.losses).sum()) / total
        variance = float((weights * (self.losses - mean) ** 2).sum()) / total
        return shift + math.log(total), mean, variance


class GridSum:
    """The finite losses of independent parts added up, with the chance of an infinite one apart."""

    def __init__(self, parts: list[tuple[GridMasses, int]]) -> None:
        self.step = parts[0][0].step
        self._infinite = [(part.infinite, count) for part, count in parts]
        self._parts = [(_atoms(part), count) for part, count in parts]
        self._shift = sum(count * Fraction(part.shift) for part, count in parts)

    @cached_property
    def infinite(self) -> tuple[float, float]:
        """Bounds on the chance that some part's loss is infinite."""
        with balls.precision(_BITS):
            none = arb(1)
            for chance, count in self._infinite:
                none *= (1 - arb(min(chance, 1.0))) ** count
            return max(0.0, below(1 - none)), above(1 - none)

    @cached_property
    def empty(self) -> bool:
        """Whether some part has no finite loss."""
        return any(not atoms.masses.size for atoms, _ in self._parts)

    @cached_property
    def greatest(self) -> Fraction:
        """The greatest finite loss."""
        return Fraction(self.step) * sum(count * atoms.last for atoms, count in self._parts)

    @cached_property
    def _sketches(self) -> list[tuple[_Sketch, int]]:
        return [(_Sketch.of(atoms, self.step), count) for atoms, count in self._parts]

    @cached_property
    def _known(self) -> dict[float, tuple[float, float, float]]:
        return {}

    def _cumulants(self, tilt: float) -> tuple[float, float, float]:
        """About the logarithm of E e^(tilt·L) and its first two derivatives."""
        if tilt not in self._known:
            total = np.zeros(3)
            for sketch, count in self._sketches:
                total += count * np.array(sketch.cumulants(tilt))
            self._known[tilt] = (float(total[0]), float(total[1]), float(total[2]))
        return self._known[tilt]

    def mean(self, tilt: float) -> float:
        """About the mean of the tilted sum."""
        return self._cumulants(tilt)[1]

    @property
    def deviation(self) -> float:
        """About the standard deviation of the sum, no less than a step."""
        return math.sqrt(max(self._cumulants(0.0)[2], self.step**2))

    def tilt_for(self, epsilon: float) -> float:
        """The largest tilt on a geometric scale whose mean is at most epsilon, or 0 if none is.

        A fixed scale makes answers independent of what was asked before; its steps move the mean by
        a fraction of the way to epsilon only.
        """
        if self._cumulants(_tilt(_TILTS[0]))[1] > epsilon:
            return 0.0
        place = bisect_right(_TILTS, epsilon, key=lambda i: self._cumulants(_tilt(i))[1])
        return _tilt(_TILTS[place - 1])

    def _reach(self, tilt: float, side: int) -> tuple[float, float]:
        """How far from the centre nearly all of the tilted mass lies on one side; and a tilt.

        Chernoff's bound with that further tilt says so.
        """
        cumulant, centre, variance = self._cumulants(tilt)
        best, extra = math.inf, 14.0 / math.sqrt(max(variance, self.step**2))
        chosen = extra
        for _ in range(_MOST_TRIALS):
            grown = self._cumulants(tilt + side * extra)[0] - cumulant - side * extra * centre
            reach = (grown - math.log(_WRAP)) / extra
            # Smaller extras pay once the logarithm dominates; before that they keep improving.
            if reach > 2 * best:
                break
            if reach < best:
                best, chosen = reach, extra
            extra /= 1.6
        return best + 4 * self.step, chosen

    def window(self, tilt: float) -> Window:
        """A window that holds the tilted sum."""
        centre = self._cumulants(tilt)[1]
        (under, lower), (over, upper) = (self._reach(tilt, side) for side in (-1, 1))
        start = math.floor((centre - under) / self.step)
        length = 1 << max(_FEWEST, math.ceil((under + over) / self.step).bit_length())
        return Window(start, length, lower, upper)

    @cached_property
    def _composed(self) -> dict[float, TiltedSum]:
        return {}

    def log_moment(self, tilt: float) -> float:
        """About log E e^(tilt·L), from all points: of two grids it tells which one spreads more."""
        total = 0.0
        for atoms, count in self._parts:
            exponents = tilt * self.step * (atoms.places - atoms.last)
            total += count * math.log(float((atoms.masses * np.exp(exponents)).sum()))
            total += count * tilt * self.step * atoms.last
        return total

    @property
    def longest(self) -> int:
        """Points of the longest window so far."""
        return max((len(each.values) for each in self._composed.values()), default=0)

    @cached_property
    def _full(self) -> set[float]:
        """Tilts that must not be lowered."""
        return set()

    def _near(self, wanted: float) -> TiltedSum:
        """The sum with this tilt, or a somewhat smaller one."""
        if wanted not in self._composed:
            self._composed[wanted] = self._compose(wanted)
        return self._composed[wanted]

    def _compose(self, tilt: float) -> TiltedSum:
        while True:
            chosen = tilt if tilt in self._full else self._narrower(tilt)
            found = tilted_sum(self._parts, self.step, chosen, self.window(chosen))
            if found is not None:
                return found
            if not chosen:
                raise UnsupportedQuery(
                    "releases that are composed must hide something at the precision of floats; "
                    "these have a chance of nearly 1 to hide nothing. Look at them one by one."
                )
            tilt = chosen / 2 if chosen > _tilt(_TILTS[0]) else 0.0

    def _narrower(self, tilt: float) -> float:
        """A somewhat smaller tilt if its window is much shorter: any tilt is sound.

        A long thin tail, as sampled releases have, comes to life at some tilt, and the sum then
        has two far-away centres.
        """
        longest = self.window(tilt).length
        if longest <= _LONG or not tilt:
            return tilt
        lower = [tilt * _tilt(-i) for i in range(1, _MOST_NOTCHES)]
        return next((t for t in lower if 4 * self.window(t).length <= longest), tilt)

    def _finite_part(self, epsilon: Fraction) -> tuple[float, float]:
        """Bounds on E max(0, 1 − e^(epsilon−L)) over finite losses."""
        if self.empty or epsilon >= self.greatest:
            return 0.0, 0.0
        wanted = self.tilt_for(float(epsilon))
        found = self._near(wanted)
        least, most = self._asked(found, epsilon)
        # A tilt that was lowered to save time is too low for a delta as small as this.
        if found.tilt < wanted and least < (1 - _SHARP) * most and wanted not in self._full:
            self._full.add(wanted)
            self._composed[wanted] = self._compose(wanted)
            return self._asked(self._composed[wanted], epsilon)
        return least, most

    def _asked(self, found: TiltedSum, epsilon: Fraction) -> tuple[float, float]:
        """Bounds on E max(0, 1 − e^(epsilon−L)) over finite losses, from one tilted sum."""
        step, end = Fraction(self.step), found.start + len(found.values)
        place = min(max(epsilon // step + 1, found.start), end)
        values = found.values[place - found.start :]
        count = min(len(values), len(found.fading))
        # Sums rather than dot products: those may wake threads that cost more than they bring.
        faded = values[:count] * found.fading[:count]
        flat, risen = float(faded.sum()), float((faded * found.rising[:count]).sum())
        with balls.precision(_BITS):
            # With x₀ = place·step − ε, the weight at x₀ + y is
            # e^(−θx₀)·e^(−θy)·[(1 − e^−x₀) + e^−x₀·(1 − e^−y)].
            excess = balls.ball(place * step - epsilon)
            seen = -(-excess).expm1() * arb(flat) + (-excess).exp() * arb(risen)
            seen *= (-arb(found.tilt) * excess).exp()
            rounding = 2 * (count + 16) * arb(UNIT)
            noise = arb(found.weight_norm) * arb(found.error)
            factor = (found.log_factor - arb(found.tilt) * balls.ball(epsilon)).exp()
            doubt = 1 + arb(found.doubt)
            most = seen * (1 + rounding) + noise + arb(found.left_out) + arb(found.above)
            least = seen * (1 - rounding) - noise - arb(found.below) - arb(found.above)
            upper = above(factor * most * doubt)
            # At a tilt made for elsewhere the bound may be beyond all floats; 1 holds anyway.
            return max(0.0, below(factor * least / doubt)), upper if upper < 1 else 1.0

    def delta_at_most(self, epsilon: Fraction | float) -> float:
        """An upper bound on E max(0, 1 − e^(epsilon−L))."""
        finite = self._finite_part(Fraction(epsilon) - self._shift)[1]
        return math.nextafter(finite + self.infinite[1], math.inf) if finite else self.infinite[1]

    def delta_at_least(self, epsilon: Fraction | float) -> float:
        """A lower bound on E max(0, 1 − e^(epsilon−L))."""
        finite = self._finite_part(Fraction(epsilon) + self._shift)[0]
        return math.nextafter(finite + self.infinite[0], 0.0) if finite else self.infinite[0]

    def epsilon_at_most(self, delta: Fraction) -> float:
        """An epsilon ≥ 0 with delta_at_most(epsilon) ≤ delta, nearly the least."""
        if self.infinite[1] > delta:
            return math.inf
        return self._crossing(self.delta_at_most, delta)[1]

    def epsilon_at_least(self, delta: Fraction) -> float:
        """An epsilon ≥ 0 with delta_at_least(epsilon) ≥ delta, nearly the greatest; or 0."""
        if self.infinite[0] > delta:
            return math.inf
        return self._crossing(self.delta_at_least, delta)[0]

    def _crossing(self, curve: Callable[[float], float], delta: Fraction) -> tuple[float, float]:
        """Neighbouring points with curve(low) > delta ≥ curve(high); (0, 0) if 0 will do."""
        ends = self._guessed(curve, delta) or self._sure(curve, delta)
        if ends is None:
            return 0.0, 0.0

        def exact(epsilon: Fraction) -> Fraction:
            return Fraction(curve(float(epsilon)))

        low, high = (Fraction(end) for end in ends)
        low, high = crossing(exact, delta, low, high, relative=_ROOT_PRECISION)
        return float(low), float(high)

    def _guessed(
        self, curve: Callable[[float], float], delta: Fraction
    ) -> tuple[float, float] | None:
        """Points close to each other, where the curve is checked; None if the guess is bad.

        Each tilt takes a transform: nearby points share one.
        """
        if self.empty:
            return None
        guess = self.mean(self.saddle_point(delta))
        low, high = guess * (1 - _GUESSED), guess * (1 + _GUESSED)
        if not 0 < low < high < self.greatest:
            return None
        for further in _FURTHER:
            if curve(low) <= delta:
                low, high = guess * (1 - further), low
            elif curve(high) > delta:
                low, high = high, min(guess * (1 + further), float(self.greatest))
            else:
                break
        return (low, high) if curve(low) > delta >= curve(high) else None

    def _sure(self, curve: Callable[[float], float], delta: Fraction) -> tuple[float, float] | None:
        """Points between which the curve meets delta; None if it is below that at 0 already."""
        if curve(0.0) <= delta:
            return None
        # Beyond the greatest sum only infinite losses leak.
        top = math.nextafter(float(self.greatest + self._shift), math.inf)
        high = min(top, self._chernoff(float(delta) - self.infinite[0]))
        return (high, top) if curve(high) > delta else (0.0, high)

    def saddle_point(self, delta: Fraction) -> float:
        """About the tilt where delta is reached, by δ ≈ e^(K − θε)/(θ(θ+1)σ√(2π)) at ε = K'(θ)."""
        goal = math.log(max(float(delta) - self.infinite[0], 5e-324))

        def excess(tilt: float) -> float:
            cumulant, mean, variance = self._cumulants(tilt)
            spread = tilt * (tilt + 1) * math.sqrt(max(variance, self.step**2) * 2 * math.pi)
            return cumulant - tilt * mean - math.log1p(spread) - goal

        place = bisect_right(_TILTS, 0.0, key=lambda i: -excess(_tilt(i)))
        low, high = _tilt(_TILTS[0] + place - 1), _tilt(_TILTS[0] + place)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return low

    def _chernoff(self, delta: float) -> float:
        """About an epsilon that suffices: the least (log E e^(θL) − log δ)/θ on a grid of tilts."""
        goal = -math.log(max(delta, 5e-324))
        tilts = [_tilt(index) for index in _TILTS[::4]]
        bounds = [(self._cumulants(tilt)[0] + goal) / tilt for tilt in tilts]
        return max(min(bounds), self.step)


def _atoms(part: GridMasses) -> GridAtoms:
    kept = np.flatnonzero(part.mass)
    return GridAtoms(kept.astype(np.int64) + part.first, part.mass[kept])


def _tilt(index: int) -> float:
    return float(2.0 ** (index / 4))
