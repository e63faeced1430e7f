r"""What no unbiased mechanism can beat: variances from the ease of telling neighbours apart."""

from fractions import Fraction

from leastnoise.numeric import ball as balls

_MOST_RATE = 4096  # beyond it the bound is 0 to every digit that anyone reads


def unbiased_bound(
    trace_root_squared: Fraction, *, epsilon: Fraction | None = None, rho: Fraction | None = None
) -> Fraction:
    r"""A number that Σ wᵢ·Var(answerᵢ) is never below, rounded down.

    Theorem: let V be a finite set of changes that one unit can make to d numbers, π a law on V with
    M = E[v·vᵀ], and W a diagonal matrix of weights. Then every mechanism, additive or not, whose
    answers have the true numbers as their expectations on all tables has, on every table to which
    each v of V can be added, Σ wᵢ·Var(answerᵢ) ≥ (tr (W^½·M·W^½)^½)² / χ², where
    χ² = 4·sinh²(ε/2) if the mechanism is ε-DP, and χ² = e^(2ρ) − 1 if it is ρ-zCDP.
    Proof: docs/proofs/many_counts.md, section 4.

    Args:
        trace_root_squared: (tr (W^½·M·W^½)^½)², or anything below it.
        epsilon: ε > 0 of a pure promise.
        rho: ρ > 0 of a concentrated promise; exactly one of the two is given.

    Example:
        >>> float(unbiased_bound(Fraction(1), epsilon=Fraction(1)))
        0.9206735942077923
        >>> float(unbiased_bound(Fraction(1), rho=Fraction(1, 2)))
        0.5819767068693265
    """
    if (epsilon is None) == (rho is None):
        raise ValueError("exactly one of epsilon and rho must be given")
    if epsilon is not None:
        return _share(
            trace_root_squared, epsilon, lambda: (2 * (balls.ball(epsilon) / 2).sinh()) ** 2
        )
    rate = 2 * (rho or Fraction(0))
    return _share(trace_root_squared, rate, lambda: balls.ball(rate).expm1())


def _share(total: Fraction, rate: Fraction, divergence: balls.Computation) -> Fraction:
    """The total over χ², rounded down; 0, which is always true, for rates out of range."""
    if not 0 < rate <= _MOST_RATE:
        return Fraction(0)
    return Fraction(balls.enclosure(lambda: balls.ball(total) / divergence()).lower)
