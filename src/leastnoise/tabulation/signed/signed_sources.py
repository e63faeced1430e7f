"""Which signed tables tell of which residual, and what a residual's noise does to the marginals."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

import numpy as np

from leastnoise.tabulation.residuals.residual_split import Floats
from leastnoise.tabulation.residuals.residual_workload import (
    AttributeSet,
    ResidualWorkload,
    subsets,
)
from leastnoise.tabulation.signed.signed_table import SignedTable


def signed_tables(signs: AttributeSet, places: AttributeSet) -> Iterator[SignedTable]:
    """The tables that together say what a marginal says: all choices among its signs."""
    cells = tuple(place for place in places if place not in signs)
    for chosen in subsets(tuple(place for place in places if place in signs)):
        yield SignedTable(chosen, cells)


def told_residuals(
    workload: ResidualWorkload, table: SignedTable
) -> Iterator[tuple[AttributeSet, int]]:
    """Each residual that a table tells of, and how many of its cells one number of it adds up."""
    for kept in subsets(table.cells):
        summed = prod(workload.axes[place].size for place in table.cells if place not in kept)
        yield tuple(sorted((*table.signs, *kept))), summed


def cell_shares(
    workload: ResidualWorkload, signs: AttributeSet, places: AttributeSet
) -> Iterator[tuple[AttributeSet, float]]:
    r"""Each residual of a marginal, and the variance of a cell if its sums have variance 1.

    Theorem: for every marginal and every choice of signs, if the estimates of the residuals A have
    uncorrelated noise, that of A the covariance σ_A²·P_A with P_A = ⊗(I − J/n) over the attributes
    of A that are no signs, a cell has the variance Σ_A σ_A²·∏ f, where f is 1/4 for a sign, 1 − 1/n
    for another attribute of A and 1/n² for one outside A.
    Proof: docs/proofs/pure_marginals.md, section 3.
    """
    factors = []
    for place in places:
        size = workload.axes[place].size
        factors.append((0.25, 0.25) if place in signs else (1 / size**2, 1 - 1 / size))
    for inside in product((0, 1), repeat=len(places)):
        subset = tuple(place for place, kept in zip(places, inside, strict=True) if kept)
        yield subset, prod(pair[kept] for pair, kept in zip(factors, inside, strict=True))


def residual_costs(workload: ResidualWorkload, signs: AttributeSet) -> Floats:
    """What a variance of 1 of each residual adds to the weighted sum of the cells' variances."""
    costs = np.zeros(len(workload.residuals))
    for places, weight in zip(workload.sets, workload.weights, strict=True):
        scale = float(weight) * workload.cells(places)
        for subset, share in cell_shares(workload, signs, places):
            costs[workload.index_of[subset]] += scale * share
    return costs


def binary_places(workload: ResidualWorkload) -> AttributeSet:
    """The attributes of two values."""
    return tuple(place for place, axis in enumerate(workload.axes) if axis.size == 2)


def uncovered(tables: Iterable[SignedTable], among: Iterable[SignedTable]) -> list[SignedTable]:
    """The tables that follow from no finer one with the same signs."""
    coarser = {
        SignedTable(table.signs, cells)
        for table in among
        for cells in subsets(table.cells)
        if cells != table.cells
    }
    return [table for table in tables if table not in coarser]
