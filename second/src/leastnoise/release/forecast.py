"""The margins to expect, before anything is read or spent.

They follow from the noise alone. For means and shares they also depend on how many rows a group has,
which is secret: the preview says for how many rows it speaks.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.sums import noise_of
from leastnoise.release.estimate import Linear, Ratio, noise_sizes
from leastnoise.release.measurement import NORM, JointLaw, Law, Part, Shared
from leastnoise.release.postprocess import OfTotal
from leastnoise.release.quantiles import Quantile
from leastnoise.release.query import Select, measured_of
from leastnoise.tables.contributions import ONE
from leastnoise.tables.profile import STEPS
from leastnoise.tables.totals import Above, Below, Centred, Met, Present, Squared, Total, Units
from leastnoise.workloads.marginal_noise import ResidualNoise, TableLaw

LEVEL = 0.95
_GROUPS = 30  # how many groups are expected where they are found privately
_PLACE, _SPREAD = 3**-0.5, 0.3  # of half a range: where a mean is expected, and how far values lie


def margin(
    select: Select,
    parts: Sequence[Part],
    draws: Sequence[Law],
    family: Family,
    name: str,
    rows: float,
) -> float:
    """The 95 % margin to expect of an answer in invented groups of so many rows.

    That of a quantile is a part of the rows: how far away they lie is secret.
    """
    kind = select.aggregates[name]
    groups = select.known_groups or _GROUPS if isinstance(kind.estimate, OfTotal) else 1
    invented = [
        {"totals": [[int(_typical(t, rows / n) * ONE)] * (n * groups)
                    for t in part.measurement.totals]}
        for part, n in zip(parts, _cells(select), strict=True)
    ]  # fmt: skip
    measured = measured_of(select, parts, draws, family, invented)
    if isinstance(kind.estimate, Quantile):
        return min(1.0, kind.estimate.margin_in_rows(measured, LEVEL) / rows)
    if isinstance(kind.estimate, Linear):
        risk = min(kind.estimate.risks(LEVEL, limited=measured.limited))
        return float(measured.quantile(kind.estimate.floats, risk))
    if isinstance(kind.estimate, Ratio):
        return kind.estimate.margin(measured, LEVEL)
    found = kind.estimate.answers(measured, LEVEL)
    return float(np.maximum(found.value - found.low, found.high - found.value)[0])


def _cells(select: Select) -> list[int]:
    """For every part of a query, the cells of one group."""
    cells = [1] if any(kind.totals for kind in select.aggregates.values()) else []
    for histogram in select.histograms:
        cells += histogram.sizes[: select.depth(histogram)]
    return cells


def _typical(total: Total, rows: float) -> float:
    """A total of a group of so many rows, with a mean of ordinary distance from the middle."""
    match total:
        case Squared():
            return rows * total.bound * (2 * _SPREAD**2 + 2 * _PLACE**2 - 1)
        case Below():
            return rows * total.bound * (1 - _PLACE) / 2
        case Above():
            return rows * total.bound * (1 + _PLACE) / 2
        case Centred():
            return rows * total.bound * _PLACE
        case Met():
            return rows * -_PLACE
        case _:
            return rows


def mechanisms(
    parts: Sequence[Part], draws: Sequence[Law], family: Family
) -> list[dict[str, object]]:
    """Every measurement as data: law, scale, sensitivity, norm, price and total."""
    found = []
    for part in parts:
        measured, sizes = part.measurement, noise_sizes(part, family)
        for total, size, noise in zip(measured.totals, sizes, part.noise, strict=True):
            moves = float(measured.sensitivity(total, measured.norm(family))) ** 0.5 / ONE
            if isinstance(noise, Shared):
                found.append(_joint(describe(total), noise, draws, moves))
            else:
                found.append(_described(describe(total), size, moves, family))
        if part.over_limit_noise is not None:
            size = float(part.over_limit_noise) ** (0.5 if family == "gaussian" else 1) / ONE
            found.append(_described("units in full and in part", size, 1.0, family))
        if part.exponent is not None:
            found.append({"total": "limit", "law": "exponential", "epsilon": float(part.exponent)})
        if part.selection is not None:
            size = float(part.selection.variance) ** 0.5 / STEPS
            found.append(_described("units of candidates for groups", size, 1.0, family))
    return found


def _joint(total: str, noise: Shared, draws: Sequence[Law], moves: float) -> dict[str, object]:
    law = draws[noise.draw]
    if isinstance(law, TableLaw):
        of_family: dict[str, object] = (
            {"law": "rounded Gaussian on residuals", "mu": float(f"{law.squared_mu() ** 0.5:.4g}")}
            if isinstance(law, ResidualNoise)
            else {"law": "K-norm on signed tables", "epsilon": float(f"{float(law.epsilon()):.4g}")}
        )
        shared = {"draw": noise.draw, "tables": len(law.tables)}
        moved = {"sensitivity": float(f"{moves:.6g}"), "norm": "l1"}
        return {"total": total} | of_family | shared | moved
    spread = noise_of(
        cast(Sequence[JointLaw], draws), {(noise.draw, noise.place, 0): 1 / ONE}
    ).deviation
    return {
        "total": total,
        "law": "joint Gaussian" if isinstance(law, CentredGaussian) else "joint K-norm",
        "draw": noise.draw,
        "numbers": law.cells,
        "standard_deviation": float(f"{spread:.6g}"),
        "sensitivity": float(f"{moves:.6g}"),
    }


def _described(total: str, size: float, moves: float, family: Family) -> dict[str, object]:
    law = "rounded Gaussian" if family == "gaussian" else "discrete Laplace"
    price = "mu" if family == "gaussian" else "epsilon"
    return {
        "total": total,
        "law": law,
        "scale": float(f"{size:.6g}"),
        "sensitivity": float(f"{moves:.6g}"),
        "norm": NORM[family],
        price: float(f"{moves / size:.4g}"),
    }


def describe(total: Total) -> str:
    """A total in words."""
    match total:
        case Units():
            text = "units"
        case Present():
            text = f"rows with {total.value}"
        case Met():
            text = f"rows with {total.value}, minus rows without"
        case Squared():
            text = f"sum of squares of {total.value}"
        case Below():
            text = f"sum of the steps of {total.value} below {float(total.upper):g}"
        case Above():
            text = f"sum of the steps of {total.value} above {float(total.lower):g}"
        case Centred():
            middle, step = float(total.middle), float(total.step)
            text = f"sum of {total.value} from {middle:g}, in steps of {step:g}"
        case _:
            text = "rows"
    return text if total.where is None else f"{text}, where {total.where}"
