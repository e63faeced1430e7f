r"""The staircase law on the real line and in R^d: the best width, its cost, and what it tends to.

Law: in R^d, with any norm, the density is constant but for drops by the factor e^epsilon at
|x| = (k + gamma)*D, k = 0, 1, 2, ..., where D is the sensitivity in that norm.

Theorem: it is epsilon-DP, and E|X|^p = d/(d+p) * D^p * A_(d+p)(gamma) / A_d(gamma) with
A_m(gamma) = the sum of e^(-k*epsilon) * (k + gamma)^m over k >= 0. Some gamma has the least cost of
all epsilon-DP noise that does not depend on the data, for every norm, d and p.

Proof page: docs/proofs/staircase.md. References: Geng and Viswanath 2016 (d = 1); Geng, Kairouz, Oh
and Viswanath 2015 (d = 2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, factorial

from flint import arb, arb_poly, ctx, fmpq, fmpq_poly

from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import Checked, Exact, positive, probability, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import bracket

_MOST = {"dimension": 64, "moment": 64}
_MOST_EPSILON = 512
_TIGHT = 72  # bits of the best gamma


def _limited(value: int, name: str) -> int:
    found = whole(value, name)
    if found > _MOST[name]:
        raise InvalidInput(f"{name} is {found}. Give at most {_MOST[name]}.")
    return found


def _rate(value: Exact, name: str) -> Fraction:
    found = positive(value, name)
    if found > _MOST_EPSILON:
        raise InvalidInput(f"{name} is above {_MOST_EPSILON}, which promises nothing.")
    return found


@dataclass(frozen=True, repr=False)
class StaircaseTheory:
    """The staircase law of least E|X|^moment; every answer is a bracket.

    Attributes:
        epsilon: of the promise.
        moment: p, which power of the norm is to be small.
        dimension: d.
        sensitivity: D, in the norm that also measures the error.
    """

    epsilon: Checked[Exact, Fraction] = Checked(_rate)
    moment: Checked[int, int] = Checked(_limited)
    dimension: Checked[int, int] = Checked(_limited)
    sensitivity: Checked[Exact, Fraction] = Checked(positive)

    @property
    def gamma(self) -> Interval:
        """Where the first drop is, in sensitivities, at the least cost."""
        return self._best[0]

    @property
    def cost(self) -> Interval:
        """The least E|X|^moment."""
        return self._scaled(self._best[1])

    def cost_at(self, gamma: Exact) -> Interval:
        """E|X|^moment for another gamma from 0 to 1; 0 and 1 give the same law."""
        place = probability(gamma, "gamma")
        return self._scaled(balls.enclosure(lambda: self._cost(balls.ball(place))))

    @property
    def laplace_cost(self) -> Interval:
        """E|X|^moment for the density in proportion to e^(-epsilon*|x|/D)."""
        return Interval.exactly(self._laplace)

    @property
    def ratio(self) -> Interval:
        """The least cost over that of the Laplace density."""
        return _times(self.cost, 1 / self._laplace)

    @property
    def small_epsilon(self) -> Interval:
        """L * (1 + epsilon^(d+1) * min B_(d+1) / (d+1)!), L the cost of Laplace, B Bernoulli's.

        The least cost is this up to a factor 1 + O(epsilon^(d+2)) for epsilon to 0.
        """
        least = _least_bernoulli(self.dimension + 1)
        gain = self._laplace * self.epsilon ** (self.dimension + 1) / factorial(self.dimension + 1)
        return Interval(self._laplace + least.lower * gain, self._laplace + least.upper * gain)

    @property
    def limit_gamma(self) -> Interval:
        """The limit of the best gamma for epsilon to 0: where B_(d+1) is least."""
        return _least_place(self.dimension + 1)

    @property
    def large_epsilon(self) -> Interval:
        """D^p * g^p * (1 + c*g), g = (d*e^-epsilon/p)^(1/(d+p)), c = (d-1)/d if p = 1, else p.

        The least cost is this up to a factor 1 + O(g^2) for large epsilon.
        """
        d, p = self.dimension, self.moment
        slope = Fraction(d - 1, d) if p == 1 else Fraction(p)

        def compute() -> arb:
            g = (balls.ball(Fraction(d, p)) * (-balls.ball(self.epsilon)).exp()).root(d + p)
            return g**p * (1 + balls.ball(slope) * g)

        return self._scaled(balls.enclosure(compute))

    @property
    def independent(self) -> Interval:
        """The least E|X| in l1 of d independent staircases, each at epsilon/d; moment 1 only.

        Two of them at epsilon each are only 2*epsilon-DP: a shift (D/2, D/2) crosses a drop of both.
        """
        if self.moment != 1:
            raise InvalidInput(f"moment is {self.moment}. Independent staircases are priced for 1.")
        half, d = self.epsilon / (2 * self.dimension), self.dimension
        return self._scaled(balls.enclosure(lambda: d / (2 * balls.ball(half).sinh())))

    def __repr__(self) -> str:
        asked = ", ".join(f"{name} {written(Fraction(each))}" for name, each in vars(self).items()
                          if not name.startswith("_"))  # fmt: skip
        return (
            f"Staircase of {asked}: cost {float(self.cost):.4g} at gamma {float(self.gamma):.4g}, "
            f"{float(self.ratio):.4g} times that of Laplace"
        )

    # The search

    @property
    def _laplace(self) -> Fraction:
        rising = factorial(self.dimension + self.moment - 1) // factorial(self.dimension - 1)
        return self.sensitivity**self.moment * rising / self.epsilon**self.moment

    def _scaled(self, value: Interval) -> Interval:
        return _times(value, self.sensitivity**self.moment)

    def _moments(self) -> list[arb]:
        """The sums of b^k * k^j over k >= 0, j = 0 .. d + p, b = e^-epsilon and 0^0 = 1."""
        if ctx.prec not in self._known:
            odds = 1 / balls.ball(self.epsilon).expm1()
            found = [1 + odds]
            for j in range(1, self.dimension + self.moment + 1):
                found.append(odds * sum((comb(j, i) * found[i] for i in range(j)), arb(0)))
            self._known[ctx.prec] = found
        return self._known[ctx.prec]

    @cached_property
    def _known(self) -> dict[int, list[arb]]:
        return {}

    def _sum(self, order: int) -> arb_poly:
        """A_order as a polynomial in gamma."""
        moments = self._moments()
        return arb_poly([comb(order, j) * moments[order - j] for j in range(order + 1)])

    def _cost(self, gamma: arb) -> arb:
        """The cost for sensitivity 1."""
        d, n = self.dimension, self.dimension + self.moment
        return d * self._sum(n)(gamma) / (n * self._sum(d)(gamma))

    def _slope(self) -> arb_poly:
        """The slope of A_(d+p) / A_d has its sign."""
        d, n = self.dimension, self.dimension + self.moment
        return n * self._sum(n - 1) * self._sum(d) - d * self._sum(n) * self._sum(d - 1)

    @cached_property
    def _best(self) -> tuple[Interval, Interval]:
        """Gamma and cost for sensitivity 1: the best of all places where the slope turns to rising."""
        valleys = [self._refined(*ends) for ends in self._zeros()]
        priced = [(self._within(gamma), gamma) for gamma in valleys if gamma is not None]
        least = min(cost.upper for cost, _ in priced)
        best = [(cost, gamma) for cost, gamma in priced if cost.lower <= least]
        gamma = Interval(min(g.lower for _, g in best), max(g.upper for _, g in best))
        return gamma, Interval(min(cost.lower for cost, _ in best), least)

    def _zeros(self) -> list[tuple[Fraction, Fraction]]:
        """Each zero of the slope from 0 to 1 between two ends of its own."""
        bits = balls.FIRST_BITS
        while bits <= balls.LAST_BITS:
            try:
                with balls.precision(bits):
                    roots = self._slope().complex_roots()
                    real = [balls.interval(each.real) for each in roots if each.imag.contains(0)]
            except ValueError:
                bits *= 2
                continue
            ends = [(max(Fraction(0), Fraction(each.lower)), min(Fraction(1), Fraction(each.upper)))
                    for each in real]  # fmt: skip
            return [(low, high) for low, high in ends if low < high]
        raise Undecided("The best gamma is not found. Change epsilon a little.")

    def _refined(self, low: Fraction, high: Fraction) -> Interval | None:
        """A tight bracket of a local minimum; None for a local maximum."""
        if self._sign(low) >= 0 or self._sign(high) <= 0:
            return None
        while high - low > high / 2**_TIGHT:
            middle = (low + high) / 2
            low, high = (middle, high) if self._sign(middle) < 0 else (low, middle)
        return Interval(low, high)

    def _sign(self, gamma: Fraction) -> int:
        return balls.sign(lambda: self._slope()(balls.ball(gamma)))

    def _within(self, gamma: Interval) -> Interval:
        """The cost at a minimum inside a bracket: sums grow with gamma."""
        low, high = Fraction(gamma.lower), Fraction(gamma.upper)
        d, n = self.dimension, self.dimension + self.moment
        below = balls.enclosure(
            lambda: d * self._sum(n)(balls.ball(low)) / (n * self._sum(d)(balls.ball(high)))
        )
        return Interval(below.lower, balls.enclosure(lambda: self._cost(balls.ball(high))).upper)


def _times(value: Interval, factor: Fraction) -> Interval:
    return Interval(value.lower * factor, value.upper * factor)


def _bernoulli(degree: int) -> Callable[[Fraction], Fraction]:
    polynomial = fmpq_poly.bernoulli_poly(degree)

    def value(place: Fraction) -> Fraction:
        found = polynomial(fmpq(place.numerator, place.denominator))
        return Fraction(int(found.p), int(found.q))

    return value


def _least_place(degree: int) -> Interval:
    """Where the Bernoulli polynomial is least on [0, 1].

    Its slope is degree * B_(degree-1). For even degrees the place is 0 or 1/2 (0 and 1 are the same),
    for odd ones the slope has one zero on each side of 1/2, and rises at one of them.
    """
    half = Fraction(1, 2)
    if degree % 2 == 0:
        return Interval.exactly(half if degree % 4 == 2 else 0)
    slope, start = _bernoulli(degree - 1), half if degree % 4 == 3 else Fraction(0)
    return bracket(lambda place: slope(place) < 0, start, start + half, bits=100)


def _least_bernoulli(degree: int) -> Interval:
    """The least value of the Bernoulli polynomial on [0, 1]."""
    place, value = _least_place(degree), _bernoulli(degree)
    low, high = Fraction(place.lower), Fraction(place.upper)
    fall = (high - low) * degree * abs(_bernoulli(degree - 1)(high))
    return Interval(value(high) - fall, value(high))


def staircase_theory(
    *, epsilon: Exact, moment: int = 1, dimension: int = 1, sensitivity: Exact = 1
) -> StaircaseTheory:
    """The best staircase law on the real line or in R^d.

    For d = p = 1: gamma = 1/(1 + e^(epsilon/2)) and the cost D/(2*sinh(epsilon/2)).

    >>> best = staircase_theory(epsilon=2)
    >>> best.gamma, best.cost, best.laplace_cost
    (0.268941421369995..., 0.42545906411966..., 0.5)
    """
    return StaircaseTheory(epsilon, moment, dimension, sensitivity)
