"""The least noise there is for a problem, as an exact law and an exact proof that it is so."""

import math
from contextlib import suppress
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.certificates.check_dual import dual_bound
from leastnoise.certificates.check_law import law_cost
from leastnoise.certificates.chord_cost import ChordCost
from leastnoise.certificates.described_law import WeightTable
from leastnoise.certificates.make_dual import exact_dual
from leastnoise.certificates.make_law import exact_law
from leastnoise.certificates.make_linear_program import Frame, solved
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual
from leastnoise.errors import Undecided
from leastnoise.numeric.cost import Moment
from leastnoise.numeric.nearest_float import nearest_float

_GOOD = Fraction(1, 10**9)
_DEEP = 26  # e^−26 is below what a solver can see
_MOST_PLACES = 1200  # without repetition each is a variable of the solver
_VAST = 700.0  # beyond this e^ε is no float, and there is no noise to speak of


@dataclass(frozen=True)
class LeastNoise:
    """An exact law, what it costs at most, a dual point, and the cost no law undercuts."""

    law: WeightTable
    cost: Fraction
    dual: Dual
    bound: Fraction

    @property
    def gap(self) -> Fraction:
        """How much of the cost is not proved to be necessary."""
        return (self.cost - self.bound) / self.cost if self.cost else Fraction(0)


def least_noise(problem: Problem) -> LeastNoise:
    """The best of a few frames; the first that proves itself optimal to 1e-9 ends the search.

    Raises:
        Undecided: the solver failed in every frame.
    """
    best: LeastNoise | None = None
    for frame in _frames(problem):
        try:
            found = _in_frame(problem, frame)
        except Undecided:
            continue
        if best is None or found.gap < best.gap:
            best = found
        if best.gap <= _GOOD:
            break
    if best is None:
        raise Undecided("a linear program must be solvable; the solver failed on all of them.")
    return best


def least_bound(problem: Problem) -> Fraction:
    """A cost that no law undercuts, proved in the first frame that is solved; no law is made.

    Raises:
        Undecided: the solver failed in every frame.
    """
    for frame in _frames(problem):
        with suppress(Undecided):
            return dual_bound(problem, exact_dual(problem, frame, solved(problem, frame)))
    raise Undecided("a linear program must be solvable; the solver failed on all of them.")


def _in_frame(problem: Problem, frame: Frame) -> LeastNoise:
    optimum = solved(problem, frame)
    law, dual = exact_law(problem, frame, optimum), exact_dual(problem, frame, optimum)
    return LeastNoise(law, law_cost(problem, law), dual, dual_bound(problem, dual))


def _frames(problem: Problem) -> list[Frame]:
    """From the smallest program that should do to larger ones."""
    width, radius = problem.sensitivity, cut_off_radius(problem)
    frames = []
    for head, back, ahead, inward in ((1, 1, 2, False), (1, 1, 3, True), (3, 2, 4, True)):
        start = max(head, radius // width - back) * width
        frames.append(Frame(width, head * width, start, radius + ahead * width, inward))
    if not isinstance(problem.cost, Moment | ChordCost):
        frames.append(_long_frame(problem, radius))
    return frames


def _long_frame(problem: Problem, radius: int) -> Frame:
    """For costs with a kink anywhere or an end to their growth: no repetition, and a long tail."""
    width = problem.sensitivity
    tail = math.ceil(_DEEP / float(problem.epsilon)) if problem.epsilon else 1
    stop = radius + min(tail, _MOST_PLACES // width) * width
    return Frame(width, width, width, min(stop, _MOST_PLACES), True)


def cut_off_radius(problem: Problem) -> int:
    """About where the truncated Laplace law ends: Δ/ε·log(1 + (e^ε − 1)/(2δ))."""
    delta, epsilon = problem.delta, min(nearest_float(problem.epsilon), _VAST)
    if epsilon * problem.sensitivity < 1e-12:
        return math.ceil(problem.sensitivity / (2 * delta))
    # Logarithms of whole numbers: a tiny δ, and its quotient, are no floats.
    rise = epsilon + math.log(-math.expm1(-epsilon))
    rise += math.log(delta.denominator) - math.log(2 * delta.numerator)
    logarithm = rise + math.log1p(math.exp(-rise)) if rise > 0 else math.log1p(math.exp(rise))
    return math.ceil(problem.sensitivity / epsilon * logarithm)
