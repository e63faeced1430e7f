"""`Side`: the rows of a table, a subquery or a join, with what its columns are called."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.expression import Column, Condition, Term
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure import sources
from leastnoise.release.measure.rows.leaves import Public
from leastnoise.release.measure.sources import PublicRows, Rows
from leastnoise.release.sql.rows.scope import Known, Scope
from leastnoise.release.sql.text.place import Place, refused

NO_FACTS = ColumnFacts()


@dataclass(frozen=True)
class Side:
    """Rows of units, or public ones.

    Attributes:
        rows: the rows.
        known: what its columns are called.
        facts: what is declared of them, by their names in the rows.
        kept: of public rows that a RIGHT JOIN keeps, the columns, which must make the groups.
        origins: of columns of public tables, by their names in the rows, where they come from.
        notes: what must be known of them.
    """

    rows: Rows | PublicRows
    known: tuple[Known, ...]
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    origins: Mapping[str, tuple[Public, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_public(self) -> bool:
        """Whether the rows are nobody's."""
        return isinstance(self.rows, PublicRows)

    @property
    def scope(self) -> Scope:
        """What can be named."""
        return Scope(self.known, self.rows.schema)

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.rows.schema

    def fact(self, name: str) -> ColumnFacts:
        """What is declared of a column of the rows."""
        return self.facts.get(name, NO_FACTS)

    def filtered(self, condition: Condition | None) -> "Side":
        """The rows that meet a condition."""
        if condition is None:
            return self
        if isinstance(self.rows, PublicRows):
            return replace(self, rows=sources.public_filtered(self.rows, condition))
        return replace(self, rows=sources.filtered(self.rows, condition))

    def mapped(self, terms: Mapping[str, Term]) -> Rows | PublicRows:
        """Rows with new columns."""
        if isinstance(self.rows, PublicRows):
            return sources.public_mapped(self.rows, terms)
        return sources.mapped(self.rows, terms)

    def apart(self, taken: Iterable[str]) -> "Side":
        """The same with columns whose names in the rows are not taken."""
        used = {each.casefold() for each in taken}
        new: dict[str, str] = {}
        for each in self.known:
            old = each.column.name
            if old in new:
                continue
            wanted = f"{each.table}.{each.name}" if each.table else each.name
            name, number = wanted, 2
            while name.casefold() in used:
                name, number = f"{wanted} {number}", number + 1
            used.add(name.casefold())
            new[old] = name
        rows = self.mapped({name: Column(old) for old, name in new.items()})
        return replace(
            self,
            rows=rows,
            known=tuple(replace(each, column=Column(new[each.column.name])) for each in self.known),
            facts={new[old]: fact for old, fact in self.facts.items() if old in new},
            kept=tuple(new[each] for each in self.kept),
            origins={new[old]: each for old, each in self.origins.items() if old in new},
        )


def refuse_twice(known: Iterable[str], alias: str, at: Place) -> None:
    """Checks that tables of one query are called differently."""
    if alias and alias.casefold() in {each.casefold() for each in known}:
        raise refused(
            at,
            "tables of one query must be called differently",
            f"{alias!r} twice",
            f"Write {alias} AS a, say.",
        )
