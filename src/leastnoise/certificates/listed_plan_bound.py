r"""What no Gaussian noise for a few numbers can fall below, from a list of what units may add."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.numeric import ball as balls

Unit = tuple[int, ...]
_BITS = 128
_SHRUNK = (1e-9, 1e-7, 1e-5, 1e-3)


def listed_plan_bound(
    boxes: Sequence[tuple[int, int]],
    weights: Sequence[Fraction],
    law: Sequence[tuple[Unit, Fraction]],
) -> Fraction:
    r"""A lower bound on Σ weight·variance of every Gaussian noise with vᵀΣ⁻¹v ≤ 1 for all v.

    Theorem: let v be a random contribution. Every Σ with vᵀΣ⁻¹v ≤ 1 for all contributions has
    Σ weight·Σ_jj ≥ (tr (W^½·E[vvᵀ]·W^½)^½)²; and tr M^½ ≥ tr Y for every symmetric Y with Y² ≤ M.
    Proof: docs/proofs/joint_gaussian.md, section 5.

    Args:
        boxes: the least and the most that one unit adds to each number.
        weights: of each number's variance.
        law: contributions and their chances.

    Raises:
        InvalidParameter: it is no law of contributions in the boxes.

    Example:
        >>> halves = [((1, 1), Fraction(1, 2)), ((1, 0), Fraction(1, 4)), ((0, 1), Fraction(1, 4))]
        >>> round(float(listed_plan_bound([(0, 1), (0, 1)], [Fraction(1)] * 2, halves)), 4)
        2.618
    """
    _refuse_no_law(boxes, law)
    with balls.precision(_BITS):
        matrix = _moments(weights, law)
        guess = _root(np.array([[float(each) for each in row] for row in matrix]))
        for less in _SHRUNK:
            root = [[Fraction(float(each) * (1 - less)) for each in row] for row in guess]
            if _is_below(root, matrix):
                trace = sum((root[i][i] for i in range(len(root))), Fraction(0))
                return max(trace, Fraction(0)) ** 2
    return Fraction(0)


def _refuse_no_law(boxes: Sequence[tuple[int, int]], law: Sequence[tuple[Unit, Fraction]]) -> None:
    chances = [chance for _, chance in law]
    inside = all(
        len(unit) == len(boxes)
        and all(low <= each <= high for each, (low, high) in zip(unit, boxes, strict=True))
        for unit, _ in law
    )
    if not (inside and sum(chances) == 1 and all(chance >= 0 for chance in chances)):
        raise _check.refuse(
            "`law` must list contributions within the boxes, with chances that add up to 1",
            _check.shown(law),
            "Give chances as fractions.",
        )


def _moments(weights: Sequence[Fraction], law: Sequence[tuple[Unit, Fraction]]) -> list[list[arb]]:
    """W^½·E[vvᵀ]·W^½."""
    size = range(len(weights))

    def entry(i: int, j: int) -> arb:
        mean = sum((unit[i] * unit[j] * chance for unit, chance in law), Fraction(0))
        return balls.ball(mean) * balls.ball(weights[i] * weights[j]).sqrt()

    return [[entry(min(i, j), max(i, j)) for j in size] for i in size]


def _root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """A symmetric square root in floats: a guess."""
    values, vectors = np.linalg.eigh(matrix)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    return np.asarray((root + root.T) / 2)


def _is_below(root: list[list[Fraction]], matrix: list[list[arb]]) -> bool:
    """Whether matrix − root² is surely positive definite: all pivots are positive."""
    size = range(len(root))
    rest = [
        [matrix[i][j] - balls.ball(sum(root[i][k] * root[k][j] for k in size)) for j in size]
        for i in size
    ]
    for i in size:
        if not rest[i][i] > 0:
            return False
        for j in range(i + 1, len(root)):
            factor = rest[j][i] / rest[i][i]
            rest[j] = [
                below - factor * above for below, above in zip(rest[j], rest[i], strict=True)
            ]
    return True
