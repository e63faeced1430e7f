"""`CountTree`: a grid of cells as the leaves of a tree, and sums with the least variance."""

from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.secret_counts import Counts

Floats = NDArray[np.float64]

_ALL = slice(None)
Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True)
class CountTree:
    r"""Every node has `branching` children; `height` levels below the root; leaves are cells.

    Each level's counts get noise of the same variance. Sums of leaves are then estimated by least
    squares, which no unbiased linear estimate beats: up the tree each node's count is averaged
    with the sum of its children, and down the tree children are made to sum to their parent.
    Proof: docs/proofs/quantiles.md, section 4.
    """

    cells: int
    branching: int
    height: int

    @property
    def leaves(self) -> int:
        """Cells, and empty ones to fill the tree."""
        return int(self.branching**self.height)

    def levels(self, counts: Counts) -> list[Counts]:
        """The counts of each level, from the root's children to the leaves; row by row."""
        leaves = np.zeros((len(counts), self.leaves), dtype=np.int64)
        leaves[:, : self.cells] = counts
        found = [leaves]
        for _ in range(self.height - 1):
            found.append(self._families(found[-1]).sum(axis=2))
        return found[::-1]

    def _families(self, nodes: NDArray[Number]) -> NDArray[Number]:
        """Siblings along an axis of their own."""
        return nodes.reshape(len(nodes), -1, self.branching)

    @cached_property
    def spreads(self) -> list[float]:
        """The variance of a node's own estimate on each level, if that of the noise is 1."""
        found = [1.0]
        for _ in range(self.height - 1):
            found.append(1 / (1 + 1 / (self.branching * found[-1])))
        return found[::-1]

    def cumulated(self, noisy: list[Counts]) -> Floats:
        """The least-squares estimate of the sum of all leaves up to each one; row by row."""
        own = [nodes.astype(np.float64) for nodes in noisy]
        for above in range(self.height - 2, -1, -1):
            children = self._families(own[above + 1]).sum(axis=2)
            trust = self.spreads[above]
            own[above] = trust * own[above] + (1 - trust) * children
        final = own[0]
        for nodes in own[1:]:
            families = self._families(nodes)
            short = (final - families.sum(axis=2)) / self.branching
            final = (families + short[:, :, np.newaxis]).reshape(nodes.shape)
        return np.cumsum(final, axis=1)

    @cached_property
    def _prefixes(self) -> tuple[Floats, Floats]:
        """For the sum up to each cell: its variance, and how much of the root's children it is."""
        size, share = self.leaves, np.ones(self.leaves)
        place, variance = np.arange(size), np.zeros(size)
        for spread in self.spreads[:0:-1]:
            place, child = np.divmod(place, self.branching)
            part = child + share
            variance += spread * (child + share**2 - part**2 / self.branching)
            share = part / self.branching
        variance += self.spreads[0] * (place + share**2)
        return variance[: self.cells], (place + share)[: self.cells]

    @property
    def whole_variance(self) -> float:
        """Of the estimate of the sum of all leaves, for noise of variance 1."""
        return self.spreads[0] * self.branching

    def variances(self, level: float | Floats, at: slice = _ALL) -> Floats:
        """Of the estimates of (sum up to a cell) − level·(sum of all), for noise of variance 1.

        Args:
            level: one for all cells, or an array with one for each along its last axis.
            at: which cells.
        """
        variance, children = (each[at] for each in self._prefixes)
        whole = level * level * self.whole_variance
        return np.asarray(variance + whole - 2 * level * self.spreads[0] * children)
