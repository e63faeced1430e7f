r"""Joint Gaussian noise for several vectors of totals that one unit moves together.

Let n be the number of units; every unit adds exactly 1 to it. A number x that a unit moves by
low .. high is measured as weight*(2x - (low + high)*n), so that it moves by at most
weight*(high - low) to either side, and n itself as common*n. A vector of which one unit moves the
l2 norm by at most R (`Ball`) is measured as weight*x. All measurements get independent rounded
Gaussian noise z of one variance. The estimates are

- of x in a box: half of (measured number / weight + (low + high) * measured n / common),
- of x in a ball: measured number / weight,

rounded to the nearest integer, ties upward. In x plus noise n cancels, so that nobody needs to
know n: the noise is (z / weight + (low + high)*z_0 / common) / 2, or z / weight, rounded.

Theorem. One unit moves all measurements together by at most sqrt(S) in l2 norm, with
S = common^2 + the sum over boxes of cells*(weight*most)^2 + the sum over balls of (weight*R)^2,
most = the greater of |2*low' - (low + high)| and |2*high' - (low + high)| for a move of low' .. high'.
So all estimates together are mu-GDP with mu^2 = S / variance.

Proof page: docs/proofs/rounded_gaussian.md, section 3.

Trusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.joint_pure import Block, Box, Diamond, Simplex, check_blocks, ends
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput


@dataclass(frozen=True)
class Ball:
    """`cells` numbers that move by at most sqrt(square) in l2 norm."""

    cells: int
    square: int

    def __post_init__(self) -> None:
        if type(self.cells) is not int or type(self.square) is not int:
            raise InvalidInput("A ball has whole numbers.")
        if self.cells < 1 or self.square < 0:
            raise InvalidInput("A ball has at least one cell, and a square of at least 0.")


@dataclass(frozen=True)
class CentredGaussian:
    """The law of this module's docstring, for all blocks together.

    Attributes:
        variance: of the noise of every measurement.
        common: the weight of n; 0 if n is not needed, for boxes with low + high = 0.
        blocks: a box says where its numbers are centred. Of a ball only the number of cells counts.
        weights: for each block; 0 if low = high, where the number is low*n and n says all.

    >>> law = CentredGaussian(1 << 40, 1 << 10, (Box(0, 1), Box(0, 2)), (1 << 10, 1 << 9))
    >>> law.squared_mu([Box(0, 1), Box(0, 2)])
    Fraction(3, 1048576)
    """

    variance: int
    common: int
    blocks: tuple[Box | Ball, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        check_blocks(self.blocks, Box, Ball)
        if not isinstance(self.weights, tuple | list):
            raise InvalidInput("Joint Gaussian noise needs one weight for every block.")
        numbers = (self.variance, self.common, *self.weights)
        if any(type(each) is not int or each < 0 for each in numbers) or self.variance < 1:
            raise InvalidInput("Weights are whole numbers from 0 on, and a variance from 1 on.")
        if len(self.weights) != len(self.blocks):
            raise InvalidInput("Joint Gaussian noise needs one weight for every block.")
        for block, weight in zip(self.blocks, self.weights, strict=True):
            if not weight and not _is_fixed(block):
                raise InvalidInput(f"{block} needs a weight above 0.")
            if not self.common and isinstance(block, Box) and block.low != -block.high:
                raise InvalidInput(f"{block} is not centred at 0, so n needs a weight above 0.")

    @property
    def cells(self) -> int:
        """How many numbers get noise."""
        return sum(block.cells for block in self.blocks)

    def squared_reach(self, reach: Sequence[Block | Ball]) -> int:
        """S, if one unit moves the i-th vector within reach[i].

        Raises:
            InvalidInput: a reach does not fit its block.
        """
        check_blocks(reach, Box, Simplex, Diamond, Ball, name="reaches")
        if len(reach) != len(self.blocks):
            raise InvalidInput("Joint Gaussian noise needs one reach for every block.")
        parts = zip(self.blocks, self.weights, reach, strict=True)
        return self.common**2 + sum(_squared(*part) for part in parts)

    def squared_mu(self, reach: Sequence[Block | Ball]) -> Fraction:
        """The mu^2 of all totals together."""
        return Fraction(self.squared_reach(reach), self.variance)

    def draw(self, source: Source) -> tuple[list[int], ...]:
        """Noise for every block."""
        drawn = rounded_gaussian(Fraction(self.variance), 1 + self.cells, source)
        shared, *own = (int(each) for each in drawn)
        found, place = [], 0
        for block, weight in zip(self.blocks, self.weights, strict=True):
            numbers, place = own[place : place + block.cells], place + block.cells
            found.append([self._noise(block, weight, each, shared) for each in numbers])
        return tuple(found)

    def _noise(self, block: Box | Ball, weight: int, own: int, shared: int) -> int:
        noise = Fraction(own, weight) if weight else Fraction(0)
        if isinstance(block, Box):
            centre = block.low + block.high
            noise = (noise + (Fraction(centre * shared, self.common) if centre else 0)) / 2
        return (noise + Fraction(1, 2)).__floor__()


def _is_fixed(block: Box | Ball) -> bool:
    return isinstance(block, Box) and block.low == block.high


def _squared(block: Box | Ball, weight: int, reach: Block | Ball) -> int:
    """How far one unit moves the measurements of a block but n, in squares."""
    if block.cells != reach.cells:
        raise InvalidInput(f"{block} and {reach} have different numbers of cells.")
    if isinstance(block, Ball):
        return weight**2 * _square(reach)
    if isinstance(reach, Ball):
        raise InvalidInput(f"{block} is a box, and {reach} is a ball.")
    low, high = ends(reach)
    if not weight and (low, high) != (block.low, block.high):
        raise InvalidInput(f"{block} without a weight of its own is for totals that move by that.")
    centre = block.low + block.high
    return block.cells * (weight * max(abs(2 * low - centre), abs(2 * high - centre))) ** 2


def _square(reach: Block | Ball) -> int:
    """The greatest squared l2 norm of a move."""
    if isinstance(reach, Ball):
        return reach.square
    most = max(map(abs, ends(reach)))
    return most**2 * (reach.cells if isinstance(reach, Box) else 1)
