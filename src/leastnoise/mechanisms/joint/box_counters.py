"""`BoxCounters`: the two counters where all parts are boxes, so that only their sum matters."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.box_cell import BoxCell
from leastnoise.mechanisms.joint.growth import Sides, gathered
from leastnoise.mechanisms.joint.part import Box, Simplex
from leastnoise.mechanisms.joint.radius_table import RadiusTable
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_integer

if TYPE_CHECKING:
    from leastnoise.mechanisms.joint.radius_law import RadiusLaw


@dataclass(frozen=True)
class BoxCounters:
    """p + q has weight e^(−rate·r)·(r+1)·∏(r·(high−low) + start + 1); given it, p is uniform."""

    rate: Fraction
    boxes: Sequence[Box]

    @cached_property
    def law(self) -> "RadiusLaw":
        """That of p + q."""
        from leastnoise.mechanisms.joint.radius_law import RadiusLaw  # noqa: PLC0415 - only drawing needs it

        return RadiusLaw(self.rate, gathered([Sides(1), *map(sides, self.boxes)]))

    @property
    def table(self) -> RadiusTable:
        """The same in floats."""
        return self.law.table

    def make_ready(self) -> None:
        """Makes the table of p + q."""
        _ = self.law.sampler

    def draw(self, source: Source) -> tuple[int, int]:
        """The sum, then p."""
        radius = self.law.draw(source)
        p = uniform_integer(radius + 1, source)
        return p, radius - p

    def cell(self, part: Box | Simplex) -> BoxCell:
        """The noise of one number."""
        assert isinstance(part, Box)
        width, centre = part.high - part.low, abs(part.low + part.high)
        return BoxCell(self.law.table, width, part.start, centre)


def sides(box: Box) -> Sides:
    """How many points a box has, by p + q."""
    return Sides(box.high - box.low, box.start + 1, box.cells)
