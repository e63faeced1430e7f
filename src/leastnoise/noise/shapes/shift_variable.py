"""`ShiftVariable`: the privacy loss between a law on the integers and a shifted copy."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from leastnoise import _check
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.shape import Shape
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.shapes.weights import Weights
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.variables.edged_variable import EdgedPart, edged_sum
from leastnoise.privacy.variables.grid_cells import Cells, cells_of_atoms, span
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.pooling import Floats

_MOST_ATOMS = 1 << 22  # 32 MB of floats
_NEGLIGIBLE = Fraction(1, 10**60)  # far below every delta of use
_REACH = 14.0  # standard deviations of the loss


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
    def _log_pmf(self) -> Floats:
        low, high = self._window
        return self.shape.log_pmf(low, high)

    @cached_property
    def _atoms(self) -> tuple[Floats, Floats]:
        """Finite losses and their masses."""
        if isinstance(self.shape, Weights):
            return self._listed(self.shape.by_value)
        here = self._log_pmf
        there = np.full(len(here), -np.inf)
        if abs(self.shift) < len(here):
            target = slice(self.shift, None) if self.shift > 0 else slice(None, self.shift)
            source = slice(None, -self.shift) if self.shift > 0 else slice(-self.shift, None)
            there[target] = here[source]
        both = (here > -np.inf) & (there > -np.inf)
        masses = np.exp(here[both])
        some = masses > 0
        return (here[both] - there[both])[some], masses[some]

    def _listed(self, weights: dict[int, int]) -> tuple[Floats, Floats]:
        """The atoms of a table, however far apart its values lie."""
        total = math.log(sum(weights.values()))
        pairs = [(w, weights.get(k - self.shift, 0)) for k, w in weights.items()]
        shared = [(math.log(w), math.log(other)) for w, other in pairs if other]
        losses = np.array([here - there for here, there in shared])
        return losses, np.exp(np.array([here for here, _ in shared]) - total)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the finite part, roughly."""
        if self._is_wide:
            return min(float(self._greatest), self._gaussian_spread)
        losses, masses = self._atoms
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
        return span(*self._atoms) if len(self._atoms[0]) else 0.0

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
        losses, masses = self._atoms
        infinite = float(self.infinite_mass.lower) * (1 - 1e-15)
        # What is not listed: far tails, and chances too small for a float.
        lost = max(0.0, 1 - infinite - float(masses.sum()) - 1e-12)
        if self.shape.support is None:
            lost += float(2 * _NEGLIGIBLE)
        return cells_of_atoms(losses, masses, step, infinite=infinite, lost=lost)

    def _cells_by_edges(self, step: float) -> Cells:
        """Masses of cells from exact tails under both laws; for symmetric laws.

        The loss of the pair in the other order has the same law, so that the negative half mirrors
        the positive one with the two laws exchanged.
        """
        top = min(float(self._greatest), _REACH * self.spread)
        last = math.ceil(top / step * (1 - 1e-12))
        tails = [self._tails(Fraction(i * step)) for i in range(last)]
        atom = self._greatest_atom(last * step)
        # The last point may fall a rounding short of the greatest loss that it stands for.
        end = Fraction(last * step)
        tails.append(self._tails(max(end, Fraction(self._greatest)) if any(atom) else end))
        here = np.array([float(a[0] - b[0]) for a, b in pairwise(tails)])
        there = np.array([float(a[1] - b[1]) for a, b in pairwise(tails)])
        here[-1], there[-1] = max(0.0, here[-1] - atom[0]), max(0.0, there[-1] - atom[1])
        some = (here > 0) & (there > 0)
        ratio = np.where(some, here, 1) / np.where(some, there, 1)
        depth = np.clip(np.log(ratio) - np.arange(last) * step, 0.0, step)
        on_grid = np.zeros(2 * last + 1)
        on_grid[last] = max(0.0, float(1 - tails[0][0] - tails[0][1]))  # losses of 0
        on_grid[0], on_grid[-1] = atom[1], atom[0]
        mass = np.concatenate([there[::-1], here])
        depths = np.concatenate([(step - depth)[::-1], depth])
        infinite = float(self.infinite_mass.lower)
        lost = max(0.0, float(tails[-1][0] + tails[-1][1]) - 2 * infinite)
        return Cells(step, -last, mass, depths, on_grid, infinite, lost)

    def _greatest_atom(self, top: float) -> tuple[float, float]:
        """The chances of the greatest loss under both laws, if the grid's last point hits it."""
        if self.step is None or self.lattice_step is None:
            return 0.0, 0.0
        greatest = Fraction(self._greatest)
        if abs(top - float(greatest)) > 1e-12:
            return 0.0, 0.0
        here, there = self._tails(greatest - self.step / 2)
        return float(here), float(there)

    def _tails(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """P(L > epsilon) under both laws, as close rationals."""
        here = self.shape.exceedance(epsilon, self.shift).interval()
        leak = self.shape.hockey_stick(epsilon, self.shift).interval()
        there = (here.lower - leak.lower) / _exp(epsilon).lower
        return Fraction(here.lower), Fraction(there)

    def repeated(self, count: int) -> "LossVariable | None":
        """A single copy is closed, and so are all if the loss is a lattice with edges."""
        if count == 1:
            return self
        return None if self.edged is None else edged_sum(self.edged, count)


def _exp(value: Fraction) -> Interval:
    return balls.enclosure(lambda: balls.ball(value).exp())
