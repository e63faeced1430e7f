"""How much of a sparse vector's budget to spend on its threshold: two rules.

The budget is exact whatever the share: these only decide where the error goes. Both round to two
digits, which moves the error by much less than one per cent.
"""

import math
from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact

MOST_QUERIES = 1 << 63
"""More than anyone can ask; floats that guess must hold their number."""

_MOST = Fraction(99, 100)  # the questions are to be left something
_RISK = Fraction(5, 100)  # the usual 5 %, for which the division is best


def least_variance_share(*, positives: SupportsIndex = 1, monotone: bool = False) -> Fraction:
    r"""ε₁/ε for which ν − ρ has the least variance: ε₁ : ε₂ = 1 : (w·c)^(2/3).

    Proof: on a fine lattice the variances are (Δ/ε₁)² and (w·c·Δ/ε₂)², with w = 2, or 1 if
    monotone; at their least sum with ε₁ + ε₂ fixed the derivatives agree, 1/ε₁³ = (w·c)²/ε₂³.

    References: LyuSuLi2017, Section 4.2.

    Example:
        >>> least_variance_share(), least_variance_share(positives=10, monotone=True)
        (Fraction(39, 100), Fraction(9, 50))
    """
    load = (1 if monotone else 2) * _check.integer_between(positives, "positives", 1)
    return _two_digits(1 / (1 + math.exp(math.log(load) * 2 / 3)))


def least_gap_share(
    *,
    queries: SupportsIndex,
    confidence: Exact = 1 - _RISK,
    positives: SupportsIndex = 1,
    monotone: bool = False,
) -> Fraction:
    r"""ε₁/ε for which the gap between what never fires and what always does is least.

    Theorem: on a fine lattice, k questions at least a below the threshold stay silent and c
    questions at least b above it fire, with probability at least 1 − β, if a = log(k/β)·w·c·Δ/ε₂
    and b = log(c/β)·Δ/ε₁. The least a + b is (Δ/ε)·(√(w·c·log(k/β)) + √(log(c/β)))², at
    ε₁ : ε₂ = √(log(c/β)) : √(w·c·log(k/β)).
    Proof: docs/proofs/sparse_vector.md, section 6.

    The exact error for any share is in `ThresholdAccuracy`.

    References: LiuEtAl2024, for choosing the threshold's place with one-sided noise.

    Example:
        >>> least_gap_share(queries=1000), least_gap_share(queries=1000, monotone=True)
        (Fraction(7, 25), Fraction(7, 20))
    """
    asked = _check.integer_between(queries, "queries", 1, MOST_QUERIES)
    count = _check.integer_between(positives, "positives", 1)
    risk = 1 - _check.confidence(confidence)
    load = (1 if monotone else 2) * count
    odds = math.sqrt(_log(count / risk) / _log(asked / risk) / load)
    return _two_digits(odds / (1 + odds))


def chosen_share(
    queries: SupportsIndex | None,
    threshold_share: Exact | None,
    positives: SupportsIndex,
    *,
    monotone: bool,
    restart: bool,
) -> Exact | None:
    """What the user's two ways to divide ε come to; None if neither was used.

    With restarts each run expects its share of the questions, and may fail as seldom.
    """
    if queries is None:
        return threshold_share
    if threshold_share is not None:
        raise _check.refuse(
            "`queries` and `threshold_share` both divide ε",
            f"queries={_check.shown(queries)}, threshold_share={_check.shown(threshold_share)}",
            "Give one of them, or neither.",
        )
    count = _check.integer_between(positives, "positives", 1)
    if not restart:
        return least_gap_share(queries=queries, positives=count, monotone=monotone)
    asked = _check.integer_between(queries, "queries", 1, MOST_QUERIES)
    return least_gap_share(
        queries=-(-asked // count), confidence=1 - _RISK / count, monotone=monotone
    )


def _log(value: Fraction) -> float:
    """The logarithm of a rational above 1, however long it is."""
    return math.log(value.numerator) - math.log(value.denominator)


def _two_digits(share: float) -> Fraction:
    """A short rational nearby that leaves both parts something."""
    return min(Fraction(f"{share:.2g}"), _MOST)
