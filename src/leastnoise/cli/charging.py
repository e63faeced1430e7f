"""A ledger that remembers whether a charge was tried: afterwards no signal stops the release."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from leastnoise.cli.incomplete import Incomplete
from leastnoise.cli.interrupted import SIGNALS
from leastnoise.errors import LeastNoiseError
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger


class Charging(Ledger):
    """The ledger of one release."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.tried = False
        self._before = self.number

    def charge(self, *arguments: Any, **options: Any) -> Entry:
        """Spend; from here on a signal waits until what is paid for is written."""
        SIGNALS.hold()
        self.tried = True
        return super().charge(*arguments, **options)

    @contextmanager
    def answering(self, digest: str, what: str, *, told: str = "") -> Iterator[None]:
        """Whatever fails inside after the charge is told as budget that is gone, not as a refusal.

        Args:
            digest: of the plan that is charged.
            what: is done inside, such as "the release".
            told: what else to say then.

        Raises:
            Incomplete: it was charged, and then something failed.
        """
        try:
            yield
        except BaseException as failure:
            found = self.what_was_charged(digest)
            if found is None:
                raise
            raise Incomplete(
                f"{found}, and then {what} failed ({type(failure).__name__}). The charge stands, "
                f"because noise may have been drawn.{told}",
                answered=False,
            ) from None

    def what_was_charged(self, digest: str) -> str | None:
        """In words, for a release of this plan that failed; None: nothing."""
        if not self.tried:
            return None
        try:
            lines = self.history(after=self._before)
        except LeastNoiseError:
            return "the ledger may have been charged (it cannot be read now)"
        for entry in lines:
            if isinstance(entry.event, Charge) and entry.event.digest == digest:
                return f"line {entry.number} of the ledger was charged"
        return None
