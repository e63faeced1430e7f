"""One private choice for each of many rows of gaps, all rows at once."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.choosing.utility_gaps import Gaps, reached
from leastnoise.mechanisms.geometric_sampler import geometric_sampler
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_below
from leastnoise.randomness.uniform_rows import uniform_rows

_AT_ONCE = 1 << 20  # some 8 MB
_FIRST_BATCH = 1 << 6  # often one of so many is accepted
_LAST_BATCH = 1 << 18  # a few MB

Places = NDArray[np.int64]


def flip_rows(gaps: Gaps, rate: Fraction, source: Source) -> Places:
    """The choice of permute-and-flip in each row: uniform among the candidates that show heads."""
    height = max(1, _AT_ONCE // gaps.shape[1])
    parts = [gaps[top : top + height] for top in range(0, len(gaps), height)]
    return _joined([_flipped(part, rate, source) for part in parts])


def _flipped(gaps: Gaps, rate: Fraction, source: Source) -> Places:
    drawn = geometric_sampler(rate).sample(gaps.size, source).reshape(gaps.shape)
    heads = np.cumsum(reached(drawn, gaps), axis=1, dtype=np.int64)
    wanted = uniform_rows(heads[:, -1], 1, source)
    return np.asarray((heads > wanted).argmax(axis=1), dtype=np.int64)


def weigh_rows(gaps: Gaps, rate: Fraction, source: Source) -> Places:
    """The choice of the exponential mechanism in each row: the first accepted proposal."""
    found = np.full(len(gaps), -1, dtype=np.int64)
    batch = _FIRST_BATCH
    while (left := np.flatnonzero(found < 0)).size:
        height = max(1, _AT_ONCE // batch)
        for top in range(0, left.size, height):
            rows = left[top : top + height]
            found[rows] = _first_accepted(gaps, rows, rate, batch, source)
        batch = min(2 * batch, _LAST_BATCH)
    return found


def _first_accepted(
    gaps: Gaps, rows: NDArray[np.intp], rate: Fraction, batch: int, source: Source
) -> Places:
    """The first of uniform proposals that is accepted in each row; −1 where none is."""
    shape = (rows.size, batch)
    proposed = uniform_below(gaps.shape[1], rows.size * batch, source).reshape(shape)
    coins = geometric_sampler(rate).sample(rows.size * batch, source).reshape(shape)
    accepted = reached(coins, gaps[rows[:, np.newaxis], proposed])
    first = proposed[np.arange(rows.size), accepted.argmax(axis=1)]
    return np.where(accepted.any(axis=1), first, -1)


def _joined(parts: list[Places]) -> Places:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
