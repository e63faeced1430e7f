"""The margins to expect, before anything is read or spent.

They follow from the noise alone. For means and shares they also depend on how many rows a group has,
which is secret: the preview says for how many rows it speaks.
"""

from collections.abc import Sequence

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.release.estimate import Linear, noise_sizes, quantile
from leastnoise.release.kinds import Kind
from leastnoise.release.measurement import NORM, Measurement, Part
from leastnoise.tables.contributions import ONE
from leastnoise.tables.totals import Centred, Met, Present, Total, Units


def margin(kind: Kind, part: Part, family: Family, rows: float, level: float = 0.95) -> float:
    """The margin to expect of an answer in a group of so many rows.

    Of a mean or share, at a value of ordinary distance from the middle of its range.
    """
    sizes = dict(zip(part.measurement.totals, noise_sizes(part, family), strict=True))
    if isinstance(kind.estimate, Linear):
        limited = part.measurement.limit is not None
        risk = min(kind.estimate.risks(level, limited=limited))
        return quantile(family, kind.estimate.noise(sizes), risk)
    low, high = float(kind.estimate.low), float(kind.estimate.high)
    ordinary = (low + high) / 2 + (high - low) / 2 / 3**0.5
    noise = [float(size) for size in kind.estimate.noise(sizes, np.array(ordinary))]
    return min(quantile(family, noise, (1 - level) / 2) / rows, (high - low) / 2)


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
        case Centred():
            middle, step = float(total.middle), float(total.step)
            text = f"sum of {total.value} from {middle:g}, in steps of {step:g}"
        case _:
            text = "rows"
    return text if total.where is None else f"{text}, where {total.where}"
