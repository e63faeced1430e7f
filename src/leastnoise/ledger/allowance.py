"""`Allowance`: what the total and the caps of a ledger still allow after its charges."""

from dataclasses import dataclass

from leastnoise.accounting.pricing import as_amounts
from leastnoise.errors import BudgetExceeded, InvalidParameter
from leastnoise.ledger.account import Account, Balance
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.header import ENVELOPE, Header
from leastnoise.ledger.limits import limits, other_splits
from leastnoise.ledger.mode import Mode, usual_mode
from leastnoise.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Allowance:
    """A ledger's promises, and its lines."""

    header: Header
    entries: tuple[Entry, ...]

    def refuse_excess(self, event: Charge | Cap) -> None:
        """Refuses a charge that the total or a cap does not allow, and a cap already exceeded.

        Raises:
            BudgetExceeded: more than is left.
        """
        charges = self._charges()
        if isinstance(event, Cap):
            self._capped(event).balance(charges)
            return
        self._refuse_no_envelope(event)
        for account in (*self.header.accounts, *map(self._capped, self._caps())):
            if account.concerns(event.labels):
                account.request(charges, event.costs)

    def _refuse_no_envelope(self, charge: Charge) -> None:
        if not any(account.concerns(charge.labels) for account in self.header.accounts):
            names = ", ".join(map(repr, self.header.envelopes))
            raise BudgetExceeded(
                f"a charge under a plan must name one of its envelopes in the label "
                f"{ENVELOPE!r}; it does not. There are {names}.",
                requested=charge.cost,
            )

    def _capped(self, cap: Cap) -> Account:
        """A cap adds up as the total does if it is of the same kind, else as its kind does."""
        mode = self.header.mode
        alike = type(cap.limit) is type(self.header.total) and mode is not Mode.PLAN
        own = mode if alike else usual_mode(cap.limit)
        try:
            found = limits(cap.limit, own)
        except InvalidParameter:
            own = usual_mode(cap.limit)
            found = limits(cap.limit, own)
        others = other_splits(cap.limit, own) if self.header.follows else ()
        return Account(((cap.label, cap.value),), cap.limit, found, others)

    @property
    def balances(self) -> tuple[Balance, ...]:
        """What the total (in a plan: each envelope) and every cap have spent and left."""
        charges = self._charges()
        accounts = (*self.header.accounts, *map(self._capped, self._caps()))
        return tuple(account.balance(charges) for account in accounts)

    @property
    def current(self) -> Balance:
        """The total's balance; in a plan, that of the first envelope not yet empty."""
        own = self.balances[: len(self.header.accounts)]
        return next((each for each in own if any(map(_is_something, each.remaining))), own[-1])

    def _charges(self) -> list[Charge]:
        return [entry.event for entry in self.entries if isinstance(entry.event, Charge)]

    def _caps(self) -> list[Cap]:
        """The cap that holds for each label: the latest."""
        found = {
            (entry.event.label, entry.event.value): entry.event
            for entry in self.entries
            if isinstance(entry.event, Cap)
        }
        return list(found.values())


def _is_something(guarantee: Guarantee) -> bool:
    return any(as_amounts(guarantee))
