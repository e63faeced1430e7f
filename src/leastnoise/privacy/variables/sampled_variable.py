"""`SampledVariable`: the loss of a release that is made of a Poisson sample of the records."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeGuard

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.proved_floats import EXP_ERROR, UNIT, exp
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.grid_cells import (
    RELATIVE_ERROR,
    GridMasses,
    TwinCells,
    Twins,
    span,
)
from leastnoise.privacy.variables.listed_atoms import ListedAtoms
from leastnoise.privacy.variables.loss_variable import USUAL, AtomVariable, LossVariable, Order
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.sampled_laws import SampledLaw, negligible_mass, sampled_law
from leastnoise.privacy.variables.sampled_renyi import sampled_renyi
from leastnoise.privacy.variables.uneven_cells import CutPair, cut_pair

_BITS = 128  # of balls that become floats
_RENYI_CELLS = 256  # cells to a deviation
_MOST_RATES = 64.0  # most losses lie within a few rates of 0
_LARGEST = 600.0  # exponentials of less are floats


@dataclass(frozen=True)
class SampledVariable(LossVariable):
    r"""One direction of ((1−q)·Q + q·P, Q), with P the law with a record and Q without it.

    Theorem (docs/proofs/sampling.md, section 1): removing a record costs
    δ(ε) = q·δ_PQ(log(1 + (e^ε − 1)/q)), and 1 − e^ε where that logarithm has none; adding one
    costs δ(ε) = A·δ_QP(log(q·e^ε/A)) with A = 1 − e^ε·(1−q), and 0 where A ≤ 0.

    Args:
        base: the unsampled loss in the same direction: of (P, Q) if removing, else of (Q, P).
        reverse: the unsampled loss in the other direction.
        rate: q, between 0 and 1.
        removing: whether the record is in the first of the two tables.
    """

    base: LossVariable
    reverse: LossVariable
    rate: Fraction
    removing: bool

    def _threshold(self, epsilon: Fraction) -> Interval | None:
        """The unsampled loss at which the sampled one is epsilon; None if there is none."""
        if self._limit_side(epsilon) <= 0:
            return None
        return balls.enclosure(lambda: self._base_loss(epsilon))

    def _limit_side(self, epsilon: Fraction) -> int:
        """The sign of e^±ε − 1 + q: whether epsilon lies on the near side of ±log(1−q)."""
        signed = epsilon if self.removing else -epsilon
        return balls.sign(lambda: balls.ball(signed).expm1() + balls.ball(self.rate))

    def _base_loss(self, epsilon: Fraction) -> arb:
        signed = epsilon if self.removing else -epsilon
        ratio = (balls.ball(signed).expm1() + balls.ball(self.rate)) / balls.ball(self.rate)
        return ratio.log() if self.removing else -ratio.log()

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        place = self._threshold(epsilon)
        if place is None:
            if not self.removing:
                return Interval.exactly(0)
            return balls.enclosure(lambda: -balls.ball(epsilon).expm1())
        low, high = (self.base.delta(Fraction(end)) for end in (place.upper, place.lower))
        factor = Interval.exactly(self.rate) if self.removing else self._share(epsilon)
        return Interval(factor.lower * low.lower, factor.upper * high.upper)

    def _share(self, epsilon: Fraction) -> Interval:
        """A = 1 − e^ε·(1−q)."""
        return balls.enclosure(lambda: 1 - balls.ball(epsilon).exp() * balls.ball(1 - self.rate))

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""
        place = self._threshold(epsilon)
        if place is None:
            return Interval.exactly(int(self.removing))
        low, high = Fraction(place.upper), Fraction(place.lower)
        one = Interval(self.base.tail(low).lower, self.base.tail(high).upper)
        if not self.removing:
            return one
        # Without the record: e^−t·(P(L > t) − δ(t)), which falls with t.
        without = Interval(_other_tail(self.base, low).lower, _other_tail(self.base, high).upper)
        rest = 1 - self.rate
        return Interval(
            self.rate * one.lower + rest * without.lower,
            min(self.rate * one.upper + rest * without.upper, Fraction(1)),
        )

    def renyi(self, order: Order) -> Interval:
        """Exact for whole orders when removing; else between two sums over a grid."""

        def twins(tilt: float) -> tuple[GridMasses, GridMasses]:
            cells = self.tilted_cells(self.spread / _RENYI_CELLS, tilt)
            return cells.optimistic(), cells.pessimistic()

        return sampled_renyi(self.base, self.rate, order, twins, removing=self.removing)

    @cached_property
    def infinite_mass(self) -> Interval:
        """What only the law with the record can give, in a sample that holds it."""
        if not self.removing:
            return Interval.exactly(0)
        base = self.base.infinite_mass
        return Interval(self.rate * base.lower, self.rate * base.upper)

    @cached_property
    def _law(self) -> SampledLaw | None:
        return sampled_law(self.base, self.rate)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        if self._law is not None:
            return self._law.spread
        losses, masses = self._atoms.losses, self._atoms.masses
        mean = float((losses * masses).sum())
        return math.sqrt(float((masses * (losses - mean) ** 2).sum())) or 1.0

    @cached_property
    def span(self) -> float:
        """The largest loss of a list; of a law with wide cells only the spread limits the grid."""
        return (
            self.spread if self._law is not None else span(self._atoms.losses, self._atoms.masses)
        )

    def cells(self, step: float) -> Twins:
        """Masses between multiples of the step."""
        return self.tilted_cells(step, 0.0)

    def cells_for_sum(self, step: float, count: int, rarity: float = USUAL) -> Twins:
        """Wide cells where the tilt that a sum of so many copies is likely to get leaves little."""
        if self._law is None:
            return self.tilted_cells(step, 0.0)
        tilt = self._law.likely_tilt(count, rarity, removing=self.removing)
        return self._of_cut(_cut(self._law, step, tilt, negligible_mass(count, rarity)))

    def spread_in_sum(self, count: int, rarity: float) -> float:
        """The deviation at that tilt: rare large losses may make all of a sum, or none of it.

        Not many times the width of what is common.
        """
        if self._law is None:
            return self.spread
        tilt = self._law.likely_tilt(count, rarity, removing=self.removing)
        return min(self._law.deviation(tilt), _MOST_RATES * float(self.rate))

    def tilted_cells(self, step: float, tilt: float) -> Twins:
        """Masses between multiples of the step, wider cells where e^(tilt·L) has little mass."""
        if self._law is None:
            own = self._atoms.cells(step)
            low = replace(self, base=_below(self.base), reverse=_below(self.reverse))
            return own if low == self else TwinCells(low.tilted_cells(step, tilt), own)
        return self._of_cut(_cut(self._law, step, tilt if self.removing else -tilt))

    def _of_cut(self, cut: CutPair) -> Twins:
        return cut.forward() if self.removing else cut.backward()

    @cached_property
    def _atoms(self) -> ListedAtoms:
        """Its losses and their masses, if the base has listed ones."""
        if not _has_atoms(self.base):
            raise UnsupportedQuery(
                "losses that are sampled and then added up must be of one release of a known kind; "
                "this one is a sum by grids. Ask it for one step, or bound it by "
                "PrivacyLoss.worst_case(epsilon=…, delta=…) and sample that."
            )
        return _removed(self) if self.removing else _added(self)


def listed_atoms(variable: SampledVariable) -> ListedAtoms:
    """Losses and masses, with what is not listed."""
    return variable._atoms


def _has_atoms(variable: LossVariable) -> TypeGuard[AtomVariable]:
    """Whether the class says so: a protocol's own check would compute the atoms."""
    return AtomVariable in type(variable).__mro__


def _removed(variable: SampledVariable) -> ListedAtoms:
    """The atoms of ((1−q)·Q + q·P, Q)."""
    assert _has_atoms(variable.base)  # asked before
    losses, masses, infinite, lost = variable.base.atoms
    without = masses * exp(-losses)
    # An error of a loss is one of e^−loss.
    error = RELATIVE_ERROR * (2 + _largest(losses)) + EXP_ERROR + (len(losses) + 8) * UNIT
    absent = float(variable.reverse.infinite_mass.lower) * (1 - UNIT)
    # Where neither list has anything: what is left out of Q lies at low losses, or is tiny.
    listed = float(without.sum())
    rest = max(0.0, 1.0 - listed - absent) + 2 * error * listed + 4 * UNIT
    q, kept = _rate_and_rest(variable.rate)
    found = _sampled_losses(losses, variable.rate), q * masses + kept * without
    if absent > 0:
        least = _sampled_losses(np.array([-math.inf]), variable.rate)
        found = (np.append(found[0], least), np.append(found[1], kept * absent))
    theirs = variable.reverse.atoms[3] if _has_atoms(variable.reverse) else 0.0
    # What the base leaves out has at most e^(−least loss) times its mass without the record.
    lost *= 2 + float(exp(np.array([min(_LARGEST, max(0.0, -float(losses.min())))]))[0])
    return ListedAtoms(
        *found,
        infinite=q * infinite * (1 - 4 * UNIT),
        lost=(lost + theirs + q * infinite * 8 * UNIT) * 2,
        beneath=rest,
        loss_error=RELATIVE_ERROR * (_largest(losses) + _largest(found[0])),
        mass_error=error + 8 * UNIT,
    )


def _added(variable: SampledVariable) -> ListedAtoms:
    """The atoms of (Q, (1−q)·Q + q·P): no loss is above −log(1−q)."""
    assert _has_atoms(variable.base)  # asked before
    losses, masses, infinite, lost = variable.base.atoms
    error = RELATIVE_ERROR * _largest(losses)
    found = -_sampled_losses(-losses, variable.rate), masses
    if infinite > 0:
        most = -_sampled_losses(np.array([-math.inf]), variable.rate)
        found = (np.append(found[0], most), np.append(masses, infinite))
    error += RELATIVE_ERROR * _largest(found[0])
    return ListedAtoms(*found, infinite=0.0, lost=lost, loss_error=error)


def _below(variable: LossVariable) -> LossVariable:
    """The law that lower ends come from."""
    return variable.below if isinstance(variable, FiniteVariable) else variable


def _largest(losses: Floats) -> float:
    return float(np.abs(losses).max()) if len(losses) else 0.0


def _rate_and_rest(rate: Fraction) -> tuple[float, float]:
    return float(rate), float(1 - rate)


def _sampled_losses(losses: Floats, rate: Fraction) -> Floats:
    """log(1 − q + q·e^l), from balls; of −∞, log(1 − q)."""
    with balls.precision(_BITS):
        q = balls.ball(rate)
        rises = (arb(-1) if loss == -math.inf else arb(loss).expm1() for loss in losses.tolist())
        return np.array([float((q * rise).log1p()) for rise in rises])


def _other_tail(base: LossVariable, loss: Fraction) -> Interval:
    """Q(L > loss) for the base's second law."""
    tail, leak = base.tail(loss), base.delta(loss)
    factor = balls.enclosure(lambda: balls.ball(-loss).exp())
    low = max(Fraction(0), Fraction(tail.lower - leak.upper))
    high: Endpoint = max(Fraction(0), Fraction(tail.upper - leak.lower))
    return Interval(factor.lower * low, min(factor.upper * high, Fraction(1)))


@lru_cache(maxsize=8)
def _cut(law: SampledLaw, step: float, tilt: float, negligible: float = 0.0) -> CutPair:
    return cut_pair(law.tails, law.edges(step, tilt, negligible), step)
