r"""From a solver's probabilities to an exact law that keeps the promise."""

from fractions import Fraction
from math import floor
from operator import mul

from leastnoise.certificates.check_law import leaks
from leastnoise.certificates.described_law import WeightTable
from leastnoise.certificates.make_linear_program import Frame, Optimum
from leastnoise.certificates.problem import Problem
from leastnoise.numeric.nearest_float import nearest_float

_BITS = 200  # weights are rounded far below what a solver in floats resolves


def exact_law(problem: Problem, frame: Frame, optimum: Optimum) -> WeightTable:
    r"""The solver's law, mixed with as little of a safe law as makes it private.

    Divergences are convex in the law: if one law exceeds δ by the share η, and another stays at
    δ/2 or below, then the mixture with weight θ on the other is within δ as soon as
    (1 − θ)·(1 + η) + θ/2 ≤ 1.
    """
    wished = _repeated(problem, frame, optimum)
    worst = max(leaks(problem, wished)) / problem.delta
    if worst <= 1:
        return wished
    # A hair more than the rule asks for pays for rounding the mixture to integers.
    share = (worst - 1) / (worst - Fraction(1, 2)) + Fraction(1, 2**64)
    return _mixture(wished, _safe(problem), min(share, Fraction(1)))


def _repeated(problem: Problem, frame: Frame, optimum: Optimum) -> WeightTable:
    """Weights from the head and the window; in between each is e^−ε of an earlier one, or more."""
    factor = Fraction(problem.factor().lower)
    weights: list[int] = []
    for place, chance in enumerate(optimum.probabilities):
        if frame.head <= place < frame.start:
            earlier = weights[place - frame.sensitivity]
            weights.append(-(-earlier * factor.denominator // factor.numerator))
        else:
            weights.append(floor(Fraction(float(chance)) * 2**_BITS))
    return WeightTable(tuple(_without_zeros(weights)))


def _without_zeros(weights: list[int]) -> list[int]:
    last = max(place for place, weight in enumerate(weights) if weight)
    return weights[: last + 1]


def _safe(problem: Problem) -> WeightTable:
    """The cheapest staircase, cut off so far out that at most half of δ leaks."""
    choices = [_cut_staircase(problem, width) for width in range(1, problem.sensitivity + 1)]
    longest = max(len(law.weights) for law in choices)
    prices = [nearest_float(Fraction(problem.price(k).upper)) for k in range(longest)]
    return min(choices, key=lambda law: _about_cost(law, prices))


def _about_cost(law: WeightTable, prices: list[float]) -> float:
    """The expected cost in floats: every choice is safe, so nothing rests on which is taken."""
    whole = law.weights[0]
    chances = [weight / whole for weight in law.weights]
    return float(sum(map(mul, chances, prices))) / (2 * sum(chances) - 1)


def _cut_staircase(problem: Problem, width: int) -> WeightTable:
    factor, period = Fraction(problem.factor().lower), problem.sensitivity
    step = first = 2**_BITS
    weights, total = [step] * width, width * step
    leak, whole = problem.delta.numerator, 2 * problem.delta.denominator
    while period * step * whole > leak * (2 * total - first):
        step = -(-step * factor.denominator // factor.numerator)
        weights += [step] * period
        total += period * step  # added up as it grows: there may be a hundred thousand periods
    return WeightTable(tuple(weights))


def _mixture(law: WeightTable, other: WeightTable, share: Fraction) -> WeightTable:
    """(1 − share) of one law and a share of the other, rounded to integers."""
    radius = max(law.radius, other.radius)
    one, two = (1 - share) / law.total * (1 << _BITS), share / other.total * (1 << _BITS)
    parts = one.denominator * two.denominator
    one_parts, two_parts = int(one * parts), int(two * parts)

    def weight(place: int) -> int:
        first = law.weights[place] if place <= law.radius else 0
        second = other.weights[place] if place <= other.radius else 0
        return (one_parts * first + two_parts * second) // parts

    return WeightTable(tuple(_without_zeros([weight(place) for place in range(radius + 1)])))
