"""`PairTable`: the outline of a law of two counters in floats, for forecasts only."""

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.gauss_nodes import gauss_nodes
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.radius_table import ends, in_blocks
from leastnoise.mechanisms.joint.simplex_set import log_sum

_DEPTH = 36.0  # weights below e**-36 of the greatest are left out
_MOST_SINGLE = 160  # up to this sum of counters all pairs are listed
_BLOCKS = 32  # of sums
_LOOK = np.linspace(0.0, 0.5, 33)[1:]  # shares of p in the sum, to find where the weight is
_OTHERS = np.where(_LOOK < 0.5, np.log(2.0), 0.0)  # 1 − share weighs as much: counted with it


@dataclass(frozen=True)
class PairTable:
    """Some pairs with weights that add up to 1, which stand for all.

    Sums p + q are taken in blocks as in `RadiusTable`; for each of them p at the nodes of Gauss and
    Legendre between −1/2 and p + q + 1/2, since the weight is smooth there.

    Attributes:
        p: one counter; whole numbers only if all pairs are listed.
        q: the other.
        shares: the weights.
        gaps: how far apart the values of p are that stand side by side; 0 if all are listed.
        single: whether all pairs are listed.
    """

    p: Floats
    q: Floats
    shares: Floats
    gaps: Floats
    single: bool

    @classmethod
    def of(cls, law: PairLaw) -> "PairTable":
        """The outline of a law that is symmetric in its counters."""
        low, high = ends(lambda radii: _log_marginal(law, radii))
        single = high <= _MOST_SINGLE
        p, q, parts, gaps = _all_pairs(high) if single else _some_pairs(law, low, high)
        logs = law.log_weight(p, q)
        kept = logs > logs.max() - _DEPTH
        weights = parts[kept] * np.exp(logs[kept] - logs.max())
        return cls(p[kept], q[kept], weights / weights.sum(), gaps[kept], single)

    @property
    def tolerance(self) -> float:
        """How far a mean taken from the table may be from the truth, relatively."""
        return 1e-10 if self.single else 4e-3

    def mean(self, values: Floats) -> float:
        """The mean of a function of the pair, given at the listed ones."""
        return float(values @ self.shares)


def _log_marginal(law: PairLaw, radii: Floats) -> Floats:
    """About the logarithm of the weight of a sum of counters."""
    p = np.multiply.outer(radii, _LOOK)
    logs = law.log_weight(p.ravel(), (radii[:, np.newaxis] - p).ravel()).reshape(p.shape)
    return log_sum(logs + _OTHERS) + np.log(radii + 1)


def _all_pairs(high: float) -> tuple[Floats, Floats, Floats, Floats]:
    numbers = np.arange(high + 1)
    p, q = (side.ravel() for side in np.meshgrid(numbers, numbers))
    inside = p + q <= high
    ones = np.ones(int(inside.sum()))
    return p[inside], q[inside], ones, 0 * ones


def _some_pairs(law: PairLaw, low: float, high: float) -> tuple[Floats, Floats, Floats, Floats]:
    radii, parts = in_blocks(low, high, int((high - low) / _BLOCKS) | 1)
    nodes, weights = gauss_nodes()
    reach = _reach(law, float(radii[np.argmax(_log_marginal(law, radii))]))
    nodes, weights = reach * nodes, reach * weights
    p = np.multiply.outer(radii, (nodes + 1) / 2) + nodes / 2
    q = radii[:, np.newaxis] - p
    gaps = np.outer(radii + 1, weights / 2)
    return p.ravel(), q.ravel(), (parts[:, np.newaxis] * gaps).ravel(), gaps.ravel()


def _reach(law: PairLaw, radius: float) -> float:
    """How far from the middle p lies, for a typical sum, as a share of half the sum."""
    logs = law.log_weight(radius * _LOOK, radius * (1 - _LOOK))
    seen = np.flatnonzero(logs > logs.max() - _DEPTH)
    return 1.0 if seen[0] < 2 else float(1 - 2 * _LOOK[seen[0] - 2])
