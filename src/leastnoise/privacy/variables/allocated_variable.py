"""`AllocatedVariable`: the loss of steps of which one, drawn at random, holds the record."""

import math
from contextlib import suppress
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, arb_series

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.inverse import crossing
from leastnoise.numeric.proved_floats import log
from leastnoise.privacy.variables.chords import tail_between_chords
from leastnoise.privacy.variables.grid_cells import Cells, GridMasses, Twins, cells_of_atoms
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.mean_ratio import MeanRatio, Wanted, mean_ratio
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.ratio_cells import deviation
from leastnoise.privacy.variables.sum_laws import NoLawError

_LOSS_ERROR = 2.0**-46  # of a logarithm of a rounded ratio
_DEPTHS = (16, 32, 64, 128, 256)  # deltas down to 2^-16, …, tried in turn
_FINEST, _FINE, _ROUGH = 1 << 15, 1 << 14, 1 << 10  # points of a law
# Points, and the share of an answer that a bracket must be wider than for them to be tried: the
# second is for heavy tails.
_GROWING = ((_FINE, Fraction(0)), (1 << 16, Fraction(1, 100)))
_DEVIATIONS = 5.6  # beyond lies 1e-8 of a normal law: of laws that are added up
_BEYOND = 0.01  # of a sixteenth
_FAR_ENOUGH = 3 * 16  # sixteenths: eight times the mean
_STRIDE = 4  # sixteenths
_DEEPER = 4  # bits
_ROOT = Fraction(1, 10**10)
_COMPOSED_DEPTH = 64  # of laws that are added up over epochs
_FARTHEST = 512  # an epsilon beyond it hides nothing, and its exponential may be no float
_NEAREST = 12  # powers of two
_SURE = 20  # bits of a step
_MOST_WHOLE = 256  # terms of the closed form
_SLOP = 1e-13  # of a sum of masses in floats


@dataclass(frozen=True)
class AllocatedVariable(LossVariable):
    r"""One direction of T steps of which one, drawn at random, is made with the record.

    Theorem (docs/proofs/sampling.md, section 6): dP/dQ = M, the mean of T independent copies of
    Y = dP/dQ of one step, under Q. Removing the record costs δ(ε) = 1 − e^ε + E(e^ε − M)₊, adding
    it e^ε·E(e^−ε − M)₊.

    Args:
        base: the loss of one step in the same direction: of (P, Q) if removing, else of (Q, P).
        reverse: the loss of one step in the other direction.
        steps: T, at least 2.
        removing: whether the record is in the first of the two tables.
    """

    base: LossVariable
    reverse: LossVariable
    steps: int
    removing: bool

    @property
    def _pair(self) -> tuple[LossVariable, LossVariable]:
        return (self.base, self.reverse) if self.removing else (self.reverse, self.base)

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        # Who is told the step is told no less.
        low, high = self._least(epsilon), min(Fraction(1), Fraction(self.base.delta(epsilon).upper))
        if abs(epsilon) > _FARTHEST:
            return Interval(min(low, high), high)
        with suppress(NoLawError):  # no such law: what is known by then holds
            for depth in _DEPTHS:  # roughly, to see how small it is
                found = self._delta(epsilon, self._law(epsilon, depth, _ROUGH))
                low, high = max(low, Fraction(found.lower)), min(high, Fraction(found.upper))
                if high > Fraction(1, 2**depth):
                    break
            for points, enough in _GROWING:
                if high - low <= enough * high:
                    break
                found = self._delta(epsilon, self._law(epsilon, _depth(high), points))
                low, high = max(low, Fraction(found.lower)), min(high, Fraction(found.upper))
        return Interval(min(low, high), high)

    def _least(self, epsilon: Fraction) -> Fraction:
        """1 − e^ε or 0: what every pair costs."""
        if epsilon >= 0:
            return Fraction(0)
        return Fraction(balls.enclosure(lambda: -balls.ball(epsilon).expm1()).lower)

    def _delta(self, epsilon: Fraction, law: MeanRatio) -> Interval:
        ratio = self._ratio(epsilon)
        put = law.put(ratio)
        if self.removing:
            low, high = put.lower + 1 - ratio.upper, put.upper + 1 - ratio.lower
        else:
            low, high = put.lower / ratio.upper, put.upper / ratio.lower
        return Interval(max(Fraction(0), low), min(max(Fraction(0), high), Fraction(1)))

    def _ratio(self, epsilon: Fraction) -> Interval:
        """Below which M costs: e^ε if removing, else e^−ε."""
        signed = epsilon if self.removing else -epsilon
        return balls.enclosure(lambda: balls.ball(signed).exp())

    def _law(self, epsilon: Fraction, depth: int, points: int) -> MeanRatio:
        """A law that knows puts up to a little beyond the ratio of this epsilon."""
        sixteenths = math.ceil(16 * math.log2(self._ratio(epsilon).upper) + _BEYOND)
        # Coarse steps, so that a law once made answers more questions.
        near, deep = -(-sixteenths // _STRIDE) * _STRIDE, -(-depth // _DEEPER) * _DEEPER
        return self._mean(Wanted(near, deep, points))

    def _mean(self, wanted: Wanted) -> MeanRatio:
        base, reverse = self._pair
        # Variables are frozen values.
        return mean_ratio(base, reverse, self.steps, wanted)  # type: ignore[arg-type]

    def epsilon(self, delta: Fraction) -> Interval:
        """The least epsilon ≥ 0 with delta(epsilon) ≤ delta."""
        greatest = self.base.renyi(math.inf).upper
        if self.infinite_mass.lower > delta or (greatest == math.inf and not delta):
            return Interval(math.inf, math.inf)
        depth = _depth(delta)
        # Where it lies, roughly; then a law that is fine there.
        start = (Fraction(0), Fraction(self.spread))
        rough = [self._crossing(side, delta, depth, _ROUGH, start) for side in (0, 1)]
        low, high = rough[0][0], rough[1][1]
        if high == math.inf:
            return Interval(low, high)
        for points, enough in _GROWING:
            if high - low <= enough * high:
                break
            start = (Fraction(low), Fraction(high))
            fine = [self._crossing(side, delta, depth, points, start) for side in (0, 1)]
            low, high = max(low, fine[0][0]), min(high, fine[1][1])
        return Interval(min(low, high), high)

    def _crossing(
        self, side: int, delta: Fraction, depth: int, points: int, start: tuple[Fraction, Fraction]
    ) -> tuple[Endpoint, Endpoint]:
        """Neighbouring points with curve(low) > delta ≥ curve(high), for the lower or upper end."""
        low, high = start
        law = self._law(high if self.removing else low, depth, points)

        def curve(epsilon: Fraction) -> Fraction:
            found = self._delta(epsilon, law)
            if not side:
                return Fraction(found.lower)
            return Fraction(min(found.upper, self.base.delta(epsilon).upper))

        if not side:
            # Far from its greatest strike a law is coarse, and its lower end may be too low to
            # cross: begin at the place next to the upper end that is surely below the answer.
            near = (high * (1 - Fraction(1, 2**power)) for power in range(_NEAREST, 0, -1))
            low = next((place for place in near if place > low and curve(place) > delta), low)
        if curve(low) <= delta:
            return Fraction(0), low
        while curve(high) > delta:
            if points != _ROUGH or 2 * high > _FARTHEST:
                return high, math.inf
            low, high = high, 2 * high
            law = self._law(high if self.removing else low, depth, points)
        return crossing(curve, delta, low, high, relative=_ROOT)

    def tail(self, epsilon: Fraction) -> Interval:
        r"""P(L > epsilon) = δ(ε) + e^ε·Q(L > ε): between chords, as δ is convex in e^ε."""
        return tail_between_chords(self.delta, epsilon)

    def renyi(self, order: Order) -> Interval:
        """Exact for whole orders when removing; never above that of a step known to be the one."""
        told = self.base.renyi(order)
        if math.inf in (order, told.lower):
            return told
        exact = Fraction(order)
        if not self.removing or exact > _MOST_WHOLE:
            return Interval(Fraction(0), told.upper)
        # They grow with the order.
        below, above = math.floor(exact), max(2, math.ceil(exact))
        low = self._whole_order(below).lower if below > 1 else Fraction(0)
        return Interval(low, min(self._whole_order(above).upper, told.upper))

    def _whole_order(self, order: int) -> Interval:
        """From E M^n = n!/T^n times the coefficient of x^n in (Σ E Y^k·x^k/k!)^T."""
        singles = [self.base.renyi(Fraction(k)) for k in range(2, order + 1)]

        def divergence(ends: list[Endpoint]) -> arb:
            powers = [arb(1), arb(1)]
            powers += [(balls.ball(Fraction(e)) * (k + 1)).exp() for k, e in enumerate(ends)]
            series = [power / arb(k).fac() for k, power in enumerate(powers)]
            sum_of_all = arb_series(series, prec=order + 1) ** self.steps
            moment = sum_of_all[order] * arb(order).fac() / arb(self.steps) ** order
            return moment.log() / (order - 1)

        if any(single.upper == math.inf for single in singles):
            return Interval(Fraction(0), math.inf)
        low = balls.enclosure(lambda: divergence([single.lower for single in singles]))
        high = balls.enclosure(lambda: divergence([single.upper for single in singles]))
        return Interval(max(Fraction(0), low.lower), high.upper)

    @property
    def infinite_mass(self) -> Interval:
        """Removing: that of the step with the record. Adding: where all steps lack it."""
        if self.removing:
            return self.base.infinite_mass
        low, high = self.base.infinite_mass.lower, self.base.infinite_mass.upper
        return Interval(Fraction(low) ** self.steps, Fraction(high) ** self.steps)

    @cached_property
    def spread(self) -> float:
        """The deviation of the mean of T ratios, roughly."""
        return min(deviation(self._pair[0]) / math.sqrt(self.steps), self.base.spread)

    @property
    def span(self) -> float:
        """Some spreads."""
        return 20 * self.spread

    def cells(self, step: float) -> Twins:
        """The points of the laws of M, as losses."""
        wanted = Wanted(self._reach, _COMPOSED_DEPTH, _FINEST, lifted=not self.removing)
        law = self._mean(wanted)
        return _AllocatedTwins(law, step, self.removing, float(self.infinite_mass.lower))

    @cached_property
    def _reach(self) -> int:
        """Sixteenths of powers of two up to which M matters for sums of losses."""
        base = self._pair[0]
        greatest = float(
            min(base.renyi(math.inf).upper, _DEVIATIONS * base.spread + base.spread**2 / 2)
        )
        one = math.exp(min(greatest, 700.0)) / self.steps
        many = _DEVIATIONS * deviation(base) / math.sqrt(self.steps)
        reach = math.ceil(16 * math.log2(1 + one + many))
        # Adding, what is rare and large has the least losses.
        return reach if self.removing else min(reach, _FAR_ENOUGH)


def _depth(delta: Fraction) -> int:
    """How many bits a delta lies below 1."""
    return min(math.ceil(1 / delta).bit_length(), _DEPTHS[-1]) if delta else _DEPTHS[-1]


@dataclass(frozen=True)
class _AllocatedTwins:
    """The losses of both laws of M on a grid of losses."""

    law: MeanRatio
    step: float
    removing: bool
    infinite: float

    def pessimistic(self) -> GridMasses:
        """The spread law; what is not listed has an infinite loss."""
        law = self.law.above
        ratios, masses = self.law.points(law)
        scale = 2.0**-law.bits
        # What is not listed, under the first law. Rounded up, masses may hide so much of it.
        whole = float((ratios * masses if self.removing else masses).sum())
        hidden = law.rounded * (max(1.0, float(ratios[-1])) if self.removing else 1.0)
        blur = 2 * float(law.moved) * max(1.0, float(ratios[-1]))
        absent = max(0.0, 1 - whole) + (hidden + blur) * scale + _SLOP
        if self.removing:
            return self._on_grid(ratios, masses, absent).pessimistic()
        # Adding, what was not cut off lies above the greatest strike: no loss is above that one's.
        nearest = int(np.searchsorted(ratios, float(self.law.top) * (1 - _SLOP), "right")) - 1
        masses[max(nearest, 0)] += absent
        lost = (float(law.outside) + hidden + blur) * scale + _SLOP
        return self._on_grid(ratios, masses, lost).pessimistic()

    def optimistic(self) -> GridMasses:
        """The pooled law without thin points: where the others lie is known to 2^−20 steps."""
        law = self.law.below
        ratios, masses = self.law.points(law)
        thin = math.ldexp(float(law.moved), _SURE - law.bits)
        kept = masses > thin
        doubt = float(self.law.place[1].upper) / law.copies * 2.0**-_SURE
        shifted = ratios[kept] - doubt if self.removing else ratios[kept] + doubt
        return self._on_grid(shifted, masses[kept], 0.0).optimistic()

    def _on_grid(self, ratios: Floats, masses: Floats, lost: float) -> Cells:
        some = (masses > 0) & (ratios > 0)
        if not self.removing:
            lost += float(masses[ratios <= 0].sum())  # no chance under P
        if not some.any():
            return cells_of_atoms(np.zeros(1), np.zeros(1), self.step, lost=lost)
        losses = log(ratios[some])
        # Ratios are rounded a few times, and so are their logarithms.
        error = _LOSS_ERROR * (1 + float(np.abs(losses).max()))
        if not self.removing:
            return cells_of_atoms(-losses, masses[some], self.step, lost=lost, loss_error=error)
        listed = ratios[some] * masses[some]
        return cells_of_atoms(
            losses, listed, self.step, infinite=self.infinite, lost=lost, loss_error=error
        )
