"""`Root` and `Logarithm`: concave scales on which large records stand out less."""

from fractions import Fraction
from math import ceil, comb, factorial
from typing import TypeAlias

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.groupwise.log_map import LogMap
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import typed_text

Floats: TypeAlias = NDArray[np.float64]

_MOST_DEGREE = 8


@frozen(repr=False)
class Root:
    r"""q ↦ (q + offset)**(1/degree); degree 1 leaves totals as they are.

    Theorem: if Y = f + σZ with f = (q + offset)**(1/d) and Z standard normal, then an unbiased
    estimate of q is σ^d·He_d(Y/σ) − offset: Y² − σ² − offset for square roots, Y⁴ − 6σ²Y² + 3σ⁴ −
    offset for fourth roots. Its variance is Σ_{k=1..d} C(d,k)²·k!·σ^(2k)·f^(2(d−k)).
    Proof: docs/proofs/relative_counts.md, section 7.

    Args:
        degree: in 1..8.
        offset: 0 or more.

    References: FinleyEtAl2024.
    """

    degree: Whole = checked(_check.whole(1, _MOST_DEGREE))
    offset: Number = checked(_check.non_negative, default=0)

    def __repr__(self) -> str:
        return f"Root({self.degree}, offset={typed_text(self.offset)})"

    def place(self, total: int, bits: int) -> int:
        """⌊2**bits·(q + offset)**(1/degree) + ½⌋, in integers."""
        twice = self._floor(total + self.offset, bits + 1)
        return (twice + 1) // 2

    def _floor(self, value: Fraction, bits: int) -> int:
        """⌊2**bits·value**(1/degree)⌋."""
        raised = value * Fraction(2) ** (bits * self.degree)
        return int(fmpz(raised.numerator // raised.denominator).root(self.degree))

    def reach(self, value: int, bits: int) -> int:
        r"""⌈2**bits·(f(value) − f(0))⌉: how far, in steps, a record of this value moves any total.

        The root is concave, so that it moves a total of 0 the most; ⌈·⌉ is for the rounding.
        """
        if not value:
            return 0
        ends = [self._exact(value + self.offset), self._exact(self.offset)]
        if ends[0] is not None and ends[1] is not None:
            return ceil((ends[0] - ends[1]) * Fraction(2) ** bits)
        # Distinct roots that are not both rational differ by an irrational number.
        return -balls.floor(lambda: (self._ball(0) - self._ball(value)) * arb(2) ** bits)

    def _exact(self, value: Fraction) -> Fraction | None:
        """The root, if it is rational."""
        parts = [int(fmpz(part).root(self.degree)) for part in (value.numerator, value.denominator)]
        root = Fraction(*parts)
        return root if root**self.degree == value else None

    def _ball(self, total: int) -> arb:
        return balls.ball(total + self.offset).root(self.degree)

    def floats(self, totals: NDArray[np.int64]) -> Floats:
        """The scale in floats, to a few units in the last place."""
        roots: Floats = np.power(totals + float(self.offset), 1 / self.degree)
        return roots

    def estimates(self, places: Floats, sigma: float) -> Floats:
        """Unbiased estimates of the totals from noisy places on the scale."""
        before, here = np.ones_like(places), places
        for order in range(1, self.degree):
            before, here = here, places * here - order * sigma**2 * before
        return here - float(self.offset)

    def variance(self, place: Fraction, squared_sigma: Fraction) -> Fraction:
        """The variance of the estimate at a place on the scale."""
        return sum(
            (
                comb(self.degree, k) ** 2
                * factorial(k)
                * squared_sigma**k
                * place ** (2 * (self.degree - k))
                for k in range(1, self.degree + 1)
            ),
            Fraction(0),
        )

    def mean(self, place: Fraction) -> Fraction:
        """The mean of the estimate at a place on the scale."""
        return place**self.degree - self.offset


@frozen(repr=False)
class Logarithm:
    r"""q ↦ ln(q + offset), offset > 0.

    Theorem: if Y = ln(q + offset) + σZ, then exp(Y − σ²/2) − offset is an unbiased estimate of q,
    with variance (e^(σ²) − 1)·(q + offset)².
    Proof: docs/proofs/relative_counts.md, section 7.

    Args:
        offset: above 0; records far below it lose next to nothing.

    References: FinleyEtAl2024.
    """

    offset: Number = checked(_check.positive)

    def __repr__(self) -> str:
        return f"Logarithm(offset={typed_text(self.offset)})"

    def place(self, total: int, bits: int) -> int:
        """⌊2**bits·ln(q + offset) + ½⌋, decided."""
        return LogMap(bits, self.offset).place(total)

    def reach(self, value: int, bits: int) -> int:
        """An upper bound, in steps, on how far a record of this value moves any total."""
        if not value:
            return 0
        # The gap between ratios: from 1 to 1 + value/offset.
        return LogMap(bits, self.offset / value).gap(1)

    def floats(self, totals: NDArray[np.int64]) -> Floats:
        """The scale in floats, to a few units in the last place."""
        logs: Floats = np.log(totals + float(self.offset))
        return logs

    def estimates(self, places: Floats, sigma: float) -> Floats:
        """Unbiased estimates of the totals from noisy places on the scale."""
        found: Floats = np.exp(np.minimum(places - sigma**2 / 2, 700.0)) - float(self.offset)
        return found


Transform: TypeAlias = Root | Logarithm
