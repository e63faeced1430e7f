r"""`delta_bound`: a δ that surely suffices for very many losses added up, found quickly.

It answers one question, whether a loss keeps (ε, δ), from above only, so it may simplify: losses so
rare that all of them together weigh next to nothing beside δ are taken for infinite, and losses
far below 0 are raised. Both only ever raise δ. The grid is then short, however large the rare
losses at the edges of bounded noise are.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.grid_cells import GridMasses
from leastnoise.privacy.variables.grid_sum import GridSum
from leastnoise.privacy.variables.product_variable import ProductVariable

_RARE = 2.0**-12  # share of δ that may be cut off


def delta_bound(
    loss: PrivacyLoss, *, epsilon: Fraction, delta: Fraction, density: int, reach: float = math.inf
) -> float:
    r"""An upper bound on the least δ at ε, close to it if that is about `delta`.

    Theorem: replacing a loss by a larger one, or by ∞, on any event never lowers
    E max(0, 1 − e^(ε−L)), nor does spreading it to neighbouring grid points with the same mean of
    e^−L; and this passes to sums of independent losses. Proof: docs/proofs/grids.md.

    Args:
        loss: one whose two directions have the same law.
        epsilon: ε ≥ 0.
        delta: the δ in question, which says what is rare.
        density: grid points per standard deviation of the most frequent part.
        reach: single losses that exceed ε by more than this many standard deviations of the sum
            are taken for infinite. Where such losses hardly matter the bound is quicker then, and
            may even be lower, as it has less to round.

    Example:
        >>> from leastnoise.noise import MedianOfUniforms
        >>> loss = MedianOfUniforms(order=4, radius=671).privacy(1).self_compose(2048)
        >>> target = Fraction(1, 10**6)
        >>> bound = delta_bound(loss, epsilon=Fraction(1), delta=target, density=64)
        >>> float(loss.delta(1).lower) <= bound <= 1.002 * float(loss.delta(1).lower)
        True
    """
    if loss.backward is not None:
        raise UnsupportedQuery(
            "a loss must have the same law in both directions to be bounded quickly; got one that "
            "has not. Ask the loss itself for its delta."
        )
    whole = loss.forward
    parts = whole.parts if isinstance(whole, ProductVariable) else ((whole, 1),)
    step = max(parts, key=lambda part: part[1])[0].spread / density
    spread = math.sqrt(sum(count * part.spread**2 for part, count in parts))
    largest = float(epsilon) + reach * spread
    rare = float(delta) * _RARE / sum(count for _, count in parts)
    shortened = [
        (_shortened(part.cells(step).pessimistic(), rare, largest), count) for part, count in parts
    ]
    return GridSum(shortened).delta_at_most(float(epsilon))


def _shortened(masses: GridMasses, rare: float, largest: float) -> GridMasses:
    """The masses without losses that are rarer or larger than this, nor their mirror image."""
    above = np.cumsum(masses.mass[::-1]) * (1 + 1e-9)  # rounded up
    losses = (masses.first + np.arange(len(above))) * masses.step
    too_rare, too_large = np.searchsorted(above, rare), np.count_nonzero(losses > largest)
    dropped = min(max(int(too_rare), int(too_large)), len(above) - 1)
    kept = masses.mass[: len(above) - dropped].copy()
    last = masses.first + len(kept) - 1
    lifted = min(max(-max(last, 1) - masses.first, 0), len(kept) - 1)
    kept[lifted] += kept[:lifted].sum() * (1 + 1e-9)
    beyond = float(above[dropped - 1]) if dropped else 0.0
    return replace(
        masses, first=masses.first + lifted, mass=kept[lifted:], infinite=masses.infinite + beyond
    )
