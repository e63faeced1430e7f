"""`compare`: mechanisms with the same relative error side by side, as tables."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.groupwise.groupwise_counts import GroupwiseCounts
from leastnoise.groupwise.log_gaussian_counts import LogGaussianCounts
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.groupwise.relative_promise import checked_promise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse
from leastnoise.privacy.curves.curve import price_text
from leastnoise.privacy.gaussian import gaussian_epsilon
from leastnoise.privacy.guarantee import exact_text
from leastnoise.research.product_noise import ProductNoise
from leastnoise.research.proportional_noise import ProportionalNoise, infinite_from

_FINE = Fraction(1, 2**20)  # of the parameter that is searched for
_SIZES = (1, 2, 5, 10, 100, 10**4, 10**6)  # from a single record to a city


@dataclass(frozen=True)
class Contender:
    """One mechanism: what groups of several sizes lose, and how far off their counts are.

    Args:
        name: what it is called.
        budgets: v(x), an upper bound.
        errors: E|x̂ − x|.
        epsilons: ε at the δ of the comparison.
        orders: up to which order each v holds; empty if it holds for all orders.
    """

    name: str
    budgets: tuple[Interval, ...]
    errors: tuple[Interval, ...]
    epsilons: tuple[Interval, ...]
    orders: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Contenders with the same relative error; printed, three tables in Markdown."""

    relative_error: Fraction
    sizes: tuple[int, ...]
    delta: Fraction
    contenders: tuple[Contender, ...]

    def table(self, title: str, rows: Sequence[Sequence[Interval]]) -> str:
        """One table, a row for each contender, everything rounded up."""
        head = [title, *(f"x = {x}" for x in self.sizes)]
        names = [contender.name for contender in self.contenders]
        cells = [[name, *map(price_text, row)] for name, row in zip(names, rows, strict=True)]
        lines = [head, ["---"] * len(head), *cells]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def __str__(self) -> str:
        limits = [
            f"{contender.name}: v holds up to the orders "
            + ", ".join(f"{float(order):.3g}" for order in contender.orders)
            for contender in self.contenders
            if contender.orders
        ]
        tables = [
            self.table("v(x)", [c.budgets for c in self.contenders]),
            *limits,
            self.table("error", [c.errors for c in self.contenders]),
            self.table(f"ε at δ = {exact_text(self.delta)}", [c.epsilons for c in self.contenders]),
        ]
        return "\n\n".join(tables)


def compare(
    *,
    relative_error: Exact,
    delta: Exact,
    smallest: SupportsIndex = 1,
    sizes: Sequence[SupportsIndex] = _SIZES,
) -> Comparison:
    r"""What groups lose under six mechanisms that keep E|x̂ − x| ≤ relative_error·x.

    - constant Gaussian noise on the real line, sized for the smallest group, and the discrete
      Gaussian with the same mean error, which is much better where that error is below 1;
    - the two algorithms of the open problem's note: the first with the least ρ for which the
      smallest group keeps the error, the second, for which v holds up to an order only, with each
      size's order half-way to where the divergence becomes infinite;
    - log-Gaussian noise, and `RelativeCounts`.

    Example:
        >>> found = compare(relative_error="0.1", delta="1e-6", sizes=(2, 100))
        >>> for contender in found.contenders:
        ...     print(f"{contender.name:20}", *(f"{float(v):.3g}" for v in contender.budgets))
        constant              31.8 31.8
        constant, discrete    2.89 2.89
        algorithm 1           88.2 88.2
        algorithm 2           68.2 0.0067
        log-Gaussian          15.2 0.0032
        relative counts       1.93 0.0032
    """
    error, least, _ = checked_promise(relative_error, smallest, 0)
    places = tuple(_check.integer_between(size, "size", least) for size in sizes)
    probability = _check.positive_delta(delta)
    return Comparison(
        relative_error=error,
        sizes=places,
        delta=probability,
        contenders=tuple(_contenders(error, least, places, probability)),
    )


def _contenders(
    error: Fraction, least: int, sizes: tuple[int, ...], delta: Fraction
) -> Iterator[Contender]:
    yield _constant(error * least, sizes, delta)
    yield _constant_discrete(error * least, sizes, delta)
    yield _first_algorithm(error, least, sizes, delta)
    yield _second_algorithm(error, least, sizes, delta)
    logs = LogGaussianCounts(relative_error=error, smallest=least)
    yield _counts("log-Gaussian", logs, sizes, delta)
    best = RelativeCounts(relative_error=error, smallest=least)
    yield _counts("relative counts", best, sizes, delta)


def _constant(error: Fraction, sizes: tuple[int, ...], delta: Fraction) -> Contender:
    """Normal noise with this mean error: σ = error·√(π/2), v = 1/(2σ²) = 1/(π·error²)."""
    count = len(sizes)
    budget = balls.enclosure(lambda: 1 / (arb.pi() * balls.ball(error**2)))
    mu = balls.enclosure(lambda: (2 / arb.pi()).sqrt() / balls.ball(error))
    epsilon = gaussian_epsilon(delta, Fraction(mu.upper))
    errors = (Interval.exactly(error),) * count
    return Contender("constant", (budget,) * count, errors, (epsilon,) * count)


def _constant_discrete(error: Fraction, sizes: tuple[int, ...], delta: Fraction) -> Contender:
    def compare_error(variance: Fraction) -> int:
        mean = DiscreteGaussian(variance=variance).moment(1)
        return (mean.lower > error) - (mean.upper < error)

    # The mean error is below the square root of the parameter, and above a quarter of it from 1 on.
    most = max(16 * error**2, Fraction(1))
    found = monotone_inverse(compare_error, Fraction(1, 100), most, relative=_FINE)
    law, count = DiscreteGaussian(variance=Fraction(found.lower)), len(sizes)
    budget = Interval.exactly(1 / (2 * law.sigma_squared))
    epsilon = law.privacy(1).epsilon(delta)
    errors = (law.moment(1),) * count
    return Contender("constant, discrete", (budget,) * count, errors, (epsilon,) * count)


def _first_algorithm(
    error: Fraction, least: int, sizes: tuple[int, ...], delta: Fraction
) -> Contender:
    def compare_rho(rho: Fraction) -> int:
        kept = ProductNoise(rho=rho, relative_error=error).keeps_relative_error(least)
        return 1 if kept else -1

    scale = 1 / (error * least) ** 2
    rho = monotone_inverse(compare_rho, scale / 10, scale * 10, relative=_FINE).upper
    noise = ProductNoise(rho=Fraction(rho), relative_error=error)
    # On the real line, as the note has it: N(x, 1/(2ρ)) against a neighbour has μ = √(2ρ).
    mu = balls.enclosure(lambda: balls.ball(2 * noise.rho).sqrt())
    count, epsilon = len(sizes), gaussian_epsilon(delta, Fraction(mu.upper))
    return Contender(
        "algorithm 1",
        (Interval.exactly(noise.rho),) * count,
        tuple(noise.expected_error(x) for x in sizes),
        (epsilon,) * count,
    )


def _second_algorithm(
    error: Fraction, least: int, sizes: tuple[int, ...], delta: Fraction
) -> Contender:
    """With standard deviation r·x·√(π/2), rounded down, which its mean error allows."""
    wide = balls.enclosure(lambda: (arb.pi() / 2).sqrt() * balls.ball(error)).lower
    deviation = min(Fraction(int(wide * 2**40), 2**40), Fraction(1))
    promises, errors = [], []
    for x in sizes:
        below = max(x - 1, least)
        order = 1 + (infinite_from(below) - 1) / 2
        noise = ProportionalNoise(relative_error=deviation, smallest=below, order=order)
        promises.append(noise.promise(x))
        errors.append(noise.expected_error(max(x, below)))
    return Contender(
        "algorithm 2",
        tuple(Interval.exactly(promise.rho) for promise in promises),
        tuple(errors),
        tuple(Interval.exactly(promise.approx(delta=delta).epsilon) for promise in promises),
        tuple(promise.order for promise in promises),
    )


def _counts(
    name: str, mechanism: GroupwiseCounts, sizes: tuple[int, ...], delta: Fraction
) -> Contender:
    return Contender(
        name,
        tuple(Interval.exactly(mechanism.privacy(x)) for x in sizes),
        tuple(mechanism.expected_error(x) for x in sizes),
        tuple(mechanism.epsilon(x, delta=delta) for x in sizes),
    )
