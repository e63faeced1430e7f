"""`LogMap`: logarithms of counts on a lattice, every one decided."""

from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls

# The float logarithm is trusted to eight units in its last place; those in use err by one.
_RELATIVE_ERROR = 2.0**-49
# x + offset is rounded to a float before its logarithm is taken.
_ROUNDED_ARGUMENT = -50


@dataclass(frozen=True)
class LogMap:
    r"""x ↦ ⌊M·ln(x + offset) + ½⌋ with M = 2**bits, for x + offset > 0.

    Theorem: the places of x − 1 and x are at most gap(x) = ⌈M·ln((x+offset)/(x−1+offset))⌉ apart,
    which does not grow with x.
    Proof: numbers at most d apart have roundings at most ⌈d⌉ apart, and the logarithm is concave.

    No place is ever undecided: ln q is irrational for every rational q > 0 other than 1.

    Args:
        bits: how fine the lattice is.
        offset: a rational number added to every count.

    Example:
        >>> round(LogMap(bits=40, offset=Fraction(0)).place(2) / 2**40, 9)
        0.693147181
    """

    bits: int
    offset: Fraction

    def place(self, x: int) -> int:
        """Where x lies."""
        return balls.floor(lambda: self._scaled(x + self.offset) + arb("0.5"))

    def gap(self, x: int) -> int:
        """How far x − 1 and x may lie apart."""
        ratio = (x + self.offset) / (x - 1 + self.offset)
        return -balls.floor(lambda: -self._scaled(ratio))

    def gaps_above(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Upper bounds on the gaps of many counts, at most a step too high."""
        below = counts - 1 + float(self.offset)
        scaled = np.ldexp(np.log1p(1 / below), self.bits)
        found: NDArray[np.float64] = np.ceil(scaled * (1 + 8 * _RELATIVE_ERROR))
        return found

    def _scaled(self, value: Fraction) -> arb:
        return balls.ball(value).log() * (1 << self.bits)

    def places(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where many counts lie; floats decide all but those close to a boundary."""
        scaled = np.ldexp(np.log(counts + float(self.offset)), self.bits)
        below = np.floor(scaled + 0.5)
        margin = np.abs(scaled) * _RELATIVE_ERROR + 2.0 ** (self.bits + _ROUNDED_ARGUMENT)
        unsure = np.abs(scaled - below) > 0.5 - margin
        places: NDArray[np.int64] = below.astype(np.int64)
        different, which = np.unique(counts[unsure], return_inverse=True)
        places[unsure] = self._decided(different.tolist())[which]
        return places

    def _decided(self, counts: list[int]) -> NDArray[np.int64]:
        """The same by balls, all at one precision that nearly always suffices."""
        with balls.precision(balls.FIRST_PRECISION):
            scale, half, offset = arb(1 << self.bits), arb("0.5"), balls.ball(self.offset)
            floors = [((x + offset).log() * scale + half).floor().unique_fmpz() for x in counts]
        pairs = zip(counts, floors, strict=True)
        decided = [self.place(x) if floor is None else int(floor) for x, floor in pairs]
        return np.array(decided, dtype=np.int64)
