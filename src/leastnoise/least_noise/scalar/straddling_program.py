r"""The half-line program with the half-lines on the other side of 0, which the slides leave out."""

from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.least_noise.scalar.half_line_program import rise
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

MOST_SENSITIVITY = 64
"""Every pair of residues is a search of its own."""

_BITS = 256
_HALVINGS = 100
_MOST_TERMS = 1 << 12  # each is computed 200 times for each pair


def straddling_bound(problem: Problem) -> Interval:
    r"""The least cost under P(X ≥ k) ≤ e^ε·P(X ≥ k + Δ) + δ for *all* k, X symmetric, ε > 0.

    Theorem: with T(k) = P(X ≥ k), the half-lines with k > 0 give T(k + Δ) ≥ e^−ε·(T(k) − δ)₊, those
    with −Δ < k ≤ 0 give T(j+1) + e^ε·T(Δ−j) ≥ 1 − δ for 0 ≤ j < Δ, and the others nothing more.
    The cost c(0) + 2·Σ T(k)·(c(k) − c(k−1)) falls apart into one convex problem in T(j+1) for each
    pair of residues j and Δ−1−j.
    Proof: docs/proofs/noise_bounds.md, section 4.

    That tails do not increase is not used; at sensitivity 1 the bound is the optimum.
    """
    if problem.sensitivity > MOST_SENSITIVITY:
        raise UnsupportedQuery(
            f"`sensitivity` must be at most {MOST_SENSITIVITY} for this bound; got "
            f"{problem.sensitivity}. Count in coarser units."
        )
    last = problem.sensitivity - 1
    with balls.precision(_BITS):
        chains = [_Chain.of(problem, j) for j in range(problem.sensitivity)]
        parts = [_least(chains[j], chains[last - j]) for j in range(last // 2 + 1)]
    start = problem.price(0)
    low = sum((Fraction(part.lower) for part in parts), Fraction(start.lower))
    return Interval(low, sum((Fraction(part.upper) for part in parts), Fraction(start.upper)))


@dataclass(frozen=True)
class _Chain:
    """The tails T(j+1), T(j+1+Δ), … of a residue, each as small as the one before allows.

    Attributes:
        problem: ε, δ and the cost.
        rises: 2·(c(k) − c(k−1)) for k = j+1, j+1+Δ, …, as far as tails can be positive.
    """

    problem: Problem
    rises: tuple[arb, ...]

    @classmethod
    def of(cls, problem: Problem, j: int) -> "_Chain":
        """All of them, from the greatest tail there can be."""
        shrink, leak, tail = (-balls.ball(problem.epsilon)).exp(), problem.delta, arb(1)
        rises: list[arb] = []
        while not tail <= 0:
            if len(rises) == _MOST_TERMS:
                raise UnsupportedQuery(
                    f"the half-line program is solved over at most {_MOST_TERMS} periods; this one "
                    "needs more. Choose a larger epsilon or delta."
                )
            rises.append(2 * rise(problem, j + 1 + len(rises) * problem.sensitivity))
            tail = (tail - balls.ball(leak)) * shrink
        return cls(problem, tuple(rises))

    def cost(self, tail: arb) -> tuple[arb, arb]:
        """Σ rise·T, and its slope in the first tail."""
        shrink, leak = (-balls.ball(self.problem.epsilon)).exp(), balls.ball(self.problem.delta)
        cost, slope, rate = arb(0), arb(0), arb(1)
        for weight in self.rises:
            if tail <= 0:
                break
            cost += weight * tail.nonnegative_part()
            slope += weight * (rate if tail > 0 else rate.union(arb(0)))
            tail, rate = (tail - leak) * shrink, rate * shrink
        return cost, slope


def _least(one: _Chain, other: _Chain) -> Interval:
    """The least that two residues, or one that is its own partner, add to the cost."""
    problem = one.problem
    if one is other:
        even = balls.ball(1 - problem.delta) / (1 + balls.ball(problem.epsilon).exp())
        return balls.interval(one.cost(even)[0])
    low, high = Fraction(0), 1 - problem.delta
    for step in range(_HALVINGS):
        share = Fraction(1, 2) if step % 2 else Fraction(3, 7)  # no kink twice in a row
        middle = low + (high - low) * share
        slope = _both(one, other, middle)[1]
        if slope > 0:
            high = middle
        elif slope < 0:
            low = middle
    cost, _ = _both(one, other, low)
    steep = Fraction(balls.interval(_both(one, other, low)[1]).lower)
    ends = balls.interval(cost), balls.interval(_both(one, other, high)[0])
    least = Fraction(ends[0].lower) + min(steep, Fraction(0)) * (high - low)
    return Interval(max(Fraction(0), least), min(end.upper for end in ends))


def _both(one: _Chain, other: _Chain, tail: Fraction) -> tuple[arb, arb]:
    """Cost and slope, the first tail of one given and that of the other as small as allowed."""
    problem = one.problem
    growth, kept = balls.ball(problem.epsilon).exp(), balls.ball(1 - problem.delta)
    flat, steep = (kept - balls.ball(tail)) / growth, kept - growth * balls.ball(tail)
    mine, theirs = one.cost(balls.ball(tail)), other.cost(flat.max(steep).nonnegative_part())
    fall = growth if steep > flat else 1 / growth if steep < flat else growth.union(1 / growth)
    return mine[0] + theirs[0], mine[1] - fall * theirs[1]
