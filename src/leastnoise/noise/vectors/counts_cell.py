"""`CountsCell`: the error of one answer under noise for counts, in half steps."""

from flint import fmpq_poly

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.noise.vectors.ball_moment import running_sum
from leastnoise.noise.vectors.counts_layers import CountsLayers
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Computable, Real, rational_real


@dataclass(frozen=True)
class CountsCell:
    r"""2·X₁ − c for X with the weights of `CountsLayers`, where c = 1 if the start is odd, else 0.

    Theorem: it is symmetric, and E g(2·X₁ − c) = Σ c(r)·side(r)**(k−1)·G(r) / Σ f, where G(r) is
    the sum of g(2x − c) over p = 0..r and the x of the side from −(r−p)·Δ − ⌊s/2⌋ to p·Δ + ⌈s/2⌉.
    Proof: the theorem of `counts_layers.py`; a box is a product, and p ↔ q mirrors the sides.

    Args:
        layers: the law of all numbers.
    """

    layers: CountsLayers

    @property
    def shape(self) -> "CountsCell":
        """Its own mathematics."""
        return self

    @property
    def centre(self) -> int:
        """c: twice the mean of the noise."""
        return self.layers.start % 2

    @property
    def support(self) -> tuple[int, int] | None:
        """The least and greatest error; None if there is no limit."""
        if self.layers.radius is None:
            return None
        most = 2 * self.layers.radius * self.layers.period + self.layers.start
        return -most, most

    def _share(self, factor: fmpq_poly, first: int) -> Computable:
        return Computable(lambda: self.layers.summed(factor, first) / self.layers.total())

    def pmf(self, error: int) -> Interval:
        """P(2·X₁ − c = error)."""
        x, odd = divmod(error + self.centre, 2)
        if odd:
            return Interval.exactly(0)
        first = self._least_counter(x) + self._least_counter(self.centre - x)
        return self._share(fmpq_poly([1 - first, 1]), first).interval()

    def _least_counter(self, x: int) -> int:
        """The least p at which a side reaches up to x."""
        return max(0, -((self._above - x) // self.layers.period))

    @property
    def _above(self) -> int:
        return (self.layers.start + 1) // 2

    def outside(self, magnitude: int) -> Real:
        """P(|2·X₁ − c| > magnitude): twice that of the upper side, which has pΔ + room values."""
        if magnitude < 0:
            return rational_real(1)
        least = (magnitude + self.centre) // 2 + 1
        first, room = self._least_counter(least), self._above + 1 - least
        values = running_sum(fmpq_poly([room, self.layers.period]))
        following = fmpq_poly([1, 1])
        return self._share(2 * (values(following) - values(first)), first)

    def moment(self, order: int) -> Interval:
        """E|2·X₁ − c|**order for order ≥ 0."""
        if not order:
            return Interval.exactly(1)
        return self._share(self._powers(order), 0).interval()

    def _powers(self, order: int) -> fmpq_poly:
        """G(r) for g = |error|**order, as a polynomial in r."""
        error = fmpq_poly([-self.centre, 2])
        powers = running_sum(error**order)
        upper = powers(fmpq_poly([self._above + 1, self.layers.period])) - powers(1)
        return 2 * running_sum(upper)(fmpq_poly([1, 1]))

    def quantile(self, probability: Exact) -> int:
        """The least m with P(|2·X₁ − c| ≤ m) ≥ probability, which must be below 1."""
        level = _check.probability(probability, "probability")
        return least_integer(lambda m: self.outside(m).compare(1 - level) <= 0, 0)
