"""Independent Laplace noise on every number of one vector, beside joint noise: for many groups.

Trusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.noise.joint_pure import Block, Box, check_whole, ends
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput


@dataclass(frozen=True)
class LaplaceNoise:
    """Independent discrete Laplace noise on every number of one block.

    Theorem: it is epsilon-DP with epsilon = (greatest l1 norm of a move) / scale.
    Proof page: docs/proofs/laplace.md.

    Attributes:
        scale: of the noise of each number.
        block: the vector that it is for.
    """

    scale: int
    block: Block

    def __post_init__(self) -> None:
        check_whole(self, scale=1)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The one block."""
        return (self.block,)

    def epsilon(self, reach: Sequence[Block]) -> Fraction:
        """The epsilon of a vector that one unit moves within reach[0]."""
        if len(reach) != 1 or reach[0].cells != self.block.cells:
            raise InvalidInput("Independent noise is for one vector of the length that it has.")
        (each,) = reach
        most = max(map(abs, ends(each)))
        return Fraction(most * each.cells if isinstance(each, Box) else most, self.scale)

    def draw(self, source: Source) -> tuple[list[int], ...]:
        """Noise for every number."""
        drawn = discrete_laplace(Fraction(self.scale), self.block.cells, source)
        return ([int(each) for each in drawn],)
