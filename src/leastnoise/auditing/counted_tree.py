"""Quantiles that are read from noisy sums of counts: how far neighbours move all these sums."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.auditing.small_inputs import small_inputs
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric.interval import Interval


def counted_tree(mechanism: Quantiles, way: CountedQuantiles | FactoredQuantiles) -> ExactAudit:
    r"""The price of all noisy sums together, for every pair of small neighbouring tables.

    Discrete Laplace noise of scale s on counts that move by d costs ε = ‖d‖₁/s exactly; discrete
    Gaussian noise of parameter σ² costs ρ = ‖d‖₂²/(2σ²), rounded noise or not. The moves are found
    by counting every node anew, or by multiplying with the factor entry by entry; what is read from
    noisy sums costs nothing more.
    """
    pairs, scope = small_inputs(mechanism)
    prices = [(_price(way, _moves(way, one, other)), (one, other)) for one, other in pairs]
    greatest, worst = max(prices, key=lambda found: found[0])
    promise = mechanism.guarantee
    return ExactAudit(
        measure=f"the {'ρ' if hasattr(promise, 'rho') else 'ε'} of all noisy sums",
        attained=Interval.exactly(greatest),
        allowed=promise.rho if hasattr(promise, "rho") else promise.epsilon,
        pairs=len(prices),
        scope=scope,
        worst=worst,
    )


def _moves(
    way: CountedQuantiles | FactoredQuantiles, one: Sequence[int], other: Sequence[int]
) -> list[int]:
    """How far each number moves before it gets its noise."""
    changes = [a - b for a, b in zip(one, other, strict=True)]
    if isinstance(way, FactoredQuantiles):
        column, cells = way.factor.column, len(changes)
        turned = [*(-each for each in column), *column]
        rows = (
            sum(turned[cells + row - cell] * move for cell, move in enumerate(changes))
            for row in range(cells)
        )
        return [way.factor.whole * sum(changes), *rows]
    moved: Counter[tuple[int, int]] = Counter()
    for cell, move in enumerate(changes):
        for level in range(way.height):
            moved[level, cell // way.branching**level] += move
    return list(moved.values())


def _price(way: CountedQuantiles | FactoredQuantiles, moves: Sequence[int]) -> Fraction:
    law = way.law
    if isinstance(law, DiscreteGaussian):
        return Fraction(sum(move**2 for move in moves)) / (2 * law.sigma_squared)
    return Fraction(sum(map(abs, moves))) / law.scale
