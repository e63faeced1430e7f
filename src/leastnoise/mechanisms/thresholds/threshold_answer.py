"""`ThresholdAnswer` and `ThresholdAnswers`: what a sparse vector says."""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

Gap = int | float


@dataclass(frozen=True)
class ThresholdAnswer:
    """Above or not; true in an `if` exactly if above.

    Attributes:
        above: whether value + ν ≥ threshold + ρ.
        gap: value + ν − threshold − ρ, if it was asked for and the answer is "above".
    """

    above: bool
    gap: Gap | None = None

    def __bool__(self) -> bool:
        return self.above


@dataclass(frozen=True, eq=False)
class ThresholdAnswers:
    """The answers to a row of questions, up to where the sparse vector was spent.

    Attributes:
        above: one answer per question; shorter than the row if there was none left for the rest.
        gaps: for each "above" in order its gap, if gaps were asked for.
    """

    above: NDArray[np.bool_]
    gaps: tuple[Gap, ...] = ()

    def __post_init__(self) -> None:
        self.above.flags.writeable = False

    def __len__(self) -> int:
        return len(self.above)
