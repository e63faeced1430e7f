"""`Budget`: spending from a ledger, and what is left of it."""

from collections.abc import Mapping

from leastnoise.accounting.pricing import checked_price
from leastnoise.ledger.account import Balance
from leastnoise.ledger.arguments import Costs, checked_costs, checked_labels, checked_text
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.open_ledger import OpenLedger
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import Transaction
from leastnoise.privacy.guarantee import Guarantee


class Budget(OpenLedger):
    """What may be spent, and what has been."""

    def charge(  # noqa: PLR0913 - each is a part of the line
        self,
        cost: Costs,
        *,
        purpose: str,
        labels: Mapping[str, str] | None = None,
        digest: str = "",
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
        answers: str = "",
    ) -> Entry:
        r"""Spend: the charge is durable when this returns, and only then may noise be drawn.

        Theorem: let whoever is given the line of a charge for `answers` show nothing of its draw
        but what `keep` returns under that name. Then one draw is shown for each charge, however
        many programs drew.
        Proof: `keep` returns what was stored first under the name; which draw is the first does
        not depend on what was drawn, and all others are forgotten unseen. In full:
        docs/proofs/gate.md, theorem 7.

        Args:
            cost: the guarantee of what will be released; or several that all hold, of which the
                one that takes the least is counted.
            purpose: what it is spent on; public.
            labels: whose budgets it counts against, such as {"analyst": "ann"}; public.
            digest: a fingerprint of the plan; public.
            dataset: the name of the data.
            unit: the column that says whose row it is, or "row".
            neighbours: "add_remove" or "replace". Whoever says nothing of these three answers for
                it that they are the ledger's; plans say all of them.
            answers: the name under which the answers will be stored before anybody sees them. If
                they were charged before, at the same costs and about the same data, that line is
                returned and nothing is spent: a program that died after its charge is run again.

        Raises:
            BudgetExceeded: more than the total or one of the caps has left; nothing was charged.
            LedgerError: the ledger cannot be written, was tampered with, or is about other data,
                another unit or other neighbours.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), begin=True)
            >>> entry = ledger.charge(ln.PureDP(epsilon=1), purpose="a table for the web")
            >>> ledger.remaining
            PureDP(epsilon=2)
        """
        about = Scope.checked(dataset, unit, neighbours)
        words = checked_text(purpose, "purpose"), checked_labels(labels)
        plan, name = checked_text(digest, "digest"), checked_text(answers, "answers")
        event = Charge(checked_costs(cost), *words, plan, about, name)

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, Entry]:
            found = self._paid(event, seen, transaction)
            if found is not None:
                return seen, found
            seen.totals.refuse(event)
            return seen.appended(transaction, event)

        return self._looking(work)

    def require(  # noqa: PLR0913 - as `charge` has them
        self,
        cost: Costs,
        *,
        labels: Mapping[str, str] | None = None,
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
        answers: str = "",
    ) -> Entry | None:
        """Refuse now what `charge` would refuse; spend nothing.

        Returns:
            The charge that was made before for these answers, which is not made again; None if it
            would be new.

        Raises:
            BudgetExceeded: more than is left.
            LedgerError: the ledger is about something else.
        """
        about = Scope.checked(dataset, unit, neighbours)
        costs, name = checked_costs(cost), checked_text(answers, "answers")
        event = Charge(costs, "", checked_labels(labels), "", about, name)

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, Entry | None]:
            found = self._paid(event, seen, transaction)
            if found is None:
                seen.totals.refuse(event)
            return seen, found

        return self._looking(work)

    def _paid(self, event: Charge, seen: Seen, transaction: Transaction) -> Entry | None:
        """The line of a charge for the same answers with the same promise, if there is one."""
        if not event.answers:
            return None
        made = seen.entries_for(transaction, "answers", event.answers)
        found = next((entry for entry in made if _is_paid_by(event, entry.event)), None)
        if found is not None:
            seen.refuse_astray(found, transaction)
        return found

    def ahead(
        self, cost: Costs, *, labels: Mapping[str, str] | None = None
    ) -> tuple[Balance, Balance | None]:
        """The budget that a charge would count against, before and after it.

        Of several, the first that would refuse it, and None for what comes after.
        """
        asked = Charge(checked_costs(cost), "", checked_labels(labels), "")
        return self._looked().totals.ahead(asked)

    def cap(self, label: str, value: str, limit: Guarantee) -> Entry:
        """Give one analyst, period or project a smaller budget inside the total.

        Earlier charges with that label count. The latest cap for a label holds.

        Raises:
            BudgetExceeded: more was spent already.
            UnsupportedQuery: earlier charges cannot be added up to a limit of this kind.

        Args:
            label: the kind of part, such as "analyst".
            value: whose it is, such as "ann".
            limit: what they may spend.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), begin=True)
            >>> _ = ledger.cap("analyst", "ann", ln.PureDP(epsilon=1))
            >>> ledger.remaining_for("analyst", "ann")
            PureDP(epsilon=1)
        """
        checked = checked_price(limit, "limit")
        event = Cap(checked_text(label, "label"), checked_text(value, "value"), checked)

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, Entry]:
            past = [entry.event for _, entry in seen.steps(transaction)]
            charges = [each for each in past if isinstance(each, Charge)]
            seen.totals.refuse(event, charges)
            return seen.appended(transaction, event, charges)

        return self._looking(work)

    @property
    def balances(self) -> tuple[Balance, ...]:
        """What the total (in a plan: each envelope) and every cap have spent and left."""
        return self._looked().totals.balances

    @property
    def limit(self) -> Guarantee:
        """What `spent` and `remaining` add up to: of several ways, the first within its limit."""
        return self._looked().totals.current.limits[0]

    @property
    def spent(self) -> Guarantee:
        """The sum of all charges; in a plan, of those in the envelope that `remaining` tells of.

        If there are several ways of adding up, the first one that is within its limit.
        """
        return self._looked().totals.current.spent[0]

    @property
    def remaining(self) -> Guarantee:
        """What may still be spent; in a plan, what the first envelope not yet empty has left.

        `balances` tells it for every envelope and every way of adding up.
        """
        return self._looked().totals.current.remaining[0]

    def remaining_for(self, label: str, value: str) -> Guarantee:
        """What one label's cap or envelope has left; the total's remainder if it has none.

        Args:
            label: the kind of part, such as "analyst".
            value: whose it is, such as "ann".

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), begin=True)
            >>> ledger.remaining_for("analyst", "ann")  # who has no part of their own
            PureDP(epsilon=3)
        """
        found = self._looked().totals
        for balance in found.balances:
            if balance.name == f"{label} {value}":
                return balance.remaining[0]
        return found.current.remaining[0]


def _is_paid_by(event: Charge, made: object) -> bool:
    return isinstance(made, Charge) and (made.costs, made.about) == (event.costs, event.about)
