"""`Measurement`: one pass over the bounded table; `Answer`: its exact, secret result."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.step.aggregate import Aggregate

Totals: TypeAlias = NDArray[np.int64] | NDArray[np.object_]


@dataclass(frozen=True)
class Measurement:
    """Aggregates of the rows that meet a condition, for each group.

    Attributes:
        aggregates: what to sum in each group.
        bounds: how much of one unit counts.
        by: the columns that make the groups; none for one total.
        keys: the groups, if they are public; None to be given those in the data.
        where: only rows for which this is true.
    """

    aggregates: tuple[Aggregate, ...]
    bounds: Bounds | Clip
    by: tuple[KeyExpression, ...] = ()
    keys: Keys | None = None
    where: Condition | None = None

    @property
    def answers(self) -> int:
        """How many answers `measure` gives to it."""
        return 1


@dataclass(frozen=True, repr=False)
class Answer:
    """The exact totals: secret until noise is added.

    Attributes:
        rows: the key of each group. If keys are private these are secret too.
        totals: one array per aggregate, one entry per group.
    """

    rows: tuple[tuple[Key, ...], ...]
    totals: tuple[Totals, ...]

    def __repr__(self) -> str:
        return f"Answer({len(self.totals)} aggregates, secret)"


def placed(found: Totals, places: NDArray[np.int64], count: int) -> Totals:
    """Totals at their places among `count`; 0 at the others."""
    fits = found.dtype == np.int64
    whole: Totals = np.zeros(count, np.int64) if fits else np.zeros(count, np.object_)
    whole[places] = found
    return whole
