"""The independent checker: every claim of a certificate, decided in exact arithmetic."""

from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.certificates.check_canonical import canonical_cost
from leastnoise.certificates.check_dual import dual_bound, dual_is_feasible, dual_reach
from leastnoise.certificates.check_law import compared_places, law_cost, law_keeps_promise
from leastnoise.certificates.check_stairs import (
    best_staircase_bound,
    cut_staircase_cost,
    cut_staircase_leak,
    staircase_cost,
)
from leastnoise.certificates.chord_cost import ChordCost
from leastnoise.certificates.claim import Claim
from leastnoise.certificates.described_law import (
    CanonicalNoise,
    CutSteps,
    DescribedLaw,
    Steps,
    WeightTable,
)
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual, Rounded, Theorem
from leastnoise.errors import Undecided, UnsupportedQuery
from leastnoise.numeric.cost import TabulatedCost
from leastnoise.numeric.interval import Endpoint

_ACCEPTED = "every claim was computed anew and holds"
MOST_EPSILON = 4096
"""Beyond it nothing is checked: e^ε has more digits than anyone writes."""
_MOST_WORK = 1 << 25  # pairs of weights: a stranger's table must not keep a checker busy
_MOST_BITS = 1 << 30  # places times digits of a price, for the same reason


@dataclass(frozen=True)
class Check:
    """The verdict on a certificate; true if it is accepted.

    Attributes:
        accepted: whether every claim holds.
        finding: the first claim that does not hold, or that all do.
        claim: what was verified, in a sentence written from the verified numbers; empty if the
            certificate is rejected. Nothing of the certificate's own words is repeated.
    """

    accepted: bool
    finding: str
    claim: str = ""

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return f"{'ACCEPTED' if self.accepted else 'REJECTED'}: {self.finding}"


def check(claim: Claim) -> Check:
    """Whether the law keeps its promise at its stated cost, and the bound is proved."""
    try:
        complaint = _about_problem(claim) or _about_law(claim) or _about_bound(claim)
    except (UnsupportedQuery, Undecided) as limit:
        complaint = str(limit)
    complaint = complaint or _about_words(claim)
    return Check(False, complaint) if complaint else Check(True, _ACCEPTED, claim.sentence)


def _about_problem(claim: Claim) -> str:
    problem, law = claim.problem, claim.law
    good = problem.sensitivity >= 1 and 0 <= problem.delta < 1 and problem.step > 0
    if not (good and 0 <= problem.epsilon <= MOST_EPSILON and problem.epsilon + problem.delta):
        return "the problem's numbers are out of range"
    if isinstance(law, WeightTable) and compared_places(problem, law) > _MOST_WORK:
        return "the table is too large to check at every shift"
    if max(1 << 14, _places(problem, law)) * problem.price_bits > _MOST_BITS:
        return "the law has too many places, or their costs too many digits, to check"
    if isinstance(problem.cost, TabulatedCost) and not _covers(problem.cost, law):
        return "a tabulated cost says nothing about errors beyond its table"
    return ""


def _places(problem: Problem, law: DescribedLaw) -> int:
    """How many prices the law's cost is summed from, where that is known beforehand."""
    match law:
        case WeightTable():
            return len(law.weights)
        case CutSteps():
            return law.radius // problem.sensitivity
        case _:
            return 1


def _covers(cost: TabulatedCost, law: DescribedLaw) -> bool:
    return isinstance(law, WeightTable) and law.radius < len(cost.values)


def _about_law(claim: Claim) -> str:
    problem, law, achieved = claim.problem, claim.law, claim.achieved
    match law:
        case WeightTable():
            keeps = bool(law.weights) and law_keeps_promise(problem, law)
            cost: Endpoint | None = law_cost(problem, law) if keeps else None
        case Steps():
            keeps = 1 <= law.width <= problem.sensitivity and problem.epsilon > 0
            cost = staircase_cost(problem, law.width).upper if keeps else None
        case CutSteps():
            keeps = (
                1 <= law.width <= problem.sensitivity <= law.radius
                and cut_staircase_leak(problem, law) <= problem.delta
            )
            cost = cut_staircase_cost(problem, law) if keeps else None
        case CanonicalNoise():
            keeps = problem.sensitivity == 1
            cost = canonical_cost(problem).upper if keeps else None
        case _:
            assert_never(law)
    if cost is None:
        return "the law does not keep the stated guarantee"
    return "" if cost <= achieved else "the law costs more than is stated"


def _about_bound(claim: Claim) -> str:
    problem, witness, law = claim.problem, claim.witness, claim.law
    match witness:
        case Dual():
            proved = dual_bound(problem, witness) if dual_is_feasible(problem, witness) else None
        case Rounded():
            proved = _rounded_bound(problem, witness)
        case Theorem.STAIRCASE:
            fits = isinstance(law, Steps) and problem.delta == 0
            width = law.width if isinstance(law, Steps) else 1
            proved = best_staircase_bound(problem, width) if fits else None
        case Theorem.CANONICAL:
            fits = isinstance(law, CanonicalNoise) and problem.sensitivity == 1
            proved = Fraction(canonical_cost(problem).lower) if fits else None
        case _:
            assert_never(witness)
    if proved is None:
        return "the witness does not prove anything about this problem"
    if claim.bound > proved:
        return "the witness proves less than the stated bound"
    return "" if claim.bound <= claim.achieved else "the bound exceeds what is achieved"


def _about_words(claim: Claim) -> str:
    """People read the sentences of a file: a verdict is on these too."""
    if set(claim.words) <= {"", claim.sentence, claim.reference}:
        return ""
    return "its words, under `claim` or `reference`, say something else than its numbers prove"


def _rounded_bound(problem: Problem, witness: Rounded) -> Fraction | None:
    coarse = replace(
        problem,
        sensitivity=witness.sensitivity,
        cost=ChordCost(problem.cost, witness.step),
        step=witness.step,
    )
    fits = (
        witness.step > 0
        and witness.sensitivity >= 1
        and witness.sensitivity * witness.step <= problem.sensitivity * problem.step
        and (witness.step / problem.step).denominator == 1
        # Beyond the last multiplier the chords' cost must not decrease.
        and dual_reach(witness.dual) >= problem.cost.growth + 2
    )
    if fits and dual_is_feasible(coarse, witness.dual):
        return dual_bound(coarse, witness.dual)
    return None
