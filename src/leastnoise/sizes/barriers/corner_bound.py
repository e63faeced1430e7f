"""The corner bound: t equal rows, of which every one of the 2^d rows is as likely as another."""

from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Floats, Group, GroupSizes, group_of, group_sizes

MOST_COLUMNS = 128
"""Beyond, the spread bound is better."""

_LARGE_LOSS = 300.0  # e^300·2^128 is still a float
_NO_LEAK = Fraction(0)


def corner_barrier(dimension: int, epsilon: Fraction, records: int) -> Barrier | None:
    r"""The least mean error over the columns that the 2^d corners exclude, for δ = 0.

    Theorem: let M be ε-DP on n records in {±1}^d, replace-one, and let the mean over the columns of
    E|error of the sum| be at most A for every table. For all integers 1 ≤ t ≤ n

        A ≥ (2t/d)·min over 0 ≤ r ≤ d of
            (e^(tε)·Σ_{i≤r} i·C(d,i) + Σ_{i>r} i·C(d,i))/(e^(tε)·Σ_{i≤r} C(d,i) + Σ_{i>r} C(d,i)).

    Proof: docs/proofs/sample_size.md, section 9.

    The best t is searched for in floats; the bound is then computed in balls.
    """
    if dimension > MOST_COLUMNS:
        return None
    groups = group_sizes(epsilon, _NO_LEAK, records)
    rough = _rough(groups, dimension)
    group = group_of(epsilon, _NO_LEAK, int(groups.size[int(rough.argmax()), 0]))
    assert group is not None  # without δ every group is promised something
    total = Fraction(balls.enclosure(lambda: _total(group, dimension)).lower)
    return Barrier(group.size, total, "corners")


@cache
def _balls_of_corners(dimension: int) -> tuple[tuple[int, int], ...]:
    """Σ_{i≤r} i·C(d,i) and Σ_{i≤r} C(d,i) for r = 0..d: sums of distances, and how many."""
    sizes = [comb(dimension, i) for i in range(dimension + 1)]
    distances = accumulate(i * size for i, size in enumerate(sizes))
    return tuple(zip(distances, accumulate(sizes), strict=True))


def _rough(groups: GroupSizes, dimension: int) -> Floats:
    """The theorem's bound for all t tried."""
    near = np.array(_balls_of_corners(dimension), dtype=np.float64)
    odds = np.exp(np.minimum(groups.loss, _LARGE_LOSS)) - 1
    distances = (near[-1, 0] + odds * near[:, 0]) / (near[-1, 1] + odds * near[:, 1])
    bound: Floats = 2 * groups.size[:, 0] / dimension * distances.min(axis=1)
    return bound


def _total(group: Group, dimension: int) -> arb:
    """The same at one t, as a ball."""
    corners = _balls_of_corners(dimension)
    (distance, count), odds = corners[-1], balls.ball(group.loss).expm1()
    least = arb(dimension)
    for inner, size in corners:
        least = least.min((distance + odds * inner) / (count + odds * size))
    return 2 * group.size * least / dimension


def square_corner_barrier(dimension: int, epsilon: Fraction, records: int) -> Barrier | None:
    r"""The least root mean square error over the columns that the corners exclude, for δ = 0.

    Theorem: let M be ε-DP on n records in {±1}^d, replace-one, and let the mean over the columns of
    E(error of the sum)² be at most A² for every table. For all integers 1 ≤ t ≤ n

        A² ≥ t²·(1 − min(sinh²(tε/2), 4·ln cosh(tε/2))/d).

    Proof: docs/proofs/sample_size.md, section 9.

    For many columns it is about 0.19·d/ε.
    """
    groups = group_sizes(epsilon, _NO_LEAK, records)
    sine = np.sinh(np.minimum(groups.loss, _LARGE_LOSS) / 2) ** 2
    log_cosh = groups.loss / 2 + np.log1p(np.exp(-groups.loss)) - np.log(2)
    known = np.minimum(sine, 4 * log_cosh) / dimension
    row = int((groups.size**2.0 * (1 - known)).argmax())
    group = group_of(epsilon, _NO_LEAK, int(groups.size[row, 0]))
    if group is None or not known[row, 0] < 1:
        return None
    total = Fraction(balls.enclosure(lambda: _root_total(group, dimension)).lower)
    return Barrier(group.size, total, "corners") if total > 0 else None


def _root_total(group: Group, dimension: int) -> arb:
    sine = (balls.ball(group.loss) / 2).sinh() ** 2
    known = sine.min(2 * sine.log1p()) / dimension
    return group.size * (1 - known).nonnegative_part().sqrt()
