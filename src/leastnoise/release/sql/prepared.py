"""`Prepared`: the rows that a statement is about, and what its names mean in them."""

from collections.abc import Mapping
from dataclasses import field

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.rows.leaves import Public
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
        kept: columns of public rows that are kept without a match; they must make the groups.
        origins: of columns of public tables, where they come from.
    """

    table: Table
    scope: Scope
    notes: tuple[str, ...] = ()
    rows: Rows | None = None
    kept: tuple[str, ...] = ()
    origins: Mapping[str, tuple[Public, str]] = field(default_factory=dict)
