"""`Limit`: when a sequential audit gives up."""

import math
import time
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Limit:
    """After so many outputs, or at a point of time, whatever comes first."""

    samples: float
    end: float

    def reached(self, drawn: int) -> bool:
        """Whether another pair would be too many."""
        return drawn + 2 > self.samples or time.monotonic() > self.end

    def pairs(self, drawn: int, wanted: int) -> int:
        """How many of the pairs wanted may still be drawn."""
        return int(min(wanted, (self.samples - drawn) // 2))


def checked_limit(samples: SupportsIndex | None, seconds: Exact | None) -> Limit:
    """The limit from now on; one of the two is needed."""
    if samples is None and seconds is None:
        raise _check.refuse(
            "a sequential audit must have a limit",
            "samples=None, seconds=None",
            "Give samples= or seconds=: a promise that is kept is never refuted.",
        )
    end = math.inf
    if seconds is not None:
        end = time.monotonic() + float(_check.positive(seconds, "seconds"))
    most = math.inf if samples is None else _check.integer_between(samples, "samples", 2)
    return Limit(most, end)
