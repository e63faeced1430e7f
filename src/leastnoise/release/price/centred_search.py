"""`best_centred`: the best centred Gaussian noise that a search finds for a plan."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.part import Box, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.squared_reach import squared_reach
from leastnoise.release.price.box_design import box_design
from leastnoise.release.price.centred_design import CentredDesign, Floats, Kinds, centred_design
from leastnoise.release.price.gaussian_price import GaussianPrice

Target: TypeAlias = Fraction | GaussianPrice
"""ρ of zCDP, or a μ² on the line with its smoothing."""
Objective: TypeAlias = Literal["variance", "deviation"]

_REWEIGHTINGS = 8
_BITS = 39  # of the deviation of what is measured: draws and V fit
_MOST_STEP_BITS = 16
_LOST = 1e-6  # of the price, by steps that are too coarse
_FREE = Precision(own=1, centre=0, scale=1)


def best_centred(
    parts: Sequence[Part],
    weights: Sequence[Fraction],
    target: Target,
    *,
    objective: Objective = "variance",
) -> CentredGaussian:
    """Centred noise for a plan, at a price.

    Args:
        parts: what one unit adds to each part.
        weights: the weight of each number of each part, in the same order; if all are 0, all are 1.
        target: what it may cost.
        objective: whether the weighted sum of variances shall be small, or of deviations.

    Raises:
        InvalidParameter: parts are so different that no lattice of 80 bits serves all.
    """
    kinds, places, times = _distinct(parts, weights if any(weights) else [Fraction(1)] * len(parts))
    numbers, found = _searched(tuple(kinds), tuple(times), objective)
    square = float(2 * target if isinstance(target, Fraction) else target.square)
    unit = math.sqrt(2.0 ** (2 * _BITS) * square / found.price)
    hidden = all(isinstance(part, Box) for part in parts) and found.common > 0
    steps = _steps(found, numbers.blocks) if hidden else 1
    fine = [_precision(part, found, i, unit, steps) for i, (part, _) in enumerate(kinds)]
    precisions = [fine[place] for place in places]
    common = max(1, round(unit * math.sqrt(found.common) / steps)) if found.common else 0
    reach = squared_reach(parts, precisions, common, steps)
    return CentredGaussian(
        parts=parts,
        precisions=precisions,
        common=common,
        steps=steps,
        parameter=reach / (2 * target)
        if isinstance(target, Fraction)
        else target.parameter(reach, Fraction(1)),
    )


def _distinct(
    parts: Sequence[Part], weights: Sequence[Fraction]
) -> tuple[list[tuple[Part, Fraction]], list[int], list[int]]:
    """Parts that differ in what they are or weigh, where each part is, and how often."""
    known: dict[tuple[Part, Fraction], int] = {}
    places = [known.setdefault(pair, len(known)) for pair in zip(parts, weights, strict=True)]
    return list(known), places, np.bincount(places, minlength=len(known)).tolist()


@lru_cache(maxsize=64)
def _searched(
    kinds: tuple[tuple[Part, Fraction], ...], times: tuple[int, ...], objective: Objective
) -> tuple[Kinds, CentredDesign]:
    """Searched for once: it does not depend on the price, and a plan looks at several."""
    numbers = Kinds.of([part for part, _ in kinds], times)
    counted = np.array([isinstance(part, Everyone) for part, _ in kinds])
    weights = np.array([float(weight) for _, weight in kinds])
    return numbers, _design(numbers, weights, counted, objective)


def _design(
    kinds: Kinds, weights: Floats, counted: NDArray[np.bool_], objective: Objective
) -> CentredDesign:
    """The best precisions; for deviations by a row of sums of variances, each less than before."""
    everyone, numbers = float(weights[counted].sum()), np.where(counted, 0.0, weights)
    found, heavy = centred_design(kinds, numbers, everyone), numbers
    for _ in range(_REWEIGHTINGS if objective == "deviation" and len(weights) > 1 else 0):
        heavy = numbers / np.sqrt(found.variances(kinds.cells))
        units = math.sqrt(found.price / found.common) if found.common else 1.0
        found = centred_design(kinds, heavy, everyone / units)
    return found if counted.any() else box_design(kinds, heavy) or found


def _steps(found: CentredDesign, blocks: Floats) -> int:
    """Into how many steps a unit is cut, so that whole steps cost next to nothing."""
    square = found.common + float(blocks @ (found.own * found.centre**2))
    bits = math.ceil(math.log2(square / (4 * _LOST * found.price)) / 2)
    return 1 << min(max(bits, 0), _MOST_STEP_BITS)


def _precision(part: Part, found: CentredDesign, place: int, unit: float, steps: int) -> Precision:
    """Integers next to the precisions found."""
    if isinstance(part, Everyone):
        return _FREE
    size, centre = unit * math.sqrt(found.own[place]), float(found.centre[place])
    scale = _scale(size, centre, steps)
    residual = 0
    if isinstance(part, Simplex) and part.cells > 1:
        residual = max(1, round(unit * math.sqrt(found.residual[place]) / part.cells))
    return Precision(
        own=max(1, round(size / scale)),
        centre=round(centre * scale / steps),
        scale=scale,
        residual=residual,
    )


def _scale(size: float, centre: float, steps: int) -> int:
    """By how much a number is multiplied before its centre is taken off."""
    if centre == 0 or size < 2 * steps:
        return 1
    if (2 * centre).is_integer():
        return 2 * steps
    return 1 << max(0, round(math.log2(max(size, 1)) * 0.55))
