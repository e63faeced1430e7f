"""`FixedSampleVariable`: the loss of a release of m of n records drawn without replacement."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.privacy.variables.grid_cells import Twins
from leastnoise.privacy.variables.listed_atoms import ListedAtoms
from leastnoise.privacy.variables.loss_variable import USUAL, LossVariable, Order
from leastnoise.privacy.variables.pooling import Places
from leastnoise.privacy.variables.sampled_laws import SampledLaw, sampled_law
from leastnoise.privacy.variables.sampled_renyi import large_order, moment_beyond
from leastnoise.privacy.variables.sampled_variable import SampledVariable, listed_atoms
from leastnoise.privacy.variables.uneven_cells import CutPair, cut_pair

_ZERO = Fraction(0)
_ABOVE_ONE = Fraction(3, 2)  # its divergence bounds those of orders up to 1
_RENYI_CELLS = 256  # cells to a deviation
_LARGEST_TILT = 64.0  # only chooses cells


@dataclass(frozen=True)
class FixedSampleVariable(LossVariable):
    r"""The pair that dominates sampling without replacement, one record exchanged; q = m/n.

    Theorem (docs/proofs/sampling.md, section 5): above 0 its losses are those of
    ((1−q)·Q + q·P, Q), below 0 those of (P, (1−q)·P + q·Q), and the rest of the mass, (1−q)
    times the total variation, lies at 0. In one step this is reached. Composed, it is an upper
    bound: the lower ends of composed answers are about sums of this pair.

    Args:
        base: the unsampled loss for a record exchanged, the same both ways.
        rate: m/n, between 0 and 1.
    """

    base: LossVariable
    rate: Fraction

    @cached_property
    def _above(self) -> SampledVariable:
        return SampledVariable(self.base, self.base, self.rate, removing=True)

    @cached_property
    def _below(self) -> SampledVariable:
        return SampledVariable(self.base, self.base, self.rate, removing=False)

    def _side(self, epsilon: Fraction) -> SampledVariable:
        return self._above if epsilon >= 0 else self._below

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        return self._side(epsilon).delta(epsilon)

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        return self._side(epsilon).tail(epsilon)

    def renyi(self, order: Order) -> Interval:
        """Between what a table reaches, that of (M, Q), and that of the pair, from a grid."""
        reached = self._above.renyi(order)
        if math.inf in (order, reached.lower):
            return reached
        exact = Fraction(order)
        if exact <= 1:
            return Interval(reached.lower, self.renyi(_ABOVE_ONE).upper)
        exponent, step = float(exact - 1), self.spread / _RENYI_CELLS
        tilt = min(exponent, _LARGEST_TILT)
        cells, above = self._tilted(step, tilt), self._above.tilted_cells(step, tilt)
        high = cells.pessimistic()
        # Above 0 the pair is (M, Q): beyond the last edge they have the same moment.
        sides = above.optimistic(), replace(above.pessimistic(), infinite=high.infinite)
        beyond = moment_beyond(self.base, self.rate, sides, exact, removing=True)
        _, most = large_order(cells.optimistic(), high, exponent, beyond)
        ceiling = self._above.renyi(math.inf).upper
        upper = ceiling if math.isinf(most) else min(Fraction(most), ceiling)
        return Interval(reached.lower, max(reached.lower, upper))

    @property
    def infinite_mass(self) -> Interval:
        """That of the samples that hold the record."""
        return self._above.infinite_mass

    @cached_property
    def _law(self) -> "_Glued | None":
        law = sampled_law(self.base, self.rate)
        return None if law is None else _Glued(law)

    @property
    def spread(self) -> float:
        """That of a Poisson sample, roughly."""
        return self._above.spread

    @property
    def span(self) -> float:
        """That of a Poisson sample, roughly."""
        return self._above.span

    def cells(self, step: float) -> Twins:
        """Masses between multiples of the step."""
        return self.cells_for_sum(step, 1)

    def cells_for_sum(self, step: float, count: int, rarity: float = USUAL) -> Twins:
        """Wide cells where the tilt that a sum of so many copies is likely to get leaves little."""
        return self._tilted(
            step, 0.0 if self._law is None else self._law.law.likely_tilt(count, rarity)
        )

    def spread_in_sum(self, count: int, rarity: float) -> float:
        """That of a Poisson sample, roughly."""
        return self._above.spread_in_sum(count, rarity)

    def _tilted(self, step: float, tilt: float) -> Twins:
        if self._law is not None:
            return _cut(self._law, step, tilt).forward()
        return self._atoms.cells(step)

    @cached_property
    def _atoms(self) -> ListedAtoms:
        above, below = listed_atoms(self._above), listed_atoms(self._below)
        high, low = above.losses > 0, below.losses < 0
        # What is at 0: the atom of the theorem, and what both laws of the base give alike.
        level = float(above.masses[above.losses == 0].sum())
        middle = float(1 - self.rate) * float(self.base.delta(_ZERO)) + level
        losses = np.concatenate([below.losses[low], np.zeros(1), above.losses[high]])
        masses = np.concatenate([below.masses[low], [middle], above.masses[high]])
        loss_errors = [side.loss_error for side in (above, below) if side.loss_error is not None]
        return ListedAtoms(
            losses,
            masses,
            infinite=above.infinite,
            lost=above.lost + below.lost,
            loss_error=max(loss_errors, default=None),
            mass_error=max(above.mass_error, below.mass_error) + len(losses) * 4 * UNIT,
        )


@dataclass(frozen=True)
class _Glued:
    """The tails of the glued pair: those of (M, Q) from 0 on, their mirror image below."""

    law: SampledLaw

    def edges(self, step: float, tilt: float) -> Places:
        """The same on both sides of 0."""
        above = self.law.edges(step, tilt)
        above = above[above > 0]
        return np.concatenate([-above[::-1], np.zeros(1, dtype=np.int64), above])

    def tails(self, loss: arb) -> tuple[arb, arb]:
        """P(L > loss) and Q(L > loss)."""
        if not loss < 0:
            return self.law.tails(loss)
        one, other = self.law.tails(-loss)
        return 1 - other, 1 - one


@lru_cache(maxsize=8)
def _cut(law: _Glued, step: float, tilt: float) -> CutPair:
    return cut_pair(law.tails, law.edges(step, tilt), step)
