"""`FiniteLaw`: a law with finitely many outcomes and exact weights."""

import math
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.order import renyi_order

_ZERO = ExponentialSum.of(0)
_ONE = ExponentialSum.of(1)


@dataclass(frozen=True, init=False)
class FiniteLaw:
    r"""Outcomes with weights, normalised to sum to 1; every decision about it is exact.

    A weight is a number, or an `ExponentialSum` where it is made of exponentials, as the e^ε of
    randomized response.

    Args:
        weights: outcome ↦ weight, each ≥ 0 and not all of them 0.

    Example:
        >>> truthful = FiniteLaw({"yes": ExponentialSum.exp(1), "no": 1})
        >>> flipped = FiniteLaw({"no": ExponentialSum.exp(1), "yes": 1})
        >>> truthful.hockey_stick(flipped, Fraction(1)), truthful.renyi(flipped, math.inf)
        (Interval(0), Interval(0.999999999999999, 1.00000000000001))
    """

    weights: Mapping[Hashable, ExponentialSum]
    total: ExponentialSum

    def __init__(self, weights: Mapping[Any, Exact | ExponentialSum]) -> None:
        exact = {outcome: _weight(weight) for outcome, weight in weights.items()}
        kept = {outcome: weight for outcome, weight in exact.items() if weight.terms}
        if not kept:
            raise _check.refuse(
                "a law must hold a positive weight", "none above 0", "Weigh some outcome."
            )
        total = sum(kept.values(), _ZERO)
        if len(total.terms) == 1:
            share = _inverse(total)
            kept, total = {outcome: weight * share for outcome, weight in kept.items()}, _ONE
        keep(self, weights=MappingProxyType(kept), total=total)

    def hockey_stick(self, other: "FiniteLaw", epsilon: Exact) -> Interval:
        """Σ max(0, p − e^ε·q), every sign decided."""
        epsilon = _check.rational(epsilon, "epsilon")
        factor, total = ExponentialSum.exp(epsilon), _ZERO
        for mine, theirs in self._weights_beside(other):
            leak = mine - factor * theirs
            if leak.sign() > 0:
                total += leak
        return ExponentialRatio(total, self.total * other.total).interval()

    def renyi(self, other: "FiniteLaw", order: Exact) -> Interval:
        """The Rényi divergence of a positive order, 1 and ∞ included."""
        order = renyi_order(order)
        shared = [outcome for outcome in self.weights if outcome in other.weights]
        if not shared or (order >= 1 and len(shared) < len(self.weights)):
            return Interval(math.inf, math.inf)
        if self._equals(other):
            return Interval.exactly(0)
        if order == math.inf:
            return at_least_0(lambda: self._greatest_loss(other))
        return at_least_0(lambda: self._divergence(other, Fraction(order)))

    def _weights_beside(
        self, other: "FiniteLaw"
    ) -> Iterator[tuple[ExponentialSum, ExponentialSum]]:
        """Weights of both laws on a common scale."""
        for outcome, weight in self.weights.items():
            yield weight * other.total, other.weights.get(outcome, _ZERO) * self.total

    def _equals(self, other: "FiniteLaw") -> bool:
        same_size = len(self.weights) == len(other.weights)
        return same_size and not any((a - b).terms for a, b in self._weights_beside(other))

    def _chances(self, other: "FiniteLaw") -> list[tuple[arb, arb]]:
        mine, theirs = self.total.ball(), other.total.ball()
        return [
            (weight.ball() / mine, other.weights[outcome].ball() / theirs)
            for outcome, weight in self.weights.items()
            if outcome in other.weights
        ]

    def _greatest_loss(self, other: "FiniteLaw") -> arb:
        losses = [(p / q).log() for p, q in self._chances(other)]
        greatest = losses[0]
        for loss in losses[1:]:
            greatest = greatest.max(loss)
        return greatest

    def _divergence(self, other: "FiniteLaw", order: Fraction) -> arb:
        chances = self._chances(other)
        if order == 1:
            return sum((p * (p / q).log() for p, q in chances), arb(0))
        power = balls.ball(order - 1)
        return sum((p * (p / q) ** power for p, q in chances), arb(0)).log() / power


def at_least_0(compute: balls.Computation) -> Interval:
    """A tight bracket around a number that is known not to be negative."""
    bracket = balls.enclosure(compute)
    # A ball without meaning, at every precision, is read as "no upper bound".
    upper = bracket.upper if bracket.upper >= 0 else math.inf
    return Interval(max(Fraction(0), bracket.lower), upper)


def _weight(value: Exact | ExponentialSum) -> ExponentialSum:
    if not isinstance(value, ExponentialSum):
        return ExponentialSum.of(_check.non_negative(value, "a weight"))
    if value.sign() >= 0:
        return value
    raise _check.refuse(
        "`a weight` must not be negative", _check.shown(value), "Choose 0 or above."
    )


def _inverse(single: ExponentialSum) -> ExponentialSum:
    ((exponent, factor),) = single.terms.items()
    return ExponentialSum({-exponent: 1 / factor})
