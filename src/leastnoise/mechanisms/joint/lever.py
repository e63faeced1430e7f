"""`Lever`: what the noise of measured numbers does to the numbers of one part."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.part import Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.noise.shapes.shape import Draws

_WORD = 1 << 62


@dataclass(frozen=True)
class Lever:
    r"""Noise Z on what is measured of a part becomes noise on its numbers.

    Law: (Z/own + centre·Z₀/common)/scale for a number of a box; for one of d numbers of a simplex a
    d-th of that with the total's Z, plus (Zⱼ − mean Z)/(d·residual); for Everyone
    Z₀/(common·steps). Each is rounded to the nearest integer, and a coin decides ties.

    Theorem: the rounded noise and what is measured move together: docs/proofs/joint_gaussian.md,
    section 1.

    Attributes:
        part: what one unit adds.
        fine: the integers it is measured with.
        common: the integer that n′ is measured with.
        steps: what one unit adds to n′.
    """

    part: Part
    fine: Precision
    common: int
    steps: int

    def noise(self, first: int, own: Draws, coins: NDArray[np.uint8]) -> Integers:
        """The part's noise, from the common draw and its own."""
        return _rounded(*self._quotients(first, own), coins)

    def _quotients(self, first: int, own: Draws) -> tuple[Draws, int]:
        """The same before rounding: numerators, and the denominator of all."""
        if isinstance(self.part, Everyone):
            return np.array([first], dtype=object), self.common * self.steps
        fine, common = self.fine, self.common or 1  # without a centre Z₀ is not used
        shared, unit = fine.centre * fine.own * first, fine.own * fine.scale * common
        if not fine.residual:
            return common * own + shared, unit
        cells, total = self.part.cells, int(own[:-1].sum())
        shared = cells * fine.residual * (common * int(own[-1]) + shared)
        top = unit * (cells * own[:-1] - total) + shared
        return top, cells**2 * fine.residual * unit

    @property
    def squares(self) -> Fraction:
        """The sum of the squared factors of the draws behind one number."""
        if isinstance(self.part, Everyone):
            return Fraction(1, (self.common * self.steps) ** 2)
        fine, cells = self.fine, self.part.cells
        shared = Fraction(fine.centre, fine.scale * (self.common or 1)) ** 2
        whole = shared + Fraction(1, (fine.own * fine.scale) ** 2)
        if not fine.residual:
            return whole
        return (whole + Fraction(cells - 1, cells * fine.residual**2)) / cells**2


def measured_numbers(part: Part) -> int:
    """How many numbers are measured for a part, besides the common one."""
    match part:
        case Everyone():
            return 0
        case Simplex() if part.cells > 1:
            return part.cells + 1
        case _:
            return part.cells


def _rounded(top: Draws, bottom: int, coins: NDArray[np.uint8]) -> Integers:
    r"""top/bottom to the nearest integer, where a coin of 1 rounds ties down.

    A rule such as "ties away from 0" would tell 0 + 1/2 from 1 − 1/2: it looks at the noise and not
    only at its sum with the secret. This one commutes with adding integers. With all signs and all
    coins turned it gives the negative, so that fair coins make no bias.
    """
    noise: Draws = (2 * top + bottom - coins.astype(object)) // (2 * bottom)
    small = int(noise.min()) > -_WORD and int(noise.max()) < _WORD
    return noise.astype(np.int64) if small else noise
