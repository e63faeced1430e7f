"""`ResidualObjective`: what is made as small as possible."""

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.tabulation.residuals.residual_axis import ResidualAxis
from leastnoise.tabulation.residuals.residual_workload import (
    AttributeSet,
    ResidualWorkload,
    subsets,
)

ResidualObjectiveName = Literal["total", "largest"]
"""How users name the objectives."""


@dataclass(frozen=True)
class CostRows:
    """A sparse matrix: cost row[k] grows by values[kind[k]] times the noise of residual column[k].

    Many entries are alike, so that few values are stored. The first row belongs to the first
    marginal, and so on.
    """

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    kind: NDArray[np.intp]
    values: tuple[Fraction, ...]
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
        rows: list[int] = []
        columns: list[int] = []
        kinds: list[int] = []
        values: list[Fraction] = []
        first: dict[tuple[tuple[ResidualAxis, ...], Fraction], int] = {}
        weighted = zip(workload.sets, workload.weights, strict=True)
        for number, (places, weight) in enumerate(weighted):
            axes = workload.axes_of(places)
            if (axes, weight) not in first:
                first[axes, weight] = len(values)
                times = weight * workload.cells(places) if total else weight
                values += [times * share for share in _cell_shares(axes)]
            columns += [workload.index_of[subset] for subset in subsets(places)]
            count = 1 << len(places)
            rows += [0 if total else number] * count
            kinds += range(first[axes, weight], first[axes, weight] + count)
        return CostRows(
            np.array(rows, dtype=np.intp),
            np.array(columns, dtype=np.intp),
            np.array(kinds, dtype=np.intp),
            tuple(values),
            1 if total else len(workload.sets),
            len(workload.residuals),
        )


def cell_variance(
    workload: ResidualWorkload, places: AttributeSet
) -> Iterator[tuple[AttributeSet, Fraction]]:
    """What noise of variance 1 on each residual adds to the variance of a marginal's cells."""
    yield from zip(subsets(places), _cell_shares(workload.axes_of(places)), strict=True)


@lru_cache(maxsize=1024)
def _cell_shares(axes: tuple[ResidualAxis, ...]) -> tuple[Fraction, ...]:
    """The same for each subset of the axes, in the order of `subsets`."""
    every = tuple(range(len(axes)))
    return tuple(
        prod(
            (
                axis.spread if place in subset else Fraction(1, axis.size**2)
                for place, axis in enumerate(axes)
            ),
            start=Fraction(1),
        )
        for subset in subsets(every)
    )


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
        f"objective={_check.shown(objective)}",
        "'total' is the sum of all cells' variances, 'largest' the largest of them.",
    )
