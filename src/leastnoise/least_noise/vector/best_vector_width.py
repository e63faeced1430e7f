r"""The best width of a norm staircase on Z^d, among all widths 1..Δ.

The number of points in the ball of radius w − 1 + jΔ, and the sum of ‖x‖^p over them, are
polynomials in s = w − 1/2 + jΔ (`noise/vectors/ball_moment.py`). So E‖X‖^p = N(w)/D(w)
for two polynomials in w whose coefficients are made of the sums Σ b^j·j^i: two evaluations
price a width.
"""

from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb

from flint import arb, ctx, fmpq_poly

from leastnoise._dataclass import dataclass
from leastnoise.errors import Undecided
from leastnoise.least_noise.staircase.staircase_sums import geometric_moments
from leastnoise.noise.vectors.ball_moment import power_sum_over_ball
from leastnoise.noise.vectors.layer_sum import centred
from leastnoise.noise.vectors.norm import Norm, ball_of
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import monotone_inverse
from leastnoise.numeric.real_roots import crossings

_EVERY_WIDTH = 1 << 11


@lru_cache(maxsize=256)
def best_width(
    *, dimension: int, sensitivity: int, epsilon: Fraction, norm: Norm, order: int
) -> int:
    r"""The width in 1..Δ at which the norm staircase has the least E‖X‖^order.

    Theorem: no other width is as good. For rational ε two widths never cost the same, so that
    comparisons are decided. Up to 2^11 widths are compared one by one; of more, only the ends and
    the neighbours of the local minima of N/D on the real line, all of which are found by isolating
    the zeros of N′·D − N·D′.
    Proof: docs/proofs/optimal_vectors.md, section 3.

    Example:
        >>> best_width(dimension=2, sensitivity=1000, epsilon=Fraction(4), norm="l1", order=1)
        312
    """
    prices = WidthPrices(dimension, sensitivity, epsilon, norm, order)
    if sensitivity <= _EVERY_WIDTH:
        return prices.cheapest(list(range(1, sensitivity + 1)))
    return prices.cheapest(prices.near_valleys())


@dataclass(frozen=True)
class WidthPrices:
    """E‖X‖^order of norm staircases as a quotient of polynomials in γ = (w − 1/2)/Δ."""

    dimension: int
    sensitivity: int
    epsilon: Fraction
    norm: Norm
    order: int

    def cheapest(self, widths: list[int]) -> int:
        """The best of the widths, decided at whatever precision it takes."""
        bits = balls.FIRST_PRECISION
        while len(widths) > 1 and bits <= balls.LAST_PRECISION:
            with balls.precision(bits):
                priced = [(self._price(width), width) for width in widths]
                least = min(price.upper() for price, _ in priced)
                widths = [width for price, width in priced if not price > least]
            bits *= 2
        if len(widths) == 1:
            return widths[0]
        raise Undecided(
            "the best of several widths must differ from the others to be told; they agree to "
            f"{balls.LAST_PRECISION} bits. Move epsilon a little."
        )

    def near_valleys(self) -> list[int]:
        """Both ends, and the widths beside each local minimum of the price on the real line."""
        widths = {1, self.sensitivity}
        finer = Fraction(1, 4 * self.sensitivity)
        for crossing in crossings(self._slope):
            if crossing.rises:
                place = monotone_inverse(
                    lambda gamma: balls.sign(lambda: _at(self._slope(), gamma)),
                    crossing.lower,
                    crossing.upper,
                    relative=finer,
                )
                low, high = (
                    int(Fraction(end) * self.sensitivity + Fraction(1, 2))
                    for end in (place.lower, place.upper)
                )
                widths |= set(range(max(1, low), min(self.sensitivity, high + 1) + 1))
        return sorted(widths)

    def _price(self, width: int) -> arb:
        gamma = Fraction(2 * width - 1, 2 * self.sensitivity)
        over, under = self._polynomials()
        return _at(over, gamma) / _at(under, gamma)

    def _slope(self) -> list[arb]:
        """The coefficients of N′·D − N·D′: the slope of the price, times something positive."""
        over, under = self._polynomials()
        slope = [arb(0)] * (len(over) + len(under) - 2)
        for i, one in enumerate(over):
            for j, other in enumerate(under):
                if i != j:
                    slope[i + j - 1] += (i - j) * one * other
        return slope

    @cached_property
    def _known(self) -> dict[int, tuple[list[arb], list[arb]]]:
        return {}

    def _polynomials(self) -> tuple[list[arb], list[arb]]:
        """N and D in γ at the working precision."""
        if ctx.prec not in self._known:
            moments = geometric_moments(self.epsilon, self.dimension + self.order)
            self._known[ctx.prec] = (
                _layered(self._powers, self.sensitivity, moments),
                _layered(self._points, self.sensitivity, moments),
            )
        return self._known[ctx.prec]

    @cached_property
    def _points(self) -> fmpq_poly:
        return centred(ball_of(self.norm, self.dimension).polynomial())

    @cached_property
    def _powers(self) -> fmpq_poly:
        return centred(power_sum_over_ball(ball_of(self.norm, self.dimension), self.order))


def _layered(polynomial: fmpq_poly, period: int, moments: list[arb]) -> list[arb]:
    """Σ b^j·q(period·(j + γ)) over j ≥ 0 as a polynomial in γ, for a polynomial q."""
    factors = [arb(factor) * arb(period) ** k for k, factor in enumerate(polynomial.coeffs())]
    return [
        sum((comb(k, i) * factors[k] * moments[k - i] for k in range(i, len(factors))), arb(0))
        for i in range(len(factors))
    ]


def _at(coefficients: list[arb], place: Fraction) -> arb:
    total, x = arb(0), balls.ball(place)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total
