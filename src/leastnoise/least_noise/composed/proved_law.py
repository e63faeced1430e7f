"""From what a search by floats found to a law that is proved to keep the promise."""

from fractions import Fraction
from math import exp, inf, log

from leastnoise.errors import InvalidParameter, Undecided, UnsupportedQuery
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.noise_families import Candidate
from leastnoise.noise.laws.lattice_law import LatticeLaw

_TOLERANCE = 1e-5
_MOST_TRIALS = 12
_NUDGE = 2e-3
_FARTHEST = 0.2
_FAR_BELOW = 50.0
_LEAST = 1e-12


def proved_law(problem: ComposedProblem, candidate: Candidate) -> LatticeLaw | None:
    """A law of the candidate's shape that leaks at most δ at ε, at nearly the least scale.

    Its leak is bracketed rigorously, and the upper end decides. Sketches say by how much to move
    the scale; a wrong guess costs another trial. None if no trial succeeds, or if the law is
    outside what can be composed.
    """
    slope = _slope(problem, candidate)
    best, place, refuted, last_excess = None, log(candidate.scale), -inf, inf
    for trial in range(_MOST_TRIALS):
        law = _law(candidate, place)
        excess = None if law is None else _excess(problem, law)
        if excess is None:
            break
        if excess <= 0:
            best = law
        elif excess > last_excess and not best:
            break  # more noise did not help: the bound on the leak is as low as it gets
        else:
            refuted, last_excess = place, excess
        move = max(-_FARTHEST, min(_FARTHEST, excess / slope))
        # Aim a little above the least scale; farther each time that this was not enough.
        target = place + move + _TOLERANCE * (1 if best else 2**trial)
        target = max(target, refuted + _TOLERANCE)
        if best and target > place - 2 * _TOLERANCE:
            break
        place = target
    return best


def _law(candidate: Candidate, place: float) -> LatticeLaw | None:
    try:
        return candidate.ray.law(Fraction(exp(place)))
    except InvalidParameter:  # a scale so small or large that the law does not exist
        return None


def _excess(problem: ComposedProblem, law: LatticeLaw) -> float | None:
    """log(leak/δ) with the leak rounded up, at least −50; None where the law cannot be composed."""
    try:
        leak = problem.leak(law).upper
    except (UnsupportedQuery, Undecided):
        return None
    distance = _log(Fraction(leak)) - _log(problem.delta)
    return max(-_FAR_BELOW, min(0.0, distance)) if leak <= problem.delta else max(_LEAST, distance)


def _slope(problem: ComposedProblem, candidate: Candidate) -> float:
    """By how much log(leak) falls per unit of log(scale)."""

    def leak(scale: float) -> float:
        sketch = candidate.ray.sketch(scale)
        return sketch.leak(problem.points, problem.count, float(problem.epsilon))

    here, there = leak(candidate.scale), leak(candidate.scale * (1 + _NUDGE))
    return max(1.0, (log(max(here, 1e-300)) - log(max(there, 1e-300))) / log(1 + _NUDGE))


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator) if value else -inf
