"""`auc`: how well scores tell members from outsiders, and how well they ever can."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.attacks.attribute_rows import vector
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval


def auc(members: ArrayLike, outsiders: ArrayLike) -> Fraction:
    r"""The share of pairs (member, outsider) in which the member scores higher, ties counted half.

    It is the area under the curve of true against false accusations over all thresholds: 1 if some
    threshold separates the two, about 1/2 for scores that know nothing.

    Args:
        members: the scores of people in the data.
        outsiders: the scores of people who are not.

    References: MannWhitney1947.

    Example:
        >>> auc([3, 1], [0, 1, 2])
        Fraction(3, 4)
    """
    inside, outside = vector(members, "members"), np.sort(vector(outsiders, "outsiders"))
    below = np.searchsorted(outside, inside, side="left").sum(dtype=np.int64)
    up_to = np.searchsorted(outside, inside, side="right").sum(dtype=np.int64)
    return Fraction(int(below) + int(up_to), 2 * inside.size * outside.size)


def greatest_auc(*, epsilon: Exact, delta: Exact = 0) -> Interval:
    r"""The most that any attack on an (ε, δ)-DP release can reach on average: (e^ε + δ)/(e^ε + 1).

    Theorem: let members and outsiders be independent draws from one population, and let the score
    of a person be any function of that person and the release. If the release is (ε, δ)-DP when one
    record is replaced, the expected `auc` is at most (e^ε + δ)/(e^ε + 1).
    Proof: exchange a member with an outsider; docs/proofs/fingerprinting.md, section 3.

    Example:
        >>> greatest_auc(epsilon=1)
        Interval(0.731058578630004, 0.731058578630005)
    """
    growth = ExponentialSum.exp(_check.non_negative(epsilon, "epsilon"))
    return ExponentialRatio(growth + _check.delta(delta), growth + 1).interval()
