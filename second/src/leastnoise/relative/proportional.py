r"""Algorithm 2 of the note on larger groups: noise in proportion to the count itself, and why it fails.

X is N(x, (r*x)^2) for a count x. The noise itself depends on the data, so the two directions of a pair
of neighbours differ (D_a is the Renyi divergence of order a > 1; errata E1 to E4):

- D_a(x || x+1) = ln(1 + 1/x) + ln((x+1)^2/s)/(2(a-1)) + a/(2*r^2*s), s = x^2 + a*(2x+1). It is at most
  a/(2*r^2*x^2) + ln(1 + 1/x). The note prints 2*ln for ln, and this direction only.
- D_a(x+1 || x) is infinite from the order 1 + x^2/(2x+1) on. So no (v, xi) is valid for all orders.

Theorem. Let w = 1 + t*y^2/(2y+1), 0 < t < 1. For 1 < a <= w, both directions of (y, y+1), and of all
larger pairs, D_a <= a*rho with rho = (1/(2*r^2) + (1 + 1/(2y))^2)/((1-t)*y^2).

Proof page: docs/proofs/relative_algorithms.md. Nothing is released from here: these are questions about
the law on the real line.
"""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.noise.line import Normal
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, whole, written
from leastnoise.numbers.interval import Interval


def share(value: Exact, name: str) -> Fraction:
    """A relative error of at most 1."""
    error = exact(value, name)
    if not Fraction(1, 10**9) <= error <= 1:
        raise InvalidInput(f"{name} is {written(error)}. Give 0.05 for 5 %: from 1e-9 to 1.")
    return error


def order_from(value: Exact, name: str) -> Fraction:
    """An order of Renyi divergences; that of order 1 is the Kullback-Leibler divergence."""
    order = exact(value, name)
    if order < 1:
        raise InvalidInput(f"{name} is {written(order)}. Give a number from 1 on.")
    return order


@dataclass(frozen=True, kw_only=True)
class TruncatedZCDP:
    """Renyi divergences of at most rho*a at the orders 1 < a <= order, and nothing beyond.

    Reference: Bun, Dwork, Rothblum and Steinke 2018.

    Attributes:
        rho: per order.
        order: the last one.
    """

    rho: Fraction
    order: Fraction


@dataclass(frozen=True, kw_only=True)
class ProportionalNoise:
    """N(x, (r*x)^2) for a count x; counts below `smallest` are raised to it.

    Attributes:
        relative_error: r: the standard deviation is r*x, the mean error sqrt(2/pi)*r*x.
        smallest: at least 1, for groups of 0 would get no noise at all.
        order: up to which order a promise is wanted; below `order_limit(smallest)`.

    >>> noise = ProportionalNoise(relative_error="0.1", smallest=20, order=5)
    >>> noise.law(21).renyi(noise.law(20), Fraction(5)), noise.printed_bound(20, order=5)
    (1.07648596248916..., 0.722580328338864...)
    >>> noise.law(21).renyi(noise.law(20), noise.order_limit(20))
    inf
    """

    relative_error: Checked[Exact, Fraction] = Checked(share)
    smallest: Checked[int, int] = Checked(whole)
    order: Checked[Exact, Fraction] = Checked(order_from)

    def __post_init__(self) -> None:
        limit = self.order_limit(self.smallest)
        if self.order >= limit:
            raise InvalidInput(
                f"order is {written(self.order)}, and from {written(limit)} on the divergence of "
                f"groups of {self.smallest} is infinite. Give a smaller order, or a larger smallest."
            )

    def law(self, size: int) -> Normal:
        """The law of a released count."""
        x = max(whole(size, "size", least=0), self.smallest)
        return Normal(x, (self.relative_error * x) ** 2)

    def expected_error(self, size: int) -> Interval:
        """E|X - x| = sqrt(2/pi)*r*x, of the raised count."""
        return self.law(size).moment(1)

    def order_limit(self, size: int) -> Fraction:
        """From this order on a record of such a group is promised nothing, one record less included.

        >>> ProportionalNoise(relative_error="0.5", smallest=5, order=2).order_limit(5)
        Fraction(36, 11)
        """
        y = self._below(size)
        return 1 + Fraction(y * y, 2 * y + 1)

    def promise(self, size: int) -> TruncatedZCDP:
        """What a record in a group of this public size is promised, up to the order."""
        y = self._below(size)
        portion = (self.order - 1) / (self.order_limit(size) - 1)
        height = 1 / (2 * self.relative_error**2) + (1 + Fraction(1, 2 * y)) ** 2
        return TruncatedZCDP(rho=height / ((1 - portion) * y * y), order=self.order)

    def _below(self, size: int) -> int:
        """The lesser size of the pair that binds."""
        return max(whole(size, "size", least=0) - 1, self.smallest)

    def forward_bound(self, size: int, *, order: Exact) -> Interval:
        """a/(2*r^2*x^2) + ln(1 + 1/x), a bound on D_a(x || x+1) alone."""
        return self._forward(size, order, 1)

    def printed_bound(self, size: int, *, order: Exact) -> Interval:
        """a*v + xi as the note has it, with 2*ln(1 + 1/x). It bounds one direction only."""
        return self._forward(size, order, 2)

    def _forward(self, size: int, order: Exact, steps: int) -> Interval:
        x, a = max(whole(size, "size", least=0), self.smallest), order_from(order, "order")
        slope = a / (2 * (self.relative_error * x) ** 2)
        return balls.enclosure(lambda: ball(slope) + steps * ball(Fraction(1, x)).log1p())
