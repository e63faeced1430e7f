"""The fingerprinting bound for the worst column, or for each column by itself."""

from fractions import Fraction

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Floats, Group, GroupSizes, group_of, group_sizes

_REACHES = np.linspace(0.02, 0.98, 97)  # all are sound; the best one counts


@dataclass(frozen=True)
class WorstFingerprint:
    r"""No private mechanism answers every column well: accurate answers betray their records.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let each column's mean be
    off by at most α with probability at least 1 − β, for every table. For every a in (0, 1), with
    Θ = artanh(a), τ = α + (1+a)/n and κ = ε·tanh(ε/2) − ln(1−δ),

        d·((1−β)·a − α − β(1+a)/n)/Θ ≤ n·τ·w,
        w = min(2·sinh(ε/2)·√(d·a/Θ) + 2δ(1+a)d, √(2dκ) + δ(1+a)d).

    Proof: docs/proofs/sample_size.md, section 4. It is linear in α. Applied to n = ⌊records/k⌋
    records and groups of k, it bounds the error of the sums by k·n·α.

    The best k and a are searched for in floats; the bound is then computed in balls.

    Args:
        dimension: d.
        failure: β.
    """

    dimension: int
    failure: Fraction

    def barrier(self, epsilon: Fraction, delta: Fraction, records: int) -> Barrier | None:
        """The best bound that needs at most `records` records."""
        groups = group_sizes(epsilon, delta, records)
        rough = self._rough(groups, records)
        row, column = np.unravel_index(int(rough.argmax()), rough.shape)
        group = group_of(epsilon, delta, int(groups.size[row, 0]))
        if group is None or not rough[row, column] > 0:
            return None
        reach, people = Fraction(float(_REACHES[column])), records // group.size
        total = Fraction(balls.enclosure(lambda: self._total(group, reach, people)).lower)
        return Barrier(group.size * people, total, "fingerprinting") if total > 0 else None

    def _rough(self, groups: GroupSizes, records: int) -> Floats:
        """The bound on k·n·α for all k (rows) and a (columns) tried."""
        a, people, failure = _REACHES, records // groups.size, float(self.failure)
        angle, most = np.arctanh(a), groups.leak * (1 + a) * self.dimension
        first = groups.contrast * np.sqrt(self.dimension * a / angle) + 2 * most
        second = np.sqrt(2 * self.dimension * groups.divergence) + most
        cap = np.minimum(first, second)
        share = (1 - failure) * a * people - failure * (1 + a)
        gain = self.dimension * share / angle - (1 + a) * people * cap
        bound: Floats = groups.size * gain / (people * cap + self.dimension / angle)
        return bound

    def _total(self, group: Group, reach: Fraction, people: int) -> arb:
        """The same at one k and one a, as a ball."""
        a, failure = balls.ball(reach), balls.ball(self.failure)
        angle, most = a.atanh(), balls.ball(group.leak) * (1 + a) * self.dimension
        first = group.contrast() * (self.dimension * a / angle).sqrt() + 2 * most
        second = (2 * self.dimension * group.divergence()).sqrt() + most
        cap = first.min(second)
        share = (1 - failure) * a * people - failure * (1 + a)
        gain = self.dimension * share / angle - (1 + a) * people * cap
        return group.size * gain / (people * cap + self.dimension / angle)
