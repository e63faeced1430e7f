"""A total and its parts made to agree, by least squares; public numbers only."""

import numpy as np

from leastnoise import _check
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.result.flagging import flagged_again
from leastnoise.release.result.released_table import ReleasedTable


def consistent(total: ReleasedTable, parts: ReleasedTable) -> tuple[ReleasedTable, ReleasedTable]:
    r"""The total and its parts, moved as little as their noise suggests until they add up.

    Theorem: among all (T, p) with T = Σ p_i the least Σ (p_i − y_i)²/v_i + (T − y)²/v is that of
    p_i = y_i + v_i·d/(v + Σ v), T = y − v·d/(v + Σ v), where d = y − Σ y_i. The variance of T is
    v·V/(v + V) with V = Σ v_i, and that of p_i is v_i·(1 − v_i/(v + V)).
    Proof: stationarity of the Lagrangian gives moves proportional to the variances; the variances
    are those of these linear forms in independent y.
    """
    if len(total) != 1:
        raise _check.refuse("a total must have one answer", f"{len(total)}", "Name another.")
    variances = parts.standard_error**2
    own, whole = float(total.standard_error[0]) ** 2, float(variances.sum())
    if not 0 < own + whole < float("inf"):
        raise _check.refuse(
            "errors must be known to be weighed",
            f"a variance of {own + whole:g} in all",
            "Leave out quantiles, relative counts and what was mapped.",
        )
    gap = (float(total.values[0]) - float(parts.values.sum())) / (own + whole)
    return (
        _moved(total, np.array([-own * gap]), np.array([own * whole / (own + whole)])),
        _moved(parts, variances * gap, variances * (1 - variances / (own + whole))),
    )


def _moved(table: ReleasedTable, by: np.ndarray, variance: np.ndarray) -> ReleasedTable:
    """Intervals stay where they are, and are made wider to hold the moved answers.

    An interval need not be one of the noise alone, about the answer: of a group that is shown only
    if it is large it is not. Moved along it could lose the truth; made wider it cannot.
    """
    values = table.values + by
    moved = changed(
        table,
        values=values,
        lower=np.minimum(table.lower, values),
        upper=np.maximum(table.upper, values),
        standard_error=np.sqrt(variance),
        ratio=None,
        certificate=None,
        notes=(*table.notes, "moved so that the parts add up to the total"),
    )
    return flagged_again(moved)
