"""The packing bound: too many tables that a mechanism would have to tell apart."""

import math
from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Group, group_of


def packing_barrier(
    dimension: int, epsilon: Fraction, delta: Fraction, failure: Fraction
) -> Barrier:
    r"""The least error of the worst column that packing cannot exclude.

    Theorem: let M be (ε, δ)-DP on n records in {±1}^d, replace-one, and let all its column sums be
    off by less than m with probability at least 1 − β, for every table; m ≤ n. Then
    (2^d − 1)·e^(−mε)·(1 − β − δₘ) ≤ β, where δₘ is `group_privacy` at size m.
    Proof: m copies of a row of signs, the rest fixed: 2^d tables whose answers lie apart;
    docs/proofs/sample_size.md, section 3.

    For δ = 0 it reads m ≥ (ln(2^d − 1) + ln((1 − β)/β))/ε, so n ≥ about d·ln 2/(ε·error).
    """

    def possible(copies: int) -> bool:
        group = group_of(epsilon, delta, copies)
        if group is None or group.leak >= 1 - failure:
            return True
        return balls.sign(lambda: _excess(dimension, group, failure)) <= 0

    most = least_integer(possible, 1, _guess(dimension, epsilon, delta)) - 1
    return Barrier(1, Fraction(most), "packing")


def _guess(dimension: int, epsilon: Fraction, delta: Fraction) -> int:
    logs = dimension * math.log(2)
    if delta:
        logs = min(logs, math.log(delta.denominator) - math.log(delta.numerator))
    return math.floor(Fraction(logs) / epsilon)


def _excess(dimension: int, group: Group, failure: Fraction) -> arb:
    """ln((2^d − 1)·(1 − β − δₘ)/β) − mε: positive where m is excluded."""
    rivals = arb(0)
    if dimension > 1:
        rivals = dimension * arb(2).log() + (-(arb(2) ** -dimension)).log1p()
    odds = balls.ball((1 - failure - group.leak) / failure)
    return rivals + odds.log() - balls.ball(group.loss)
