"""`KeptLines`: which releases are stored or paid for, by the lines that tell of them."""

from leastnoise.ledger.chain import checked, entry_of, tampered
from leastnoise.ledger.entry import Charge, Entry, Kept
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import LEAST, Transaction, lines_from

# Every line about a stored release has one of them, as lines are written.
_MARKS = ('"event":"kept"', '"answers":"')


class KeptLines:
    """Lines about stored releases, found once: the first time every line's hash is checked."""

    def __init__(self) -> None:
        self._number, self._hash = 0, ""
        self._lines: dict[str, Kept] = {}
        self._charges: dict[str, list[Entry]] = {}

    def get(self, name: str, seen: Seen, transaction: Transaction) -> Kept | None:
        """The line about a name; of two the first counts.

        Raises:
            LedgerError: a line does not follow from those before.
        """
        self._grow(seen, transaction)
        return self._lines.get(name)

    def charges(self, name: str, seen: Seen, transaction: Transaction) -> list[Entry]:
        """The charges whose answers are stored, or are to be, under a name.

        Raises:
            LedgerError: a line does not follow from those before.
        """
        self._grow(seen, transaction)
        return self._charges.get(name, [])

    def _grow(self, seen: Seen, transaction: Transaction) -> None:
        number, last = self._number, self._hash or seen.header.hash
        if number == seen.number and last == seen.hash:
            return
        new: dict[str, Kept] = {}
        charges = dict(self._charges)
        lines = lines_from(transaction, number + 1 if number else LEAST)
        for line in checked(lines, last, number):
            number, last = line.number, line.hash
            if not any(mark in line.text for mark in _MARKS):
                continue
            entry = entry_of(line)
            if isinstance(entry.event, Kept):
                new.setdefault(entry.event.name, entry.event)
            elif isinstance(entry.event, Charge) and entry.event.answers:
                name = entry.event.answers
                charges[name] = [*charges.get(name, []), entry]
        if (number, last) != (seen.number, seen.hash):
            raise tampered(number)
        self._lines, self._charges = new | self._lines, charges
        self._number, self._hash = number, last
