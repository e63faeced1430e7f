r"""`GridSum`: the sum of many independent grid variables, by a tilted Fourier transform.

The masses are first multiplied by e^(θl) and normalised. θ is chosen so that the tilted sum has its
mean near the ε asked for: there the transform's absolute rounding error is small against the mass,
and undoing the tilt turns it into a small *relative* error, however small δ is.

Error terms, all added on the sound side (docs/proofs/grids.md):

- rounding: a transform of length N = 2^n errs by at most 8·n·u in the Euclidean norm relative to
  its result (u = 2^−53), a power k by 4·k·u; the norms of the tilted masses carry this to δ;
- wrap-around: a Chernoff bound keeps all but 1e-20 of the tilted mass in the window;
- each of the K summed losses and masses is known to 1e-12.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.inverse import crossing
from leastnoise.privacy.variables.grid_cells import RELATIVE_ERROR, GridMasses
from leastnoise.privacy.variables.pooling import Floats

_UNIT = 2.0**-53  # half of what the last bit of 1.0 is worth
_WRAP = 1e-20  # mass that may come round the circle of the transform
_ROOT_PRECISION = Fraction(1, 10**10)  # finer than the grid itself
_FADED = 50.0  # e^-50 is below _WRAP
_MOST_TRIALS = 40  # the reach is flat near its best
_LONGEST = 1 << 24  # 128 MB of floats
_LONG = 1 << 18  # a transform of more points takes tens of milliseconds
_MOST_NOTCHES = 9  # down to a quarter of a tilt
_TILTS = range(-160, 161)  # a geometric scale on which any best tilt is nearly met
_LEAST = 1e-300  # what is smaller may have underflowed


@dataclass(frozen=True)
class _Tilted:
    r"""The tilted sum on a window: values[i] ≈ P_θ(sum = (start + i)·step).

    slow[j] = e^(−θ·j·step) and fast[j] = e^(−(θ+1)·j·step) undo the tilt and weigh. `error` bounds
    the Euclidean norm of the errors in `values`.
    """

    tilt: float
    cumulant: float
    centre: float
    deviation: float
    start: int
    values: Floats
    slow: Floats
    fast: Floats
    error: float


@dataclass(frozen=True)
class _Atoms:
    """The grid points of a part that have mass, in increasing order."""

    places: NDArray[np.int64]
    losses: Floats
    masses: Floats

    @classmethod
    def of(cls, part: GridMasses) -> "_Atoms":
        kept = np.flatnonzero(part.mass)
        places = kept.astype(np.int64) + part.first
        return cls(places, places.astype(np.float64) * part.step, part.mass[kept])


class GridSum:
    """The finite losses of independent parts added up, with the chance of an infinite one apart."""

    def __init__(self, parts: list[tuple[GridMasses, int]]) -> None:
        self._step = parts[0][0].step
        self._count = sum(count for _, count in parts)
        self._infinite = [(part.infinite, count) for part, count in parts]
        self._parts = [(_Atoms.of(part), count) for part, count in parts]

    @cached_property
    def infinite(self) -> float:
        """The chance that some part's loss is infinite."""
        logs = (count * math.log1p(-min(chance, 1.0 - 1e-16)) for chance, count in self._infinite)
        return -math.expm1(sum(logs))

    @cached_property
    def _empty(self) -> bool:
        """Whether some part has no finite loss."""
        return any(not part.masses.size for part, _ in self._parts)

    @cached_property
    def _greatest(self) -> float:
        return sum(count * float(part.losses[-1]) for part, count in self._parts)

    @cached_property
    def _largest(self) -> float:
        return max(float(np.abs(part.losses).max()) for part, _ in self._parts)

    @cached_property
    def _known(self) -> dict[float, tuple[float, float, float]]:
        return {}

    def _cumulants(self, tilt: float) -> tuple[float, float, float]:
        """The logarithm of E e^(tilt·L) and its first two derivatives."""
        if tilt not in self._known:
            total = np.zeros(3)
            for part, count in self._parts:
                total += count * np.array(_cumulants(part, tilt))
            self._known[tilt] = (float(total[0]), float(total[1]), float(total[2]))
        return self._known[tilt]

    def _tilt_for(self, epsilon: float) -> float:
        """The largest tilt on a geometric scale whose mean is at most epsilon, or 0 if none is.

        A fixed scale makes answers independent of what was asked before; its steps move the mean by
        a fraction of the way to epsilon only.
        """
        if self._cumulants(_tilt(_TILTS[0]))[1] > epsilon:
            return 0.0
        place = bisect_right(_TILTS, epsilon, key=lambda i: self._cumulants(_tilt(i))[1])
        return _tilt(_TILTS[place - 1])

    def _reach(self, tilt: float, cumulant: float, centre: float, side: int) -> float:
        """How far from the centre all but _WRAP of the tilted mass lies, on one side."""
        deviation = math.sqrt(max(self._cumulants(tilt)[2], self._step**2))
        best, extra = math.inf, 14.0 / deviation
        for _ in range(_MOST_TRIALS):
            grown = self._cumulants(tilt + side * extra)[0] - cumulant - side * extra * centre
            reach = (grown - math.log(_WRAP)) / extra
            # Smaller extras pay once the logarithm dominates; before that they keep improving.
            if reach > 2 * best:
                break
            best, extra = min(best, reach), extra / 1.6
        return best + 4 * self._step

    def _window(self, tilt: float) -> tuple[int, int]:
        """The first place and the length of a window that holds the tilted sum."""
        cumulant, centre, _ = self._cumulants(tilt)
        below, above = (self._reach(tilt, cumulant, centre, side) for side in (-1, 1))
        start = math.floor((centre - below) / self._step)
        return start, 1 << max(4, math.ceil((below + above) / self._step)).bit_length()

    def _compose(self, tilt: float) -> _Tilted:
        cumulant, centre, variance = self._cumulants(tilt)
        start, length = self._window(tilt)
        if length > _LONGEST:
            raise UnsupportedQuery(
                "the sum of the losses must fit a grid; this one is spread too widely for the size "
                "of its parts. Compose fewer releases, or releases of more equal size."
            )
        transform = np.ones(length // 2 + 1, dtype=np.complex128)
        norms = 0.0
        for part, count in self._parts:
            tilted = _tilted(part, tilt)
            tilted /= tilted.sum()
            places = part.places % length
            folded = np.bincount(places, tilted, minlength=length).astype(np.float64)
            norms += count * _norm(folded)
            transform *= _power(np.fft.rfft(folded), count)
        values = np.roll(np.fft.irfft(transform, length), -(start % length))
        depth = length.bit_length()
        rounding = 8 * depth * norms
        rounding += (4 * self._count + 8 * depth) * _norm(values)
        return _Tilted(
            tilt=tilt,
            cumulant=cumulant,
            centre=centre,
            deviation=math.sqrt(variance),
            start=start,
            values=values,
            slow=_decay(tilt * self._step, length),
            fast=_decay((tilt + 1) * self._step, length),
            error=_UNIT * rounding,
        )

    @cached_property
    def _composed(self) -> dict[float, _Tilted]:
        return {}

    def _near(self, epsilon: float) -> _Tilted:
        """The sum tilted to about this epsilon."""
        wanted = self._tilt_for(epsilon)
        if wanted not in self._composed:
            self._composed[wanted] = self._compose(self._narrower(wanted))
        return self._composed[wanted]

    def _narrower(self, tilt: float) -> float:
        """A somewhat smaller tilt if its window is much shorter: any tilt is sound.

        A long thin tail, as sampled releases have, comes to life at some tilt, and the sum then
        has two far-away centres.
        """
        longest = self._window(tilt)[1]
        if longest <= _LONG or not tilt:
            return tilt
        lower = [tilt * _tilt(-i) for i in range(1, _MOST_NOTCHES)]
        return next((t for t in lower if 4 * self._window(t)[1] <= longest), tilt)

    def _finite_part(self, epsilon: float) -> tuple[float, float]:
        """E max(0, 1 − e^(epsilon−L)) over finite losses, and a bound on its error."""
        if self._empty or epsilon >= self._greatest:
            return 0.0, 0.0
        found = self._near(epsilon)
        length = len(found.values)
        place = min(max(0, math.floor(epsilon / self._step) + 1 - found.start), length)
        # Only without a tilt can epsilon lie below the window, by any distance.
        excess = (found.start + place) * self._step - epsilon
        values = found.values[place:]
        kept = math.exp(-found.tilt * excess) * _weighted(values, found.slow)
        lost = math.exp(-(found.tilt + 1) * excess) * _weighted(values, found.fast)
        # Σ of the squared weights, each at most min(e^(−θx), 1/(θ+1)), over x = 0, h, 2h, …
        squares = min(length, 1 / max(1e-300, -math.expm1(-found.tilt * self._step)))
        noise = math.sqrt(squares / (found.tilt + 1)) * found.error + 3 * _WRAP
        # Exponents are rounded too: a relative error of u times their size, in every factor.
        exponents = abs(found.cumulant) + found.tilt * (abs(epsilon) + self._count * self._largest)
        noise += 8 * (length + exponents + self._count) * _UNIT * abs(kept)
        # At most 1: the cumulant is convex, at most 0 at tilt 0, and its slope at most epsilon.
        factor = math.exp(found.cumulant - found.tilt * epsilon)
        return factor * (kept - lost), factor * noise

    def delta_at_most(self, epsilon: float) -> float:
        """An upper bound on E max(0, 1 − e^(epsilon−L))."""
        shifted = epsilon - self._count * RELATIVE_ERROR
        value, error = self._finite_part(shifted)
        finite = (value + error) * (1 + self._slack)
        if not self._empty and shifted < self._greatest:
            finite = max(finite, _LEAST)
        return finite + self.infinite * (1 + 1e-14)

    def delta_at_least(self, epsilon: float) -> float:
        """A lower bound on E max(0, 1 − e^(epsilon−L))."""
        value, error = self._finite_part(epsilon + self._count * RELATIVE_ERROR)
        return max(0.0, value - error) * (1 - self._slack) + self.infinite * (1 - 1e-14)

    @property
    def _slack(self) -> float:
        return min(0.5, 4 * self._count * RELATIVE_ERROR)

    def epsilon_at_most(self, delta: Fraction) -> float:
        """An epsilon ≥ 0 with delta_at_most(epsilon) ≤ delta, nearly the least."""
        if self.infinite * (1 + 1e-14) > delta:
            return math.inf
        return self._crossing(self.delta_at_most, delta)[1]

    def epsilon_at_least(self, delta: Fraction) -> float:
        """An epsilon ≥ 0 with delta_at_least(epsilon) ≥ delta, nearly the greatest; or 0."""
        if self.infinite * (1 - 1e-14) > delta:
            return math.inf
        return self._crossing(self.delta_at_least, delta)[0]

    def _crossing(self, curve: Callable[[float], float], delta: Fraction) -> tuple[float, float]:
        """Neighbouring points with curve(low) > delta ≥ curve(high); (0, 0) if 0 will do."""
        if curve(0.0) <= delta:
            return 0.0, 0.0
        # Beyond the greatest sum only infinite losses leak.
        top = self._greatest + 4 * self._count * RELATIVE_ERROR + 1e-12 * abs(self._greatest)
        low, high = Fraction(0), Fraction(min(top, self._chernoff(float(delta) - self.infinite)))
        if curve(float(high)) > delta:
            low, high = high, Fraction(top)

        def exact(epsilon: Fraction) -> Fraction:
            return Fraction(curve(float(epsilon)))

        ends = crossing(exact, delta, low, high, relative=_ROOT_PRECISION)
        return float(ends[0]), float(ends[1])

    def _chernoff(self, delta: float) -> float:
        """An epsilon that suffices: the least (log E e^(θL) − log δ)/θ on a grid of tilts."""
        goal = -math.log(max(delta, 5e-324))
        tilts = [_tilt(index) for index in _TILTS[::4]]
        bounds = [(self._cumulants(tilt)[0] + goal) / tilt for tilt in tilts]
        return max(min(bounds), self._step)


def _decay(rate: float, length: int) -> Floats:
    """The powers e^(−rate·j) that are not negligible; beyond lies less than _WRAP of any sum."""
    most = length if rate == 0 else min(length, math.ceil(_FADED / rate))
    powers: Floats = np.exp(-rate * np.arange(most, dtype=np.float64))
    return powers


def _weighted(values: Floats, weights: Floats) -> float:
    # Sums rather than dot products: those may wake threads that cost more than they bring.
    common = min(len(values), len(weights))
    return float((values[:common] * weights[:common]).sum())


def _norm(values: Floats) -> float:
    return math.sqrt(float(np.square(values).sum()))


def _tilt(index: int) -> float:
    return float(2.0 ** (index / 4))


def _tilted(part: _Atoms, tilt: float) -> Floats:
    """The masses times e^(tilt·loss), up to a factor that keeps them within range."""
    exponents = tilt * part.losses
    tilted: Floats = part.masses * np.exp(exponents - exponents.max())
    return tilted


def _cumulants(part: _Atoms, tilt: float) -> tuple[float, float, float]:
    weights = _tilted(part, tilt)
    total = float(weights.sum())
    mean = float((weights * part.losses).sum()) / total
    variance = float((weights * (part.losses - mean) ** 2).sum()) / total
    return float((tilt * part.losses).max()) + math.log(total), mean, variance


def _power(values: np.ndarray, exponent: int) -> np.ndarray:
    """Repeated squaring: each product errs by a few units in the last place, no logarithms."""
    result = np.ones_like(values)
    while exponent:
        if exponent & 1:
            result = result * values
        values, exponent = values * values if exponent > 1 else values, exponent >> 1
    return result
