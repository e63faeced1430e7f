"""`CountMap`: where counts lie on a lattice; by a table at first, then by their logarithms."""

from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.log_map import LogMap


@dataclass(frozen=True)
class CountMap:
    r"""Places of the counts first, first+1, …: given gaps up to `bend`, logarithms from there on.

    Theorem: the places of x − 1 and x are at most gap(x) apart, which does not grow with x, if the
    gaps given do not grow and the last of them is not below log.gap(bend + 1).

    Args:
        log: where counts from the bend on lie.
        first: the least count.
        gaps: in lattice steps, those below first+1, first+2, …, bend.
    """

    log: LogMap
    first: int
    gaps: tuple[int, ...]

    @property
    def bend(self) -> int:
        """The first count that lies at its logarithm."""
        return self.first + len(self.gaps)

    @property
    def gaps_never_grow(self) -> bool:
        """Whether the condition of the theorem holds."""
        gaps = [*self.gaps, self.log.gap(self.bend + 1)]
        return gaps == sorted(gaps, reverse=True)

    @cached_property
    def table(self) -> tuple[int, ...]:
        """The places of first, …, bend."""
        downward = accumulate(reversed(self.gaps), lambda place, gap: place - gap,
                              initial=self.log.place(self.bend))  # fmt: skip
        return tuple(downward)[::-1]

    def place(self, x: int) -> int:
        """Where x lies."""
        return self.table[x - self.first] if x <= self.bend else self.log.place(x)

    def gap(self, x: int) -> int:
        """How far x − 1 and x may lie apart."""
        return self.gaps[x - self.first - 1] if x <= self.bend else self.log.gap(x)

    def places(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where many counts lie."""
        places = np.empty_like(counts)
        listed = counts <= self.bend
        places[listed] = np.array(self.table, dtype=np.int64)[counts[listed] - self.first]
        places[~listed] = self.log.places(counts[~listed])
        return places
