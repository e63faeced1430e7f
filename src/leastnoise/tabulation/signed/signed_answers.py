"""`SignedAnswers`: noisy signed tables, and every marginal that follows from them."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.tabulation.residuals.residual_transform import table_of
from leastnoise.tabulation.residuals.residual_workload import AttributeSet, Marginal, subsets
from leastnoise.tabulation.signed.signed_plan import SignedPlan
from leastnoise.tabulation.signed.signed_table import SignedTable


@dataclass(frozen=True, eq=False, repr=False)
class SignedAnswers:
    """Released: noisy integers from which any marginal asked for, and any part of it, is computed.

    All of it is post-processing and free. What several tables tell of is averaged by their
    precisions (least squares), so the marginals agree: summing one over an attribute gives the
    marginal without it, up to rounding. Every cell is unbiased; it may be negative or a fraction.

    Args:
        plan: what was measured, and how precisely.
        measured: the noisy integers by table.
    """

    plan: SignedPlan
    measured: Mapping[SignedTable, Draws]

    def __repr__(self) -> str:
        return f"SignedAnswers({len(self.measured)} tables)"

    @cached_property
    def _residuals(self) -> dict[AttributeSet, NDArray[np.float64]]:
        return {subset: self._residual(subset) for subset in self.plan.weights}

    def _residual(self, subset: AttributeSet) -> NDArray[np.float64]:
        """The weighted mean of what the tables tell of a residual."""
        axes, signs = self.plan.workload.axes, self.plan.signs
        kept = [place for place in subset if place not in signs]
        mean: NDArray[np.float64] = np.zeros([axes[place].size for place in kept])
        for table, weight in self.plan.weights[subset]:
            others = tuple(i for i, place in enumerate(table.cells) if place not in kept)
            mean = mean + weight * self.measured[table].astype(np.float64).sum(axis=others)
        for i, place in enumerate(kept):
            mean = axes[place].contrast(mean, i)
        shape = [axes[place].kept for place in subset]
        return np.asarray(mean, dtype=np.float64).reshape(shape)

    def table(self, marginal: Marginal | str) -> NDArray[np.float64]:
        """Estimates of a marginal's counts, axes in the order of its name, in floats."""
        workload = self.plan.workload
        places = workload.measured(marginal)
        inside = {place: number for number, place in enumerate(places)}
        parts = {
            tuple(inside[place] for place in subset): self._residuals[subset]
            for subset in subsets(places)
        }
        found = table_of(parts, workload.axes_of(places))
        return found.transpose([inside[place] for place in workload.typed_places(marginal)])

    def variance(self, marginal: Marginal | str) -> float:
        """The variance of each cell of a marginal."""
        return self.plan.variance(marginal)

    def error(self, marginal: Marginal | str, *, confidence: Exact) -> float:
        """An error that a cell exceeds with at most the remaining probability."""
        return self.plan.error(marginal, confidence=confidence)
