"""`Account`: one budget among those a charge counts against, and its ways of adding up."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from leastnoise._dataclass import dataclass
from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.accounting.pricing import as_amounts
from leastnoise.errors import BudgetExceeded, UnsupportedQuery
from leastnoise.ledger.limits import best_price, part_taken
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP


@dataclass(frozen=True)
class Balance:
    """What one budget promised, and how much of it is gone.

    Attributes:
        name: "total", or the label and its value, such as "analyst ann".
        promise: the guarantee for everything charged here.
        spent: the sum of the charges, in each way of adding up that is still within its limit.
        remaining: for each of these ways, the greatest charge that would still be granted: the
            limit less what was spent, in ε, δ, ρ and μ².
        limits: of these ways.
    """

    name: str
    promise: Guarantee
    spent: tuple[Guarantee, ...]
    remaining: tuple[Guarantee, ...]
    limits: tuple[Guarantee, ...] = ()


@dataclass(frozen=True)
class Account:
    """A budget for the charges with given labels.

    Attributes:
        labels: whose charges count; all of them if empty.
        promise: the guarantee for all of them together.
        limits: ways of adding up, of which one must stay within its limit.
        others: the same for other divisions of δ, which a first charge may settle on.
    """

    labels: tuple[tuple[str, str], ...]
    promise: Guarantee
    limits: tuple[Guarantee, ...]
    others: tuple[tuple[Guarantee, ...], ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return " ".join(word for pair in self.labels for word in pair) or "total"

    def concerns(self, labels: Mapping[str, str]) -> bool:
        """Whether a charge with these labels counts here."""
        return all(labels.get(label) == value for label, value in self.labels)

    def ways(self, first: tuple[Guarantee, ...] | None) -> tuple[Guarantee, ...]:
        r"""The limits, settled by the first charge; before it, the greatest of each kind.

        Theorem: several limits share the promise's δ. Which division of δ holds may follow from the
        first charge: a charge by ρ or μ takes the division that lets it be repeated most often. If
        it fits none of them, but fits the promise, the promise is the only limit from then on.
        Proof: which limits there are is settled before anything was released, so each case is
        covered by the theorem on several filters: docs/proofs/filters.md.
        """
        if len(self.limits) == 1:
            return self.limits
        if first is None:
            return self.promise, *_greatest_of_each_kind((self.limits, *self.others))
        return _settled(first, self.promise, (self.limits, *self.others))


@lru_cache(maxsize=1024)
def _settled(
    first: tuple[Guarantee, ...],
    promise: Guarantee,
    divisions: tuple[tuple[Guarantee, ...], ...],
) -> tuple[Guarantee, ...]:
    usual = divisions[0]
    if not all(isinstance(cost, PureDP | ApproxDP) for cost in first):
        usual = max(divisions, key=lambda limits: _repetitions(first, limits))
    for limits in (usual, *divisions):
        if any(_fits(first, limit) for limit in limits):
            return limits
    return (promise,) if _fits(first, promise) else divisions[0]


def _repetitions(costs: tuple[Guarantee, ...], limits: tuple[Guarantee, ...]) -> Fraction | float:
    """How often a charge fits, in the way in which it fits most often; infinite if it is free."""
    least = min(part_taken(costs, limit) for limit in limits)
    return 1 / least if least else math.inf


def _greatest_of_each_kind(
    divisions: tuple[tuple[Guarantee, ...], ...],
) -> tuple[Guarantee, ...]:
    """What a first charge by ρ or μ could take at most."""
    found: dict[type[Guarantee], Guarantee] = {}
    for limit in (limit for limits in divisions for limit in limits[1:]):
        known = found.setdefault(type(limit), limit)
        if as_amounts(limit)[0] > as_amounts(known)[0]:
            found[type(limit)] = limit
    return tuple(found.values())


@lru_cache(maxsize=1024)
def _fits(costs: tuple[Guarantee, ...], limit: Guarantee) -> bool:
    """Whether a first charge stays within a limit."""
    try:
        PrivacyFilter(limit).request(best_price(costs, limit) or costs[0])
    except (BudgetExceeded, UnsupportedQuery):
        return False
    return True
