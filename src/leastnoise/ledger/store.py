"""`Store`: where lines are kept. Two of them: a file, and a database server."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from leastnoise.errors import LedgerMissing
from leastnoise.ledger.chain import Line

T = TypeVar("T")


class Transaction(Protocol):
    """The ledger while nobody else can write to it."""

    def header(self) -> str | None:
        """The header's text; None in a new ledger."""

    def lines(self, after: int = 0) -> list[Line]:
        """All lines with a greater number, in order; with 0, every line whatever its number."""

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

    def locked(self, work: Callable[[Transaction], T], *, begin: bool = False) -> T:
        """`work` alone with the ledger: all of its writes are kept, or none.

        Args:
            work: what to do.
            begin: make the place for a ledger if there is none; nothing is made otherwise.

        Raises:
            LedgerMissing: there is no ledger, and none is to be begun.
            LedgerError: the store cannot be reached or written.
        """


def missing(name: str) -> LedgerMissing:
    """The refusal to take an empty place for an empty ledger."""
    return LedgerMissing(
        f"a ledger must be begun before it is used; there is none at {name}. If there was one, "
        "restore it: a new one would forget what was spent. To begin one: leastnoise budget "
        "begin plan.toml, with the name of your plan or of your dataset's file, or "
        "Ledger(…, total=…, begin=True)."
    )
