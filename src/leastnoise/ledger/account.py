"""`Account`: one budget among those a charge counts against, and what it has left."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.errors import BudgetExceeded, UnsupportedQuery
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.limits import best_price
from leastnoise.privacy.guarantee import Guarantee

_best_price = lru_cache(maxsize=4096)(best_price)


@dataclass(frozen=True)
class Balance:
    """What one budget promised, and how much of it is gone.

    Attributes:
        name: "total", or the label and its value, such as "analyst ann".
        promise: the guarantee for everything charged here.
        spent: the sum of the charges, in each way of adding up that is still within its limit.
        remaining: for each of these ways, the greatest charge that would still be granted.
    """

    name: str
    promise: Guarantee
    spent: tuple[Guarantee, ...]
    remaining: tuple[Guarantee, ...]


@dataclass(frozen=True)
class Account:
    """A budget for the charges with given labels.

    Attributes:
        labels: whose charges count; all of them if empty.
        promise: the guarantee for all of them together.
        limits: ways of adding up, of which one must stay within its limit.
    """

    labels: tuple[tuple[str, str], ...]
    promise: Guarantee
    limits: tuple[Guarantee, ...]

    @property
    def name(self) -> str:
        """What people call it."""
        return " ".join(word for pair in self.labels for word in pair) or "total"

    def concerns(self, labels: Mapping[str, str]) -> bool:
        """Whether a charge with these labels counts here."""
        return all(labels.get(label) == value for label, value in self.labels)

    def balance(self, charges: Iterable[Charge]) -> Balance:
        """What is left after these charges."""
        open_ = list(self._open(charges).values())
        spent, remaining = [each.spent for each in open_], [each.remaining for each in open_]
        return Balance(self.name, self.promise, tuple(spent), tuple(remaining))

    def request(self, charges: Iterable[Charge], costs: tuple[Guarantee, ...]) -> None:
        """Refuses a charge after these if none of the limits allows it.

        Raises:
            BudgetExceeded: all limits would be exceeded.
            UnsupportedQuery: no limit knows how to add such a charge up.
        """
        known = self._open(charges, costs)
        for limit, budget in known.items():
            try:
                budget.request(_best_price(costs, limit) or costs[0])
            except BudgetExceeded:
                continue
            except UnsupportedQuery:
                if len(self.limits) == 1:
                    raise
            else:
                return
        left = tuple(budget.remaining for budget in known.values())
        raise self._refusal(costs, left)

    def _refusal(self, costs: tuple[Guarantee, ...], left: tuple[Guarantee, ...]) -> BudgetExceeded:
        asked, there = (" or ".join(map(repr, each)) for each in (costs, left))
        return BudgetExceeded(
            f"a request must cost no more than remains of the {self.name}; got {asked} where "
            f"{there} is left. Ask for less, or stop here.",
            requested=costs[0],
            remaining=left[0],
        )

    def _open(
        self, charges: Iterable[Charge], asked: tuple[Guarantee, ...] | None = None
    ) -> dict[Guarantee, PrivacyFilter]:
        """The limits that the charges have kept, with what was spent of each.

        Raises:
            BudgetExceeded: they have exceeded every limit.
            UnsupportedQuery: no limit knows how to add them up.
        """
        own = [each.costs for each in charges if self.concerns(each.labels)]
        counts = Counter(own)
        found: dict[Guarantee, PrivacyFilter] = {}
        refusal: BudgetExceeded | UnsupportedQuery | None = None
        for limit in self._ways(own[0] if own else asked):
            try:
                found[limit] = _summed(counts, limit)
            except (BudgetExceeded, UnsupportedQuery) as failure:
                refusal = refusal or failure
        if refusal is not None and not found:
            raise refusal
        return found

    def _ways(self, first: tuple[Guarantee, ...] | None) -> tuple[Guarantee, ...]:
        r"""The limits, settled by the first charge.

        Theorem: several limits share the promise's δ. If the first charge fits none of them, but
        fits the promise, the promise may be the only limit from then on.
        Proof: which limits there are is settled before anything was released, so each of the two
        cases is covered by the theorem on several filters, with one filter in the second.
        """
        if len(self.limits) == 1 or (first and any(_fits(first, each) for each in self.limits)):
            return self.limits
        if first is None:
            return self.promise, *self.limits[1:]
        return (self.promise,) if _fits(first, self.promise) else self.limits


@lru_cache(maxsize=1024)
def _fits(costs: tuple[Guarantee, ...], limit: Guarantee) -> bool:
    """Whether a first charge stays within a limit."""
    try:
        PrivacyFilter(limit).request(best_price(costs, limit) or costs[0])
    except (BudgetExceeded, UnsupportedQuery):
        return False
    return True


def _summed(counts: Mapping[tuple[Guarantee, ...], int], limit: Guarantee) -> PrivacyFilter:
    prices = Counter[Guarantee]()
    for costs, times in counts.items():
        prices[_best_price(costs, limit) or costs[0]] += times
    return PrivacyFilter(limit).after(prices.elements())
