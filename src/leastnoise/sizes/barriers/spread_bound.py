"""The spread bound: sums spread widely enough cannot all be close to a private answer."""

from fractions import Fraction

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Floats, Group, GroupSizes, group_of, group_sizes

# λ·t, around the value near 4 that is best for many records and many columns.
_SPREADS = np.geomspace(0.01, 40, 80)


def spread_barrier(
    dimension: int, epsilon: Fraction, delta: Fraction, records: int
) -> Barrier | None:
    r"""The least mean error over the columns that spreading cannot exclude, with t ≤ `records`.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let the mean over the
    columns of E|error of the sum| be at most A for every table. Then for all integers 1 ≤ t ≤ n and
    all λ > 0, with q = e^(−2λ),

        A ≥ ((1−δₜ)/λ)·(ln((2 + (t−1)(1−q))/(1+q)) − (tε·tanh(tε/2) − ln(1−δₜ))/d).

    Proof: t records carry a random sum in each column, drawn so that no guess comes closer than
    another; docs/proofs/sample_size.md, section 5.

    The best t and λ are searched for in floats; the bound is then computed in balls.
    For δ = 0 and many columns it is about 0.162·d/ε.
    """
    groups = group_sizes(epsilon, delta, records)
    rough = _rough(groups, dimension)
    row, column = np.unravel_index(int(rough.argmax()), rough.shape)
    group = group_of(epsilon, delta, int(groups.size[row, 0]))
    if group is None or not rough[row, column] > 0:
        return None
    tilt = Fraction(float(_SPREADS[column])) / group.size
    total = Fraction(balls.enclosure(lambda: _total(group, tilt, dimension)).lower)
    return Barrier(group.size, total, "spread") if total > 0 else None


def _rough(groups: GroupSizes, dimension: int) -> Floats:
    """The theorem's bound for all t (rows) and λ·t (columns) tried."""
    tilts = _SPREADS / groups.size
    fall = np.exp(-2 * tilts)
    gain = np.log((2 + (groups.size - 1) * (1 - fall)) / (1 + fall))
    bound: Floats = (1 - groups.leak) / tilts * (gain - groups.divergence / dimension)
    return bound


def _total(group: Group, tilt: Fraction, dimension: int) -> arb:
    fall = (-balls.ball(2 * tilt)).exp()
    gain = ((2 + (group.size - 1) * (1 - fall)) / (1 + fall)).log()
    kept = 1 - balls.ball(group.leak)
    return kept / balls.ball(tilt) * (gain - group.divergence() / dimension)
