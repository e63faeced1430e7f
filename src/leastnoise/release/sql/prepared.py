"""`Prepared`: the rows that a statement is about, and what its names mean in them."""

from dataclasses import dataclass

from leastnoise.release.ask.table import Table
from leastnoise.release.measure.sources import Rows
from leastnoise.release.sql.rows.scope import Scope


@dataclass(frozen=True)
class Prepared:
    """A table to ask about.

    Attributes:
        table: its public facts.
        scope: the columns that can be named.
        notes: what must be known of it.
        rows: its rows, if they are made of several tables.
    """

    table: Table
    scope: Scope
    notes: tuple[str, ...] = ()
    rows: Rows | None = None
