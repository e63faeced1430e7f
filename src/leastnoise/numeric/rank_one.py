r"""Eigenvalues of a diagonal matrix plus a matrix of rank one, bounded from below.

Theorem: let δ_1 > … > δ_m ≥ 0 and q_1, …, q_m > 0. The matrix diag(δ) + u·uᵀ with u_i² = q_i has
one eigenvalue λ_1 > δ_1 and one λ_j in each (δ_j, δ_(j−1)). With f(x) = 1 + Σ q_i/(δ_i − x), and x
in the same interval as λ_j, f(x) ≤ 0 if and only if λ_j ≥ x.
Proof: det(diag(δ) + u·uᵀ − x) = ∏(δ_i − x)·f(x), and f rises from −∞ to ∞ in each interval between
neighbouring δ's, and from −∞ to 1 above the greatest: it has one zero in each, m in all.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.numeric import ball as balls

Row = tuple[Fraction, Fraction]
"""An entry δ ≥ 0 of the diagonal, and the square q > 0 of the vector's entry beside it."""

_MOST_TERMS = 160_000  # of all signs together: other roots are in narrow gaps, where δ_j is near
_HALVINGS = 48
_BITS = 128
_SHORT = Fraction(1, 2**40)


def eigenvalues_below(rows: Sequence[Row]) -> list[Fraction]:
    """For each eigenvalue a number that is no greater, nearly equal if there are few.

    Args:
        rows: with different δ's.

    Example:
        >>> [f"{float(each):.6f}" for each in eigenvalues_below([(Fraction(1), Fraction(2))])]
        ['3.000000']
    """
    ordered = sorted(rows, reverse=True)
    if not ordered:
        return []
    found = [entry for entry, _ in ordered]
    places = _widest(found)
    with balls.precision(_BITS):
        near = [(balls.ball(entry), balls.ball(square)) for entry, square in ordered]
    for place, guess in zip(places, _guesses(ordered, places), strict=True):
        inside = found[place] < guess and (place == 0 or guess < ordered[place - 1][0])
        if inside and _is_below(near, guess):
            found[place] = guess
    return found


def _widest(entries: Sequence[Fraction]) -> list[int]:
    """The first place, and those of the widest gaps."""
    near = [float(entry / (entries[0] or 1)) for entry in entries]
    gaps = sorted(range(1, len(entries)), key=lambda j: near[j] - near[j - 1])
    return [0, *gaps[: _MOST_TERMS // len(entries)]]


def _guesses(rows: Sequence[Row], places: Sequence[int]) -> list[Fraction]:
    """About where the eigenvalues are, in floats, which are not believed."""
    scale = rows[0][0] + sum((square for _, square in rows), Fraction(0))
    squares = np.array([float(square / scale) for _, square in rows])
    entries = np.array([float(entry / scale) for entry, _ in rows])
    gaps = entries - entries[places][:, None]
    low, high = np.zeros(len(places)), np.append(1 - entries[0], -np.diff(entries))[places]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        under = _signs(gaps, squares, middle)
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    above = [Fraction(float(each)) * scale * (1 - _SHORT) for each in low]
    return [rows[j][0] + each for j, each in zip(places, above, strict=True)]


def _signs(
    gaps: NDArray[np.float64], squares: NDArray[np.float64], above: NDArray[np.float64]
) -> NDArray[np.bool_]:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = squares / (gaps - above[:, None])
        return np.asarray(1 + terms.sum(axis=1) <= 0)


def _is_below(rows: Sequence[tuple[arb, arb]], guess: Fraction) -> bool:
    """Whether f(guess) ≤ 0, decided."""
    with balls.precision(_BITS):
        place = balls.ball(guess)
        value = sum((square / (entry - place) for entry, square in rows), arb(1))
    return bool(value <= 0)
