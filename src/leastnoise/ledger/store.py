"""`Store`: where lines are kept. Two of them: a file, and a database server."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from leastnoise.ledger.chain import Line

T = TypeVar("T")


class Transaction(Protocol):
    """The ledger while nobody else can write to it."""

    def header(self) -> str | None:
        """The header's text; None in a new ledger."""
        ...

    def lines(self, after: int = 0) -> list[Line]:
        """All lines with a greater number, in order; with 0, every line whatever its number."""
        ...

    def begin(self, header: str) -> None:
        """Write the header of a new ledger."""
        ...

    def append(self, line: Line) -> None:
        """Add a line at the end."""
        ...

    def keep(self, digest: str, content: str) -> None:
        """Store a release under a digest, once."""
        ...

    def kept(self, digest: str) -> str | None:
        """A stored release, if there is one."""
        ...


class Store(Protocol):
    """Runs work with the ledger locked, and makes its writes durable before it returns."""

    def locked(self, work: Callable[[Transaction], T]) -> T:
        """`work` alone with the ledger: all of its writes are kept, or none.

        Raises:
            LedgerError: the store cannot be reached or written.
        """
        ...
