r"""Cells of the loss of Gaussian noise, which is normal with mean μ²/2 and variance μ².

In standard units z the cell around c of half-width k gives its edges φ(c) times

    ∫ e^(−cs)·e^(−s²/2)·g(s) ds over |s| ≤ k,   g(s) = (1 − e^(−μ(s+k)))/(1 − e^(−2μk))

for the upper one and 1 − g for the lower. In powers of c that is Σ (−c)^n/n!·∫ s^n·e^(−s²/2)·g: one
polynomial for all cells, its coefficients rounded from balls. φ(c) goes from cell to cell by ratios
that form a geometric sequence. Wide cells, which are few, go by the tails of both laws.

Proof: docs/proofs/grids.md, "Closed forms".
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import acb, arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import UNIT, above
from leastnoise.privacy.variables.grid_cells import Cells, even_edges
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.uneven_cells import ENDS_ERROR, cut_pair

_REACH = 20  # standard deviations
_WIDEST = 1 / 32  # of a cell that goes by the polynomial, in deviations
_TERMS = 16  # (20/64)^16/16! is below 2^-70
_BITS = 192


@lru_cache(maxsize=8)
def gaussian_cells(mu_squared: Fraction, step: float) -> Cells:
    """Cells of the loss up to 20 deviations from its mean."""
    mu = math.sqrt(max(float(mu_squared), 1e-300))
    first = math.floor((mu * mu / 2 - _REACH * mu) / step)
    last = math.ceil((mu * mu / 2 + _REACH * mu) / step)
    if step > _WIDEST * mu:
        return _wide_cells(mu_squared, max(last, -first), step)
    with balls.precision(_BITS):
        width, deviation = arb(step), balls.ball(mu_squared).sqrt()
        half = width / deviation / 2
        start = (first + arb(1) / 2) * width / deviation - deviation / 2
        densities = np.fromiter(_densities(start, 2 * half, last - first), np.float64)
        low, high = _coefficients(deviation, half)
        lost = above(((first * width / deviation - deviation / 2) / -arb(2).sqrt()).erfc() / 2)
        lost += above(((last * width / deviation - deviation / 2) / arb(2).sqrt()).erfc() / 2)
        # The middles of cells: an error of 4 units of 20 deviations hardly moves the polynomial.
        centres = float(start) + float(2 * half) * np.arange(last - first, dtype=np.float64)
    down, up = densities * _value(low, centres), densities * _value(high, centres)
    nothing = np.zeros(last - first + 1)
    return Cells(step, even_edges(first, last), down, up, nothing, 0.0, 2 * lost, 0.0, _ERROR)


_ERROR = 128 * UNIT  # of a mass; the proof page has 68


def _wide_cells(mu_squared: Fraction, last: int, step: float) -> Cells:
    """Cells from tails; the negative half has the masses of the positive one under the other law.

    For −L under Q has the law of L under P.
    """
    half = cut_pair(_Tails(mu_squared), even_edges(0, last), step)
    down = np.concatenate([half.other_up[::-1], half.down])
    up = np.concatenate([half.other_down[::-1], half.up])
    lost = half.outside[1] + half.outside[3] + sum(half.given_up)
    edges, nothing = even_edges(-last, last), np.zeros(2 * last + 1)
    return Cells(step, edges, down, up, nothing, 0.0, lost, 0.0, ENDS_ERROR)


def _densities(start: arb, width: arb, count: int) -> Iterator[float]:
    """φ at start, start + width, …; ratios of neighbours form a geometric sequence."""
    density = (-start * start / 2).exp() / (2 * arb.pi()).sqrt()
    ratio = (-width * (start + width / 2)).exp()
    fall = (-width * width).exp()
    for _ in range(count):
        yield float(density)
        density *= ratio
        ratio *= fall


def _coefficients(mu: arb, half: arb) -> tuple[list[float], list[float]]:
    """Of the polynomials for the lower and the upper edge, by rising powers of the centre."""
    rest = -(-2 * mu * half).expm1()
    low, high = [], []
    for n in range(_TERMS):

        def whole(s: acb, _: bool, n: int = n) -> acb:
            return s**n * (-s * s / 2).exp()

        def upper(s: acb, _: bool, n: int = n) -> acb:
            return s**n * (-s * s / 2).exp() * -(-acb(mu) * (s + acb(half))).expm1()

        # Odd powers cancel.
        both = arb(0) if n % 2 else acb.integral(whole, acb(-half), acb(half)).real
        up = acb.integral(upper, acb(-half), acb(half)).real / rest
        sign = (-1) ** n * arb(1) / math.factorial(n)
        low.append(float(sign * (both - up)))
        high.append(float(sign * up))
    return low, high


def _value(coefficients: list[float], points: Floats) -> Floats:
    """The polynomial at points, by Horner's rule."""
    result = np.full_like(points, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= points
        result += coefficient
    return result


class _Tails:
    """P(L > loss) and Q(L > loss)."""

    def __init__(self, mu_squared: Fraction) -> None:
        self._square = mu_squared

    def __call__(self, loss: arb) -> tuple[arb, arb]:
        mu = balls.ball(self._square).sqrt()
        scaled, root = loss / mu, arb(2).sqrt()
        return ((scaled - mu / 2) / root).erfc() / 2, ((scaled + mu / 2) / root).erfc() / 2
