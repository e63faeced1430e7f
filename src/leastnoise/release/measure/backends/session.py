"""`Session`: what every engine offers, for as long as one set of measurements takes."""

from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.step.secret_totals import Totals

CarriedKey: TypeAlias = int | str | bool
"""A key as engines have it: dates are numbers of days."""


KeyColumn: TypeAlias = list[CarriedKey] | NDArray[np.int64]
"""Of groups that have numbers, these may be in an array."""


@dataclass(frozen=True, repr=False)
class Found:
    """A query's groups: one column per key, one array of integers per total. Secret."""

    keys: tuple[KeyColumn, ...]
    totals: tuple[Totals, ...]


class Session(Protocol):
    """An open, read-only view of one table. Errors never quote what an engine said."""

    def schema(self) -> Schema:
        """The columns, by name and type; reads no rows."""

    @property
    def dialect(self) -> Dialect:
        """The engine's spelling."""

    @property
    def rereads(self) -> bool:
        """Whether several scans surely show the same rows: not, if the table is a computation.

        Of stored rows, for which it is said yes, `refuse_changed` tells if somebody changed them.
        """

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """What stands for the table after FROM, for the next query, which reads these columns."""

    def key_table(self, keys: Keys) -> Fragment:
        """What stands for public keys after FROM: their number i and values c0, c1 and so on."""

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """The columns k0, … and t0, … of a query."""

    def held(self, query: Fragment) -> AbstractContextManager[Fragment | None]:
        """What stands for a query's rows after FROM, computed once; None if nothing can hold them.

        They are forgotten with the context.
        """

    def refuse_changed(self) -> None:
        """To be called after the last query: what was looked at twice must have stayed the same.

        Raises:
            BackendError: it has changed since the session was opened.
        """

    def __enter__(self) -> "Session": ...

    def __exit__(self, *error: Any) -> None: ...
