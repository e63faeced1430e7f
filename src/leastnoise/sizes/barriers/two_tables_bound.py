"""The two-tables bound: even one column of two tables cannot be told apart too well."""

from fractions import Fraction

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Group, group_of, group_sizes


def two_tables_barrier(epsilon: Fraction, delta: Fraction, records: int) -> Barrier | None:
    r"""The least mean error over the columns that two tables exclude, with t ≤ `records`.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let the mean over the
    columns of E|error of the sum| be at most A for every table. Then for all integers 1 ≤ t ≤ n,
    A ≥ 2t·(1−δₜ)/(1+e^(tε)).
    Proof: t copies of all ones or of all minus ones; docs/proofs/sample_size.md, section 5.

    It beats the spread bound for up to three columns, being about 0.557/ε whatever their number.
    """
    groups = group_sizes(epsilon, delta, records)
    rough = groups.size * (1 - groups.leak) / (1 + groups.likelihood_ratio)
    group = group_of(epsilon, delta, int(groups.size[int(rough.argmax()), 0]))
    if group is None:
        return None
    total = Fraction(balls.enclosure(lambda: _total(group)).lower)
    return Barrier(group.size, total, "two tables")


def _total(group: Group) -> arb:
    kept = 1 - balls.ball(group.leak)
    return 2 * group.size * kept / (1 + balls.ball(group.loss).exp())


def root_two_tables_barrier(epsilon: Fraction, delta: Fraction, records: int) -> Barrier | None:
    r"""The least root mean square error over the columns that two tables exclude, t ≤ `records`.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let the mean over the
    columns of E(error of the sum)² be at most A² for every table. Then for all integers
    1 ≤ t ≤ n, A ≥ t·√(1−δₜ)/cosh(tε/2).
    Proof: docs/proofs/sample_size.md, section 8.
    """
    groups = group_sizes(epsilon, delta, records)
    rough = groups.size * np.sqrt(1 - groups.leak) / np.sqrt(1 + groups.contrast**2 / 4)
    group = group_of(epsilon, delta, int(groups.size[int(rough.argmax()), 0]))
    if group is None:
        return None
    total = Fraction(balls.enclosure(lambda: _root_total(group)).lower)
    return Barrier(group.size, total, "two tables")


def _root_total(group: Group) -> arb:
    kept = 1 - balls.ball(group.leak)
    return group.size * kept.sqrt() / (balls.ball(group.loss) / 2).cosh()
