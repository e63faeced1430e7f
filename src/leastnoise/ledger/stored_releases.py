"""`StoredReleases`: answers that a ledger keeps, to be served again at no cost."""

import hashlib
from collections.abc import Iterable, Mapping

from leastnoise.errors import LedgerError
from leastnoise.ledger.arguments import (
    Costs,
    checked_content,
    checked_costs,
    checked_labels,
    checked_text,
)
from leastnoise.ledger.budget import Budget
from leastnoise.ledger.entry import Charge, Entry, Kept
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import Transaction


class StoredReleases(Budget):
    """Texts beside the lines, each with a line that holds its hash."""

    def keep(self, digest: str, content: str) -> str:
        """Store a release, so that the same request can be answered again at no cost.

        What is stored first under a digest stays. A line with the hash of the content is added.

        Returns:
            What is stored under the digest now.

        Raises:
            LedgerError: the ledger cannot be written, or something was stored past its lines.
        """
        name, checked = checked_text(digest, "digest"), checked_content(content)

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, str]:
            found = self._served(seen, transaction, name)
            if found is not None:
                return seen, found
            transaction.keep(name, checked)
            stored, _ = seen.appended(transaction, Kept(name, _sha256(checked)))
            return stored, checked

        return self._looking(work)

    def begin_schedule(  # noqa: PLR0913 - each is a part of the line
        self,
        cost: Costs,
        *,
        name: str,
        content: str,
        purpose: str,
        labels: Mapping[str, str] | None = None,
        dataset: str = "",
        unit: str = "",
        neighbours: str = "",
    ) -> str:
        """Spend once for all steps to come, and store what they are drawn by: both, or neither.

        The charge's digest is the hash of what is stored, so that each belongs to the other. Where
        something is stored under the name already, nothing is spent, and that is returned.

        Args:
            cost: what all steps together keep; see `charge`.
            name: under which it is found again.
            content: what the steps are drawn by; public.
            purpose: what it is spent on; public.
            labels: whose budgets it counts against.
            dataset: the name of the data.
            unit: the column that says whose row it is, or "row".
            neighbours: "add_remove" or "replace".

        Raises:
            BudgetExceeded: more than is left; nothing was charged or stored.
            LedgerError: see `charge`.
        """
        title, checked = checked_text(name, "name"), checked_content(content)
        about = Scope.checked(dataset, unit, neighbours)
        words = checked_text(purpose, "purpose"), checked_labels(labels)
        event = Charge(checked_costs(cost), *words, _sha256(checked), about)

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, str]:
            found = self._served(seen, transaction, title)
            if found is not None:
                return seen, found
            seen.totals.refuse(event)
            transaction.keep(title, checked)
            charged, _ = seen.appended(transaction, event)
            stored, _ = charged.appended(transaction, Kept(title, event.digest))
            return stored, checked

        return self._looking(work)

    def charge_for(self, content: str) -> Entry | None:
        """The line that paid for what is stored, if one did.

        Raises:
            LedgerError: there is such a line, and it is not a part of the chain.
        """

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, Entry | None]:
            found = next(iter(seen.entries_for(transaction, "plan", _sha256(content))), None)
            if found is not None:
                seen.refuse_astray(found, transaction)
            return seen, found

        return self._looking(work)

    def kept_all(self, names: Iterable[str]) -> list[str]:
        """What is stored under the first of these names, up to the first that is not there.

        Raises:
            LedgerError: what is stored is not what the ledger's lines say.
        """
        wanted = [checked_text(name, "name") for name in names]

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, list[str]]:
            found = []
            for name in wanted:
                content = self._served(seen, transaction, name)
                if content is None:
                    break
                found.append(content)
            return seen, found

        return self._looking(work)

    def kept(self, digest: str) -> str | None:
        """A stored release, if there is one.

        Raises:
            LedgerError: what is stored is not what the ledger's lines say.
        """
        name = checked_text(digest, "digest")

        return self._looking(lambda seen, store: (seen, self._served(seen, store, name)))

    def _served(self, seen: Seen, transaction: Transaction, name: str) -> str | None:
        """A stored release, if it is the one that a line tells of."""
        named = (each.event for each in seen.entries_for(transaction, "answers", name))
        line = next((event for event in named if isinstance(event, Kept)), None)
        content = transaction.kept(name)
        if line is None and content is None:
            return None
        if line is not None and content is not None and line.sha256 == _sha256(content):
            return content
        raise LedgerError(
            "a stored release must be what a line of the ledger says; this one is not. It was "
            "changed, removed or put there by another hand, or stored by an earlier version: "
            "restore a backup, or release anew without `store`."
        )


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
