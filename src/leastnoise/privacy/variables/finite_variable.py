"""`FiniteVariable`: the loss between two finite laws with rational weights, exactly."""

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import TINY, above, below
from leastnoise.numeric.real import rational_real
from leastnoise.privacy.variables.grid_cells import TwinCells, Twins, cells_of_atoms
from leastnoise.privacy.variables.loss_variable import AtomVariable, Order
from leastnoise.privacy.variables.pooling import Floats

_BITS = 256  # logarithms of ratios that are next to 1 keep their relative accuracy


@dataclass(frozen=True)
class FiniteVariable(AtomVariable):
    """Pairs (P(x), Q(x)), one for each outcome x that P can take.

    If the pairs are rounded so as to dominate the true ones, `least` are such that are dominated
    by them: lower ends come from these.
    """

    outcomes: tuple[tuple[Fraction, Fraction], ...]
    least: tuple[tuple[Fraction, Fraction], ...] | None = None

    @cached_property
    def below(self) -> "FiniteVariable":
        """The law that lower ends come from."""
        return self if self.least is None else FiniteVariable(self.least)

    def _exceeding(self, epsilon: Fraction) -> list[tuple[Fraction, Fraction]]:
        factor = ExponentialSum.exp(epsilon)
        return [(p, q) for p, q in self.outcomes if (factor * q - p).sign() < 0]

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        here = sum((p for p, _ in self._exceeding(epsilon)), Fraction(0))
        there = sum((q for _, q in self._exceeding(epsilon)), Fraction(0))
        leak = ExponentialSum.of(here) - ExponentialSum.exp(epsilon) * there
        found = ExponentialRatio(leak, ExponentialSum.of(1)).interval()
        if self.least is None:
            return found
        return Interval(min(self.below.delta(epsilon).lower, found.upper), found.upper)

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return rational_real(sum((p for p, _ in self._exceeding(epsilon)), Fraction(0))).interval()

    def renyi(self, order: Order) -> Interval:
        """The Rényi divergence of an order > 0."""
        if self.least is not None:
            most = FiniteVariable(self.outcomes).renyi(order).upper
            return Interval(min(self.below.renyi(order).lower, most), most)
        if order >= 1 and self.infinite_mass.lower > 0:
            return Interval(math.inf, math.inf)
        if order == math.inf:
            top = max(p / q for p, q in self.outcomes)
            return balls.enclosure(lambda: balls.ball(top).log())
        exact = Fraction(order)
        return balls.enclosure(lambda: self._kl() if exact == 1 else self._renyi(exact))

    def _kl(self) -> arb:
        return sum((balls.ball(p) * balls.ball(p / q).log() for p, q in self.outcomes), arb(0))

    def _renyi(self, order: Fraction) -> arb:
        exponent = balls.ball(order - 1)
        powers = (
            balls.ball(p) * (exponent * balls.ball(p / q).log()).exp()
            for p, q in self.outcomes
            if q
        )
        return sum(powers, arb(0)).log() / exponent

    @cached_property
    def infinite_mass(self) -> Interval:
        """What P can take and Q cannot."""
        return Interval.exactly(sum((p for p, q in self.outcomes if not q), Fraction(0)))

    @cached_property
    def atoms(self) -> tuple[Floats, Floats, float, float]:
        """Nothing but the mass at ∞ is left out, and what is too small for a float."""
        finite = [(p, q) for p, q in self.outcomes if q]
        with balls.precision(_BITS):
            losses = np.array([float(balls.ball(p / q).log()) for p, q in finite])
            infinite = balls.ball(Fraction(self.infinite_mass.lower))
            least, most = max(0.0, below(infinite)), above(infinite)
        masses = np.array([float(p) for p, _ in finite])
        some = masses > TINY
        return losses[some], masses[some], least, 2 * (most - least) + int((~some).sum()) * 2 * TINY

    def cells(self, step: float) -> Twins:
        """The atoms, of two laws if there are two."""
        own = cells_of_atoms(*self.atoms[:2], step, infinite=self.atoms[2], lost=self.atoms[3])
        return own if self.least is None else TwinCells(self.below.cells(step), own)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        losses, masses, *_ = self.atoms
        mean = float(losses @ masses)
        return math.sqrt(float((losses - mean) ** 2 @ masses)) or 1.0
