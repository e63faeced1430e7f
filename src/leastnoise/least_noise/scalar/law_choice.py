"""Which law for one query: the least noise there is, or the least that is known."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check_canonical import canonical_cost
from leastnoise.certificates.check_law import law_keeps_promise
from leastnoise.certificates.check_stairs import (
    best_staircase_bound,
    cut_staircase_cost,
    staircase_cost,
)
from leastnoise.certificates.chord_cost import ChordCost
from leastnoise.certificates.described_law import CanonicalNoise, CutSteps, Steps
from leastnoise.certificates.make_least_noise import (
    LeastNoise,
    cut_off_radius,
    least_bound,
    least_noise,
)
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Rounded, Theorem
from leastnoise.errors import Undecided, UnsupportedQuery
from leastnoise.least_noise.scalar.best_width import (
    best_staircase,
    best_truncated_staircase,
    price_of,
)
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.truncated_staircase import TruncatedStaircase
from leastnoise.noise.laws.uniform import Uniform

_MOST_SHIFTS = 32  # the program has rows for each
_MOST_EPSILON = 50  # beyond, e^ε is more than a solver in floats tells from infinity
_LEAST_DELTA = Fraction(1, 10**40)  # below, the same
_MOST_WORK = 2_000_000  # pairs of places that the shifts compare
_MOST_RADIUS = 1 << 17  # some 40 seconds, and half of what a checker reads as text
_COARSE = range(14, 25)
_ROUGH = range(8, 13)  # within some 5 % of what the others prove, in a fraction of the time


@dataclass(frozen=True)
class Choice:
    """A law, why it was chosen, and what the linear program proved about it, if one was solved."""

    law: LatticeLaw
    why: str
    program: LeastNoise | None = None


def chosen(problem: Problem) -> Choice:
    """The best law for the problem."""
    if not problem.delta:
        return _pure(problem)
    if problem.sensitivity == 1:
        law = Canonical(epsilon=problem.epsilon, delta=problem.delta)
        return Choice(law, "canonical noise: least for every cost at once at sensitivity 1")
    if _within_reach(problem):
        try:
            return _programmed(problem)
        except Undecided:  # the solver failed; a closed form is near as good
            pass
    return _truncated(problem)


def _pure(problem: Problem) -> Choice:
    if problem.sensitivity == 1:
        law: LatticeLaw = Canonical(epsilon=problem.epsilon, delta=0)
        return Choice(law, "geometric noise: least for every cost at once at sensitivity 1")
    return Choice(best_staircase(problem), "staircase noise of the best width for this cost")


def _within_reach(problem: Problem) -> bool:
    return (
        problem.sensitivity <= _MOST_SHIFTS
        and _in_floats(problem)
        and cut_off_radius(problem) <= min(_MOST_RADIUS, _MOST_WORK // problem.sensitivity)
    )


def _in_floats(problem: Problem) -> bool:
    """Whether a solver that computes with floats can tell this problem from its limits."""
    return problem.epsilon <= _MOST_EPSILON and problem.delta >= _LEAST_DELTA


def _programmed(problem: Problem) -> Choice:
    found = least_noise(problem)
    if not law_keeps_promise(problem, found.law):
        raise Undecided("a law of the linear program must keep the promise; rounding broke it.")
    law = TableLaw(found.law.by_value())
    return Choice(law, "the optimum of the linear program over all laws on the lattice", found)


def _truncated(problem: Problem) -> Choice:
    whole, leak = problem.sensitivity, problem.delta
    laws: list[LatticeLaw] = [Uniform(sensitivity=whole, delta=leak)]
    if problem.epsilon:
        laws += [
            best_truncated_staircase(problem),
            TruncatedLaplace(sensitivity=whole, epsilon=problem.epsilon, delta=leak),
        ]
    law = min(laws, key=lambda law: Fraction(price_of(problem, law).upper))
    return Choice(law, "the best closed form known: too large for the linear program")


def certified(problem: Problem, choice: Choice) -> Certificate:
    """The certificate of a choice.

    Raises:
        UnsupportedQuery: nothing proves how good this choice is.
    """
    law = choice.law
    if choice.program is not None:
        found = choice.program
        return Certificate(problem, found.law, found.cost, found.bound, found.dual)
    if not problem.delta:
        return _staircase_certificate(problem, law.width if isinstance(law, Staircase) else 1)
    if isinstance(law, Canonical):
        cost = canonical_cost(problem)
        described, proof = CanonicalNoise(), Theorem.CANONICAL
        ends = Fraction(cost.upper), Fraction(cost.lower)
        return Certificate(problem, described, *ends, proof)
    return _rounded_certificate(problem, law)


def _staircase_certificate(problem: Problem, width: int) -> Certificate:
    achieved = Fraction(staircase_cost(problem, width).upper)
    bound = min(achieved, best_staircase_bound(problem, width))
    return Certificate(problem, Steps(width), achieved, bound, Theorem.STAIRCASE)


def _rounded_certificate(problem: Problem, law: LatticeLaw) -> Certificate:
    if not isinstance(law, TruncatedStaircase) or law.support is None:
        raise _no_proof()
    radius = law.support[1]
    if radius < problem.sensitivity:
        raise _no_proof()
    described = CutSteps(law.width, radius)
    coarse = _coarsened(problem, _COARSE)
    achieved = cut_staircase_cost(problem, described)
    try:
        found = least_noise(coarse)
    except Undecided:
        raise _no_proof() from None
    witness = Rounded(coarse.sensitivity, coarse.step, found.dual)
    return Certificate(problem, described, achieved, found.bound, witness)


def quick_bound(problem: Problem, choice: Choice) -> Fraction:
    """A cost that no law undercuts, for drawings: a little below a certificate's if that is slow.

    Raises:
        UnsupportedQuery: nothing is proved.
    """
    quick = choice.program is not None or not problem.delta or isinstance(choice.law, Canonical)
    if quick:
        return certified(problem, choice).bound
    try:
        return least_bound(_coarsened(problem, _ROUGH))
    except Undecided:
        raise _no_proof() from None


def _coarsened(problem: Problem, steps: range) -> Problem:
    """About so many coarse steps, multiples of the fine one, that reach as far as possible.

    Raises:
        UnsupportedQuery: too extreme for a solver.
    """
    whole = problem.sensitivity
    radius = cut_off_radius(replace(problem, sensitivity=max(steps)))
    if not _in_floats(problem) or radius > _MOST_RADIUS:
        raise _no_proof()
    factors = {max(1, whole // shifts) for shifts in steps}
    best = max(factors, key=lambda factor: (whole // factor * factor, -factor))
    return Problem(
        sensitivity=whole // best,
        epsilon=problem.epsilon,
        delta=problem.delta,
        cost=ChordCost(problem.cost, best * problem.step),
        step=best * problem.step,
    )


def _no_proof() -> UnsupportedQuery:
    return UnsupportedQuery(
        "a certificate needs a law with a proof; this one is the best known, but nothing here "
        "proves how near to optimal it is. Use a coarser granularity, or another delta."
    )
