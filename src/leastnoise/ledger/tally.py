"""`Tally`: what the charges to one account add up to, in each of its ways."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

from leastnoise._dataclass import dataclass
from leastnoise.accounting.pricing import Amounts, as_amounts, as_guarantee, price, short
from leastnoise.errors import BudgetExceeded, UnsupportedQuery
from leastnoise.ledger.account import Account, Balance
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.limits import best_price
from leastnoise.people.digits import DOWN
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.spoken import said, said_any

Sum = Amounts | None
"""What was spent in one way of adding up; None once it is closed, which is for good."""


@dataclass(frozen=True)
class Tally:
    r"""An account after some charges.

    Theorem: for every sequence of charges, each sum that is not closed is at least the sum of the
    charges' prices in that way and at most its limit; a way whose prices add up to more is closed.
    Proof: by induction. A price is added exactly. A sum whose denominator grew beyond 4096 bits is
    rounded up, to no more than the limit: still at least the true one, and the work for one more
    charge does not grow. If the exact sum exceeds the limit, so does the kept one, and it closes.

    Attributes:
        account: whose charges are added up.
        first: the costs of its first charge, which settle the ways; None before it.
        ways: the limits of the ways, as far as they are settled.
        sums: one for each way.
    """

    account: Account
    first: tuple[Guarantee, ...] | None
    ways: tuple[Guarantee, ...]
    sums: tuple[Sum, ...]

    @classmethod
    def begun(cls, account: Account, first: tuple[Guarantee, ...] | None = None) -> "Tally":
        """Nothing is spent; the ways are settled if the first charge's costs are known."""
        ways = account.ways(first)
        return cls(account, first, ways, tuple(map(_nothing, ways)))

    def after(self, charges: Iterable[Charge]) -> "Tally":
        """After more charges, of which those with the account's labels count."""
        found = self
        for costs, times in self._runs(charges):
            found = found._with(costs, times)
        return found

    def _runs(self, charges: Iterable[Charge]) -> Iterator[tuple[tuple[Guarantee, ...], int]]:
        """The costs that count here, in order, and how often in a row."""
        counted = (each.costs for each in charges if self.account.concerns(each.labels))
        for costs, run in groupby(counted):
            yield costs, len(list(run))

    def before(self, charges: Iterable[Charge]) -> "Tally":
        """What it probably was before its last charges: a guess, for who can tell whether it was.

        It is right if none of them was the first, closed a way, or was rounded.
        """
        sums = self.sums
        for costs, times in self._runs(charges if self.first else ()):
            pairs = zip(sums, self.ways, strict=True)
            sums = tuple(_less(spent, costs, limit, times) for spent, limit in pairs)
        return Tally(self.account, self.first, self.ways, sums)

    def _with(self, costs: tuple[Guarantee, ...], times: int) -> "Tally":
        begun = self if self.first else Tally.begun(self.account, costs)
        sums = tuple(
            _added(spent, costs, limit, times)
            for limit, spent in zip(begun.ways, begun.sums, strict=True)
        )
        return Tally(begun.account, begun.first, begun.ways, sums)

    @property
    def balance(self) -> Balance:
        """What is spent and left, in the ways that are open.

        Raises:
            BudgetExceeded: none is; the charges were not granted by this ledger.
        """
        found = self._open()
        return Balance(
            self.account.name,
            self.account.promise,
            tuple(as_guarantee(spent, limit, up=True) for limit, spent in found),
            tuple(as_guarantee(_left(spent, limit), limit, up=False) for limit, spent in found),
            tuple(limit for limit, _ in found),
        )

    def request(self, costs: tuple[Guarantee, ...]) -> None:
        """Refuses a charge if none of the open ways allows it.

        Raises:
            BudgetExceeded: all limits would be exceeded.
            UnsupportedQuery: the only way does not know how to add such a charge up.
        """
        found = (self if self.first else Tally.begun(self.account, costs))._open()
        if len(self.account.limits) == 1:
            _ = price(_counted(costs, found[0][0]), found[0][0])
        if all(_added(spent, costs, limit) is None for limit, spent in found):
            left = [as_guarantee(_left(spent, limit), limit, up=False) for limit, spent in found]
            raise self._refusal(costs, tuple(left))

    def _open(self) -> list[tuple[Guarantee, Amounts]]:
        found = [(a, b) for a, b in zip(self.ways, self.sums, strict=True) if b is not None]
        if found:
            return found
        raise BudgetExceeded("requests that were granted must not exceed their limit; they do.")

    def refuse_unpriced(self, charges: Iterable[Charge]) -> None:
        """Refuses charges that the only way does not know how to add up.

        Raises:
            UnsupportedQuery: one of them has no price there.
        """
        if len(self.account.limits) == 1:
            for charge in charges:
                if self.account.concerns(charge.labels):
                    price(_counted(charge.costs, self.account.limits[0]), self.account.limits[0])

    def _refusal(self, costs: tuple[Guarantee, ...], left: tuple[Guarantee, ...]) -> BudgetExceeded:
        asked, there = said(costs[0]), said_any(left, rule=DOWN)
        return BudgetExceeded(
            f"a request must cost no more than remains of the {self.account.name}; got {asked} "
            f"where {there} is left. Ask for less, or stop here.",
            requested=costs[0],
            remaining=left[0],
        )


def _nothing(limit: Guarantee) -> Amounts:
    return (Fraction(0),) * len(as_amounts(limit))


def _left(spent: Amounts, limit: Guarantee) -> Amounts:
    return tuple(b - a for a, b in zip(spent, as_amounts(limit), strict=True))


def _less(spent: Sum, costs: tuple[Guarantee, ...], limit: Guarantee, times: int) -> Sum:
    parts = _prices(costs, limit)
    if spent is None or parts is None:
        return None
    return tuple(a - times * b for a, b in zip(spent, parts, strict=True))


def _added(spent: Sum, costs: tuple[Guarantee, ...], limit: Guarantee, times: int = 1) -> Sum:
    """A sum and the price of more charges; None if that is beyond the limit or has no price."""
    prices = None if spent is None else _prices(costs, limit)
    if spent is None or prices is None:
        return None
    every = zip(spent, prices, as_amounts(limit), strict=True)
    found = [_sum(amount, part, most, times) for amount, part, most in every]
    return None if None in found else tuple(each for each in found if each is not None)


def _sum(amount: Fraction, part: Fraction, most: Fraction, times: int) -> Fraction | None:
    r"""A number with another added so many times, each time rounded up; None beyond the most.

    Theorem: if the common denominator of both is short, that is amount + times·part, or None if it
    is beyond the most.
    Proof: the denominators of all sums on the way divide the common one, so that none is rounded;
    and no part is below 0, so that none is beyond the most unless the last one is.
    """
    common = Fraction(1, math.lcm(amount.denominator, part.denominator))
    if short(common, up=True) == common:
        amount, times = amount + (times - 1) * part, 1
    for _ in range(times):
        exact = amount + part
        if exact > most:
            return None
        amount = min(short(exact, up=True), most)
    return amount


@lru_cache(maxsize=4096)
def _prices(costs: tuple[Guarantee, ...], limit: Guarantee) -> Sum:
    """What a charge adds to one way: by the guarantee that takes the least of the limit."""
    try:
        return price(_counted(costs, limit), limit)
    except UnsupportedQuery:
        return None


def _counted(costs: tuple[Guarantee, ...], limit: Guarantee) -> Guarantee:
    return best_price(costs, limit) or costs[0]
