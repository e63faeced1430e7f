"""Quantiles that are read from a tree of noisy counts: how far neighbours move the whole tree."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.auditing.small_inputs import small_inputs
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric.interval import Interval


def counted_tree(mechanism: Quantiles, way: CountedQuantiles) -> ExactAudit:
    r"""The price of all noisy counts together, for every pair of small neighbouring tables.

    Discrete Laplace noise of scale s on counts that move by d costs ε = ‖d‖₁/s exactly; discrete
    Gaussian noise of parameter σ² costs ρ = ‖d‖₂²/(2σ²), rounded noise or not. The moves are found
    by counting every node anew; what is read from noisy counts costs nothing more.
    """
    pairs, scope = small_inputs(mechanism)
    prices = [(_price(way, _moves(way, one, other)), (one, other)) for one, other in pairs]
    greatest, worst = max(prices, key=lambda found: found[0])
    promise = mechanism.guarantee
    return ExactAudit(
        measure=f"the {'ρ' if hasattr(promise, 'rho') else 'ε'} of all noisy counts",
        attained=Interval.exactly(greatest),
        allowed=promise.rho if hasattr(promise, "rho") else promise.epsilon,
        pairs=len(prices),
        scope=scope,
        worst=worst,
    )


def _moves(way: CountedQuantiles, one: Sequence[int], other: Sequence[int]) -> list[int]:
    """How far each node of the tree moves, level by level."""
    moved: Counter[tuple[int, int]] = Counter()
    for cell, (a, b) in enumerate(zip(one, other, strict=True)):
        for level in range(way.height):
            moved[level, cell // way.branching**level] += a - b
    return list(moved.values())


def _price(way: CountedQuantiles, moves: Sequence[int]) -> Fraction:
    law = way.law
    if isinstance(law, DiscreteGaussian):
        return Fraction(sum(move**2 for move in moves)) / (2 * law.sigma_squared)
    return Fraction(sum(map(abs, moves))) / law.scale
