"""The one-column bound: a row of tables, each one step from the next."""

from fractions import Fraction

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Floats, Group, GroupSizes, group_of, group_sizes

_LARGE_LOSS = 300.0  # the square of e^300 is still a float


def one_column_barrier(epsilon: Fraction, delta: Fraction, records: int) -> Barrier | None:
    r"""The least mean error over the columns that a row of 2h + 1 tables excludes.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let the mean over the
    columns of E|error of the sum| be at most A for every table. For all integers k, h ≥ 1 with
    2hk ≤ n, with L = kε, δₖ the δ of groups of k, C = cosh L, S = sinh L and E = C^(1−h),

        A ≥ 2k·((C − E)/((C − 1)·E + S·(1 − E) + S·(C − 1)) − 2h·δₖ/(e^L − 1)).

    Proof: docs/proofs/sample_size.md, section 8.

    For δ = 0 and many records it tends to 2/sinh(ε), twice the mean error of geometric noise on a
    count of ones. So for one column nothing is left to gain. The columns may be many, all alike.

    The best k is searched for in floats; the bound is then computed in balls.
    """
    if records < 2:  # with one record there are two tables: `two_tables_barrier`
        return None
    groups = group_sizes(epsilon, delta, records // 2)
    rough = _rough(groups, records)
    row = int(rough.argmax())
    group = group_of(epsilon, delta, int(groups.size[row, 0]))
    if group is None or not rough[row, 0] > 0:
        return None
    half = records // (2 * group.size)
    total = Fraction(balls.enclosure(lambda: _total(group, half)).lower)
    return Barrier(2 * half * group.size, total, "one column") if total > 0 else None


def _rough(groups: GroupSizes, records: int) -> Floats:
    """The theorem's bound for all k tried, with the greatest h, in a form that keeps digits."""
    loss, half = np.minimum(groups.loss, _LARGE_LOSS), records // (2 * groups.size)
    sine, excess = np.sinh(loss), 2 * np.sinh(loss / 2) ** 2  # S and C − 1
    faded = -np.expm1(-(half - 1) * np.log1p(excess))  # 1 − E
    share = (excess + faded) / (excess * (1 - faded) + sine * faded + sine * excess)
    bound: Floats = 2 * groups.size * (share - 2 * half * groups.leak / np.expm1(loss))
    return bound


def _total(group: Group, half: int) -> arb:
    """The same at one k, as a ball."""
    loss = balls.ball(group.loss)
    sine, excess = loss.sinh(), 2 * (loss / 2).sinh() ** 2
    faded = -(-(half - 1) * excess.log1p()).expm1()
    share = (excess + faded) / (excess * (1 - faded) + sine * faded + sine * excess)
    return 2 * group.size * (share - 2 * half * balls.ball(group.leak) / loss.expm1())
