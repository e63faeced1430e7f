"""`ErrorSplit`: how much of an expected squared error is chance and how much is privacy."""

from leastnoise._dataclass import dataclass
from leastnoise.numeric.interval import Interval


@dataclass(frozen=True)
class ErrorSplit:
    """Expected squared error = sampling + privacy − saved, each term bracketed.

    Attributes:
        sampling: what drawing a finite sample costs; it would remain without privacy.
        privacy: what the noise costs.
        saved: what clipping the result to its possible range gives back; 0 without clipping.
        total: the expected squared error itself.
    """

    sampling: Interval
    privacy: Interval
    saved: Interval
    total: Interval
