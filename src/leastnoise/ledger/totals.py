"""`Totals`: what all lines of a ledger add up to, and whether one more charge fits."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from leastnoise._dataclass import dataclass
from leastnoise.accounting.pricing import as_amounts
from leastnoise.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from leastnoise.ledger.account import Account, Balance
from leastnoise.ledger.entry import Cap, Charge, Kept
from leastnoise.ledger.header import ENVELOPE, Header
from leastnoise.ledger.limits import limits, other_splits
from leastnoise.ledger.mode import Mode, usual_mode
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.tally import Tally
from leastnoise.privacy.guarantee import Guarantee


class Capped(NamedTuple):
    """A cap that holds, and what was charged under its label."""

    cap: Cap
    tally: Tally


@dataclass(frozen=True)
class Totals:
    """Where a ledger stands after some of its lines: all that the next charge has to know.

    Attributes:
        header: what the ledger began with.
        scope: what the promises are about, by the header and else by the first charge that says so.
        tallies: of the total; in a plan, one for each envelope.
        caps: for each label that has one, the latest.
    """

    header: Header
    scope: Scope
    tallies: tuple[Tally, ...]
    caps: tuple[Capped, ...] = ()

    @classmethod
    def begun(cls, header: Header) -> "Totals":
        """Nothing is spent."""
        return cls(header, header.scope, tuple(map(Tally.begun, header.accounts)))

    def after(self, event: Charge | Cap | Kept, past: Iterable[Charge] = ()) -> "Totals":
        """After one more line.

        Args:
            event: what the line says.
            past: every charge before it; looked at for a cap, under which earlier charges count.
        """
        if isinstance(event, Charge):
            return self.after_charges((event,))
        if isinstance(event, Cap):
            return self._capped(event, past)
        return self

    def after_charges(self, charges: Sequence[Charge]) -> "Totals":
        """After more charges, one by one."""
        scope = self.scope
        for charge in charges:
            scope = scope.filled(charge.about)
        return replace(
            self,
            scope=scope,
            tallies=tuple(each.after(charges) for each in self.tallies),
            caps=tuple(Capped(cap, tally.after(charges)) for cap, tally in self.caps),
        )

    def before(self, charges: Sequence[Charge]) -> "Totals":
        """What they probably were before these charges: see `Tally.before`."""
        return replace(
            self,
            tallies=tuple(each.before(charges) for each in self.tallies),
            caps=tuple(Capped(cap, tally.before(charges)) for cap, tally in self.caps),
        )

    def _capped(self, event: Cap, past: Iterable[Charge]) -> "Totals":
        known = {(each.cap.label, each.cap.value): each for each in self.caps}
        tally = Tally.begun(cap_account(event, self.header)).after(past)
        known[event.label, event.value] = Capped(event, tally)
        return replace(self, caps=tuple(known.values()))

    def refuse(self, event: Charge | Cap, past: Iterable[Charge] = ()) -> None:
        """Refuses a charge that the total or a cap does not allow, and a cap already exceeded.

        Raises:
            BudgetExceeded: more than is left.
            LedgerError: a charge about other data, another unit or other neighbours.
            UnsupportedQuery: no theorem adds such costs up.
        """
        if isinstance(event, Cap):
            charges = list(past)
            tally = Tally.begun(cap_account(event, self.header))
            tally.refuse_unpriced(charges)
            _ = tally.after(charges).balance
            return
        self.scope.refuse_other(event.about)
        self._refuse_no_envelope(event)
        for tally in self._concerned(event):
            tally.request(event.costs)

    def _concerned(self, charge: Charge) -> list[Tally]:
        """The budgets that a charge counts against."""
        every = (*self.tallies, *(each.tally for each in self.caps))
        return [each for each in every if each.account.concerns(charge.labels)]

    def _refuse_no_envelope(self, charge: Charge) -> None:
        if not any(account.concerns(charge.labels) for account in self.header.accounts):
            names = ", ".join(map(repr, self.header.envelopes))
            raise BudgetExceeded(
                f"a charge under a plan must name one of its envelopes in the label "
                f"{ENVELOPE!r}; it does not. There are {names}.",
                requested=charge.cost,
            )

    def ahead(self, charge: Charge) -> tuple[Balance, Balance | None]:
        """The budget that a charge counts against, before and after it.

        Of several, the first that refuses it, and None for what comes after.
        """
        try:
            self._refuse_no_envelope(charge)
        except BudgetExceeded:
            return self.tallies[0].balance, None
        found = self._concerned(charge)
        for tally in found:
            try:
                tally.request(charge.costs)
            except (BudgetExceeded, UnsupportedQuery):
                return tally.balance, None
        return found[0].balance, found[0].after((charge,)).balance

    @property
    def balances(self) -> tuple[Balance, ...]:
        """What the total (in a plan: each envelope) and every cap have spent and left."""
        return tuple(each.balance for each in (*self.tallies, *(cap.tally for cap in self.caps)))

    @property
    def current(self) -> Balance:
        """The total's balance; in a plan, that of the first envelope not yet empty."""
        own = [each.balance for each in self.tallies]
        return next((each for each in own if any(map(_is_something, each.remaining))), own[-1])


def cap_account(cap: Cap, header: Header) -> Account:
    """A cap adds up as the total does if it is of the same kind, else as its kind does."""
    alike = type(cap.limit) is type(header.total) and header.mode is not Mode.PLAN
    own = header.mode if alike else usual_mode(cap.limit)
    try:
        found = limits(cap.limit, own)
    except InvalidParameter:
        own = usual_mode(cap.limit)
        found = limits(cap.limit, own)
    others = other_splits(cap.limit, own) if header.follows else ()
    return Account(((cap.label, cap.value),), cap.limit, found, others)


def _is_something(guarantee: Guarantee) -> bool:
    return any(as_amounts(guarantee))
