"""The independent checker of a plan's certificate: every claim, decided in exact arithmetic."""

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from leastnoise.certificates.check import Check
from leastnoise.certificates.plan_claim import REFERENCE, PlanBound, PlanClaim
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope, price_above
from leastnoise.certificates.plan_spectrum import root_sum_below, shortened_down
from leastnoise.certificates.tables_part import MOST_TABLES, TablesPart
from leastnoise.errors import Undecided, UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

_ACCEPTED = "every claim was computed anew and holds"
_MOST_BUDGET = 2048  # beyond, its numbers have more digits than are read
_NEAR = Fraction(1, 10**6)  # whoever states less than is proved has changed some number
_BITS = 128


def check_plan(claim: PlanClaim) -> Check:
    """Whether the stated variances add up, and the bound is proved for every scope that is named.

    The variances themselves are those of the laws that the release names.
    """
    try:
        complaint = _about_parts(claim) or _about_numbers(claim)
    except (UnsupportedQuery, Undecided) as limit:
        complaint = str(limit)
    complaint = complaint or _about_words(claim)
    return Check(False, complaint) if complaint else Check(True, _ACCEPTED, claim.sentence)


def weighed_above(parts: Iterable[PlanPart | TablesPart]) -> Fraction:
    """The weighted sum of all variances, rounded up."""
    with balls.precision(_BITS):
        total = sum((balls.ball(part.weighed) for part in parts), arb(0))
        return Fraction(balls.interval(total).upper)


def bound_below(root_sum: Fraction, scope: Scope, budget: Guarantee) -> Fraction | None:
    """(Σ √λ)²/C, rounded down; None if no C is proved for this scope and budget."""
    price = price_above(scope, budget)
    return shortened_down(root_sum**2 / price) if price else None


def _about_parts(claim: PlanClaim) -> str:
    if not (claim.parts and all(part.is_possible for part in claim.parts)):
        return "the numbers of a part are out of range"
    if sum(isinstance(part, TablesPart) for part in claim.parts) > MOST_TABLES:
        return "there are too many sets of tables to check"
    if not all(part.is_allowed(replaced=claim.replaced) for part in claim.parts):
        return "a part's random unit moves more than one unit may"
    if not is_moderate(claim.budget):
        return "the budget is out of range"
    places = [*claim.outside, *claim.questions]
    if sorted(places) != list(range(len(places))):
        return "each question of the plan is either in the bound or outside of it"
    return ""


def is_moderate(budget: Guarantee) -> bool:
    """Whether a bound for such a budget can be written, read and checked."""
    match budget:
        case PureDP() | ApproxDP():
            return budget.epsilon <= _MOST_BUDGET
        case ZCDP():
            return budget.rho <= _MOST_BUDGET
        case GDP():
            return budget.mu**2 <= 2 * _MOST_BUDGET
        case _:
            return False


def _about_numbers(claim: PlanClaim) -> str:
    if not _is_near(weighed_above(claim.parts), claim.achieved):
        return "the variances do not add up to what is stated"
    scopes = [each.scope for each in claim.bounds]
    if not scopes or len(set(scopes)) < len(scopes):
        return "a certificate has one bound for each of its scopes, and at least one"
    root_sum = root_sum_below(claim.parts, replaced=claim.replaced)
    complaints = (_about_bound(claim, each, root_sum) for each in claim.bounds)
    return next(filter(None, complaints), "")


def _about_bound(claim: PlanClaim, stated: PlanBound, root_sum: Fraction) -> str:
    proved = bound_below(root_sum, stated.scope, claim.budget)
    if proved is None or stated.bound <= 0:
        return "nothing is proved for this budget and scope"
    if not _is_near(stated.bound, proved):
        return "the random units prove another bound than is stated"
    return "" if stated.bound <= claim.achieved else "the bound exceeds what is achieved"


def _is_near(less: Fraction, more: Fraction) -> bool:
    return less <= more <= less * (1 + _NEAR)


def _about_words(claim: PlanClaim) -> str:
    """People read the sentences of a file: a verdict is on these too."""
    if set(claim.words) <= {"", claim.sentence, REFERENCE}:
        return ""
    return "its words, under `claim` or `reference`, say something else than its numbers prove"
