"""What the slides say about noise for one query, in corrected form: upper and lower bounds."""

from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.certificates.problem import Problem
from leastnoise.least_noise.scalar.half_line_program import half_line_bound
from leastnoise.least_noise.vector.uniform_cube_bound import MOST_SENSITIVITY
from leastnoise.least_noise.vector.uniform_cube_bound import half_line_bound as all_half_lines
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.numeric.cost import Moment
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import exact_text


@dataclass(frozen=True)
class NoiseBounds:
    """Bounds on the least E|X|^p of an integer law that is (ε, δ)-DP.

    Attributes:
        laplace: the cost of discrete Laplace noise of scale Δ/ε.
        uniform: the cost of uniform noise.
        half_lines: a lower bound, from half-lines at shift Δ alone.
    """

    laplace: Interval
    uniform: Interval
    half_lines: Interval

    @property
    def upper(self) -> Interval:
        """The smaller of the two costs."""
        return min(self.laplace, self.uniform, key=lambda cost: Fraction(cost.upper))

    @property
    def ratio(self) -> Interval:
        """Upper bound over lower bound."""
        low, high = Fraction(self.half_lines.lower), Fraction(self.half_lines.upper)
        return Interval(Fraction(self.upper.lower) / high, Fraction(self.upper.upper) / low)


def noise_bounds(
    *, epsilon: Exact, delta: Exact, sensitivity: SupportsIndex = 1, moment: SupportsIndex = 1
) -> NoiseBounds:
    r"""Laplace, uniform, and the half-line lower bound for E|X|^p.

    Theorem: every (ε, δ)-DP law on the integers costs at least `half_lines`; at sensitivity 1 this
    is the optimum. The slides bound the ratio by 5.29 (p = 1) and 40 (p = 2); as ε → 0 at
    sensitivity 1 its worst case is 1/(1 − log(3)/2) = 2.2188 (p = 1, δ = ε/4) and 5.5087
    (p = 2, δ = ε/√24).
    Proof: docs/proofs/noise_bounds.md.

    Example:
        >>> bounds = noise_bounds(epsilon="0.01", delta="0.0025")
        >>> print(f"{bounds.ratio:.4f}")
        2.2135
    """
    problem = _problem(epsilon, delta, sensitivity, moment)
    order, width = Moment(problem.cost.growth).order.numerator, problem.sensitivity
    laplace = DiscreteLaplace(scale=width / problem.epsilon).moment(order)
    uniform = Uniform(sensitivity=width, delta=problem.delta).moment(order)
    return NoiseBounds(laplace, uniform, half_line_bound(problem))


def _problem(
    epsilon: Exact, delta: Exact, sensitivity: SupportsIndex, moment: SupportsIndex
) -> Problem:
    return Problem(
        sensitivity=_check.integer_between(sensitivity, "sensitivity", 1, 2**16),
        epsilon=_check.positive(epsilon, "epsilon"),
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
    together = order == 1 or (order == 2 and width <= MOST_SENSITIVITY)
    return max(program, all_half_lines(width, delta, order)) if together else program


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
