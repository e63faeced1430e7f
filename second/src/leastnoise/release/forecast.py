"""The margins to expect, before anything is read or spent.

They follow from the noise alone. For means and shares they also depend on how many rows a group has,
which is secret: the preview says for how many rows it speaks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.release.estimate import Linear, Measured, noise_sizes, quantile
from leastnoise.release.measurement import NORM, Measurement, Part
from leastnoise.release.query import Select
from leastnoise.tables.contributions import ONE
from leastnoise.tables.profile import STEPS
from leastnoise.tables.totals import Centred, Met, Present, Squared, Total, Units


def margin(
    select: Select,
    parts: Sequence[Part],
    family: Family,
    name: str,
    rows: float,
    level: float = 0.95,
) -> float:
    """The margin to expect of an answer in a group of so many rows.

    It is that of an invented group: values spread evenly over their range.
    """
    kind = select.aggregates[name]
    totals = {
        t: np.array([_typical(t, rows)]) for k in select.aggregates.values() for t in k.totals
    }
    sizes: dict[Any, Any] = {}
    if totals:
        sizes |= zip(parts[0].measurement.totals, noise_sizes(parts[0], family), strict=True)
    cells, at = {}, 1 if totals else 0
    for histogram in select.histograms:
        own = parts[at : at + select.depth(histogram)]
        sizes[histogram] = [noise_sizes(part, family)[0] for part in own]
        counts = histogram.sizes[: len(own)]
        cells[histogram] = [np.full((1, count), rows / count) for count in counts]
        at += len(own)
    measured = Measured(family, totals, sizes, select.limit is not None, cells)
    found = kind.estimate.answers(measured, level)
    if isinstance(kind.estimate, Linear):
        risk = min(kind.estimate.risks(level, limited=measured.limited))
        return quantile(family, kind.estimate.noise(sizes), risk)
    return float(max(found.value - found.low, found.high - found.value)[0])


def _typical(total: Total, rows: float) -> float:
    """A total of a group of so many rows, with a mean of ordinary distance from the middle."""
    match total:
        case Squared():
            return rows * total.bound * (2 * _SPREAD**2 + 2 * _PLACE**2 - 1)
        case Centred():
            return rows * total.bound * _PLACE
        case Met():
            return rows * -_PLACE
        case _:
            return rows


_PLACE, _SPREAD = 3**-0.5, 0.3  # of half a range


def mechanisms(parts: Sequence[Part], family: Family) -> list[dict[str, object]]:
    """Every measurement as data: law, scale, sensitivity, norm, price and total."""
    found = []
    for part in parts:
        measured, sizes = part.measurement, noise_sizes(part, family)
        for total, size in zip(measured.totals, sizes, strict=True):
            found.append(_mechanism(measured, total, size, family))
        if part.over_limit_noise is not None:
            size = float(part.over_limit_noise) ** (0.5 if family == "gaussian" else 1) / ONE
            found.append(_described("units in full and in part", size, 1.0, family))
        if part.exponent is not None:
            found.append({"total": "limit", "law": "exponential", "epsilon": float(part.exponent)})
        if part.selection is not None:
            size = float(part.selection.variance) ** 0.5 / STEPS
            found.append(_described("units of candidates for groups", size, 1.0, family))
    return found


def _mechanism(
    measured: Measurement, total: Total, size: float, family: Family
) -> dict[str, object]:
    moves = float(measured.sensitivity(total, NORM[family])) ** 0.5 / ONE
    return _described(describe(total), size, moves, family)


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
        case Centred():
            middle, step = float(total.middle), float(total.step)
            text = f"sum of {total.value} from {middle:g}, in steps of {step:g}"
        case _:
            text = "rows"
    return text if total.where is None else f"{text}, where {total.where}"
