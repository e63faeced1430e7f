"""`ResidualAnswers`: noisy residuals, and every marginal that follows from them."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.residuals.residual_axis import TableArray
from leastnoise.tabulation.residuals.residual_plan import ResidualPlan
from leastnoise.tabulation.residuals.residual_transform import table_of
from leastnoise.tabulation.residuals.residual_workload import AttributeSet, Marginal, subsets


@dataclass(frozen=True, eq=False, repr=False)
class ResidualAnswers:
    """Released: noisy integers from which any marginal asked for, and any part of it, is computed.

    All of it is post-processing and free. The marginals agree: summing one over an attribute gives
    the marginal without it, exactly in `exact_table` and up to rounding in `table`. Every cell is
    unbiased, so it may be negative or a fraction; do what you like with that, it costs no privacy.

    Args:
        plan: what was measured, and how precisely.
        measured: the noisy integers by set of attributes.
    """

    plan: ResidualPlan
    measured: Mapping[AttributeSet, Draws]

    def __repr__(self) -> str:
        return f"ResidualAnswers({len(self.measured)} residuals)"

    def table(self, marginal: Marginal | str) -> NDArray[np.float64]:
        """Estimates of a marginal's counts, axes in the order of its name, in floats."""
        return self._table(marginal, lambda part, g: part.astype(np.float64) / g)

    def exact_table(self, marginal: Marginal | str) -> NDArray[np.object_]:
        """The same estimates as exact Fractions; slow for many cells."""
        return self._table(marginal, lambda part, g: part.astype(object) * Fraction(1, g))

    def _table(
        self, marginal: Marginal | str, scaled: Callable[[TableArray, int], TableArray]
    ) -> TableArray:
        workload = self.plan.workload
        places = workload.measured(marginal)
        inside = {place: number for number, place in enumerate(places)}
        parts = {
            tuple(inside[place] for place in subset): scaled(
                self.measured[subset], self.plan.multipliers[workload.index_of[subset]] or 1
            )
            for subset in subsets(places)
        }
        table = table_of(parts, workload.axes_of(places))
        return table.transpose([inside[place] for place in workload.typed_places(marginal)])

    def variance(self, marginal: Marginal | str) -> Interval:
        """The variance of each cell of a marginal."""
        return self.plan.variance(marginal)

    def error(
        self, marginal: Marginal | str, *, confidence: Exact, every_cell: bool = False
    ) -> Interval:
        """The error of a cell not exceeded with the given probability; promise the upper end."""
        return self.plan.error(marginal, confidence=confidence, every_cell=every_cell)

    def confidence_interval(
        self, marginal: Marginal | str, *, confidence: Exact, every_cell: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends for each cell: `table` minus and plus `error`.

        Each pair of ends covers the true count with at least the given probability; with
        `every_cell`, all pairs do so together. (Floats add rounding in the sixteenth digit.)
        """
        middle = self.table(marginal)
        reach = self.error(marginal, confidence=confidence, every_cell=every_cell).upper
        return middle - float(reach), middle + float(reach)
