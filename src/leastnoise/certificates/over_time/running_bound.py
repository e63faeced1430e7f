r"""The least error of running totals, proved by one law of steps: in balls and linear time.

Theorem: let π and θ be laws on T steps, each chance positive. Every linear unbiased Gaussian
mechanism for the T running totals that a unit in one step moves by at most 1 in length has
Σ θ_t·Var_t ≥ f², with f = tr(D_π^½·G·D_π^½)^½, G = Σ_t θ_t·e_t·e_tᵀ and e_t the vector with t ones
before zeros. And f = Σ π_t·K_tt for the K of docs/proofs/over_time.md, Theorem 3, as nodes
e^(kh), k ∈ ℤ, tell it within a factor 1 + 2·Σ_{n≥1} sech(π²n/h); leaving nodes out only lowers it.
Proof: docs/proofs/over_time.md, sections 1 and 2.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls

_BITS = 64
_STEP = Fraction(3, 5)
_MARGIN = 14  # beyond the spectrum, in ln t: what is left out is below a millionth


def running_bound(
    law: Sequence[int], *, worst: bool, shares: Sequence[int] | None = None
) -> Fraction:
    """f, rounded down.

    Args:
        law: π, as integers over their sum; each at least 1.
        worst: θ is the law turned round; else all totals have the weight 1/T.
        shares: θ, as integers over their sum, if it is neither.
    """
    with balls.precision(_BITS):
        total = sum(law)
        chances = [arb(each) / total for each in law]
        if shares is None:
            shares = tuple(reversed(law)) if worst else (1,) * len(law)
        weights = [arb(sum(shares)) / each for each in shares]
        found = sum((_term(k, chances, weights) for k in _places(law, shares)), arb(0))
        return Fraction(balls.interval(found / (1 + _excess())).lower)


def _excess() -> arb:
    """2·Σ sech(π²n/h) ≤ 4·Σ e^(−π²n/h)."""
    base = (-(arb.pi() ** 2) / balls.ball(_STEP)).exp()
    return 4 * base / (1 - base)


def _places(law: Sequence[int], shares: Sequence[int]) -> range:
    """Which nodes are added up: any choice is sound."""
    total, least = sum(law), min(law)
    heaviest = sum(shares) / min(shares)
    top = math.log(4 * heaviest * total / least) / 2  # the least eigenvalue is above 1
    step = float(_STEP)
    return range(math.floor(-_MARGIN / step), math.ceil((top + _MARGIN) / step) + 1)


def _term(place: int, chances: list[arb], weights: list[arb]) -> arb:
    """What one node adds: (2/π)·h·t·Σ_i π_i/(p_i + r_i) at t = e^(h·place)."""
    node = (balls.ball(_STEP) * place).exp()
    own = [node * node * chance for chance in chances]
    below = [weights[-1]] * len(own)
    for i in range(len(own) - 1, 0, -1):
        after = own[i] + below[i]
        below[i - 1] = weights[i - 1] * after / (weights[i - 1] + after)
    above, found = own[0], chances[0] / (own[0] + below[0])
    for i in range(1, len(own)):
        before = weights[i - 1]
        above = own[i] + before * above / (before + above)
        found += chances[i] / (above + below[i])
    return 2 / arb.pi() * balls.ball(_STEP) * node * found
