"""`PlanClaim`: what the certificate of a plan states, before anyone has checked it."""

from dataclasses import field
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from itertools import chain

from leastnoise._dataclass import dataclass
from leastnoise.certificates.claim import rounded
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

REFERENCE = "docs/proofs/plan_bound.md: what neighbouring tables tell about every covariance"


@dataclass(frozen=True)
class PlanBound:
    """No mechanism of the scope has a smaller weighted sum of variances than the bound."""

    scope: Scope
    bound: Fraction


@dataclass(frozen=True, repr=False)
class PlanClaim:
    """The numbers of a plan have noise of so much variance, and no mechanism can have much less.

    Attributes:
        budget: the promise for the whole plan.
        replaced: whether neighbours differ by replacing one unit; else by adding or removing one.
        parts: the numbers, what one unit may add to them, and their noise.
        outside: the places of questions that nothing is proved of; they are paid for, too.
        achieved: the sum of all numbers' variances, each times its weight, is at most this.
        bounds: what is proved, for one scope each; the first is the one that is shown.
        words: the sentences that came with it in a file, if any; checked and never shown.
    """

    budget: Guarantee
    replaced: bool
    parts: tuple[PlanPart | TablesPart, ...]
    outside: tuple[int, ...]
    achieved: Fraction
    bounds: tuple[PlanBound, ...]
    words: tuple[str, ...] = field(default=(), compare=False)

    @property
    def ratio(self) -> Fraction:
        """How many times the least the weighted sum of variances is, at most, in the first scope.

        So no mechanism of the scope makes all of the variances smaller by more than this factor.
        """
        return self.achieved / self.bounds[0].bound

    @property
    def scope(self) -> str:
        """The class of mechanisms that the ratio is about."""
        return self.bounds[0].scope.value

    @property
    def questions(self) -> frozenset[int]:
        """The places of the questions whose numbers are in the bound."""
        return frozenset(chain.from_iterable(part.questions for part in self.parts))

    @property
    def sentence(self) -> str:
        """What is claimed, for people, from numbers alone."""
        numbers = sum(part.cells for part in self.parts)
        most = rounded(self.achieved, ROUND_CEILING)
        how = "replaced" if self.replaced else "added or removed"
        return (
            f"the stated variances of {numbers} numbers, weighted, add up to ≤ {most} at "
            f"{budget_words(self.budget)}, for units that are {how} and move each part by all that "
            "its limits allow, whatever they do to other parts; "
            + "; ".join(self._bound_words(each) for each in self.bounds)
            + self._outside_words
        )

    def _bound_words(self, proved: PlanBound) -> str:
        least = rounded(proved.bound, ROUND_FLOOR)
        times = rounded(self.achieved / proved.bound, ROUND_CEILING)
        return f"no less than {least}, so {times} times the least, for {proved.scope.value}"

    @property
    def _outside_words(self) -> str:
        if not self.outside:
            return ""
        places = ", ".join(str(place + 1) for place in self.outside)
        return f"; nothing is proved of the plan's questions {places}"

    def __repr__(self) -> str:
        times = rounded(self.ratio, ROUND_CEILING)
        return f"{type(self).__name__}({times} times the least among {self.scope})"


def budget_words(budget: Guarantee) -> str:
    """The promise in symbols."""
    match budget:
        case PureDP():
            return f"ε = {budget.epsilon}"
        case ApproxDP():
            return f"ε = {budget.epsilon} and δ = {budget.delta}"
        case ZCDP():
            return f"ρ = {budget.rho}"
        case GDP():
            return f"μ = {budget.mu}"
        case _:
            return repr(budget)
