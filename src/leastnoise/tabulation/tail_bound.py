r"""The error bounds Steinke and Ullman state for cube noise on the line, with their conditions.

The library does not need them, as it knows the exact law; they are here to be compared with.
"""

import math
from fractions import Fraction
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval


def cube_tail_bound(
    *, columns: SupportsIndex, epsilon: Exact, error: Exact, sensitivity: Exact = 1
) -> Interval:
    r"""An upper bound on the chance that the worst error reaches a value.

    Theorem: let Y in R^d have density ∝ exp(−ε·max|yⱼ|/Δ). For every a ≥ dΔ/ε,
    P(max|Yⱼ| ≥ a) ≤ (aε/(dΔ))^d·e^(d − aε/Δ). Below dΔ/ε this is no bound.
    Proof: docs/proofs/norm_laws.md, section 8.

    Args:
        columns: d.
        epsilon: ε > 0.
        error: a.
        sensitivity: Δ, the most that a neighbour moves any coordinate.

    Raises:
        InvalidParameter: a < dΔ/ε, where the formula may lie below the truth.

    References: SteinkeUllman2016, Theorem 4.1.

    Example:
        >>> bound = cube_tail_bound(columns=2, epsilon=1, error=4)  # (2/e)²; the truth is 0.0916
        >>> round(float(bound), 4)
        0.5413
    """
    count = _check.integer_between(columns, "columns", 1)
    rate = _check.positive(epsilon, "epsilon") / _check.positive(sensitivity, "sensitivity")
    ratio = _check.positive(error, "error") * rate / count
    if ratio < 1:
        raise _check.refuse(
            "`error` must be at least columns·sensitivity/epsilon",
            f"{float(ratio):.3g} of that",
            "Below, the formula is no bound: ask a law on the lattice for its tail.",
        )

    def bound() -> arb:
        return (balls.ball(ratio) * (1 - balls.ball(ratio)).exp()) ** count

    return balls.enclosure(bound)


def cube_records(*, columns: SupportsIndex, epsilon: Exact, error: Exact) -> int:
    r"""Rows that suffice for an error of ±1-means, by the theorem: n ≥ 4d/(εα).

    Theorem: with that many rows the means of d columns of ±1 have worst error at least α with
    probability at most (2/e)^d, if cube noise on the line with Δ = 2/n is added.
    Proof: `cube_tail_bound` at a = α ≥ 2dΔ/ε; its exponent is negative, and it falls with a.

    The exact law needs fewer: 2·q/α, where q is the error of counts at the confidence wanted.

    References: SteinkeUllman2016, Theorem 1.2, whose failure probability is (2/e)^d.

    Example:
        >>> cube_records(columns=100, epsilon=1, error="0.05")  # exact, at 95 %: 4680
        8000
    """
    count = _check.integer_between(columns, "columns", 1)
    product = _check.positive(epsilon, "epsilon") * _check.positive(error, "error")
    return math.ceil(Fraction(4 * count) / product)
