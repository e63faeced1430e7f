"""What the slides say about noise for one query, in corrected form: upper and lower bounds."""

from contextlib import suppress
from fractions import Fraction
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.scalar.half_line_program import half_line_bound
from leastnoise.least_noise.scalar.straddling_program import straddling_bound
from leastnoise.least_noise.vector.uniform_cube_bound import MOST_SENSITIVITY
from leastnoise.least_noise.vector.uniform_cube_bound import half_line_bound as all_half_lines
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Moment
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import exact_text


@dataclass(frozen=True)
class NoiseBounds:
    """Bounds on the least E|X|^p of an integer law that is (ε, δ)-DP.

    Attributes:
        laplace: the cost of discrete Laplace noise of scale Δ/ε; None for ε = 0.
        uniform: the cost of uniform noise.
        half_lines: a lower bound, from half-lines to the right of 0 at shift Δ alone.
        straddling: a lower bound from all half-lines at shift Δ, those that straddle 0 too; None
            where that is too much work.
    """

    laplace: Interval | None
    uniform: Interval
    half_lines: Interval
    straddling: Interval | None

    @property
    def upper(self) -> Interval:
        """The smaller of the two costs."""
        costs = [self.uniform] if self.laplace is None else [self.laplace, self.uniform]
        return min(costs, key=lambda cost: Fraction(cost.upper))

    @property
    def lower(self) -> Interval:
        """The greater of the two lower bounds."""
        bounds = (
            [self.half_lines] if self.straddling is None else [self.half_lines, self.straddling]
        )
        return max(bounds, key=lambda bound: Fraction(bound.lower))

    @property
    def ratio(self) -> Interval:
        """Upper bound over lower bound."""
        low, high = Fraction(self.lower.lower), Fraction(self.lower.upper)
        return Interval(Fraction(self.upper.lower) / high, Fraction(self.upper.upper) / low)


def noise_bounds(
    *, epsilon: Exact, delta: Exact, sensitivity: SupportsIndex = 1, moment: SupportsIndex = 1
) -> NoiseBounds:
    r"""Laplace, uniform, and the half-line lower bounds for E|X|^p; ε = 0 included.

    Theorem: every (ε, δ)-DP law on the integers costs at least `half_lines` and `straddling`; at
    sensitivity 1 both are the optimum. The slides bound the ratio by 5.29 (p = 1) and 40 (p = 2);
    its limits for small ε are those of `ratio_limit`.
    Proof: docs/proofs/noise_bounds.md.

    Example:
        >>> bounds = noise_bounds(epsilon="0.01", delta="0.0025")
        >>> print(f"{bounds.ratio:.4f}")
        2.2135
        >>> bounds = noise_bounds(epsilon="0.3", delta="0.01", sensitivity=5)
        >>> print(f"{bounds.half_lines:.3f} {bounds.straddling:.3f}")  # the optimum is 13.817
        12.521 13.635
    """
    problem = _problem(epsilon, delta, sensitivity, moment)
    order, width = Moment(problem.cost.growth).order.numerator, problem.sensitivity
    uniform = Uniform(sensitivity=width, delta=problem.delta).moment(order)
    if not problem.epsilon:
        return NoiseBounds(None, uniform, *_without_epsilon(problem.delta, width, order))
    laplace = DiscreteLaplace(scale=width / problem.epsilon).moment(order)
    return NoiseBounds(laplace, uniform, half_line_bound(problem), _straddling(problem))


def _without_epsilon(delta: Fraction, width: int, order: int) -> tuple[Interval, Interval | None]:
    """Both lower bounds at ε = 0, exactly; at sensitivity 1 they are the cost of uniform noise."""
    leak = _not_too_small(delta)
    if width == 1:
        least = Uniform(sensitivity=1, delta=leak).moment(order)
        return least, least
    together = _are_solved_together(width, order)
    exact = Interval.exactly(all_half_lines(width, leak, order)) if together else None
    return Interval.exactly(zero_epsilon_half_lines(leak, width, order)), exact


def _straddling(problem: Problem) -> Interval | None:
    with suppress(UnsupportedQuery):
        return straddling_bound(problem)
    return None


def ratio_limit(*, moment: SupportsIndex = 1) -> Interval:
    r"""The limit of the worst `noise_bounds(…).ratio` for small ε at sensitivity 1, p = 1 or 2.

    Theorem: as ε → 0 with δ = s·ε, the ratio of min(Laplace, uniform) to the optimum tends to
    min(1, 1/(4s))/(1 − 2s·L) for p = 1 and to min(2, 1/(12s²))/(2 − 4s·(L + L²/2)) for p = 2, where
    L = ln(1 + 1/(2s)). Both are largest where the two costs meet, at s = 1/4 and s = 1/√24.
    Proof: docs/proofs/noise_bounds.md, section 3.

    Example:
        >>> ratio_limit(moment=1), ratio_limit(moment=2)
        (Interval(2.21880104960028, 2.21880104960029), Interval(5.50866516905621, 5.50866516905622))
    """
    if _check.integer_between(moment, "moment", 1, 2) == 1:
        return balls.enclosure(lambda: 1 / (1 - arb(3).log() / 2))

    def squared() -> arb:
        share = 1 / arb(24).sqrt()
        far = (1 + 1 / (2 * share)).log()
        return 2 / (2 - 4 * share * (far + far * far / 2))

    return balls.enclosure(squared)


def _problem(
    epsilon: Exact, delta: Exact, sensitivity: SupportsIndex, moment: SupportsIndex
) -> Problem:
    return Problem(
        sensitivity=_check.integer_between(sensitivity, "sensitivity", 1, 2**16),
        epsilon=_check.non_negative(epsilon, "epsilon"),
        delta=_check.positive_delta(delta),
        cost=Moment(_check.integer_between(moment, "moment", 1, 64)),
    )


@dataclass(frozen=True)
class UniformBounds:
    """Bounds on the least E|X|^p of an integer law that is (0, δ)-DP.

    Attributes:
        upper: the exact cost of uniform noise with lighter ends.
        lower: a proved lower bound.
        slides: the lower bound printed on the slides; None where its conditions fail.
        exact: whether uniform noise is known to be optimal.
    """

    upper: Fraction
    lower: Fraction
    slides: Fraction | None
    exact: bool


def uniform_bounds(
    *, delta: Exact, sensitivity: SupportsIndex = 1, moment: SupportsIndex = 1
) -> UniformBounds:
    r"""Uniform noise and lower bounds for (0, δ)-DP.

    Theorem: if 1/(2δ) is an integer, uniform noise has the least E|X| at every sensitivity:
    Δ/(4δ). In general, for Δ ≥ 2, the half-line program bounds the cost of every law; if 1/(2δ)
    is an integer its value is at most 2δ·Σ (1 + iΔ)^p over 0 ≤ i < 1/(2δ), which the slides print
    (for Δ = 1 too, where that exceeds the optimum). For p = 1, 2 half-lines at all places together
    bound it too, and `lower` is the greater bound.
    Proof: docs/proofs/noise_bounds.md; docs/proofs/optimal_vectors.md, section 8.

    Args:
        delta: δ in (0, 1), at least 1e-6.
        sensitivity: Δ, an integer ≥ 1.
        moment: p, an integer in 1..64.

    Example:
        >>> bounds = uniform_bounds(delta="0.25", sensitivity=3)
        >>> bounds.upper, bounds.lower, bounds.slides, bounds.exact
        (Fraction(3, 1), Fraction(3, 1), Fraction(5, 2), True)
    """
    leak = _not_too_small(_check.positive_delta(delta))
    width = _check.integer_between(sensitivity, "sensitivity", 1)
    order = _check.integer_between(moment, "moment", 1, 64)
    upper = Fraction(Uniform(sensitivity=width, delta=leak).moment(order).upper)
    whole = (1 / (2 * leak)).denominator == 1
    exact = width == 1 or (order == 1 and whole)
    lower = upper if exact else _lower_bound(leak, width, order)
    slides = _slides_bound(leak, width, order) if whole and width > 1 else None
    return UniformBounds(upper, lower, slides, exact)


def _lower_bound(delta: Fraction, width: int, order: int) -> Fraction:
    """The best that is known: the half-line program, or all half-lines together for p = 1, 2."""
    program = zero_epsilon_half_lines(delta, width, order)
    if not _are_solved_together(width, order):
        return program
    return max(program, all_half_lines(width, delta, order))


def _are_solved_together(width: int, order: int) -> bool:
    return order == 1 or (order == 2 and width <= MOST_SENSITIVITY)


def _not_too_small(delta: Fraction) -> Fraction:
    if delta >= Fraction(1, 10**6):
        return delta
    raise _check.refuse(
        "`delta` must be at least 1e-6 here",
        f"delta={exact_text(delta):.60}",
        "Costs scale like (sensitivity/delta)**moment; ask at a larger delta.",
    )


def zero_epsilon_half_lines(delta: Fraction, sensitivity: int, order: int) -> Fraction:
    r"""The half-line program at ε = 0, exactly.

    Its cost is convex and piecewise linear in u = P(X ≥ 0), with kinks where u or 1 − u is a
    multiple of δ; u ranges over [1/2, (1 + δ)/2].
    """
    low, high = Fraction(1, 2), (1 + delta) / 2
    kinks = [-(-low // delta) * delta, 1 - (low // delta) * delta]
    heads = [low, high, *(kink for kink in kinks if low <= kink <= high)]
    return min(_half_line_cost(head, delta, sensitivity, order) for head in heads)


def _half_line_cost(head: Fraction, delta: Fraction, width: int, order: int) -> Fraction:
    """Atoms of T(1), T(1+Δ), … and of T(Δ), T(2Δ), …, each tail δ below the one before."""
    total, place = Fraction(0), 0
    odd, even = 1 - head, head - delta
    while odd > 0 or even > 0:
        after, end = (place + 1) ** order, (place + width) ** order
        total += max(odd, 0) * (after - place**order) + max(even, 0) * (end - after)
        odd, even, place = odd - delta, even - delta, place + width
    return 2 * total


def _slides_bound(delta: Fraction, sensitivity: int, order: int) -> Fraction:
    """2δ·Σ (1 + iΔ)^p over 0 ≤ i < 1/(2δ)."""
    total = sum((1 + i * sensitivity) ** order for i in range(int(1 / (2 * delta))))
    return Fraction(2 * delta * total)
