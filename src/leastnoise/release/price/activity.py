"""Which units are hardest to hide: a law of contributions for the bound on Gaussian noise."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from leastnoise.certificates.gaussian_plan_bound import ActiveBlock, gaussian_plan_bound
from leastnoise.mechanisms.joint.part import Box, Everyone, Part, Simplex
from leastnoise.release.price.centred_design import Kinds, centred_design

_GRID = 1 << 24
_LEANS = (1.0, 0.85, 0.9, 0.95, 1.05, 1.1)
_CHANCES = (1.0, 0.98, 0.96, 0.93)


def hardest_units(parts: Sequence[Part], weights: Sequence[Fraction]) -> list[ActiveBlock]:
    r"""A law of contributions under which centred noise is nearly the best.

    Equal boxes are one block, of which half the numbers and half a deviation more are high. A
    simplex is active with a chance somewhat above its centre, in as many numbers as it may be.
    """
    counts = _counted(parts, weights)
    leans = _LEANS if len(counts) == 1 else (1.0,)
    spread = any(isinstance(part, Simplex) for part, _ in counts)
    tried = [
        _blocks(counts, lean, chance)
        for lean, chance in product(leans, _CHANCES if spread else (1.0,))
    ]
    return max(tried, key=gaussian_plan_bound)


def _counted(
    parts: Sequence[Part], weights: Sequence[Fraction]
) -> dict[tuple[Part, Fraction], int]:
    """How often each kind of part is there with each weight; boxes number by number."""
    counts: dict[tuple[Part, Fraction], int] = {}
    for part, weight in zip(parts, weights, strict=True):
        alike = Box(part.low, part.high) if isinstance(part, Box) else part
        more = part.cells if isinstance(part, Box) else 1
        counts[alike, weight] = counts.get((alike, weight), 0) + more
    return counts


def _blocks(
    counts: dict[tuple[Part, Fraction], int], lean: float, most: float
) -> list[ActiveBlock]:
    """The blocks, each leaning to the side to which the number of units pulls it."""
    numbers = Kinds.of([part for part, _ in counts], list(counts.values()))
    counted = np.array([isinstance(part, Everyone) for part, _ in counts])
    heavy = np.array([float(weight) for _, weight in counts])
    everyone = float(heavy[counted].sum())
    found = centred_design(numbers, np.where(counted, 0.0, heavy), everyone)
    shared = numbers.blocks * heavy * found.centre**2 / numbers.cells
    pulls = lean * np.sqrt(shared / max(float(shared.sum()) + everyone, 1e-300))
    blocks: list[ActiveBlock] = []
    for (key, count), pull, centre in zip(counts.items(), pulls, found.centre, strict=True):
        match key:
            case Box() as part, weight:
                blocks.append(_boxes(part, weight, count, math.copysign(pull, centre)))
            case Simplex() as part, weight:
                place = centre / min(part.total, part.cells * (part.cell or part.total))
                chance = min(most, place + pull / (2 * math.sqrt(count)))
                blocks += [_simplex(part, weight, chance)] * count
            case _, weight:
                blocks += [ActiveBlock(1, 0, 1, weight, ((1, Fraction(1)),))] * count
    return blocks


def _boxes(part: Box, weight: Fraction, count: int, lean: float) -> ActiveBlock:
    """So many equal boxes: how many are high has a mean and a variance that suit the others."""
    mean, variance = (count + lean * math.sqrt(count)) / 2, count * (1 - lean**2) / 4
    near = _two_values(count, mean, 0.0)
    wide = _two_values(count, mean, math.sqrt(max(variance, 0.0)))
    least, most = _variance(near), _variance(wide)
    share = _rounded((variance - least) / (most - least)) if most > least else Fraction(0)
    law = [(active, chance * (1 - share)) for active, chance in near]
    law += [(active, chance * share) for active, chance in wide]
    return ActiveBlock(count, part.low, part.high, weight, tuple(law))


def _two_values(count: int, mean: float, deviation: float) -> list[tuple[int, Fraction]]:
    """A law of 0 … count with about that mean, and that deviation or more."""
    low = min(max(0, math.floor(mean - deviation)), count - 1)
    high = min(count, max(low + 1, math.ceil(mean + deviation)))
    chance = _rounded((mean - low) / (high - low))
    return [(high, chance), (low, 1 - chance)]


def _variance(law: list[tuple[int, Fraction]]) -> float:
    mean = sum(active * chance for active, chance in law)
    return float(sum(active**2 * chance for active, chance in law) - mean**2)


def _rounded(chance: float) -> Fraction:
    return Fraction(round(min(max(chance, 0.0), 1.0) * _GRID), _GRID)


def _simplex(part: Simplex, weight: Fraction, chance: float) -> ActiveBlock:
    """All that a unit may add, in whole cells, or nothing."""
    most = min(part.cell or part.total, part.total)
    active = _rounded(chance)
    full = min(part.total // most, part.cells)
    return ActiveBlock(part.cells, 0, most, weight, ((full, active), (0, 1 - active)))
