"""Which corners of a few boxes are hardest to hide: a program in floats."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from leastnoise.certificates.gaussian_plan_bound import gaussian_plan_bound
from leastnoise.certificates.listed_plan_bound import Unit, listed_plan_bound
from leastnoise.mechanisms.joint.part import Box, Part
from leastnoise.release.price.activity import hardest_units

_MOST_NUMBERS = 6
_ROUNDS = 5000
_ENOUGH = 1.0001
_GRID = 1 << 30


def least_gaussian(parts: Sequence[Part], weights: Sequence[Fraction]) -> Fraction:
    """What Σ weight·variance of no Gaussian noise for a plan is below, at μ = 1.

    Six numbers or fewer are bounded by all their corners, other plans by blocks.
    """
    bound = gaussian_plan_bound(hardest_units(parts, weights))
    boxes = [part for part in parts if isinstance(part, Box)]
    few = len(boxes) == len(parts) and sum(box.cells for box in boxes) <= _MOST_NUMBERS
    if not few or not all(weights):
        return bound
    ends = [(box.low, box.high) for box in boxes for _ in range(box.cells)]
    heavy = [weight for box, weight in zip(boxes, weights, strict=True) for _ in range(box.cells)]
    return max(bound, listed_plan_bound(ends, heavy, hardest_corners(ends, heavy)))


def hardest_corners(
    ends: Sequence[tuple[int, int]], weights: Sequence[Fraction]
) -> list[tuple[Unit, Fraction]]:
    """A law of corners under which the least noise is all but the least of any law."""
    corners = sorted(set(product(*ends)))
    scaled = np.array(corners, dtype=float) * np.sqrt(np.array(weights, dtype=float))
    chance = np.full(len(corners), 1 / len(corners))
    for _ in range(_ROUNDS):
        values, vectors = np.linalg.eigh((scaled.T * chance) @ scaled)
        roots = np.sqrt(np.maximum(values, 1e-14 * values.max()))
        ratio = ((scaled @ vectors) ** 2 / roots).sum(axis=1) / roots.sum()
        if ratio.max() < _ENOUGH:
            break
        chance *= ratio
    # A little of every corner keeps the matrix away from singular ones.
    parts = np.rint((chance / chance.sum() + 1e-7) * _GRID).astype(np.int64)
    return [
        (corner, Fraction(int(part), int(parts.sum())))
        for corner, part in zip(corners, parts, strict=True)
    ]
