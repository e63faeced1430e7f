"""`LatticeVariable`: losses on a lattice of rational step, composed without discretisation."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb, arb_poly, ctx

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.common_step import common_step
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import above, below, sharp_floats
from leastnoise.privacy.variables.loss_variable import AtomVariable, LossVariable, Order, merged
from leastnoise.privacy.variables.pooling import Floats

_MOST_POINTS = 6000  # exact sums of more points take seconds
_BITS = 256  # of masses that become floats


@dataclass(frozen=True)
class LatticeMasses:
    """Balls for P(L = (first + i)·step), and for P(L = ∞), which may hold mass left out."""

    first: int
    finite: tuple[arb, ...]
    infinite: arb


@dataclass(frozen=True)
class LatticePart:
    """One release whose loss lies on multiples of a step.

    Args:
        step: the lattice's step, positive.
        first: index of the least finite loss, or of the least one kept.
        last: index of the greatest.
        masses: computes the masses at the working precision.
        bounded: whether no finite loss lies outside first..last.
        renyi: Rényi divergence by order where the masses kept do not determine it.
        infinite: computes the mass at ∞ alone, where that is quicker than all masses.
    """

    step: Fraction
    first: int
    last: int
    masses: Callable[[], LatticeMasses]
    bounded: bool = True
    renyi: Callable[[Order], Interval] | None = None
    infinite: balls.Computation | None = None

    def infinite_chance(self) -> arb:
        """P(L = ∞) at the working precision."""
        return self.masses().infinite if self.infinite is None else self.infinite()


@dataclass(frozen=True)
class LatticeVariable(AtomVariable):
    """The sum of independent losses that share a lattice; each part comes with its count."""

    parts: tuple[tuple[LatticePart, int], ...]

    @cached_property
    def step(self) -> Fraction:
        """The coarsest lattice that holds all parts."""
        return common_step([part.step for part, _ in self.parts])

    @property
    def lattice_step(self) -> Fraction:
        """The step: all finite losses are multiples of it."""
        return self.step

    def _scale(self, part: LatticePart) -> int:
        return int(part.step / self.step)

    @cached_property
    def _first(self) -> int:
        return sum(count * part.first * self._scale(part) for part, count in self.parts)

    @cached_property
    def _last(self) -> int:
        return sum(count * part.last * self._scale(part) for part, count in self.parts)

    def _distribution(self) -> "_Distribution":
        return _distribution(self, ctx.prec)

    def _compose(self) -> tuple[arb_poly, arb]:
        total, finite_chance = arb_poly([1]), arb(1)
        for part, count in self.parts:
            masses = part.masses()
            row = [arb(0)] * ((len(masses.finite) - 1) * self._scale(part) + 1)
            row[:: self._scale(part)] = masses.finite
            total *= arb_poly(row) ** count
            finite_chance *= (1 - masses.infinite) ** count
        return total, 1 - finite_chance

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        place = epsilon // self.step + 1
        if self._bounded and place > self._last and self._surely_finite:
            return Interval.exactly(0)
        return within_unit(balls.enclosure(lambda: self._distribution().delta(epsilon, place)))

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        place = epsilon // self.step + 1
        if self._bounded and place > self._last and self._surely_finite:
            return Interval.exactly(0)
        return within_unit(balls.enclosure(lambda: self._distribution().tail(place)))

    @cached_property
    def _bounded(self) -> bool:
        return all(part.bounded for part, _ in self.parts)

    @cached_property
    def _surely_finite(self) -> bool:
        return self.infinite_mass == Interval.exactly(0)

    @cached_property
    def infinite_mass(self) -> Interval:
        """P(L = ∞)."""

        def infinite() -> arb:
            chance = arb(1)
            for part, count in self.parts:
                chance *= (1 - part.infinite_chance()) ** count
            return 1 - chance

        return within_unit(balls.enclosure(infinite))

    def renyi(self, order: Order) -> Interval:
        """Rényi divergences of independent parts add up."""
        total = Interval.exactly(0)
        for part, count in self.parts:
            single = _part_renyi(part, order)
            total += Interval(count * single.lower, count * single.upper)
        return total

    def pairs_downwards(self, bits: int) -> list[tuple[arb, arb]]:
        """(P(L = l), Q(L = l)) for each loss l from the greatest, ∞ first, down."""
        with balls.precision(bits):
            found = self._distribution()
            fall = (-balls.ball(self.step)).exp()
            discount = (-balls.ball(self.step * self._last)).exp()
            pairs = [(found.infinite, arb(0))]
            for mass in reversed(found.sums.masses):
                pairs.append((mass, mass * discount))
                discount /= fall
        return pairs

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        with balls.precision(64):
            return math.sqrt(sum(count * _part_variance(part) for part, count in self.parts))

    @cached_property
    def atoms(self) -> tuple[Floats, Floats, float, float]:
        """Losses and their masses; the mass at ∞, and a bound on mass that may be there too."""
        with balls.precision(_BITS):
            found = self._distribution()
            masses, sharp, rest = sharp_floats(found.sums.masses)
            infinite, most = max(0.0, below(found.infinite)), above(found.infinite)
        losses = np.arange(self._first, self._last + 1, dtype=np.float64) * float(self.step)
        return losses[sharp], masses[sharp], infinite, 2 * (most - infinite) + rest

    def joined(self, other: LossVariable, count: int) -> "LatticeVariable | None":
        """The sum with another lattice variable, if the common lattice is not too fine."""
        if not isinstance(other, LatticeVariable):
            return None
        added = tuple((part, times * count) for part, times in other.parts)
        return _if_small(merged(self.parts + added))

    def repeated(self, count: int) -> "LatticeVariable | None":
        """`count` independent copies."""
        return _if_small(tuple((part, times * count) for part, times in self.parts))


def _if_small(parts: tuple[tuple[LatticePart, int], ...]) -> LatticeVariable | None:
    step = common_step([part.step for part, _ in parts])
    points = sum(count * (part.last - part.first) * part.step / step for part, count in parts)
    return LatticeVariable(parts) if points <= _MOST_POINTS else None


def within_unit(interval: Interval) -> Interval:
    """A probability's bracket, cut to [0, 1]."""
    return Interval(
        min(max(interval.lower, Fraction(0)), Fraction(1)), min(interval.upper, Fraction(1))
    )


@dataclass(frozen=True)
class SuffixSums:
    """Masses at (first + i)·step with their sums to the top, plain and times e^−loss, as balls."""

    first: int
    masses: list[arb]
    above: list[arb]
    discounted: list[arb]

    @classmethod
    def of(cls, masses: list[arb], first: int, step: Fraction) -> "SuffixSums":
        """The sums from each place on."""
        fall, rise = (-balls.ball(step)).exp(), balls.ball(step).exp()
        power = (-balls.ball(step * first)).exp() * fall ** len(masses)
        above, discounted = [arb(0)], [arb(0)]
        for mass in reversed(masses):
            power *= rise
            above.append(above[-1] + mass)
            discounted.append(discounted[-1] + mass * power)
        return cls(first, masses, above[::-1], discounted[::-1])

    def _from(self, place: int) -> int:
        return min(max(place - self.first, 0), len(self.masses))

    def above_from(self, place: int) -> arb:
        """The mass of losses ≥ place·step."""
        return self.above[self._from(place)]

    def somewhere(self) -> arb:
        """A ball from 0 to the whole mass: what is known when a place cannot be decided."""
        half = self.above[0] / 2
        return half + arb(0, half.upper())

    def leak_from(self, place: int, factor: arb) -> arb:
        """Σ mass·(1 − factor·e^−loss) over losses ≥ place·step."""
        return self.above[self._from(place)] - factor * self.discounted[self._from(place)]


@dataclass(frozen=True)
class _Distribution:
    """A composed law as balls of one precision."""

    sums: SuffixSums
    infinite: arb

    def tail(self, place: int) -> arb:
        """P(L ≥ place·step)."""
        return self.sums.above_from(place) + self.infinite

    def delta(self, epsilon: Fraction, place: int) -> arb:
        """E max(0, 1 − e^(epsilon−L)) where place·step is the least loss above epsilon."""
        return self.infinite + self.sums.leak_from(place, balls.ball(epsilon).exp())


@lru_cache(maxsize=64)
def _distribution(variable: LatticeVariable, bits: int) -> _Distribution:
    del bits  # only the cache needs it: balls of one precision are not those of another
    polynomial, infinite = variable._compose()
    sums = SuffixSums.of(polynomial.coeffs(), variable._first, variable.step)
    return _Distribution(sums, infinite)


def _part_renyi(part: LatticePart, order: Order) -> Interval:
    if part.renyi is not None:
        return part.renyi(order)
    with balls.precision(balls.FIRST_PRECISION):
        leaks = part.masses().infinite > 0
    if leaks and order >= 1:
        return Interval(math.inf, math.inf)
    if order == math.inf:
        return Interval.exactly(part.step * part.last)
    return balls.enclosure(lambda: _renyi_ball(part, Fraction(order) - 1))


def _renyi_ball(part: LatticePart, exponent: Fraction) -> arb:
    masses = part.masses()
    losses = [part.step * (masses.first + i) for i in range(len(masses.finite))]
    if not exponent:
        return sum(
            (m * balls.ball(loss) for m, loss in zip(masses.finite, losses, strict=True)), arb(0)
        )
    moment = sum(
        (
            m * balls.ball(exponent * loss).exp()
            for m, loss in zip(masses.finite, losses, strict=True)
        ),
        arb(0),
    )
    return moment.log() / balls.ball(exponent)


def _part_variance(part: LatticePart) -> float:
    masses = part.masses()
    mass = np.array([float(m) for m in masses.finite])
    loss = float(part.step) * (masses.first + np.arange(len(mass)))
    mean = float(np.sum(mass * loss))
    return float(np.sum(mass * (loss - mean) ** 2))
