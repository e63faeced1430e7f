r"""The two algorithms of the note on larger groups as they are, and what they really promise.

Algorithm 1: Y is N(X, (r*X)^2) for X of N(x, s^2), s^2 = 1/(2*rho): so Y = X*Z, Z of N(1, r^2)
independent of X. For all counts it is rho-zCDP, by post-processing. Nothing much better holds at all
orders: D_a(x+1 || x)/a tends to rho/2 as a grows, for every x and r, so no group-wise v below rho/2 is
valid, however large the group (errata E7). Nor is the error r*x kept by small groups (E8).

Algorithm 2: X is N(x, (r*x)^2). The noise itself depends on the data, so the two directions of a pair of
neighbours differ. The note bounds D_a(x || x+1) alone; D_a(x+1 || x) is infinite from the order
1 + x^2/(2x+1) on, so no (v, xi) is valid for all orders (errata E1 to E4).

Theorem. Let w = 1 + t*y^2/(2y+1), 0 < t < 1. For 1 < a <= w, both directions of (y, y+1), and of all
larger pairs, D_a <= a*rho with rho = (1/(2*r^2) + (1 + 1/(2y))^2)/((1-t)*y^2).

Proof page: docs/proofs/relative_algorithms.md. Only `ProductNoise.release` and `sample` draw; the rest
are questions about laws on the real line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, hypot, inf, isqrt, log, pi
from typing import Any, Literal

import numpy as np
from flint import acb, arb, ctx
from numpy.typing import NDArray

from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.noise.distribution import MOST_DRAWS
from leastnoise.noise.laws import RoundedGaussian
from leastnoise.noise.line import Normal
from leastnoise.noise.source import Source, system_source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, whole, written
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.relative.counts import (
    Table,
    public_size,
    public_sizes,
    relative_counts,
    secret_counts,
    share,
)

Floats = NDArray[np.float64]

_LARGEST = 1 << 50
_MOST_POINTS = 2 * 10**7  # of a grid; a second or two
_FARTHEST = 10**4  # sizes or deviations from 0 that a density is asked at
_FINE = 256  # the variance of the two draws, in steps, is at least this


def _budget(value: Exact, name: str) -> Fraction:
    rho = exact(value, name)
    if not Fraction(1, 10**9) <= rho <= 10**9:
        raise InvalidInput(f"{name} is {written(rho)}. Give a number from 1e-9 to 1e9.")
    return rho


def _order(value: Exact, name: str) -> Fraction:
    """Of a Renyi divergence; that of order 1 is the Kullback-Leibler divergence."""
    order = exact(value, name)
    if not 1 <= order <= 10**9:
        raise InvalidInput(f"{name} is {written(order)}. Give a number from 1 to 1e9.")
    return order


# The law of Algorithm 1


@dataclass(frozen=True)
class ProductLaw:
    """The law of Y for one size; its density is infinite at 0.

    With a = x/s, b = 1/r and y = +-s*r*w^2 the density is the sum over e = +-1 of
    exp(-((w*e^t - e*a)^2 + (w*e^-t -+ e*b)^2)/2), integrated over t, over 2*pi*s*r. Expanded in Bessel
    functions it is a series (Cui, Yu, Iommelli and Kong 2016, Theorem 2.1).

    Attributes:
        mean: the size x.
        noise: the variance s^2 of X.
        factor: the variance r^2 of Z.
    """

    mean: int
    noise: Fraction
    factor: Fraction

    def density(self, y: Exact, by: Literal["quadrature", "series"] = "quadrature") -> Interval:
        """The density at y, other than 0; the series takes long where x/s or 1/r is large.

        >>> law = ProductLaw(5, Fraction(1), Fraction(1, 4))
        >>> law.density(4), law.density(4, by="series")
        (0.149069736058222..., 0.149069736058222...)
        """
        place = exact(y, "y")
        if not place:
            raise InvalidInput("y is 0, where the density is infinite. Give another place.")
        if place**2 > _FARTHEST**2 * (self.mean**2 + self.noise + 1):
            raise InvalidInput("y is too far out. Give a place nearer to the mean.")
        if not isinstance(by, str) or by not in ("quadrature", "series"):
            raise InvalidInput(f'by is {by!r:.20}. Give "quadrature" or "series".')
        formula, sign = _quadrature if by == "quadrature" else _series, 1 if place > 0 else -1

        def density() -> arb:
            unit = ball(self.noise * self.factor).sqrt()
            a, b = ball(self.mean) / ball(self.noise).sqrt(), 1 / ball(self.factor).sqrt()
            return formula(a, sign * b, ball(abs(place)) / unit) / (2 * arb.pi() * unit)

        return balls.enclosure(density)

    def mean_error(self) -> arb:
        """E|Y - x| at the working precision.

        Given Z = z, Y - x is normal with mean x*(z - 1) and deviation s*|z|.
        """
        x, s, r = ball(self.mean), ball(self.noise).sqrt(), ball(self.factor).sqrt()
        reach, hole = r * arb(2 * ctx.prec).sqrt(), arb(2) ** -ctx.prec

        def folded(side: int, low: arb, high: arb) -> arb:
            def weighted(z: acb, _: bool) -> acb:
                shift, scale = x * (z - 1), s * side * z
                ratio = shift / (scale * arb(2).sqrt())
                mean = scale * (2 / arb.pi()).sqrt() * (-ratio * ratio).exp() + shift * ratio.erf()
                return mean * (-(((z - 1) / r) ** 2) / 2).exp()

            return acb.integral(weighted, low, high).real

        height = 1 / (r * (2 * arb.pi()).sqrt())
        inside = (folded(1, hole, 1 + reach) + folded(-1, -1 - reach, -hole)) * height
        # |z| <= hole has chance 2*hole*height at most, |z - 1| > reach of 2^-prec.
        most, outside = 2 * x + s, (x * r + s * (r + 1)) * 2 * hole
        return inside + arb(0).union(most * 2 * hole * height + outside)


def _quadrature(a: arb, b: arb, kappa: arb) -> arb:
    """Where p = w*e^t >= 4*|a| the integrand is at most e^(-9p^2/32); b has the sign of y."""
    return _branch(a, b, kappa.sqrt()) + _branch(-a, -b, kappa.sqrt())


def _branch(a: arb, b: arb, w: arb) -> arb:
    far = 2 * arb(ctx.prec).sqrt() + 4
    right, left = (((5 * abs(mean) + far) / w).log().upper() for mean in (a, b))

    def integrand(t: acb, _: bool) -> acb:
        return (-((w * t.exp() - a) ** 2 + (w * (-t).exp() - b) ** 2) / 2).exp()

    total = acb.integral(integrand, -left, right).real
    for end in (left, right):
        decay = 9 * (w * end.exp()).lower() ** 2 / 32
        total += arb(0).union((-decay).exp() / (2 * decay))
    return total


def _series(a: arb, b: arb, kappa: arb) -> arb:
    """2*e^(-(a^2+b^2)/2) times K_0*F_0 plus the sum of ((a^2*k)^j + (b^2*k)^j)/(2j)! * F_j*K_j.

    F_j = 0F1(; 2j+1; k*a*b). From j >= m = max(a^2, b^2) on the terms are at most
    (2m)^j*(j-1)!/(2j)! * e^(k*|a*b|/(2j+1)), each at most half of the one before.
    """
    most, product = (a**2).max(b**2), kappa * a * b
    total = product.hypgeom_0f1(arb(1)) * kappa.bessel_k(arb(0))
    powers, bound, j = (arb(1), arb(1)), arb(1), 0
    while total.is_finite():
        j += 1
        pairs = (2 * j - 1) * 2 * j
        powers = powers[0] * a**2 * kappa / pairs, powers[1] * b**2 * kappa / pairs
        total += sum(powers) * product.hypgeom_0f1(arb(2 * j + 1)) * kappa.bessel_k(arb(j))
        bound *= 2 * most * max(j - 1, 1) / pairs
        rest = bound * (abs(product) / (2 * j + 1)).exp()
        if j > most and rest < total.abs_upper() * arb(2) ** -ctx.prec:
            return 2 * (-(a**2 + b**2) / 2).exp() * (total + arb(0, rest.upper()))
    return total


def _log_masses(one: ProductLaw, other: ProductLaw, reach: float) -> Floats:
    """The logarithms of the masses that two laws give to cells of u = ln(w), for y > 0 and y < 0.

    Sums over t in floats: p = w*e^t and q = w*e^-t run so far from their means as `reach` says.
    """
    scale, b = float(one.noise) ** 0.5, float(one.factor) ** -0.5
    means = one.mean / scale, other.mean / scale
    ends = min(means) - reach, b - reach, max(means) + reach, b + reach
    low_p, low_q, top_p, top_q = (log(end) if end > 0 else -inf for end in ends)
    start, stop = max(low_p + low_q, -20) / 2, (top_p + top_q) / 2
    step = max(0.5 / min(ends[2:]), (stop - start) / 10**6)
    rows = np.arange(start, stop, step)[1:]
    left, right = np.maximum(rows - top_q, low_p - rows), np.minimum(top_p - rows, rows - low_q)
    points = (right - left) * hypot(*ends[2:]) + 2
    if points.sum() > _MOST_POINTS:
        raise InvalidInput("Sums over so many places take too long. Give a smaller order.")
    found = []
    for u, first, length, count in zip(rows, left, right - left, points.astype(int), strict=True):
        t = first + length * np.linspace(0, 1, count)
        p, q = np.exp(u + t), np.exp(u - t)
        width = log(step * length / (pi * (count - 1))) + 2 * u
        for sign in (1, -1):
            parts = np.array([[-((p - e * a) ** 2 + (q - e * sign * b) ** 2) / 2 for e in (1, -1)]
                              for a in means])  # fmt: skip
            top = parts.max(axis=(1, 2))
            sums = np.exp(parts - top[:, None, None]).sum(axis=(1, 2))
            found.append(top + np.log(sums) + width)
    return np.array(found).T


@dataclass(frozen=True)
class Attempt:
    """The note's second attempt at a bound: with expectations that do not exist. It bounds nothing.

    E|X'/X| and E[X^2/X'^2] are infinite, for X is near 0 with positive density: the right side of the
    note's inequality is infinite, and finite parts do not bound it.

    Attributes:
        principal_value: of E[1/X'], for X' of N(neighbour, s^2).
        finite_part: of E[1/X'^2] (the note prints half of one of its terms' factor, errata E6).
        printed: the number that the note's formula gives.
        divergence: the Kullback-Leibler divergence of Y from Y', an estimate.
    """

    principal_value: Interval
    finite_part: Interval
    printed: Interval
    divergence: float

    def __repr__(self) -> str:
        return f"not a bound: printed {self.printed:.4g}, divergence {self.divergence:.4g}"


@dataclass(frozen=True, kw_only=True)
class ProductNoise(Mechanism[Any, Any]):
    """Y = X*Z, rounded to whole numbers. Both factors are drawn as rounded Gaussians on fine lattices.

    The rounding matters: who factors an unrounded product of two integers learns X.

    Attributes:
        rho: of the noisy count.
        relative_error: r, the standard deviation of Z.

    >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
    >>> noise.floor, noise.expected_error(13), noise.keeps_error(13), noise.keeps_error(14)
    (Fraction(1, 4), 1.31032514075808..., False, True)
    """

    rho: Checked[Exact, Fraction] = Checked(_budget)
    relative_error: Checked[Exact, Fraction] = Checked(share)

    @property
    def guarantee(self) -> ZCDP:
        """That of the noisy count; for groups of all sizes."""
        return ZCDP(rho=self.rho)

    @property
    def floor(self) -> Fraction:
        """rho/2: for no size is a smaller group-wise v valid."""
        return self.rho / 2

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """That of the noisy count, which bounds that of Y."""
        places = (0, whole(distance, "distance"))
        return PrivacyLoss.of_laws(*(Normal(each, 1 / (2 * self.rho)) for each in places))

    def _answer(self, value: Any, source: Source) -> Any:
        counts = secret_counts(value, _LARGEST)
        (g, noise), (h, factor) = map(_lattice, (1 / (2 * self.rho), self.relative_error**2))
        first = g * counts.astype(np.object_) + _drawn(noise, counts, source)
        product = first * (h + _drawn(factor, counts, source))
        rounded = (2 * product + g * h) // (2 * g * h)
        return rounded if np.ndim(value) else int(rounded)

    def sample(self, size: int, count: int, source: Source | None = None) -> NDArray[Any]:
        """Draws for a public or made-up size."""
        number = whole(count, "count", most=MOST_DRAWS)
        sizes = np.full(number, public_size(size), dtype=np.object_)
        return np.asarray(self._answer(sizes, system_source(source)))

    # The law on the real line, as the note has it

    def law(self, size: int) -> ProductLaw:
        """The law of Y for a group of this size."""
        return ProductLaw(public_size(size), 1 / (2 * self.rho), self.relative_error**2)

    def expected_error(self, size: int) -> Interval:
        """E|Y - x|."""
        return balls.enclosure(self.law(size).mean_error)

    def keeps_error(self, size: int) -> bool:
        """Whether E|Y - x| < r*x, as the note asks."""
        law = self.law(size)
        return balls.sign(lambda: law.mean_error() - ball(self.relative_error * law.mean)) < 0

    def renyi(self, size: int, neighbour: int, *, order: Exact) -> float:
        """D_a of the law for one size from that for another, by sums in floats: no bound.

        To about seven digits, or to 1e-14. Order 1 is the Kullback-Leibler divergence.

        >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
        >>> [round(noise.renyi(101, 100, order=a) / a, 6) for a in (2, 10)]
        [0.00514, 0.006096]
        """
        one, other, a = self.law(size), self.law(neighbour), float(_order(order, "order"))
        # The integrand's mean is at most a*distance away; as far again, it is below e^-24 of 1.
        reach = 2 * a * abs(one.mean - other.mean) * float(2 * self.rho) ** 0.5 + 12
        f, g = _log_masses(one, other, reach)
        tilt = (a - 1) * (f - g)
        total = float(np.logaddexp.reduce(f + tilt))
        if total > 1:
            return total / (a - 1)
        # Near 0: the sum of f*((f/g)^(a-1) - 1)/(a-1) - f + g, where the laws' own sums cancel.
        masses = np.exp(f)
        if a == 1:
            return float(masses @ (f - g) - masses.sum() + np.exp(g).sum())
        grown = np.where(
            tilt > 1, np.exp(f + tilt) - masses, masses * np.expm1(np.minimum(tilt, 1))
        )
        return float(np.log1p(grown.sum() - (a - 1) * (masses - np.exp(g)).sum()) / (a - 1))

    def attempt(self, size: int, neighbour: int) -> Attempt:
        """What the note's attempt at the Kullback-Leibler divergence gives.

        >>> ProductNoise(rho="0.5", relative_error="0.5").attempt(5, 6)
        not a bound: printed -0.4887, divergence 0.06471
        """
        x, y = map(public_size, (size, neighbour))
        square, r = 1 / (2 * self.rho), self.relative_error

        def principal(mean: int) -> arb:
            place = ball(mean) / ball(2 * square).sqrt()  # times Dawson's integral
            dawson = arb.pi().sqrt() / 2 * (-place * place).exp() * place.erfi()
            return (2 / ball(square)).sqrt() * dawson

        def finite() -> arb:
            return (y * principal(y) - 1) / ball(square)

        def printed() -> arb:
            ratio = ball((square + x * x) * (1 + 1 / r**2) / 2) * finite() / 2
            inverse = x * principal(y) / ball(r**2)
            return 2 * (y * principal(x)).log() + ratio - inverse + ball((1 / r**2 - 1) / 2)

        return Attempt(
            balls.enclosure(lambda: principal(y)) if y else Interval.exactly(0),
            balls.enclosure(finite),
            balls.enclosure(printed) if x and y else Interval.exactly(-inf),
            self.renyi(x, y, order=1),
        )

    def compare(self, sizes: Sequence[int]) -> Table:
        """This beside three others with the same relative error: v and the mean error by size.

        The constant noise is sized for the least of the sizes. The v of Algorithm 2 holds up to the
        order shown, halfway to where its divergence is infinite; the others hold at all orders.
        """
        known, r = public_sizes(sizes), self.relative_error
        least = min(known, default=1)
        counts = relative_counts(relative_error=r, smallest=least)
        constant = balls.upper_end(lambda: 1 / (arb.pi() * ball((r * least) ** 2)))
        rows: list[tuple[Any, ...]] = []
        for x in known:
            below = max(x - 1, 1)
            order = 1 + Fraction(below**2, 2 * (2 * below + 1))
            other = ProportionalNoise(relative_error=r, smallest=below, order=order)
            rows += [
                ("constant Gaussian", x, constant, r * least, "all"),
                ("Algorithm 1", x, self.rho, self.expected_error(x).upper, "all"),
                ("Algorithm 2", x, other.promise(x).rho, other.expected_error(x).upper,
                 f"up to {float(order):.3g}"),
                ("relative counts", x, counts.privacy(x), counts.expected_error(x).upper, "all"),
            ]  # fmt: skip
        return Table(("mechanism", "people", "v", "error", "orders"), tuple(rows), (0, 0, 4, 2, 0))


def _lattice(variance: Fraction) -> tuple[int, RoundedGaussian]:
    """An odd number of steps per unit, so that rounding has no ties, and the noise in steps."""
    steps = (isqrt(ceil(_FINE / variance) - 1) + 1) | 1
    return steps, RoundedGaussian(steps**2 * variance)


def _drawn(noise: RoundedGaussian, counts: NDArray[Any], source: Source) -> NDArray[Any]:
    return noise.sample(counts.size, source).astype(np.object_).reshape(counts.shape)


# Algorithm 2


@dataclass(frozen=True, kw_only=True)
class TruncatedZCDP:
    """Renyi divergences of at most rho*a at the orders 1 < a <= order, and nothing beyond.

    Reference: Bun, Dwork, Rothblum and Steinke 2018.
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
    order: Checked[Exact, Fraction] = Checked(_order)

    def __post_init__(self) -> None:
        limit = self.order_limit(self.smallest)
        if self.order >= limit:
            raise InvalidInput(
                f"order is {written(self.order)}, and from {written(limit)} on the divergence of "
                f"groups of {self.smallest} is infinite. Give a smaller order, or a larger smallest."
            )

    def _raised(self, size: int) -> int:
        return max(public_size(size), self.smallest)

    def law(self, size: int) -> Normal:
        """The law of a released count."""
        x = self._raised(size)
        return Normal(x, (self.relative_error * x) ** 2)

    def expected_error(self, size: int) -> Interval:
        """E|X - x| = sqrt(2/pi)*r*x, of the raised count."""
        return self.law(size).moment(1)

    def order_limit(self, size: int) -> Fraction:
        """From this order on a record of such a group is promised nothing, one record less included.

        >>> ProportionalNoise(relative_error="0.5", smallest=5, order=2).order_limit(5)
        Fraction(36, 11)
        """
        y = max(self._raised(size) - 1, self.smallest)
        return 1 + Fraction(y * y, 2 * y + 1)

    def promise(self, size: int) -> TruncatedZCDP:
        """What a record in a group of this public size is promised, up to the order."""
        y = max(self._raised(size) - 1, self.smallest)  # the lesser size of the pair that binds
        portion = (self.order - 1) / (self.order_limit(size) - 1)
        height = 1 / (2 * self.relative_error**2) + (1 + Fraction(1, 2 * y)) ** 2
        return TruncatedZCDP(rho=height / ((1 - portion) * y * y), order=self.order)

    def forward_bound(self, size: int, *, order: Exact) -> Interval:
        """a/(2*r^2*x^2) + ln(1 + 1/x), a bound on D_a(x || x+1) alone."""
        return self._forward(size, order, 1)

    def printed_bound(self, size: int, *, order: Exact) -> Interval:
        """a*v + xi as the note has it, with 2*ln(1 + 1/x). It bounds one direction only."""
        return self._forward(size, order, 2)

    def _forward(self, size: int, order: Exact, steps: int) -> Interval:
        x = self._raised(size)
        slope = _order(order, "order") / (2 * (self.relative_error * x) ** 2)
        return balls.enclosure(lambda: ball(slope) + steps * ball(Fraction(1, x)).log1p())
