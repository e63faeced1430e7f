r"""The least Fisher information of noise whose exponential is close to 1: a proved lower bound.

J(r) is the least Fisher information ∫ p′²/p of a density p on the line with ∫ |e^z − 1|·p ≤ r. With
p = ψ² it is 4∫ψ′², so for every λ ≥ 0, J(r) ≥ μ(λ) − λr, where μ(λ) is the least eigenvalue of
−4ψ″ + λ·|e^z − 1|·ψ. Proofs: docs/proofs/relative_lower_bound.md.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls

_CELLS = 256  # linear pieces on each side
_PRECISION = 128  # bits of the proof
_GRID = 4000  # points of the guess
_FIRST_SLACK = Fraction(1, 10**7)  # tried first, then four times as much
_HALVINGS = 5  # of the slack that was proved


@lru_cache(maxsize=256)
def least_information(relative_error: Fraction) -> Fraction:
    r"""A lower bound on J(r), for r in (0, 1): within 0.1 % of the truth for r up to 0.7.

    λ is a guess, good because the bound is flat there; so is the eigenvalue until it is proved.

    Example:
        >>> round(float(least_information(Fraction(1, 10))), 2)
        62.05
    """
    multiplier = Fraction(1.2533) / relative_error**3
    reach = _reach(float(relative_error))
    guess = Fraction(_eigenvalue_guess(float(multiplier), reach))

    def proved(slack: Fraction) -> bool:
        return is_below_spectrum(guess * (1 - slack), multiplier, reach)

    slack = _FIRST_SLACK
    while slack < 1 and not proved(slack):
        slack *= 4
    missed = slack / 4
    for _ in range(_HALVINGS):
        middle = (missed + slack) / 2
        missed, slack = (missed, middle) if proved(middle) else (middle, slack)
    return max(guess * (1 - slack) - multiplier * relative_error, Fraction(0))


def _reach(relative_error: float) -> tuple[float, float]:
    """How far to the left and to the right the potential matters."""
    # Further to the left than 30 the potential is 1 for all purposes.
    return min(-14 * float(np.log1p(-relative_error)) * (1 + relative_error), 30.0), min(
        9 * relative_error, 6.0
    )


def _eigenvalue_guess(multiplier: float, reach: tuple[float, float]) -> float:
    from scipy.linalg import eigh_tridiagonal  # noqa: PLC0415 - slow to import

    left, right = reach
    z = np.linspace(-left, right, _GRID)
    step = z[1] - z[0]
    diagonal = 8 / step**2 + multiplier * np.abs(np.expm1(z))
    beside = np.full(_GRID - 1, -4 / step**2)
    return float(eigh_tridiagonal(diagonal, beside, True, "i", (0, 0))[0])


class Cell(NamedTuple):
    """A piece of the line where the potential is at least low + slope·(z − start)."""

    width: arb
    low: arb
    slope: arb


def is_below_spectrum(level: Fraction, multiplier: Fraction, reach: tuple[float, float]) -> bool:
    r"""Whether `level` ≤ μ(λ); a yes is a proof.

    Theorem: if some positive solution of −4ψ″ + (W − E)ψ = 0 on the whole line exists for a
    potential W ≤ λ·|e^z − 1|, then E ≤ μ(λ).

    W is linear on cells, where Airy functions solve the equation, and constant outside of them.
    The solution that grows from the left is followed, scaled to 1 at the start of each cell. It is
    positive throughout if it is so at the ends of cells shorter than half a wave, and on the right
    if it falls slower than the fastest falling solution there. Where its slope is rounded down
    between cells it gets a kink, which only helps.
    """
    with balls.precision(_PRECISION):
        energy, scale = balls.ball(level), balls.ball(multiplier)
        left, right = (balls.ball(Fraction(end)) for end in reach)
        outside = [scale * (1 - (-left).exp()) - energy, scale * right.expm1() - energy]
        if not (outside[0] > 0 and outside[1] > 0):
            return False
        slope = (outside[0].sqrt() / 2).lower()
        for cell in _cells(left, right, scale):
            value, change = _across(cell, energy, slope)
            deepest = energy - arb.min(cell.low, arb(0))
            if not (value > 0 and cell.width * deepest.sqrt() < 2 * arb.pi()):
                return False
            slope = (change / value).lower()
        return bool(slope > -outside[1].sqrt() / 2)


def _cells(left: arb, right: arb, scale: arb) -> Iterator[Cell]:
    """Linear minorants: chords where the potential is concave, tangents where it is convex.

    Cells are narrow near 0, where the ground state is, and wide far out.
    """
    ends = [left * balls.ball(Fraction(i, _CELLS)) ** 2 for i in range(_CELLS, -1, -1)]
    for far, near in pairwise(ends):
        low, high = -(-far).expm1(), -(-near).expm1()
        yield Cell(far - near, scale * low, scale * (high - low) / (far - near))
    step = right / _CELLS
    for i in range(_CELLS):
        middle = step * (2 * i + 1) / 2
        grown = middle.exp()
        yield Cell(step, scale * (middle.expm1() - grown * step / 2), scale * grown)


def _across(cell: Cell, energy: arb, slope: arb) -> tuple[arb, arb]:
    """ψ and ψ′ at the end of a cell, from 1 and ψ′ at its start: ψ″ = (low + slope·z − E)/4·ψ."""
    rate = _cube_root(cell.slope / 4)
    start = (cell.low - energy) / (4 * rate * rate)
    end = start + rate * cell.width
    (a0, da0, b0, db0), (a1, da1, b1, db1) = start.airy(), end.airy()
    # Wronskian: Ai·Bi′ − Ai′·Bi = 1/π.
    of_ai = arb.pi() * (db0 - slope / rate * b0)
    of_bi = arb.pi() * (slope / rate * a0 - da0)
    return of_ai * a1 + of_bi * b1, rate * (of_ai * da1 + of_bi * db1)


def _cube_root(value: arb) -> arb:
    return value.root(3) if value > 0 else -((-value).root(3))
