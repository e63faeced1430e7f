r"""Uniform noise for vectors under (0, δ): what it costs, and what no noise can beat."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.vector.uniform_cube_bound import half_line_bound
from leastnoise.noise.laws.staircase import MOST_SENSITIVITY
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.noise.vectors.independent import Independent
from leastnoise.numeric.interval import Interval


@dataclass(frozen=True)
class UniformCube:
    """Independent uniform noise with lighter ends, its costs and the bounds beside them.

    Every number is exact. Costs are sums over the coordinates: E Σ|Xᵢ| and E ΣXᵢ².

    Attributes:
        dimension: d.
        sensitivity: Δ, in ℓ1.
        delta: δ.
    """

    dimension: int
    sensitivity: int
    delta: Fraction

    @property
    def law(self) -> Independent:
        """The noise, (0, δ)-DP at ℓ1-sensitivity Δ with equality, of mean 0."""
        return Independent(self._coordinate, self.dimension)

    @property
    def _coordinate(self) -> Uniform:
        return Uniform(sensitivity=self.sensitivity, delta=self.delta)

    def cost(self, order: SupportsIndex = 1) -> Interval:
        """E Σ|Xᵢ|^order, for order 1 or 2; dΔ/(4δ) and d(Δ²/(12δ²) + 1/6) if Δ/(2δ) is whole."""
        return self._times(self._coordinate.moment(_order(order)))

    def bound(self, order: SupportsIndex = 1) -> Interval:
        r"""No (0, δ)-DP noise on Z^d has a smaller E Σ|Xᵢ|^order.

        Theorem: it is d times the bound for one number, which `half_line_bound` computes exactly.
        For order 1 the cost meets it if 1/(2δ) is an integer.
        Proof: docs/proofs/optimal_vectors.md, section 8.
        """
        single = half_line_bound(self.sensitivity, self.delta, _order(order))
        return self._times(Interval.exactly(single))

    def ratio(self, order: SupportsIndex = 1) -> Interval:
        """The cost over the bound: 1 is optimal."""
        cost, bound = self.cost(order), self.bound(order)
        return Interval(Fraction(cost.lower) / bound.upper, Fraction(cost.upper) / bound.lower)

    def printed_bound(self, order: SupportsIndex = 1) -> Interval:
        r"""The weaker bound printed on the slides, for 1/(2δ) an integer (errata C12).

        dΔ/(4δ) − (Δ−1)d/2 for order 1, and dΔ²/(12δ²) − (Δ−1)dΔ/(4δ) − (Δ−1)d/2 + dΔ²/6 for order
        2. Both are valid; `bound` is never smaller.

        Raises:
            UnsupportedQuery: 1/(2δ) is not an integer.
        """
        n, width = 1 / (2 * self.delta), self.sensitivity
        if n.denominator != 1:
            raise UnsupportedQuery(
                "`delta` must be 1/2, 1/4, 1/6, … for the bound on the slides; got "
                f"delta={self.delta}. Use `bound`, which holds for every delta."
            )
        if _order(order) == 1:
            return self._times(Interval.exactly(width * n / 2 - Fraction(width - 1, 2)))
        squares = width**2 * n**2 / 3 + Fraction(width**2, 6)
        less = (width - 1) * (width * n + 1) / 2
        return self._times(Interval.exactly(squares - less))

    def _times(self, single: Interval) -> Interval:
        return Interval(single.lower * self.dimension, single.upper * self.dimension)


def uniform_cube(
    *, dimension: SupportsIndex, sensitivity: SupportsIndex, delta: Exact
) -> UniformCube:
    r"""Uniform noise on every coordinate, for (0, δ)-DP at ℓ1-sensitivity Δ.

    Theorem: independent `Uniform` noise is (0, δ)-DP for all shifts v with ‖v‖₁ ≤ Δ: the total
    variation distance is at most 1 − Π(1 − |vᵢ|·δ/Δ) ≤ δ, with equality at v = (Δ, 0, …, 0).
    Its mean is 0, unlike that of equal atoms on −N..N−1 (errata C10). If 1/(2δ) is an integer, no
    noise has a smaller E‖X‖₁.
    Proof: docs/proofs/optimal_vectors.md, sections 5 and 8.

    Args:
        dimension: d, an integer ≥ 1.
        sensitivity: Δ, an integer ≥ 1, in ℓ1.
        delta: δ in (0, 1/2]; beyond that one number tells nearly all about the others.

    Raises:
        InvalidParameter: a parameter outside its range.

    Example:
        >>> cube = uniform_cube(dimension=3, sensitivity=4, delta="0.1")
        >>> [float(answer(1)) for answer in (cube.cost, cube.bound, cube.printed_bound)]
        [30.0, 30.0, 25.5]
        >>> [float(answer(2)) for answer in (cube.cost, cube.bound, cube.printed_bound)]
        [400.5, 396.0, 313.5]
    """
    size = _check.integer_between(dimension, "dimension", 1)
    whole = _check.integer_between(sensitivity, "sensitivity", 1, MOST_SENSITIVITY)
    leak = _check.positive_delta(delta)
    if leak <= Fraction(1, 2):
        return UniformCube(size, whole, leak)
    raise _check.refuse(
        "`delta` must be at most 1/2 for uniform noise on vectors",
        f"delta={delta!r}",
        "A larger one protects hardly anybody.",
    )


def _order(order: SupportsIndex) -> int:
    return _check.integer_between(order, "order", 1, 2)
