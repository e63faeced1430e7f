"""`Barrier`: a proved statement of the form "with so many records, no smaller error than this"."""

from fractions import Fraction
from math import ceil

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Barrier:
    """No mechanism for `records` or more records of signs ±1 has column *sums* off by less.

    More records make sums no easier: rows that everybody knows can be added to a small table and
    taken out of the answer again (docs/proofs/sample_size.md, section 2). So a barrier found for
    some number of records holds for all greater ones.

    Attributes:
        records: from how many records on it holds.
        total: the error of the sums that cannot be undercut: n·(error of the means) ≥ total.
        argument: by which theorem, in a few words.
    """

    records: int
    total: Fraction
    argument: str

    def first_possible(self, error: Fraction) -> int:
        """The least number of records at which means off by `error` do not break the barrier."""
        return ceil(self.total / error)


def highest(barriers: list[Barrier]) -> Barrier | None:
    """The barrier with the greatest total."""
    return max(barriers, key=lambda barrier: barrier.total, default=None)
