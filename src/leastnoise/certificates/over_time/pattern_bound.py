r"""The least error of sums of steps, of units that may be in several: by singular values.

Theorem: let θ be a law on sums over sets I_1, …, I_r of steps, π one on sets P_1, …, P_n of steps
that a unit may be in, and X the matrix of the numbers √(θ_i·π_b)·|P_b ∩ I_i|. Every linear
unbiased Gaussian mechanism for the sums that a unit moves by at most 1 in length has Σ θ_i·Var_i ≥
f², with f the sum of X's singular values; and f ≥ tr(UᵀX)/‖U‖ for every matrix U.
Proof: docs/proofs/over_time.md, section 1.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from leastnoise.certificates.over_time.float_norms import Floats, length, product_error
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.spans import Span, sums

_ROUNDINGS = 16  # of one entry of X times one of U, at most, and then some


def patterns(steps: int, allowed: Participation) -> list[range]:
    """For each step the steps of a unit that begins there and comes as soon and often as it may."""
    times, apart = allowed.times(steps), allowed.apart
    ends = (min(steps, first + times * apart) for first in range(steps))
    return [range(first, end, apart) for first, end in enumerate(ends)]


def moved_totals(
    law: Floats, weights: Floats, allowed: Participation, spans: tuple[Span, ...] = ()
) -> Floats:
    """X, to some roundings; without `spans`, of the running totals."""
    steps = len(law)
    counts = np.zeros((steps, steps))
    for place, steps_in in enumerate(patterns(steps, allowed)):
        counts[list(steps_in), place] = 1
    totals = np.cumsum(counts, axis=0)
    rows = sums(totals, spans) if spans else totals
    return np.asarray(np.sqrt(weights)[:, None] * rows * np.sqrt(law))


def pattern_bound(
    law: Sequence[int],
    weights: Sequence[int],
    allowed: Participation,
    spans: tuple[Span, ...] = (),
) -> Fraction:
    """f, rounded down.

    Args:
        law: π over `patterns`, as integers over their sum.
        weights: θ, as integers over their sum.
        allowed: in which steps a unit may be.
        spans: the sums that θ weighs; without them, the running totals.
    """
    chances = np.array(law, np.float64) / float(sum(law))
    shares = np.array(weights, np.float64) / float(sum(weights))
    totals = moved_totals(chances, shares, allowed, spans)
    totals = totals if totals.shape[0] >= totals.shape[1] else totals.T
    left, _, right = np.linalg.svd(totals, full_matrices=False)
    polar = left @ right  # trusted for nothing: any matrix gives a bound
    terms = polar * totals
    slack = _ROUNDINGS * 2.0**-53 * math.fsum(np.abs(terms).ravel().tolist())
    trace = math.fsum(terms.ravel().tolist()) - 2 * slack
    square = np.eye(polar.shape[1]) - polar.T @ polar
    largest = math.sqrt(1 + length(square) + 2 * product_error(polar.T, polar))
    return Fraction(max(0.0, trace / largest * (1 - 2.0**-48)))
