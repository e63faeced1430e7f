"""What a charge would leave of a budget, told before it is spent."""

from contextlib import suppress

from leastnoise._dataclass import dataclass
from leastnoise.errors import BudgetExceeded
from leastnoise.ledger.account import Account, Balance
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.header import Header
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.limits import limits, other_splits
from leastnoise.ledger.mode import Mode, usual_mode
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.ledger.totals import Totals
from leastnoise.people import said_minute
from leastnoise.people.digits import DOWN
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.spoken import said, said_any

Costs = tuple[Guarantee, ...]


@dataclass(frozen=True)
class Ahead:
    """A budget before and after a charge.

    Attributes:
        costs: what the charge is.
        before: what there is now; None if there is no budget.
        after: what there would be; None if the charge would be refused.
        reason: why there is no budget.
        unknown: whether it may well fit: the budget is somewhere else, or yet to come.
    """

    costs: Costs
    before: Balance | None
    after: Balance | None
    reason: str = ""
    unknown: bool = False

    @property
    def fits(self) -> bool:
        """Whether the charge would be granted, as far as is known."""
        return self.unknown or self.after is not None

    @property
    def verdict(self) -> str:
        """Whether it fits, in one sentence."""
        if self.before is None:
            return self.reason
        if self.after is not None:
            sums = budget_sums(self.after, self.before)
            return "; ".join(f"{e.letter}: {e.words('for this plan')}" for e in sums)
        whose = "" if self.before.name == "total" else f" of {self.before.name}"
        left = said_any(self.before.remaining, rule=DOWN)
        needs, whole = said(self.costs[0]), said(self.before.promise)
        return f"This plan does not fit{whose}: it needs {needs}, and {left} is left of {whole}."

    def lines(self, now: str) -> list[str]:
        """The sums, and what is held back; the first has a bar."""
        if self.after is None:
            return [self.verdict]
        sums = budget_sums(self.after, self.before)
        told = [f"{sums[0].letter}  {sums[0].bar(20)}  {sums[0].words(now)}"] if sums else []
        told += [f"{each.letter}  {each.words(now)}" for each in sums[1:]]
        return [*told, *held_words(self.after)]


def ahead(ledger: Ledger, costs: Costs, labels: dict[str, str], **scope: str) -> Ahead:
    """What a ledger would say to a charge.

    Raises:
        LedgerError: it is about something else.
    """
    with suppress(BudgetExceeded):
        ledger.require(costs, labels=labels, **scope)
    return Ahead(costs, *ledger.ahead(costs, labels=labels))


def ahead_of_beginning(total: Guarantee | None, mode: Mode | None, costs: Costs) -> Ahead:
    """What a ledger would say to its first charge that is yet to be begun."""
    if total is None:
        reason = "There is no ledger yet, and the plan names no total to begin one with."
        return Ahead(costs, None, None, reason)
    how = mode or usual_mode(total)
    if how is Mode.PLAN:  # the envelopes are known when it is begun
        how = usual_mode(total)
    account = Account((), total, limits(total, how), other_splits(total, how))
    header = Header(total, how, (account,), Scope(), "")
    return Ahead(costs, *Totals.begun(header).ahead(Charge(costs, "", {}, "")))


def earlier_line(ledger: Ledger, digest: str) -> Entry | None:
    """The last line that was charged for the same plan."""
    found = ledger.charges_for(digest)
    return found[-1] if found else None


def earlier_words(entry: Entry, ledger: Ledger) -> str:
    """That a plan was released before."""
    return (
        f"This plan was already released: line {entry.number} of {ledger.name}, "
        f"{said_minute(entry.time)} UTC."
    )
