r"""The least error of running totals of many steps, by one law of steps: in doubles, linear time.

Theorem: let q_t = Σ_k ω_k/(p_t + r_t) with the recursions of `docs/proofs/over_time.md`, Theorem 3,
over any set of nodes e^(kh), and q̃_t what doubles make of it. Then q̃_t/q_t lies between (1 − u)^n
and (1 + u)^n with u = 2^−53, n = 10·T + 2000; and f ≥ Σ π_t·q_t/(1 + ϑ).
Proof: docs/proofs/over_time.md, section 10.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEP = 0.5  # nodes are this far apart in ln t: a relative error of 1.1e-8
_MARGIN = 17.0  # beyond the ends of the spectrum, in ln t: what is left out is below e^-17
_UNIT = 2.0**-53
_AT_ONCE = 1024  # steps whose pivots are kept at a time


def long_bound(law: Floats, weights: Floats) -> Fraction:
    """f, rounded down: no mechanism of the scope has Σ θ_t·Var_t below its square.

    Args:
        law: π, chances that add up to 1 or a hair more or less; what is proved is for their sum 1.
        weights: w_t = 1/θ_t, likewise.
    """
    steps = len(law)
    found = math.fsum((law * long_diagonal(weights, law)).tolist())
    # Chances that add up to s in place of 1, and weights that do to r, raise f by √(r·s).
    sums = math.fsum(law.tolist()) * math.fsum((1 / weights).tolist())
    lost = (10 * steps + 2000) * _UNIT / (1 - (10 * steps + 2000) * _UNIT)
    base = math.exp(-(math.pi**2) / STEP)
    excess = 4 * base / (1 - base)
    bound = found / math.sqrt(sums) * (1 - 2 * lost) / (1 + excess * (1 + 1e-9))
    return Fraction(bound if math.isfinite(bound) else 0.0)


def nodes(weights: Floats, law: Floats) -> Floats:
    """Which t are added up: any choice gives a bound, and these one that is nearly tight."""
    low = 1 / float(np.sum(law) * np.sum(1 / weights))
    high = 4 * float(weights.max() / law.min())
    first = math.floor((math.log(low) / 2 - _MARGIN) / STEP)
    last = math.ceil((math.log(high) / 2 + _MARGIN) / STEP)
    return np.asarray(np.exp(STEP * np.arange(first, last + 1)))


def long_diagonal(weights: Floats, law: Floats) -> Floats:
    """q_t of every step, as doubles tell it; at most `_AT_ONCE` rows of pivots are kept.

    Args:
        weights: w_t, one over the weight of the variance of total t.
        law: π, a chance for each step.
    """
    places = nodes(weights, law)
    taus, shares = places**2, 2 / math.pi * STEP * places
    starts = range(0, len(law), _AT_ONCE)
    below = np.empty((len(starts), len(taus)))  # r of the last step of each part
    after = np.full(len(taus), weights[-1])
    for part in reversed(starts):
        below[part // _AT_ONCE] = after
        rows = _below(weights, law, taus, after, part)
        if part:
            w, sum_ = weights[part - 1], law[part] * taus + rows[0]
            after = w * sum_ / (w + sum_)
    found, above = np.empty(len(law)), np.zeros(len(taus))
    for part in starts:
        rows = _below(weights, law, taus, below[part // _AT_ONCE], part)
        for at in range(part, part + len(rows)):
            before = weights[at - 1] if at else 1.0
            above = law[at] * taus + before * above / (before + above)
            rows[at - part] += above
        found[part : part + len(rows)] = (1 / rows) @ shares
    return found


def _below(weights: Floats, law: Floats, taus: Floats, last: Floats, part: int) -> Floats:
    """The r of the steps of one part, from its last step back."""
    end = min(part + _AT_ONCE, len(law))
    rows = np.empty((end - part, len(taus)))
    rows[-1] = last
    for at in range(end - 1, part, -1):
        w, after = weights[at - 1], law[at] * taus + rows[at - part]
        rows[at - 1 - part] = w * after / (w + after)
    return rows
