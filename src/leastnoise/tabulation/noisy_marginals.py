"""`NoisyMarginals`: what is released of the column sums."""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws


@dataclass(frozen=True, eq=False)
class NoisyMarginals:
    """Noisy counts of ones; everything here is public.

    Args:
        numerators: exact integers, one for each column: the noisy counts times the denominator.
        denominator: 1, or 2 where the number of rows is noisy too.
        records: the number of rows: the true one where it is public, a noisy one where it was
            released with noise, None where it stayed secret.

    Example:
        >>> NoisyMarginals(np.array([3, 4]), denominator=2, records=7).counts
        array([1.5, 2. ])
    """

    numerators: Draws
    denominator: int
    records: int | None

    def __post_init__(self) -> None:
        self.numerators.flags.writeable = False

    @property
    def counts(self) -> Draws | NDArray[np.float64]:
        """The noisy counts, as integers, or as floats if some are halves (exact below 2**52)."""
        if self.denominator == 1:
            return self.numerators
        return np.asarray(self.numerators.astype(np.float64) / self.denominator)
