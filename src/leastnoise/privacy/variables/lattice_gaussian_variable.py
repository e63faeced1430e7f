"""`LatticeGaussianVariable`: the loss of discrete Gaussian noise on an integer vector."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import at_most_one
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import TwinCells
from leastnoise.privacy.variables.loss_variable import LossVariable, Order

_WIDTHS = tuple(Fraction(1, 2**power) for power in range(0, 28, 3))


@dataclass(frozen=True)
class LatticeGaussianVariable(LossVariable):
    r"""The loss between A·X and A·(X + w), X discrete Gaussian, next to that of normal noise.

    Theorem: let V be the parameter of X's m independent coordinates, 1 ≤ s < V an integer,
    κ = m·2^(3−14s) ≤ 1/2, S = ‖w‖₂² and T = min ‖w′‖₂² over the real w′ with A·w′ = A·w. For every
    real ε, G(T/(V+s), ε) − 2κ ≤ δ(ε) ≤ (1−κ)·G(S/(V−s), ε) + κ with G(μ², ε) the δ of N(0, 1)
    against N(μ, 1). The Rényi divergence of order α ≥ 1 is at most α·S/(2V), of order α < 1 at most
    α·S/(2V) + κ/(1−α), and at least α·T/(2V+2s) − 3κ·max(1, α)/|α−1|; at α = 1 without the
    denominator |α−1|.
    Proof: docs/proofs/correlated_noise.md, section 3.

    Args:
        square: S/V.
        least: T/(V+s).
        most: S/(V−s).
        leak: κ, or a little more.
    """

    square: Fraction
    least: Fraction
    most: Fraction
    leak: Fraction

    @cached_property
    def _below(self) -> GaussianVariable:
        return GaussianVariable(self.least)

    @cached_property
    def _above(self) -> GaussianVariable:
        return GaussianVariable(self.most)

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L))."""
        low = self._below.delta(epsilon).lower - 2 * self.leak
        high = self._above.delta(epsilon).upper * (1 - self.leak) + self.leak
        return at_most_one(Interval(max(Fraction(0), low), high))

    def tail(self, epsilon: Fraction) -> Interval:
        r"""P(L > epsilon) = δ(ε) + e^ε·Q(L > ε).

        δ is convex in y = e^ε with right slope −Q(L > ε): chords to the left of y are steeper and
        chords to the right flatter.
        """
        here = self.delta(epsilon)
        flattest, steepest = Fraction(0), Fraction(1)
        for width in _WIDTHS:
            step = _exp(width)
            right = here.lower - self.delta(epsilon + width).upper
            left = self.delta(epsilon - width).upper - here.lower
            flattest = max(flattest, Fraction(right / (step.upper - 1)))
            steepest = min(steepest, Fraction(left / (1 - 1 / step.lower)))
        return at_most_one(Interval(here.lower + flattest, here.upper + steepest))

    def renyi(self, order: Order) -> Interval:
        """Order times ‖w‖²/(2V), but for next to nothing."""
        if order == math.inf:
            return Interval(math.inf, math.inf)
        exact = Fraction(order)
        doubt = self.leak / (abs(exact - 1) or 1)
        high = exact * self.square / 2 + (doubt if exact < 1 else 0)
        low = exact * self.least / 2 - 3 * max(Fraction(1), exact) * doubt
        return Interval(max(Fraction(0), low), high)

    @property
    def infinite_mass(self) -> Interval:
        """No loss is infinite."""
        return Interval.exactly(0)

    @property
    def spread(self) -> float:
        """μ."""
        return self._above.spread

    @property
    def span(self) -> float:
        """The mean and ten standard deviations."""
        return self._above.span

    @property
    def lattice_step(self) -> None:
        """The values of the loss lie too close to count."""
        return

    def cells(self, step: float) -> TwinCells:
        """Those of the normal laws to either side."""
        above = self._above.cells(step)
        # The leak is below 2**-800 and vanishes in floats; taken for lost, it is not forgotten.
        lost = above.lost + math.nextafter(float(self.leak), 1.0)
        return TwinCells(self._below.cells(step), replace(above, lost=lost))

    def joined(self, other: LossVariable, count: int) -> "LatticeGaussianVariable | None":
        """Squares of μ add up, and so do leaks."""
        if isinstance(other, GaussianVariable):
            part = LatticeGaussianVariable(
                other.mu_squared, other.mu_squared, other.mu_squared, Fraction(0)
            )
            return self.joined(part, count)
        if not isinstance(other, LatticeGaussianVariable):
            return None
        return LatticeGaussianVariable(
            self.square + count * other.square,
            self.least + count * other.least,
            self.most + count * other.most,
            self.leak + count * other.leak,
        )

    def repeated(self, count: int) -> "LatticeGaussianVariable":
        """μ grows with the square root of the count."""
        return LatticeGaussianVariable(
            count * self.square, count * self.least, count * self.most, count * self.leak
        )


def _exp(value: Fraction) -> Interval:
    return balls.enclosure(lambda: balls.ball(value).exp())
