"""A ledger that remembers whether a charge was tried: afterwards no signal stops the release."""

from typing import Any

from leastnoise.cli.interrupted import SIGNALS
from leastnoise.errors import LeastNoiseError
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger


class Charging(Ledger):
    """The ledger of one release."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.tried = False
        self._before = len(self.history())

    def charge(self, *arguments: Any, **options: Any) -> Entry:
        """Spend; from here on a signal waits until what is paid for is written."""
        SIGNALS.hold()
        self.tried = True
        return super().charge(*arguments, **options)

    def what_was_charged(self, digest: str) -> str | None:
        """In words, for a release of this plan that failed; None: nothing."""
        if not self.tried:
            return None
        try:
            lines = self.history()[self._before :]
        except LeastNoiseError:
            return "the ledger may have been charged (it cannot be read now)"
        for entry in lines:
            if isinstance(entry.event, Charge) and entry.event.digest == digest:
                return f"line {entry.number} of the ledger was charged"
        return None
