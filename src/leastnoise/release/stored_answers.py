"""`StoredAnswers`: what a ledger stores of a plan's answers, and what was paid for and is not."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.location import place_of
from leastnoise.release.ask.publication import Publication
from leastnoise.release.ask.table import Table
from leastnoise.release.result.plan_release import PlanRelease


@dataclass(frozen=True)
class StoredAnswers:
    """The answers of one plan with one budget, in one ledger.

    Attributes:
        ledger: where they are stored.
        table: what they are about.
        name: under which they are found again.
        publication: words of the plan as it is now; they are no part of what was paid for.
    """

    ledger: Ledger
    table: Table
    name: str
    publication: Publication

    def found(self) -> PlanRelease | None:
        """The release that is served again; None if none is stored.

        Raises:
            LedgerError: the ledger is about other data, another unit or other neighbours.
        """
        # Stored answers, too, are for their own data.
        self.ledger.about.refuse_other(self.table.scope)
        text = self.ledger.kept(self.name)
        return None if text is None else self._told(text)

    def owed(
        self, costs: tuple[Guarantee, ...], labels: Mapping[str, str] | None = None
    ) -> Entry | None:
        """A charge for answers that are not stored, which is not made again.

        Raises:
            BudgetExceeded: there is none, and more would be charged than is left.
            LedgerError: the ledger is about other data, another unit or other neighbours.
        """
        about = self.table.scope.said
        return self.ledger.require(costs, answers=self.name, labels=labels, **about)

    def first(self, made: PlanRelease) -> PlanRelease:
        """These answers, or those of who stored them first under the same charge."""
        text = made.to_json()
        try:
            found = self.ledger.keep(self.name, text)
        except LedgerError as failure:
            raise LedgerError(
                f"answers must be stored before they are shown; line {made.entry.number} of the "
                f"ledger was charged for them, and storing failed: {failure} Then release the same "
                "plan again: it is drawn and stored then, and nothing more is charged."
            ) from None
        return made if found == text else self._told(found)

    def _told(self, text: str) -> PlanRelease:
        made = PlanRelease.from_json(text)
        return replace(made, facts=replace(made.facts, publication=self.publication))


def stored_name(digest: str, table: Table, budget: Guarantee) -> str:
    """Under which the answers of a plan about a table are stored.

    Raises:
        InvalidParameter: a table in memory, which nothing tells from another.
    """
    words = f"{digest} {place_of(table.location)} {budget!r}"
    return hashlib.sha256(words.encode()).hexdigest()
