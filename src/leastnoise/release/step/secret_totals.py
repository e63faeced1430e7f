"""`SecretTotals`: what the engine found, exactly: never shown, only handed on to noise."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.key_rows import KeyRow

Totals: TypeAlias = NDArray[np.int64] | NDArray[np.object_]


@dataclass(frozen=True, repr=False)
class SecretTotals:
    """The exact totals: secret until noise is added.

    Attributes:
        rows: the key of each group. If keys are private these are secret too.
        totals: one array per aggregate, one entry per group.
    """

    rows: Sequence[KeyRow]
    totals: tuple[Totals, ...]

    def __repr__(self) -> str:
        return f"SecretTotals({len(self.totals)} aggregates, secret)"


def placed(found: Totals, places: NDArray[np.int64], count: int) -> Totals:
    """Totals at their places among `count`; 0 at the others."""
    fits = found.dtype == np.int64
    whole: Totals = np.zeros(count, np.int64) if fits else np.zeros(count, np.object_)
    whole[places] = found
    return whole
