"""`ResidualPlan`: how precisely each residual is measured, and what that makes of the marginals."""

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.residuals.residual_noise import (
    Budget,
    ResidualNoise,
    squared_mu,
)
from leastnoise.tabulation.residuals.residual_objective import cell_variance
from leastnoise.tabulation.residuals.residual_split import Floats, ResidualSplit
from leastnoise.tabulation.residuals.residual_workload import (
    AttributeSet,
    Marginal,
    ResidualWorkload,
)

_LARGEST_MULTIPLIER = 1 << 29
_LARGEST_PARAMETER = 1 << 78
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ResidualPlan:
    """Every residual times its multiplier, with the same noise on all the numbers.

    Args:
        workload: what is wanted.
        multipliers: a positive integer for each residual; 0 for one that is public.
        noise: the noise on each measured number.
    """

    workload: ResidualWorkload
    multipliers: tuple[int, ...]
    noise: ResidualNoise

    @classmethod
    def of(
        cls, workload: ResidualWorkload, split: ResidualSplit, guarantee: Budget
    ) -> "ResidualPlan":
        """The multipliers next to a split, and the noise that they need."""
        multipliers = _multipliers(workload, split, guarantee)
        coordinates = sum(
            workload.measured_numbers(places)
            for places, multiplier in zip(workload.residuals, multipliers, strict=True)
            if multiplier
        )
        square = _squared_sensitivity(split.charges, multipliers)
        return cls(workload, multipliers, ResidualNoise(guarantee, square, coordinates))

    @cached_property
    def _squares(self) -> dict[AttributeSet, Fraction]:
        """1/g² for each residual: what is left of its numbers' noise; 0 if it has none."""
        return {
            places: Fraction(1, multiplier**2) if multiplier else Fraction(0)
            for places, multiplier in zip(self.workload.residuals, self.multipliers, strict=True)
        }

    def cell_squares(self, places: AttributeSet) -> arb:
        """The squared coefficients of the noise in one cell of a marginal, added up."""
        return sum(
            (
                balls.ball(share * self._squares[subset])
                for subset, share in cell_variance(self.workload, places)
            ),
            arb(0),
        )

    def variance(self, marginal: Marginal | str) -> Interval:
        """The variance of each cell of a marginal; the same for all its cells."""
        places = self.workload.measured(marginal)
        return self.noise.variance(lambda: self.cell_squares(places))

    def error(
        self, marginal: Marginal | str, *, confidence: Exact, every_cell: bool = False
    ) -> Interval:
        """A bracket on the error of a cell not exceeded with the given probability.

        Promise the upper end. With `every_cell` it holds for all cells of the marginal at once,
        by the union bound; its lower end is then that of a single cell.
        """
        places, risk = self.workload.measured(marginal), 1 - _check.confidence(confidence)
        one = self.noise.quantile(lambda: self.cell_squares(places), risk)
        if not every_cell:
            return one
        shared = risk / self.workload.cells(places)
        return Interval(
            one.lower, self.noise.quantile(lambda: self.cell_squares(places), shared).upper
        )


def _multipliers(
    workload: ResidualWorkload, split: ResidualSplit, guarantee: Budget
) -> tuple[int, ...]:
    r"""Integers next to multiples of √h, as large as 64 bits allow.

    A residual is at most (number of people)·Π(nᵢ − 1), and there are fewer than 2³³ people. What
    rounding makes of the split costs a factor of about 1 + (1/2g)², at residuals that matter.
    """
    roots = np.sqrt(split.precisions)
    growth = np.array(
        [
            math.prod(axis.growth for axis in workload.axes_of(places))
            for places in workload.residuals
        ],
        dtype=np.float64,
    )
    scaled = roots * (_LARGEST_MULTIPLIER / (roots * growth).max())
    square = Fraction(float((split.charges.astype(np.float64) @ scaled**2).max()))
    room = _LARGEST_PARAMETER * Fraction(squared_mu(guarantee).lower) / square
    scaled *= math.sqrt(min(room, Fraction(1)))
    # Whether a residual is public is a matter of the charges, never of what floats made of it.
    public = ~split.charges.any(axis=0)
    whole = np.where(public, 0, np.maximum(np.rint(scaled), 1))
    return tuple(int(multiplier) for multiplier in whole)


def _squared_sensitivity(charges: NDArray[np.int64], multipliers: tuple[int, ...]) -> int:
    """The greatest Σ charge·g² over the rows, exactly."""
    squares: Floats = np.array(multipliers, dtype=np.float64) ** 2
    close = charges.astype(np.float64) @ squares
    # Floats err by far less in a sum of numbers that are not negative.
    rows = charges[close >= close.max() * (1 - _ROUNDING)]
    return max(
        sum(int(charge) * g * g for charge, g in zip(row, multipliers, strict=True)) for row in rows
    )
