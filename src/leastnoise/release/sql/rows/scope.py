"""`Scope`: which columns a name may mean, and which of them names the unit."""

from collections.abc import Iterable

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.schema import Schema
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import Name

_MOST_NAMED = 20


@dataclass(frozen=True)
class Known:
    """A column that can be named.

    Attributes:
        table: what its table is called here; empty if it has no name.
        name: what it is called here.
        column: what it is in the rows that are asked about: one of their columns, or a term.
        is_unit: whether its values are those that name the units.
        may_be_absent: whether a join leaves it without value for rows of known units.
        is_hidden: whether it can be named with its table in front alone.
    """

    table: str
    name: str
    column: Term
    is_unit: bool = False
    may_be_absent: bool = False
    is_hidden: bool = False


@dataclass(frozen=True)
class Scope:
    """The columns that can be named in one query.

    Attributes:
        known: these columns.
        schema: the types of what they are in the rows.
    """

    known: tuple[Known, ...]
    schema: Schema

    @classmethod
    def of_table(cls, schema: Schema, table: str = "", unit: str | None = None) -> "Scope":
        """The columns of one table, under their own names."""
        return cls(
            tuple(Known(table, name, Column(name), name == unit) for name in schema.names), schema
        )

    def find(self, name: Name) -> Known:
        """The column that a name means; plain names match without case, quoted ones exactly.

        Raises:
            InvalidParameter: there is none, or there are several.
        """
        found = [each for each in self.known if _fits(each, name)]
        if len(found) == 1:
            return found[0]
        if found:
            options = ", ".join(f"{each.table}.{each.name}" for each in found if each.table)
            raise refused(
                name.at,
                "a name must mean one column",
                f"{str(name)!r}",
                f"Write one of: {options}.",
            )
        raise self._unknown(name)

    def has(self, name: Name) -> bool:
        """Whether a name means some column."""
        return any(_fits(each, name) for each in self.known)

    def _unknown(self, name: Name) -> Exception:
        tables = dict.fromkeys(each.table for each in self.known)
        if name.table is not None and not any(_same(name.table, each) for each in tables):
            return refused(
                name.at,
                "a table must be named in FROM",
                f"{name.table!r}",
                f"There are: {_listed(tables)}.",
            )
        remedy = f"There are: {_listed(each.name for each in self.known)}."
        if name.exact:
            remedy = f"A text stands in single quotes. {remedy}"
        return refused(name.at, "a column must be in the table", f"{str(name)!r}", remedy)


def _fits(known: Known, name: Name) -> bool:
    if known.is_hidden if name.table is None else not _same(name.table, known.table):
        return False
    return known.name == name.name if name.exact else _same(known.name, name.name)


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _listed(names: Iterable[str]) -> str:
    every = [each for each in names if each]
    shown = ", ".join(every[:_MOST_NAMED])
    return shown if len(every) <= _MOST_NAMED else f"{shown} and {len(every) - _MOST_NAMED} more"
