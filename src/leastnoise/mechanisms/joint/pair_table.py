"""`PairTable`: the outline of a law of two counters in floats, for forecasts only."""

from dataclasses import dataclass

import numpy as np

from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.radius_table import ends, in_blocks

_DEPTH = 36.0  # weights below e**-36 of the greatest are left out
_MOST_SINGLE = 120  # so many values of a counter are all listed; more are taken in blocks
_BLOCKS = 40
_COARSE = 65  # points of the first look
_CHUNK = 1 << 13


@dataclass(frozen=True)
class PairTable:
    """Some pairs with weights that add up to 1, which stand for all; sorted by p.

    Blocks of pairs are squares, each the product of two blocks as in `RadiusTable`.
    """

    p: Floats
    q: Floats
    shares: Floats
    step: int

    @classmethod
    def of(cls, law: PairLaw) -> "PairTable":
        """The outline of a law that is symmetric in its counters."""
        low, high = _window(law)
        step = 1 if high - low < _MOST_SINGLE else int((high - low) / _BLOCKS) | 1
        nodes, parts = in_blocks(low, high, step)
        order = np.argsort(nodes)
        p, q, logs = _tensor(law, nodes[order])
        logs = logs + np.log(np.outer(parts[order], parts[order]).ravel())
        kept = logs > logs.max() - _DEPTH
        weights = np.exp(logs[kept] - logs.max())
        return cls(p[kept], q[kept], weights / weights.sum(), step)

    @property
    def tolerance(self) -> float:
        """How far a mean taken from the table may be from the truth, relatively."""
        return 1e-10 if self.step == 1 else 2e-3

    def mean(self, values: Floats) -> float:
        """The mean of a function of the pair, given at the listed ones."""
        return float(values @ self.shares)


def _window(law: PairLaw) -> tuple[float, float]:
    """Values of p that matter: whole numbers."""
    _, high = ends(lambda radii: law.log_weight(radii / 2, radii / 2) + np.log(radii + 1))
    low = 0.0
    for _ in range(2):
        nodes = np.linspace(low, high, _COARSE)
        _, _, logs = _tensor(law, nodes)
        best = logs.reshape(_COARSE, _COARSE).max(axis=1)
        seen = np.flatnonzero(best > best.max() - _DEPTH)
        low = float(nodes[max(seen[0] - 1, 0)])
        high = float(nodes[min(seen[-1] + 1, _COARSE - 1)])
    return float(np.floor(low)), float(np.ceil(high))


def _tensor(law: PairLaw, nodes: Floats) -> tuple[Floats, Floats, Floats]:
    """All pairs of nodes, with logarithms of their weights."""
    p, q = (side.ravel() for side in np.meshgrid(nodes, nodes, indexing="ij"))
    starts = range(0, p.size, _CHUNK)
    logs = [law.log_weight(p[i : i + _CHUNK], q[i : i + _CHUNK]) for i in starts]
    return p, q, np.concatenate(logs)
