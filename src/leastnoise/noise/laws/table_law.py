"""`TableLaw`: any finite law with rational weights."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.weights import Weights
from leastnoise.numeric.interval import Interval


@dataclass(frozen=True, init=False, repr=False)
class TableLaw(LatticeLaw):
    r"""A law given by a table of integers and rational weights, normalised to sum to 1.

    Law: weights.get(k, 0) / sum(weights.values())

    This is the form in which linear programs return noise. It need be neither symmetric nor
    unimodal; `verify` then checks every shift in both directions.

    Args:
        weights: value ↦ weight, each weight ≥ 0 and not all of them 0.

    Example:
        >>> law = TableLaw({-1: 1, 0: 2, 1: 1})
        >>> float(law.pmf(0)), law
        (0.5, TableLaw(3 values in -1..1))
        >>> print(law.verify(sensitivity=1, epsilon=0, delta="0.4"))
        REFUTED: (0, 0.4)-DP at sensitivity 1; least delta in [0.5, 0.5], attained at shift 1
        (symmetric and unimodal: the largest shift is the worst)
    """

    entries: tuple[tuple[int, Fraction], ...]

    def __init__(self, weights: Mapping[int, Exact]) -> None:
        rule, example = "`weights` must map integers to weights", "Write TableLaw({-1: 1, 1: 1})."
        _check.kind(weights, Mapping, rule, example)
        exact = sorted(
            (_check.integer(value, "a value of weights"), _check.non_negative(w, "a weight"))
            for value, w in weights.items()
        )
        kept = tuple((value, weight) for value, weight in exact if weight)
        if not kept:
            raise _check.refuse(
                "`weights` must hold a positive weight", "none above 0", "Weigh some value."
            )
        parts = _in_common(kept)
        total = sum(part for _, part in parts)
        keep(self, entries=tuple((value, Fraction(part, total)) for value, part in parts))

    @property
    def weights(self) -> dict[int, Fraction]:
        """Value ↦ probability, in increasing order of value."""
        return dict(self.entries)

    @property
    def parameters(self) -> dict[str, dict[int, Fraction]]:
        """The constructor's parameters by name, with their exact values."""
        return {"weights": self.weights}

    def __repr__(self) -> str:
        low, high = self.shape.support
        return f"TableLaw({len(self.entries)} values in {low}..{high})"

    @property
    def variance(self) -> Interval:
        """E[X²] − E[X]², exactly."""
        mean = sum(value * chance for value, chance in self.entries)
        square = sum(value * value * chance for value, chance in self.entries)
        return Interval.exactly(square - mean * mean)

    @cached_property
    def shape(self) -> Weights:
        """The table on a common denominator."""
        return Weights(dict(_in_common(self.entries)))


def _in_common(entries: Sequence[tuple[int, Fraction]]) -> list[tuple[int, int]]:
    """Values, each with its weight as a multiple of a part that all of them have in common."""
    whole = lcm(*(weight.denominator for _, weight in entries))
    return [(value, each.numerator * (whole // each.denominator)) for value, each in entries]
