"""What one step of a schedule measures: exact totals and noise, which is drawn and forgotten."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.over_time.step_totals import MOST_TOTAL
from leastnoise.randomness.source import Source
from leastnoise.release.step.stream_step import StreamStep

Measured = NDArray[np.object_]


def stream_measured(
    stream: StreamStep, totals: Sequence[NDArray[np.int64]], source: Source
) -> Measured:
    """y_t of one stream: one integer for each group.

    Args:
        stream: admitted and paid for.
        totals: the exact totals of all steps so far, as `cut_totals` gives them.
        source: randomness.
    """
    return stream.mechanism.measure(np.stack(totals), source)


def cut_totals(totals: NDArray[np.int64] | NDArray[np.object_]) -> NDArray[np.int64]:
    """Totals that fit: those beyond ±2^60 are put there, which moves no two of them apart."""
    if totals.dtype == np.object_:
        cut = [min(max(int(each), -MOST_TOTAL), MOST_TOTAL) for each in totals]
        return np.array(cut, np.int64)
    return np.clip(totals.astype(np.int64), -MOST_TOTAL, MOST_TOTAL)
