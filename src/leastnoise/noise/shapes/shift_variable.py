"""`ShiftVariable`: the privacy loss between a law on the integers and a shifted copy."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb, ctx

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.shape import Shape
from leastnoise.noise.shapes.shift_atoms import shift_atoms
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.shapes.weights import Weights
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.proved_floats import UNIT, above, below, sharp_floats
from leastnoise.privacy.variables.edged_variable import EdgedPart, edged_sum
from leastnoise.privacy.variables.grid_cells import Cells, even_edges, span
from leastnoise.privacy.variables.listed_atoms import ListedAtoms
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.uneven_cells import ENDS_ERROR, cut_pair

_MOST_ATOMS = 1 << 22  # 32 MB of floats
_NEGLIGIBLE = Fraction(1, 10**60)  # far below every delta of use
_REACH = 14.0  # standard deviations of the loss
_BITS = 256  # of numbers that become floats


@dataclass(frozen=True)
class ShiftVariable(LossVariable):
    """The loss of X against X + shift; single questions are answered exactly by the shape.

    Args:
        shape: the law of X.
        shift: a non-zero integer.
        divergence: Rényi divergence by order.
        step: a step that nearly all losses are multiples of, if there is one.
        edged: the loss as a lattice with edges, if it is one: then sums are exact.
    """

    shape: Shape
    shift: int
    divergence: Callable[[Order], Interval]
    step: Fraction | None = None
    edged: EdgedPart | None = None

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        if epsilon >= 0:
            return self.shape.hockey_stick(epsilon, self.shift).interval()
        # δ(ε) = 1 − e^ε + e^ε·δ'(−ε), where δ' belongs to the pair in the other order.
        back = self.shape.hockey_stick(-epsilon, -self.shift).interval()
        factor = _exp(epsilon)
        low = 1 - factor.upper + factor.lower * back.lower
        high = 1 - factor.lower + factor.upper * back.upper
        return Interval(low, high if high < 1 else Fraction(1))

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon) for epsilon ≥ 0."""
        return self.shape.exceedance(epsilon, self.shift).interval()

    def renyi(self, order: Order) -> Interval:
        """The Rényi divergence of an order."""
        return self.divergence(order)

    @cached_property
    def infinite_mass(self) -> Interval:
        """The chance of a value that the shifted copy cannot take."""
        support = self.shape.support
        if support is None:
            return Interval.exactly(0)
        low, high = support
        if abs(self.shift) > high - low:
            return Interval.exactly(1)
        if self.shape.symmetric_unimodal:
            return self.shape.tail(high - abs(self.shift) + 1).interval()
        assert isinstance(self.shape, Weights)  # every other law is symmetric
        weights = self.shape.by_value
        missing = sum(w for k, w in weights.items() if k - self.shift not in weights)
        return Interval.exactly(Fraction(missing, sum(weights.values())))

    @cached_property
    def _window(self) -> tuple[int, int]:
        """All values but a negligible part."""
        if self.shape.support is not None:
            return self.shape.support
        reach = least_integer(lambda m: self.shape.outside(m).compare(_NEGLIGIBLE) <= 0, 1)
        return -reach, reach

    @cached_property
    def _atoms(self) -> ListedAtoms:
        """Finite losses and their masses."""
        outside = 0.0 if self.shape.support is not None else float(2 * _NEGLIGIBLE)
        return shift_atoms(self.shape, self.shift, self._window, outside)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        if self._is_wide:
            return min(float(self._greatest), self._gaussian_spread)
        losses, masses = self._atoms.losses, self._atoms.masses
        if not len(losses):
            return 1.0
        mean = float(losses @ masses)
        return math.sqrt(float((losses - mean) ** 2 @ masses)) or 1.0

    @property
    def _gaussian_spread(self) -> float:
        """Close to 0 the divergence of order 1 is half the variance of the loss."""
        return math.sqrt(2 * float(self.divergence(Fraction(1)).upper))

    @cached_property
    def span(self) -> float:
        """The largest loss that is not negligibly rare."""
        if self._is_wide:
            return min(float(self._greatest), _REACH * self.spread)
        return span(self._atoms.losses, self._atoms.masses) if len(self._atoms.losses) else 0.0

    @cached_property
    def _is_wide(self) -> bool:
        if isinstance(self.shape, Weights):
            return False
        low, high = self._window
        if high - low > _MOST_ATOMS and not isinstance(self.shape, Stairs | GaussianShape):
            raise UnsupportedQuery(
                f"a law to be composed must have at most {_MOST_ATOMS} values; got "
                f"{_check.shown(high - low)}. Use a coarser lattice."
            )
        return high - low > _MOST_ATOMS

    @cached_property
    def _greatest(self) -> Endpoint:
        """The greatest finite loss, or a little more where a cut-off's edge has it."""
        if isinstance(self.shape, Stairs):
            drops = -(-abs(self.shift) // self.shape.period)
            return self.shape.rate * (drops if self.shape.radius is None else drops + 1)
        return self.divergence(math.inf).upper

    @property
    def lattice_step(self) -> Fraction | None:
        """The step given, if any; of a wide law only the greatest loss is worth hitting."""
        if not self._is_wide:
            return self.step
        endless = self.shape.support is None and self._greatest != math.inf
        return Fraction(self._greatest) if endless else None

    def cells(self, step: float) -> Cells:
        """Atoms where they can be listed, differences of exact sums where they are too many."""
        if self._is_wide:
            return self._cells_by_edges(step)
        with balls.precision(_BITS):
            low, high = (balls.ball(Fraction(end)) for end in _ends(self.infinite_mass))
            infinite, most = max(0.0, below(low)), above(high)
        lost = self._atoms.lost + 2 * (most - infinite)
        return replace(self._atoms, infinite=infinite, lost=lost).cells(step)

    def _cells_by_edges(self, step: float) -> Cells:
        """Masses of cells from exact tails under both laws; for symmetric laws.

        The loss of the pair in the other order has the same law, so that the negative half mirrors
        the positive one with the two laws exchanged.
        """
        top = min(float(self._greatest), _REACH * self.spread)
        last = math.ceil(top / step * (1 - 1e-12))
        off = self._misses_greatest(last, step)
        end = None if off is None else Fraction(self._greatest) - Fraction(self.step or 0) / 2

        @lru_cache(maxsize=4)
        def greatest(bits: int) -> tuple[arb, arb]:
            del bits  # balls of one precision are not those of another
            assert end is not None  # asked then only
            return self._tails(end)

        def tails(level: arb) -> tuple[arb, arb]:
            # The greatest loss is put onto the last point, and left out of the cells.
            epsilon = balls.exact(level)
            if end is not None and epsilon >= end:
                return arb(0), arb(0)
            one, other = self._tails(epsilon)
            if end is None:
                return one, other
            one_last, other_last = greatest(ctx.prec)
            return one - one_last, other - other_last

        half = cut_pair(tails, even_edges(0, last), step)
        on_grid = np.zeros(2 * last + 1)
        with balls.precision(_BITS):
            one, other = self._tails(Fraction(0))
            atoms = (arb(0), arb(0)) if end is None else self._tails(end)
            # Losses of 0, and the greatest under either law.
            found, sharp, rest = sharp_floats([1 - one - other, atoms[0], atoms[1]])
            infinite = max(0.0, below(balls.ball(Fraction(self.infinite_mass.lower))))
        found[~sharp] = 0.0
        on_grid[last], on_grid[-1], on_grid[0] = found
        down = np.concatenate([half.other_up[::-1], half.down])
        up = np.concatenate([half.other_down[::-1], half.up])
        beyond = max(0.0, half.outside[1] - infinite) + half.outside[3] + sum(half.given_up)
        return Cells(
            step,
            even_edges(-last, last),
            down,
            up,
            on_grid,
            infinite,
            (beyond + rest) * (1 + 16 * UNIT),
            error=ENDS_ERROR,
            shift=0.0 if off is None else 2 * off,
        )

    def _misses_greatest(self, last: int, step: float) -> float | None:
        """By how much the grid's last point misses the greatest loss, if it is meant to hit it."""
        if self.step is None or self.lattice_step is None:
            return None
        off = abs(last * Fraction(step) - Fraction(self._greatest))
        # Within rounding, and far less than the next loss is below it.
        near = off <= Fraction(self._greatest) / 2**48 and off < self.step / 4
        return float(off) * (1 + UNIT) if near else None

    def _tails(self, epsilon: Fraction) -> tuple[arb, arb]:
        """P(L > epsilon) under both laws."""
        here = self.shape.exceedance(epsilon, self.shift).ball()
        leak = self.shape.hockey_stick(epsilon, self.shift).ball()
        return here, (here - leak) * (-balls.ball(epsilon)).exp()

    def repeated(self, count: int) -> "LossVariable | None":
        """A single copy is closed, and so are all if the loss is a lattice with edges."""
        if count == 1:
            return self
        return None if self.edged is None else edged_sum(self.edged, count)


def _exp(value: Fraction) -> Interval:
    return balls.enclosure(lambda: balls.ball(value).exp())


def _ends(interval: Interval) -> tuple[Endpoint, Endpoint]:
    return interval.lower, interval.upper
