"""`ResidualObjective`: what is made as small as possible."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.marginals.residual_workload import AttributeSet, ResidualWorkload, subsets

ResidualObjectiveName = Literal["total", "largest"]
"""How users name the objectives."""


@dataclass(frozen=True)
class CostRows:
    """A sparse matrix: cost number row[k] grows by value[k] times the noise of residual column[k].

    Values are quotients of integers; the first row belongs to the first marginal, and so on.
    """

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    value: tuple[Fraction, ...]
    rows: int
    columns: int


class ResidualObjective(Enum):
    r"""The weighted sum of the variances of all cells, or the largest weighted variance of a cell.

    Theorem: if every number of residual A carries independent noise of variance v_A, then every
    cell of the W-marginal has variance Σ_{A⊆W} v_A·Π_{i∈A} spread_i·Π_{j∈W∖A} n_j⁻².
    Proof: docs/proofs/residual_planner.md, section 4.
    """

    TOTAL = "total"
    LARGEST = "largest"

    def costs(self, workload: ResidualWorkload) -> CostRows:
        """One row for the total, or one row for each marginal."""
        total = self is ResidualObjective.TOTAL
        rows, columns, values = [], [], []
        for number, (places, weight) in enumerate(
            zip(workload.sets, workload.weights, strict=True)
        ):
            times = weight * workload.cells(places) if total else weight
            for subset, variance in cell_variance(workload, places):
                rows.append(0 if total else number)
                columns.append(workload.index_of[subset])
                values.append(times * variance)
        return CostRows(
            np.array(rows, dtype=np.intp),
            np.array(columns, dtype=np.intp),
            tuple(values),
            1 if total else len(workload.sets),
            len(workload.residuals),
        )


def cell_variance(
    workload: ResidualWorkload, places: AttributeSet
) -> Iterator[tuple[AttributeSet, Fraction]]:
    """What noise of variance 1 on each residual adds to the variance of a marginal's cells."""
    for subset in subsets(places):
        rest = [workload.axes[place].size for place in places if place not in subset]
        spread = prod((axis.spread for axis in workload.axes_of(subset)), start=Fraction(1))
        yield subset, spread / prod(rest) ** 2


def checked_residual_objective(
    objective: ResidualObjectiveName | ResidualObjective,
) -> ResidualObjective:
    """The objective a user means.

    Raises:
        InvalidParameter: there is no such objective.
    """
    for known in ResidualObjective:
        if objective in (known, known.value):
            return known
    raise _check.refuse(
        "`objective` must be 'total' or 'largest'",
        f"objective={objective!r:.60}",
        "'total' is the sum of all cells' variances, 'largest' the largest of them.",
    )
