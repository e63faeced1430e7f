"""`Store`: where lines are kept. Two of them: a file, and a database server."""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, Protocol, TypeVar

from leastnoise.errors import LedgerMissing
from leastnoise.ledger.chain import Line

T = TypeVar("T")


Kind = Literal["answers", "plan", "seal"]
"""What a line may be found by: the answers that it is about, the plan's digest, or its hash."""

LEAST = -(2**63)  # a number that no line's is below
PAGE = 10_000  # lines that are in memory at once


class Noted(NamedTuple):
    """Running totals beside the chain: the number of the last line in them, and their text."""

    number: int
    text: str


class Transaction(Protocol):
    """The ledger while nobody else can write to it."""

    def header(self) -> str | None:
        """The header's text; None in a new ledger."""

    def lines(self, first: int, most: int) -> list[Line]:
        """Up to so many lines in order, from the first with this number or a greater one."""

    def lines_for(self, kind: Kind, name: str) -> list[Line]:
        """The lines of this plan, of these answers or with this hash, in order, by an index."""

    def totals(self) -> Noted | None:
        """The newest running totals that are kept here by who is believed, if there are any."""

    def note(self, totals: Noted) -> None:
        """Keep running totals in the place of earlier ones, if there is a place for them."""

    def begin(self, header: str) -> None:
        """Write the header of a new ledger."""

    def append(self, line: Line) -> None:
        """Add a line at the end."""

    def keep(self, digest: str, content: str) -> None:
        """Store a release under a digest that has none."""

    def kept(self, digest: str) -> str | None:
        """A stored release, if there is one."""


class Store(Protocol):
    """Runs work with the ledger locked, and makes its writes durable before it returns."""

    @property
    def name(self) -> str:
        """What to call it in public: no folder, no password."""

    def locked(self, work: Callable[[Transaction], T], *, begin: bool = False, known: int = 0) -> T:
        """`work` alone with the ledger: all of its writes are kept, or none.

        What it read and wrote is durable when this returns.

        Args:
            work: what to do.
            begin: make the place for a ledger if there is none; nothing is made otherwise.
            known: the number of the line from which on it will read, if it is known already: a
                server sends the lines as soon as they cannot change any more.

        Raises:
            LedgerMissing: there is no ledger, and none is to be begun.
            LedgerError: the store cannot be reached or written.
        """


def lines_from(transaction: Transaction, first: int = LEAST) -> Iterator[Line]:
    """All lines from a number on, page by page; every line, whatever its number, without one."""
    while True:
        page = transaction.lines(first, PAGE)
        yield from page
        if len(page) < PAGE:
            return
        first = page[-1].number + 1


def missing(name: str) -> LedgerMissing:
    """The refusal to take an empty place for an empty ledger."""
    return LedgerMissing(
        f"a ledger must be begun before it is used; there is none at {name}. If there was one, "
        "restore it: a new one would forget what was spent. To begin one: leastnoise budget "
        "begin plan.toml, with the name of your plan or of your dataset's file, or "
        "Ledger(…, total=…, begin=True)."
    )
