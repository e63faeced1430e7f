"""`Seen`: what one object has read of a ledger, and will not let anybody take back."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, takewhile

from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError
from leastnoise.ledger.chain import Line, checked, entry_of, linked, tampered, written
from leastnoise.ledger.entry import Cap, Charge, Entry, Kept
from leastnoise.ledger.header import Header, now
from leastnoise.ledger.store import Kind, Noted, Transaction, lines_from
from leastnoise.ledger.totals import Totals
from leastnoise.ledger.totals_text import (
    fingerprint,
    is_ours,
    other_totals,
    totals_from_text,
    totals_text,
)


@dataclass(frozen=True)
class Seen:
    r"""A place in the chain, and what all lines up to it add up to.

    Theorem: let a Seen be reached from the header by `grown`, through every line. Then its totals
    are those of the charges in these lines. If one is `at` a place that was noted, its totals are
    those that the line there vouches for, and every later line is added up again.
    Proof: by induction over lines: each is bound to the hash before it, and `Totals.after` is a
    function of the totals before and of the line. Totals that a line vouches for have the
    fingerprint that is a part of the line, and so of its hash and of every later one. (What lines
    vouch for is no premise for those who add them up: `grown` asks the last one, `steps` asks all.)

    Attributes:
        header: what the ledger began with.
        number: of the last line.
        hash: of the last line; of the header if there is none.
        totals: what the lines add up to.
    """

    header: Header
    number: int
    hash: str
    totals: Totals

    @classmethod
    def begun(cls, header: Header) -> "Seen":
        """Nothing but the header."""
        return cls(header, 0, header.hash, Totals.begun(header))

    @classmethod
    def opened(cls, header: Header, transaction: Transaction) -> "Seen":
        """By the totals that are kept beside the chain, or else by every line.

        Raises:
            LedgerError: the last line does not vouch for the totals, or a line after it is broken.
        """
        noted = transaction.totals()
        known = cls.begun(header)
        if noted is not None and noted.number and is_ours(noted.text):
            known = cls.at(header, noted, transaction)
        found = known.grown(transaction)
        if found.number - known.number > _MANY:
            found._note(transaction)
        return found

    @classmethod
    def at(cls, header: Header, noted: Noted, transaction: Transaction) -> "Seen":
        """At a line, with the totals that it vouches for; lines before it are not looked at.

        Raises:
            LedgerError: there is no such line, or it vouches for other totals.
        """
        line = _line(transaction, noted.number)
        if _followed(header, line, transaction).totals != fingerprint(noted.text):
            raise other_totals()
        return cls.noted_at(header, noted, line.hash)

    @classmethod
    def noted_at(cls, header: Header, noted: Noted, seal: str) -> "Seen":
        """At a line that is known by its hash, with totals that are believed.

        Raises:
            LedgerError: these are no totals of such a ledger.
        """
        return cls(header, noted.number, seal, totals_from_text(noted.text, header))

    def entries_for(self, transaction: Transaction, kind: Kind, name: str) -> list[Entry]:
        """The lines that name a plan or answers, each held against the line before it.

        Raises:
            LedgerError: one of them does not follow from the line before.
        """
        found = transaction.lines_for(kind, name)
        return [_followed(self.header, line, transaction) for line in found]

    def holds(self, transaction: Transaction, seal: str) -> bool:
        r"""Whether a line with this hash leads here, through lines that add up.

        Theorem: if it does, these totals are what the line vouches for and the costs of all lines
        after it. Lines before it are not looked at, unless what it vouches for is not found.
        Proof: totals with the fingerprint that the line holds are those it vouches for, however
        they were guessed; `grown` goes on from them through every line after it, and what it
        reaches is held against this place. If the guess has another fingerprint, `steps` goes
        through all lines from the header on.

        Raises:
            LedgerError: the chain is broken, or lines do not add up to these totals.
        """
        wellformed = seal.isascii() and seal.isalnum()
        line = next(iter(transaction.lines_for("seal", seal) if wellformed else ()), None)
        if line is None and seal != self.header.hash:
            return False
        if line is not None:
            entry, totals = _followed(self.header, line, transaction), self.totals
            later = map(entry_of, lines_from(transaction, line.number + 1))
            while page := list(islice(later, _PAGE)):
                totals = totals.before([e.event for e in page if isinstance(e.event, Charge)])
            if entry.totals == fingerprint(totals_text(totals)):
                place = Seen(self.header, line.number, seal, totals)
                return place.grown(transaction) == self
        found = seal == self.header.hash
        for place, _ in self.steps(transaction):
            found = found or place.hash == seal
        return found

    def refuse_astray(self, entry: Entry, transaction: Transaction) -> None:
        """Checks that the chain leads from a line to this place: whoever is not charged needs it.

        Raises:
            LedgerError: it does not; the line was changed, or put beside the chain.
        """
        last = entry.seal
        for line in checked(lines_from(transaction, entry.number + 1), last, entry.number):
            last = line.hash
        if last != self.hash:
            raise tampered(entry.number)

    def grown(self, transaction: Transaction) -> "Seen":
        """With the lines that were added since; the last one known must still be there.

        Raises:
            LedgerError: the header is another one, or a line does not follow from those before.
        """
        if not self.number:
            return self.reread(transaction)
        self._refuse_another(transaction)
        lines = lines_from(transaction, self.number)
        if next(lines, _NONE).hash != self.hash:
            raise tampered(self.number)
        seen, following = self, map(entry_of, checked(lines, self.hash, self.number))
        while page := list(islice(following, _PAGE)):
            uncapped = list(takewhile(lambda entry: not isinstance(entry.event, Cap), page))
            seen = seen._after(uncapped)
            if len(uncapped) < len(page):
                return self.reread(transaction)  # charges before this place count under it
        return seen

    def steps(self, transaction: Transaction) -> Iterator[tuple["Seen", Entry]]:
        """Every line anew, from the header on, and where the ledger stood after it.

        Raises:
            LedgerError: a line is broken, or this place is not in the past.
        """
        self._refuse_another(transaction)
        seen, past = Seen.begun(self.header), _Past()
        for line in checked(lines_from(transaction), self.header.hash):
            entry = entry_of(line)
            seen = seen._with(entry, past.of(entry.event))
            past.add(entry.event)
            if seen.number == self.number and seen.hash != self.hash:
                raise _another_past()
            yield seen, entry
        if seen.number < self.number:
            raise _another_past()

    def reread(self, transaction: Transaction) -> "Seen":
        """Every line anew, as `grown` does from the header on; this place must be among them.

        Raises:
            LedgerError: the past has changed or shrunk.
        """
        found = Seen.begun(self.header)
        for place, _ in self.steps(transaction):
            found = place
        return found

    def appended(
        self, transaction: Transaction, event: Charge | Cap | Kept, past: Iterable[Charge] = ()
    ) -> tuple["Seen", Entry]:
        """With one more line, written, and the totals after it, noted."""
        totals = self.totals.after(event, past)
        text = totals_text(totals)
        entry = Entry(self.number + 1, now(), event, totals=fingerprint(text))
        line = written(entry, self.hash)
        transaction.append(line)
        transaction.note(Noted(line.number, text))
        return Seen(self.header, line.number, line.hash, totals), replace(entry, seal=line.hash)

    def _note(self, transaction: Transaction) -> None:
        """What was added up here is not added up again, if the last line vouches for it."""
        noted = self.noted()
        if entry_of(_line(transaction, self.number)).totals == fingerprint(noted.text):
            transaction.note(noted)

    def noted(self) -> Noted:
        """This place, to be kept elsewhere: see `noted_at`."""
        return Noted(self.number, totals_text(self.totals))

    def _after(self, entries: list[Entry]) -> "Seen":
        """After lines that are no caps; the last of them must vouch for what they add up to."""
        charges = [each.event for each in entries if isinstance(each.event, Charge)]
        after = replace(self, totals=self.totals.after_charges(charges))
        return after._at(entries[-1]) if entries else self

    def _at(self, entry: Entry) -> "Seen":
        """At the last line in the totals, which must vouch for them if it vouches for any."""
        if is_ours(entry.totals) and entry.totals != fingerprint(totals_text(self.totals)):
            raise other_totals()
        return Seen(self.header, entry.number, entry.seal, self.totals)

    def _with(self, entry: Entry, past: Iterable[Charge] = ()) -> "Seen":
        return replace(self, totals=self.totals.after(entry.event, past))._at(entry)

    def _refuse_another(self, transaction: Transaction) -> None:
        if transaction.header() != self.header.text:
            raise _another_past()


class _Past:
    """The charges so far, by label: what a cap looks at."""

    def __init__(self) -> None:
        self._charges = defaultdict[tuple[str, str], list[Charge]](list)

    def add(self, event: Charge | Cap | Kept) -> None:
        if isinstance(event, Charge):
            for pair in event.labels.items():
                self._charges[pair].append(event)

    def of(self, event: Charge | Cap | Kept) -> list[Charge]:
        return self._charges[event.label, event.value] if isinstance(event, Cap) else []


_NONE = Line(0, "", "")
_PAGE = 1000  # lines that are added up at once
_MANY = 1000  # lines, before their sum is noted by who only reads


def _line(transaction: Transaction, number: int) -> Line:
    found = next(iter(transaction.lines(number, 1)), _NONE)
    if found.number != number:
        raise tampered(number)
    return found


def _followed(header: Header, line: Line, transaction: Transaction) -> Entry:
    """What a line says that follows from the one before it; those before are not looked at."""
    if line.number < 1:  # who goes on from the last line would not see it
        raise tampered(line.number)
    before = header.hash if line.number == 1 else _line(transaction, line.number - 1).hash
    if line.hash != linked(before, line.text):
        raise tampered(line.number)
    return entry_of(line)


def _another_past() -> LedgerError:
    return LedgerError(
        "a ledger's past must stay what it was; this one has lost or changed lines since it was "
        "opened. Restore the newest copy, and count everything since as spent."
    )
