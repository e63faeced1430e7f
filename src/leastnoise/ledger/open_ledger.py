"""`OpenLedger`: a ledger that one object looks at: what it is, and its lines, checked."""

from collections.abc import Callable
from typing import TypeVar

from leastnoise.errors import LedgerError
from leastnoise.ledger.account import Account
from leastnoise.ledger.chain import checked, entry_of, tampered
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.header import Header
from leastnoise.ledger.mode import Mode
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import Noted, Store, Transaction, lines_from
from leastnoise.ledger.totals_text import is_ours, other_totals
from leastnoise.privacy.guarantee import Guarantee

T = TypeVar("T")


class OpenLedger:
    """What one object knows of a ledger; it refuses everything once that has changed."""

    _store: Store
    _seen: Seen

    @property
    def _header(self) -> Header:
        return self._seen.header

    @property
    def name(self) -> str:
        """What to call it in public: a file's name, or a server's and a database's."""
        return self._store.name

    @property
    def id(self) -> str:
        """What tells it from every other ledger: the hash of its header."""
        return self._header.hash

    @property
    def total(self) -> Guarantee:
        """The guarantee for everything together."""
        return self._header.total

    @property
    def accounts(self) -> tuple[Account, ...]:
        """The budget for the total; in a plan, one for each envelope."""
        return self._header.accounts

    @property
    def mode(self) -> Mode:
        """How charges add up."""
        return self._header.mode

    @property
    def about(self) -> Scope:
        """Which data, unit and neighbours the promises are about, as far as anybody has said."""
        return self._seen.totals.scope

    @property
    def dataset(self) -> str:
        """The name of the data the budget is about."""
        return self.about.dataset

    def _looking(self, work: Callable[[Seen, Transaction], tuple[Seen, T]]) -> T:
        """Work alone with the ledger, with the lines that were added since.

        What was seen is remembered once what was written is durable.
        """

        def locked(transaction: Transaction) -> tuple[Seen, T]:
            return work(self._seen.grown(transaction), transaction)

        seen, result = self._store.locked(locked, known=self._seen.number)
        # Threads may share this object: the longest past that one of them has seen stays known.
        if seen.number >= self._seen.number:
            self._seen = seen
        return result

    def _looked(self) -> Seen:
        """With the lines that were added since; a past that shrank or changed is refused."""
        return self._looking(lambda seen, _: (seen, seen))

    def history(self, *, after: int = 0) -> list[Entry]:
        """Every line, checked against its hash anew, and what all of them add up to.

        Args:
            after: only lines with a greater number; those before them are not looked at.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), begin=True)
            >>> _ = ledger.charge(ln.PureDP(epsilon=1), purpose="a table for the web")
            >>> [entry.event.purpose for entry in ledger.history()]
            ['a table for the web']
        """

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, list[Entry]]:
            if after > 0:
                return seen, _latest(seen, transaction, after)
            return seen, [entry for _, entry in seen.steps(transaction)]

        return self._looking(work)

    def charges_for(self, digest: str) -> list[Entry]:
        """The charges for a plan with this digest, each held against the line before it."""

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, list[Entry]]:
            return seen, seen.entries_for(transaction, "plan", digest)

        return self._looking(work) if digest else []

    def verify(self) -> int:
        """Check every line, and that the running totals are what all of them add up to.

        Returns:
            How many lines there are.

        Raises:
            LedgerError: a line was changed, or the totals kept beside the chain were.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), begin=True)
            >>> ledger.verify()
            0
        """

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, int]:
            noted = transaction.totals()
            believed = noted if noted is not None and is_ours(noted.text) else None
            found = believed is None
            for place, _ in seen.steps(transaction):
                if believed is not None and place.number == believed.number:
                    found = place.noted() == believed
            if not found:
                raise other_totals()
            return seen, seen.number

        return self._looking(work)

    @property
    def number(self) -> int:
        """Of the last line: how many there are."""
        return self._looked().number

    @property
    def seal(self) -> str:
        """The hash of the last line. Noted elsewhere, it shows any later change of the past."""
        return self._looked().hash

    @property
    def noted(self) -> tuple[Noted, str]:
        """The last line's number, the totals after it, and its seal: for `goes_on_from`."""
        seen = self._looked()
        return seen.noted(), seen.hash

    def contains(self, seal: str) -> bool:
        """Whether a seal that was noted earlier is in the chain: then that is what it was.

        Every line since is added up again, from the totals that the line with the seal vouches for.
        Lines before it are not looked at: none of them can be another one than it was without a
        gap in the chain, which `verify` finds.

        Args:
            seal: the seal of a line, as releases and reports show it.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), begin=True)
            >>> entry = ledger.charge(ln.PureDP(epsilon=1), purpose="a table for the web")
            >>> ledger.contains(entry.seal)
            True
        """
        return self._looking(lambda seen, store: (seen, seen.holds(store, seal)))

    def goes_on_from(self, noted: Noted, seal: str) -> bool:
        """Whether a place that was noted is in the past, and every line since adds up from there.

        Only these lines are looked at, if there are totals of this version.
        """
        if noted.number <= 0 or not is_ours(noted.text):
            return self.contains(seal)

        def work(seen: Seen, transaction: Transaction) -> tuple[Seen, bool]:
            try:
                place = Seen.noted_at(seen.header, noted, seal)
                return seen, place.grown(transaction) == seen
            except LedgerError:
                return seen, False

        return self._looking(work)


def _latest(seen: Seen, transaction: Transaction, after: int) -> list[Entry]:
    if after >= seen.number:
        return []
    lines = lines_from(transaction, after)
    known = next(lines)
    found = [entry_of(line) for line in checked(lines, known.hash, after)]
    if not found or found[-1].seal != seen.hash:
        raise tampered(after + 1)
    return found
