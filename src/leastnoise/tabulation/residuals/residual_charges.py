"""What measuring a residual costs: how far apart it lies for neighbours."""

from math import prod

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import UnsupportedQuery
from leastnoise.tabulation.neighbours import AddRemove, Neighbours
from leastnoise.tabulation.residuals.residual_workload import AttributeSet, ResidualWorkload

_MOST_CHARGES = 1 << 22


def residual_charges(neighbours: Neighbours, workload: ResidualWorkload) -> NDArray[np.int64]:
    r"""The squared distance of each residual, one row for each kind of neighbours.

    Theorem: let the residual of every measured set A be multiplied by g_A. If a person is added or
    removed, the squared Euclidean distance of what is measured is Σ_A g_A²·Π_{i∈A} product_i(same),
    whoever it is. If a person is replaced by one who agrees with them exactly in the attributes S,
    it is 2·Σ_A g_A²·(Π_{i∈A} product_i(same) − Π_{i∈A} product_i(i ∈ S)). The empty set costs
    nothing then: the number of people is the same in all neighbours, and public.
    Proof: docs/proofs/residual_planner.md, section 3.

    Raises:
        UnsupportedQuery: replaced people can agree in too many different sets of attributes.

    Example:
        >>> workload = ResidualWorkload({"sex": 2, "age": 3}, [("sex", "age")])
        >>> residual_charges(AddRemove(), workload)
        array([[1, 1, 6, 6]])
    """
    same = np.array([_product(workload, places, places) for places in workload.residuals])
    if isinstance(neighbours, AddRemove):
        return same[np.newaxis]
    agreed = _agreements(workload)
    products = np.ones((len(agreed), len(workload.residuals)), dtype=np.int64)
    for index, places in enumerate(workload.residuals):
        for place in places:
            axis = workload.axes[place]
            alike, unlike = axis.product(same=True), axis.product(same=False)
            products[:, index] *= np.where(agreed[:, place], alike, unlike)
    return np.asarray(2 * (same - products))


def _product(workload: ResidualWorkload, places: AttributeSet, agreed: AttributeSet) -> int:
    return prod(workload.axes[place].product(same=place in agreed) for place in places)


def _agreements(workload: ResidualWorkload) -> NDArray[np.bool_]:
    """The sets of attributes in which two people may agree, as rows, save those never worst."""
    used = sorted({place for places in workload.sets for place in places})
    if len(workload.residuals[-1]) <= 1:
        # One-way marginals are farthest apart for people who agree in nothing.
        return np.zeros((1, len(workload.axes)), dtype=np.bool_)
    if len(workload.residuals) << len(used) > _MOST_CHARGES:
        raise UnsupportedQuery(
            "replaced people may agree in any set of attributes, and each is priced: sets times "
            f"residuals must be at most {_MOST_CHARGES}; got more from {len(used)} attributes. "
            "Use neighbours='add_remove' with a quarter of rho: a replacement is two steps."
        )
    # The last set is left out: it belongs to two people who agree in everything.
    codes = np.arange((1 << len(used)) - 1)
    agreed = np.zeros((len(codes), len(workload.axes)), dtype=np.bool_)
    for bit, place in enumerate(used):
        agreed[:, place] = codes >> bit & 1
    return agreed
