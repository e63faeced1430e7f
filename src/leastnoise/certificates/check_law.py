"""Does a table keep its promise, and what does it cost? Everything in integers."""

from fractions import Fraction
from itertools import pairwise

from leastnoise.certificates.described_law import WeightTable
from leastnoise.certificates.problem import Problem


def law_keeps_promise(problem: Problem, law: WeightTable) -> bool:
    """Whether the law is (ε, δ)-DP at every shift 1..Δ: a yes is a proof."""
    return law.total > 0 and min(law.weights) >= 0 and max(leaks(problem, law)) <= problem.delta


def leaks(problem: Problem, law: WeightTable) -> list[Fraction]:
    r"""An upper bound on Σₖ max(0, p(k) − e^ε·p(k + d)) for the shifts d = 1..Δ that matter.

    e^ε is replaced by a rational B ≤ e^ε, which makes every divergence larger. The law is
    symmetric, so that one direction is enough; once the shifted copy lies clear of the law a
    larger shift changes nothing. If the weights do not increase outward, each term of the sum
    grows with d, and the greatest shift alone is looked at.
    """
    factor = Fraction(problem.factor().lower)
    here = [weight * factor.denominator for weight in law.weights]
    there = [weight * factor.numerator for weight in law.weights]
    shifts = _shifts(problem, law)
    whole = law.total * factor.denominator
    return [Fraction(_leak(here, there, shift), whole) for shift in shifts]


def compared_places(problem: Problem, law: WeightTable) -> int:
    """How many pairs of weights `leaks` looks at, at most."""
    return len(_shifts(problem, law)) * 2 * len(law.weights)


def _shifts(problem: Problem, law: WeightTable) -> range:
    greatest = min(problem.sensitivity, 2 * law.radius + 1)
    falls = all(one >= two for one, two in pairwise(law.weights))
    return range(greatest if falls else 1, greatest + 1)


def _leak(here: list[int], there: list[int], shift: int) -> int:
    """Σₖ max(0, here[|k|] − there[|k + shift|])."""
    radius = len(here) - 1
    signed = [*here[:0:-1], *here]
    other = [*there[:0:-1], *there]
    clear = signed[max(0, 2 * radius + 1 - shift) :]  # nothing stands against these
    pairs = zip(signed, other[shift:], strict=False)
    return sum(clear) + sum(one - two for one, two in pairs if one > two)


def law_cost(problem: Problem, law: WeightTable) -> Fraction:
    """An upper bound on the law's expected cost, exact where the cost is."""
    total = Fraction(0)
    for k, weight in enumerate(law.weights):
        if weight:
            total += (2 if k else 1) * weight * Fraction(problem.price(k).upper)
    return total / law.total
