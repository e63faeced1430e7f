"""`KeptLines`: which releases are stored, by the lines that tell of them."""

from leastnoise.ledger.chain import checked, entry_of, tampered
from leastnoise.ledger.entry import Kept
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import LEAST, Transaction, lines_from

_MARK = '"event":"kept"'  # every line about a stored release has it, as lines are written


class KeptLines:
    """Lines about stored releases, found once: the first time every line's hash is checked."""

    def __init__(self) -> None:
        self._number, self._hash = 0, ""
        self._lines: dict[str, Kept] = {}

    def get(self, name: str, seen: Seen, transaction: Transaction) -> Kept | None:
        """The line about a name; of two the first counts.

        Raises:
            LedgerError: a line does not follow from those before.
        """
        self._grow(seen, transaction)
        return self._lines.get(name)

    def _grow(self, seen: Seen, transaction: Transaction) -> None:
        number, last = self._number, self._hash or seen.header.hash
        if number == seen.number and last == seen.hash:
            return
        new: dict[str, Kept] = {}
        lines = lines_from(transaction, number + 1 if number else LEAST)
        for line in checked(lines, last, number):
            number, last = line.number, line.hash
            event = entry_of(line).event if _MARK in line.text else None
            if isinstance(event, Kept):
                new.setdefault(event.name, event)
        if (number, last) != (seen.number, seen.hash):
            raise tampered(number)
        self._lines = new | self._lines
        self._number, self._hash = number, last
