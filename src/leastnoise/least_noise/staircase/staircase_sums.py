r"""The sums A_m(γ) = Σ b^k·(k+γ)^m over k ≥ 0, b = e^(−ε), behind every staircase law.

Theorem: A_m(γ) = Σ C(m,j)·c_j·γ^(m−j) with c_j = A_j(0), c_0 = 1/(1−b) and
c_j = b/(1−b)·Σ C(j,i)·c_i over i < j. All terms are positive, so that nothing cancels.
Proof: docs/proofs/staircase.md, section 3.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import comb

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls


@dataclass(frozen=True)
class StaircaseSums:
    """A_d, A_(d+p) and where their quotient is stationary.

    Args:
        epsilon: ε > 0.
        dimension: d ≥ 1.
        moment: p ≥ 1.
    """

    epsilon: Fraction
    dimension: int
    moment: int

    def cost(self, above: Fraction, below: Fraction) -> arb:
        """d/(d+p)·A_(d+p)/A_d, with A_(d+p) taken at one γ and A_d at another."""
        d, n = self.dimension, self.dimension + self.moment
        return self.value(n, above) * d / (self.value(d, below) * n)

    def value(self, order: int, gamma: Fraction) -> arb:
        """A_order(γ) for order ≤ d + p."""
        moments, place = self._moments(), balls.ball(gamma)
        total = arb(0)
        for j in range(order + 1):
            total = total * place + comb(order, j) * moments[j]
        return total

    def slope(self, gamma: Fraction) -> arb:
        """A number of the same sign as the slope of A_(d+p)/A_d at γ."""
        place, total = balls.ball(gamma), arb(0)
        for coefficient in reversed(self.slope_coefficients()):
            total = total * place + coefficient
        return total

    def slope_coefficients(self) -> list[arb]:
        r"""The coefficients of 1, γ, γ², … in (d+p)·A_(d+p−1)·A_d − d·A_(d+p)·A_(d−1).

        Whole numbers are added up before they meet a ball, so that what cancels for every ε
        cancels exactly.
        """
        if ctx.prec not in self._slopes:
            moments = self._moments()
            self._slopes[ctx.prec] = [_row(row, moments) for row in self._integers]
        return self._slopes[ctx.prec]

    def _moments(self) -> list[arb]:
        """c_0, …, c_(d+p) at the working precision."""
        if ctx.prec not in self._known:
            self._known[ctx.prec] = geometric_moments(self.epsilon, self.dimension + self.moment)
        return self._known[ctx.prec]

    @cached_property
    def _known(self) -> dict[int, list[arb]]:
        return {}

    @cached_property
    def _slopes(self) -> dict[int, list[arb]]:
        return {}

    @cached_property
    def _integers(self) -> list[dict[tuple[int, int], int]]:
        """For each power of γ, the integer factor of every product c_i·c_j, i ≤ j."""
        d, n = self.dimension, self.dimension + self.moment
        rows: list[dict[tuple[int, int], int]] = [{} for _ in range(n + d)]
        for i in range(n + 1):
            for j in range(min(d, n + d - 1 - i) + 1):
                factor = n * comb(n - 1, i) * comb(d, j) - d * comb(n, i) * comb(d - 1, j)
                row, pair = rows[n + d - 1 - i - j], (min(i, j), max(i, j))
                row[pair] = row.get(pair, 0) + factor
        return rows


def _row(row: dict[tuple[int, int], int], moments: Sequence[arb]) -> arb:
    return sum(
        (factor * moments[i] * moments[j] for (i, j), factor in row.items() if factor), arb(0)
    )


def geometric_moments(epsilon: Fraction, most: int) -> list[arb]:
    r"""Σ b^k·k^j over k ≥ 0 for j = 0, …, most, with b = e^(−epsilon) and 0^0 = 1.

    Example:
        >>> [value.str(6, radius=False) for value in geometric_moments(Fraction(1), 2)]
        ['1.58198', '0.920674', '1.99229']
    """
    rate = balls.ball(epsilon)
    odds = 1 / rate.expm1()
    found = [1 / -(-rate).expm1()]
    for j in range(1, most + 1):
        found.append(odds * sum((comb(j, i) * found[i] for i in range(j)), arb(0)))
    return found
