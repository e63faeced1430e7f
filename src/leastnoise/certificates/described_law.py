"""How a certificate describes the law it is about: by its weights, or by its name and numbers."""

from functools import cached_property

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class WeightTable:
    """P(X = k) = weights[|k|] / total, and 0 beyond the last weight."""

    weights: tuple[int, ...]

    @cached_property
    def total(self) -> int:
        """The sum of the weights of all integers, both signs."""
        return 2 * sum(self.weights) - self.weights[0]

    @property
    def radius(self) -> int:
        """The greatest magnitude in the table."""
        return len(self.weights) - 1

    def by_value(self) -> dict[int, int]:
        """Value ↦ weight, in increasing order of value."""
        return {k: self.weights[abs(k)] for k in range(-self.radius, self.radius + 1)}


@dataclass(frozen=True)
class Steps:
    """Weight e^(−ε·m) at k, where m = 0 for |k| < width and one more every Δ places."""

    width: int


@dataclass(frozen=True)
class CutSteps:
    """The same for |k| ≤ radius, nothing beyond; perhaps with lighter weights at ±radius."""

    width: int
    radius: int


@dataclass(frozen=True)
class CanonicalNoise:
    """P(X ≥ 1) = (1 − δ)/(1 + e^ε), P(X ≥ k+1) = max(0, e^−ε·(P(X ≥ k) − δ)), symmetric."""


DescribedLaw = WeightTable | Steps | CutSteps | CanonicalNoise
