"""`ShownGroups`: groups that a step chose, and what other steps found of just these."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.key_rows import KeyRow
from leastnoise.release.step.secret_totals import SecretTotals, Totals, placed

Rows = Sequence[KeyRow]
_AT_ONCE = 1 << 22  # counts in memory, however many groups are shown


@dataclass(frozen=True, repr=False)
class ShownGroups:
    """Groups that a step chose: their keys are public, their places in its answer are secret.

    What other steps found is looked up by key, as if the keys had been listed before: a group that
    they did not find has nothing in it (docs/proofs/gate.md, theorem 3a).

    Attributes:
        rows: the keys that are shown.
        places: where they are among all keys that the chooser found.
        found: all of these; secret.
    """

    rows: Rows
    places: NDArray[np.intp]
    found: Rows

    def totals(self, secret: SecretTotals) -> SecretTotals:
        """The totals of the groups that are shown; 0 for those without any."""
        if secret.rows is self.found:  # of one pass: in the same order
            return SecretTotals(self.rows, tuple(each[self.places] for each in secret.totals))
        places = {row: place for place, row in enumerate(secret.rows)}
        pairs = [(i, places[row]) for i, row in enumerate(self.rows) if row in places]
        to, of = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        own = (placed(each[of], to, len(self.rows)) for each in secret.totals)
        return SecretTotals(self.rows, tuple(own))

    def parts(self, secret: SecretTotals, cells: int) -> Iterator[Totals]:
        """The counts in all parts of a range, some groups at a time; a row for each group.

        Args:
            secret: the cells that are not empty; the number of the part ends the key of each.
            cells: how many parts there are.
        """
        place_of = {row: place for place, row in enumerate(self.rows)}
        known = [place_of.get(row[:-1], -1) for row in secret.rows]
        groups = np.array(known, dtype=np.int64)
        parts = np.array([row[-1] for row in secret.rows], dtype=np.int64)
        (counts,) = secret.totals
        height = max(1, _AT_ONCE // cells)
        for top in range(0, len(self.rows), height):
            own = np.flatnonzero((groups >= top) & (groups < top + height))
            places = (groups[own] - top) * cells + parts[own]
            count = min(height, len(self.rows) - top)
            yield placed(counts[own], places, count * cells).reshape(count, cells)
