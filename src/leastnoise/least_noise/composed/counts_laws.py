"""Laws for counts that one unit moves in one direction: the best start, and the best cut."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, isqrt

import numpy as np
from flint import arb

from leastnoise.errors import Undecided
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.search_by_floats import least_cost
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.vectors.ball_stairs import MOST_RATE
from leastnoise.noise.vectors.counts_law import MOST_COUNTS_CUT, MOST_RADIUS, CountsLaw
from leastnoise.noise.vectors.counts_leak import outward_points
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer

_LEAST_DELTA = Fraction(1, 10**5)  # below, a cut gains less than a thousandth
_PLACES = 12
_REFINEMENTS = 24
_NODES = 4096
_DEVIATIONS = 14
_MOST_MOVES = 24
_EDGE = 1 << 40  # the share of the last layer is rounded up to a multiple of its inverse

Start = Callable[[int], CountsLaw | None]


def counts_laws(problem: ComposedProblem) -> dict[str, CountsLaw]:
    """The cheapest law for counts found, with and without an end, by family."""
    if not 0 < problem.epsilon <= MOST_RATE:
        return {}
    start = _start_by_floats(problem)
    laws = {"two counters": _cheapest(problem, start, lambda width: _endless(problem, width))}
    if problem.delta > _LEAST_DELTA and problem.steps == 1 and problem.count <= MOST_COUNTS_CUT:
        laws["two counters, cut"] = _cheapest(problem, start, lambda width: _cut(problem, width))
    return {family: law for family, law in laws.items() if law is not None}


def price(problem: ComposedProblem, law: CountsLaw) -> Fraction:
    """The most that one answer's error is expected to cost, without what rounding adds."""
    return Fraction(expected_cost(law.cell, problem.cost, problem.step / 2).upper)


def _start_by_floats(problem: ComposedProblem) -> int:
    """About where the variance is least; other costs have their best start nearby."""
    widest = problem.steps * (2 + 1.2 * (problem.count + 2) / float(problem.epsilon))
    places = [widest * place / _PLACES for place in range(_PLACES + 1)]
    return round(least_cost(lambda start: _variance(problem, start), places, _REFINEMENTS))


def _variance(problem: ComposedProblem, start: float) -> float:
    epsilon, period = float(problem.epsilon), problem.steps
    mode = max(0.0, (problem.count + 1) / epsilon - start / period)
    spread = _DEVIATIONS * (isqrt(problem.count) + 2) / epsilon + 2
    ends = np.floor(max(0.0, mode - spread)), np.ceil(mode + spread)
    layers = np.unique(np.rint(np.linspace(*ends, num=_NODES)))
    wide = layers * period + start
    logs = np.log1p(layers) + problem.count * np.log1p(wide) - epsilon * layers
    weights = np.exp(logs - logs.max())
    squares = wide * (wide + 2) + period**2 * layers * (layers + 2)
    return float((weights * squares).sum() / weights.sum()) / 12


def _cheapest(problem: ComposedProblem, start: int, law: Start) -> CountsLaw | None:
    """From a start downhill, as far as a step leads down."""
    best, step = law(start), max(1, problem.steps // 8, start // 32)
    if best is None:
        return None
    try:
        least = price(problem, best)
        for _ in range(_MOST_MOVES):
            beside = (law(max(0, best.start + move)) for move in (-step, step))
            least, _, best, moved = min(
                [(least, 0, best, False)]
                + [(price(problem, one), i, one, True) for i, one in enumerate(beside, 1) if one],
                key=lambda choice: choice[:2],
            )
            if not moved:
                break
    except Undecided:
        return best  # a cost that cannot be summed here: whoever asks for it is told so
    return best


def _endless(problem: ComposedProblem, start: int) -> CountsLaw:
    return CountsLaw(
        dimension=problem.count, sensitivity=problem.steps, epsilon=problem.epsilon, start=start
    )


def _cut(problem: ComposedProblem, start: int) -> CountsLaw | None:
    """The law with the least radius that leaks at most δ, its last layer as light as may be."""

    def law(radius: int, edge: Fraction = Fraction(1)) -> CountsLaw:
        return CountsLaw(
            dimension=problem.count, epsilon=problem.epsilon, start=start, radius=radius, edge=edge
        )

    def enough(radius: int) -> bool:
        return radius > MOST_RADIUS or law(radius).delta(problem.epsilon).upper <= problem.delta

    guess = ceil((problem.count + 8) / problem.epsilon)
    radius = least_integer(enough, 1, min(guess, MOST_RADIUS))
    if radius > MOST_RADIUS:
        return None
    lighter = law(radius, _edge(problem, law(radius)))
    kept = lighter.verify(epsilon=problem.epsilon, delta=problem.delta).holds
    return lighter if kept else law(radius)


def _edge(problem: ComposedProblem, law: CountsLaw) -> Fraction:
    r"""The least share of its last layer with which the law leaks at most δ, rounded up.

    With A(r) points moved outward from layer r, f(r) = b**r and Z the sum below the last layer L:
    share·f(L)·A(L) + (1 − share)·f(L−1)·A(L−1) ≤ δ·(Z + share·f(L)·|layer L|).
    """
    assert law.radius is not None
    last, layers, leak = law.radius, law.layers, problem.delta

    def share() -> arb:
        delta, outer, inner = balls.ball(leak), layers.power(last), layers.power(last - 1)
        layer = outer * layers.points(last)
        below, least = layers.total() - layer, arb(0)
        for ones in range(1, law.dimension + 1):
            near, far = (
                outward_points(r, ones, law.dimension, law.start) for r in (last - 1, last)
            )
            over = inner * near - delta * below
            least = least.max(over / (inner * near + delta * layer - outer * far))
        return least

    found = balls.enclosure(share).upper
    return min(Fraction(1), max(Fraction(1, _EDGE), Fraction(ceil(found * _EDGE), _EDGE)))
