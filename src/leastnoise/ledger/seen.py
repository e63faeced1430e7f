"""`Seen`: what one object has read of a ledger, and will not let anybody take back."""

from dataclasses import dataclass, replace
from functools import cached_property

from leastnoise.errors import LedgerError
from leastnoise.ledger.chain import read, tampered, written
from leastnoise.ledger.entry import Cap, Charge, Entry, Kept
from leastnoise.ledger.header import Header, now
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.store import Transaction


@dataclass(frozen=True)
class Seen:
    """The lines that were read and checked so far.

    Attributes:
        header: what the ledger began with.
        hashes: of the header and of every line.
        entries: what the lines say.
        scope: what the promises are about, by the header and else by the first charge that says so.
    """

    header: Header
    hashes: tuple[str, ...]
    entries: tuple[Entry, ...]
    scope: Scope

    @classmethod
    def begun(cls, header: Header) -> "Seen":
        """Nothing but the header."""
        return cls(header, (header.hash,), (), header.scope)

    def grown(self, transaction: Transaction) -> "Seen":
        """With the lines that were added since; the last one known must still be there.

        Raises:
            LedgerError: the header is another one, or a line does not follow from those before.
        """
        if transaction.header() != self.header.text:
            raise _another_past()
        known = len(self.entries)
        lines = transaction.lines(max(known - 1, 0))
        if known:
            if not lines or lines[0].hash != self.hashes[-1]:
                raise tampered(known)
            lines = lines[1:]
        return self._with(read(lines, self.hashes[-1], known))

    def reread(self, transaction: Transaction) -> "Seen":
        """Every line anew; those that were known must be what they were.

        Raises:
            LedgerError: the past has changed or shrunk.
        """
        found = Seen.begun(self.header).grown(transaction)
        if found.hashes[: len(self.hashes)] != self.hashes:
            raise _another_past()
        return found

    def appended(self, transaction: Transaction, event: Charge | Cap | Kept) -> "Seen":
        """With one more line, written."""
        entry = Entry(len(self.entries) + 1, now(), event)
        line = written(entry, self.hashes[-1])
        transaction.append(line)
        return self._with([replace(entry, seal=line.hash)])

    def _with(self, new: list[Entry]) -> "Seen":
        scope = self.scope
        for entry in new:
            if isinstance(entry.event, Charge):
                scope = scope.filled(entry.event.about)
        hashes = (*self.hashes, *(entry.seal for entry in new))
        return Seen(self.header, hashes, (*self.entries, *new), scope)

    def stored(self, name: str) -> Kept | None:
        """The line about a stored release."""
        return self._stored.get(name)

    @cached_property
    def _stored(self) -> dict[str, Kept]:
        """By name; of two lines about one name the first counts."""
        events = [entry.event for entry in reversed(self.entries)]
        return {each.name: each for each in events if isinstance(each, Kept)}


def _another_past() -> LedgerError:
    return LedgerError(
        "a ledger's past must stay what it was; this one has lost or changed lines since it was "
        "opened. Restore the newest copy, and count everything since as spent."
    )
