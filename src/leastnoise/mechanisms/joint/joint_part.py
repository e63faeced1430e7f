"""`JointPart`: one part of a draw that several questions share."""

from functools import lru_cache
from typing import Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.part import Part
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import Guarantee, about
from leastnoise.randomness.source import Source

Integers = NDArray[np.int64] | NDArray[np.object_]


class CellLaw(Protocol):
    """What forecasts and intervals ask of the noise of one number."""

    def moment(self, order: SupportsIndex) -> Interval:
        """E|X|**order."""

    def quantile(self, probability: Exact) -> int:
        """The least m with P(|X| ≤ m) ≥ probability, or a little more."""


class JointDraw(Protocol):
    """Noise for several rows of integers, drawn at once."""

    def __hash__(self) -> int:
        """As a value has it."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What one unit adds to each row of integers."""

    @property
    def guarantee(self) -> Guarantee:
        """The promise about one unit, for all parts together."""

    def draw(self, source: Source) -> tuple[Integers, ...]:
        """One draw of all noise: for each part as many integers as it has cells."""

    def make_ready(self) -> None:
        """Makes the tables that noise is drawn from; draws nothing."""

    def cell(self, place: int) -> CellLaw:
        """The noise of one number of a part; all numbers of a part have the same."""


@dataclass(frozen=True)
class JointPart:
    """Adds one part's noise of a draw to a row of integers.

    It states no guarantee of its own: the draw does, for all parts together.

    Attributes:
        whole: the draw; whoever shares it shares its price.
        place: which of its parts this is.
    """

    whole: JointDraw
    place: int

    @property
    def part(self) -> Part:
        """What one unit may add here."""
        return self.whole.parts[self.place]

    def __repr__(self) -> str:
        return _words(self.whole)


@lru_cache(maxsize=16)  # of hundreds of parts each says the same
def _words(whole: JointDraw) -> str:
    parts = len(whole.parts)
    shared = f", shared by {parts} questions" if parts > 1 else ""
    return f"{type(whole).__name__} at {about(whole.guarantee)}{shared}"
