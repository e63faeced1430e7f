r"""`CountsLayers`: sums over the pairs of counters behind noise for counts.

A point x of Z^k has p(x) = ⌈max(0, max xᵢ − ⌈s/2⌉)/Δ⌉ and q(x) = ⌈max(0, max(−xᵢ) − ⌊s/2⌋)/Δ⌉, and
its weight depends on p + q alone: f(r) = b**r, or for a law that is cut, b**r below a radius L,
edge·b**L at it, and 0 beyond.

Theorem: let box(p, q) hold the x with −q·Δ − ⌊s/2⌋ ≤ xᵢ ≤ p·Δ + ⌈s/2⌉. For every function g,
Σ f(p(x) + q(x))·g(x) over Z^k = Σ c(r)·Σ g(x) over all p + q = r and x in box(p, q), where
c(r) = f(r) − 2·f(r + 1) + f(r + 2).
Proof: x lies in box(p, q) exactly if p ≥ p(x) and q ≥ q(x): with n = r − p(x) − q(x), in n + 1
boxes with p + q = r. So x counts Σ (n + 1)·c(p(x) + q(x) + n) over n ≥ 0, which is f(p(x) + q(x)).
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property

from flint import arb, ctx, fmpq, fmpq_poly

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.lerch import lerch_sum


@dataclass(frozen=True)
class CountsLayers:
    """See the module's docstring for the weights.

    Args:
        counts: k ≥ 1.
        period: Δ ≥ 1, by how much one step of a counter widens a box.
        start: s ≥ 0, by how much box(0, 0) is wider than a point.
        rate: b = e**−rate, rate > 0.
        radius: L; None if the law is not cut.
        edge: in (0, 1].
    """

    counts: int
    period: int
    start: int
    rate: Fraction
    radius: int | None = None
    edge: Fraction = Fraction(1)

    def side(self, layer: int) -> int:
        """How many values one number has in box(p, q), p + q = layer."""
        return layer * self.period + self.start + 1

    def weight(self, layer: int) -> arb:
        """f, at the working precision."""
        if self.radius is not None and layer >= self.radius:
            last = layer == self.radius
            return self.power(layer) * balls.ball(self.edge) if last else arb(0)
        return self.power(layer)

    def power(self, exponent: int) -> arb:
        """b**exponent."""
        return (-balls.ball(self.rate * exponent)).exp()

    def boxes(self, layer: int) -> arb:
        """How many points the boxes of a layer have in all."""
        return arb(layer + 1) * arb(self.side(layer)) ** self.counts

    def points(self, layer: int) -> int:
        """How many x have p(x) + q(x) = layer, exactly."""
        return (
            self._sum_of_boxes(layer)
            - 2 * self._sum_of_boxes(layer - 1)
            + self._sum_of_boxes(layer - 2)
        )

    def _sum_of_boxes(self, layer: int) -> int:
        return int((layer + 1) * self.side(layer) ** self.counts) if layer >= 0 else 0

    def total(self) -> arb:
        """Σ f(p(x) + q(x)) over Z^k."""
        layer = fmpq_poly([1, 1])
        return self._kept("total", lambda: self.summed(layer, 0, self.counts))

    def summed(self, factor: fmpq_poly, first: int, degree: int | None = None) -> arb:
        """Σ c(r)·side(r)**degree·factor(r) over r ≥ first; the degree is k − 1 unless given."""
        power = self.counts - 1 if degree is None else degree
        if self.radius is not None:
            return self._finite(factor, first, power)
        drop = (1 - self.power(1)) ** 2
        return drop * sum(
            (
                arb(coefficient) * self._endless(power + more, first)
                for more, coefficient in self._by_side(factor)
            ),
            arb(0),
        )

    def _by_side(self, factor: fmpq_poly) -> Iterable[tuple[int, fmpq]]:
        """A polynomial in r as one in side(r)."""
        layer = fmpq_poly([fmpq(-self.start - 1, self.period), fmpq(1, self.period)])
        return [(n, c) for n, c in enumerate(factor(layer).coeffs()) if c != 0]

    def _endless(self, degree: int, first: int) -> arb:
        def compute() -> arb:
            offset = Fraction(self.start + 1, self.period)
            scale = arb(self.period) ** degree * balls.ball(self.rate * offset).exp()
            return scale * self._lerch(degree, offset + first)

        return self._kept((degree, first), compute)

    def _lerch(self, degree: int, start: Fraction) -> arb:
        if degree:
            return lerch_sum(degree, self.rate, start)
        return (-balls.ball(self.rate * start)).exp() / (1 - self.power(1))

    def _finite(self, factor: fmpq_poly, first: int, degree: int) -> arb:
        """Term by term; c(r) = (1 − b)²·b**r as long as the cut is far."""
        assert self.radius is not None
        total, drop = arb(0), (1 - self.power(1)) ** 2
        for layer in range(first, self.radius + 1):
            if layer + 2 < self.radius:
                change = drop * self.power(layer)
            else:
                near = [self.weight(layer + i) for i in range(3)]
                change = near[0] - 2 * near[1] + near[2]
            total += change * arb(self.side(layer)) ** degree * arb(factor(layer))
        return total

    def _kept(self, name: object, compute: Callable[[], arb]) -> arb:
        """Sums are used again and again; each precision has its own."""
        key = (name, ctx.prec)
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    @cached_property
    def _known(self) -> dict[object, arb]:
        return {}
