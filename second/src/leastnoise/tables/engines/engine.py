"""What a release asks of a data engine; its totals are integers, and its errors show no data.

A new engine is one class with these methods.

Trusted.
"""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from leastnoise.numbers.errors import EngineError
from leastnoise.tables.dialect import Dialect, Fragment
from leastnoise.tables.schema import Schema, Table, Value

T = TypeVar("T")

_WHOLE = ("HUGEINT", "BIGINT", "INTEGER")


class Engine(Protocol):
    """Reads tables with one read-only statement at a time."""

    @property
    def dialect(self) -> Dialect:
        """How it is spelled."""

    def schema(self, table: Table) -> Schema:
        """The names and types of a table's columns; reads no rows."""

    def scan(self, table: Table, columns: list[str]) -> Fragment:
        """What stands in FROM for a table: these columns, cleaned, and the hidden unit."""

    def prepare(self, query: Fragment) -> None:
        """Plans a statement without reading rows. Its errors are not passed on."""

    def candidates(self, query: Fragment) -> list[tuple[Value, ...]]:
        """The rows of a statement whose last column is a declared integer."""

    def integers(self, query: Fragment) -> list[tuple[int, ...]]:
        """The rows of a statement, all of whose columns are declared integers."""


def check_integers(types: Iterable[str]) -> None:
    """Refuses a result with a column of any other type than integers, before a row is taken.

    A sum of doubles depends in its last digit on the order of rows, so on other units' rows.
    """
    if any(each not in _WHOLE for each in types):
        raise EngineError("A statement does not give integers. Please report this as a bug.")


def quiet(action: Callable[[], T], message: str) -> T:
    """The action's result; if it fails, `EngineError` with this message and nothing else."""
    result: list[T] = []
    try:
        result.append(action())
    except Exception:
        result.clear()
    if not result:  # outside the handler, so that the first error is not attached to this one
        raise EngineError(message)
    return result[0]
