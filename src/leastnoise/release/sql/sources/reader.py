"""`Reader`: the rows of tables, joins and subqueries of one statement."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.measure import sources
from leastnoise.release.measure.sources import PublicRows, Rows
from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.rows.to_term import constant
from leastnoise.release.sql.shape import words_of
from leastnoise.release.sql.sources.conjuncts import conjuncts, linked, together
from leastnoise.release.sql.sources.each_unit import each_unit, is_grouped
from leastnoise.release.sql.sources.exists import with_matches
from leastnoise.release.sql.sources.facts import fact_of, facts_of_stack
from leastnoise.release.sql.sources.joining import joined
from leastnoise.release.sql.sources.side import Side
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import (
    Derived,
    Expression,
    Item,
    Join,
    Name,
    Named,
    Query,
    Select,
    Source,
    Stack,
    Star,
    With,
)

_MOST_TABLES = 32


@dataclass
class Reader:
    """What reads the tables of a statement.

    Attributes:
        dataset: the tables there are.
        queries: the queries with names, by these in small letters.
        tables: how many tables have been named so far.
    """

    dataset: Any
    queries: Mapping[str, "tuple[With, Reader]"] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)

    def inside(self, query: Query) -> "Reader":
        """The reader of what is inside a query, with the names that it gives to queries."""
        found = self
        for each in query.queries:
            known = {**found.queries, each.name.casefold(): (each, found)}
            found = replace(found, queries=known)
        return found

    def from_and_where(self, select: Select) -> tuple[Side, Expression | None]:
        """The rows of FROM, joined, and what is left of WHERE.

        Raises:
            InvalidParameter: a table is unknown, or a join would mix units.
        """
        if select.source is None:
            raise refused(
                select.at, "a query must be about a table", "none", "Write FROM and its name."
            )
        where = conjuncts(select.where)
        side, sides = self._begun(select)
        while sides:
            join, other = sides.pop(_next(side, sides, where))
            side, where = joined(side, other, join, where)
        side, where = with_matches(side, where, self)
        return side, together(where)

    def _begun(self, select: Select) -> tuple[Side, list[tuple[Join, Side]]]:
        """The side to begin at, and the others; of FROM a, b, c the first that is private."""
        assert select.source is not None
        side = self.source(select.source)
        sides = [(join, self.source(join.source)) for join in select.joins]
        if side.is_public and all(join.how == "cross" for join, _ in sides):
            for place, (join, other) in enumerate(sides):
                if not other.is_public:
                    sides[place] = (replace(join, source=select.source, at=select.source.at), side)
                    return other, sides
        return side, sides

    def source(self, source: Source) -> Side:
        """The rows of one table, or of a query in its place."""
        if isinstance(source, Derived):
            return _called(self.query(source.query), source.alias)
        named = self.queries.get(source.name.casefold())
        if named is not None and not source.exact:
            query, reader = named
            self._count(source)
            return _called(reader.query(query.query), source.alias)
        return self._table(source)

    def _count(self, source: Named) -> None:
        self.tables.append(source.name)
        if len(self.tables) > _MOST_TABLES:
            raise refused(
                source.at,
                f"a statement may name {_MOST_TABLES} tables",
                "more",
                "Ask a shorter one.",
            )

    def _table(self, source: Named) -> Side:
        self._count(source)
        name = table_named(source, self.dataset)
        with standing_at(source.at):
            leaf = self.dataset.leaf(name)
            public = self.dataset[name].public
            rows = self.dataset.public_rows(name) if public else self.dataset.rows(name)
        unit = None if public else self.dataset.owner_column(name)
        known = tuple(
            Known(source.alias, each, Column(each), each == unit) for each in rows.schema.names
        )
        origins = {each: (rows, each) for each in rows.schema.names} if public else {}
        return Side(rows, known, dict(leaf.facts), origins=origins)

    def query(self, query: Query) -> Side:
        """The rows of a subquery: of each row one, or one for each unit and group."""
        reader = self.inside(query)
        if isinstance(query, Stack):
            return reader._stack(query)
        _refuse_places(query)
        side, where = reader.from_and_where(query)
        if where is not None:
            side = side.filtered(condition_on(where, side.scope))
        if query.distinct and self._is_unique(query, side):
            query = replace(query, distinct=False)
        if is_grouped(query):
            with standing_at(query.at):
                return each_unit(query, side)
        return _selected(query, side)

    def _is_unique(self, select: Select, side: Side) -> bool:
        """Whether DISTINCT changes nothing: columns that name a row of a public table are there."""
        if not isinstance(side.rows, PublicRows) or select.group:
            return False
        found = {_plain(item.what, side) for item in select.items}
        names = {side.origins[each.column.name][1] for each in found if each is not None}
        unique = self.dataset[side.rows.leaf.name].unique
        return bool(unique) and set(unique) <= names

    def _stack(self, stack: Stack) -> Side:
        parts = [self.query(each) for each in stack.parts]
        first = parts[0]
        names = [each.column.name for each in first.known]
        aligned: list[Rows] = []
        for part, select in zip(parts, stack.parts, strict=True):
            if part.is_public or len(part.known) != len(names):
                raise refused(
                    select.at,
                    "queries joined by UNION ALL must be of private rows, with as many columns",
                    "others",
                    "Select the same columns in each.",
                )
            terms = {name: each.column for name, each in zip(names, part.known, strict=True)}
            rows = part.mapped(terms)
            assert isinstance(rows, Rows)
            aligned.append(rows)
        with standing_at(stack.at):
            rows = sources.stacked(*aligned)
        units = [all(part.known[i].is_unit for part in parts) for i in range(len(names))]
        known = tuple(
            Known("", each.name, Column(name), unit)
            for each, name, unit in zip(first.known, names, units, strict=True)
        )
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        return Side(rows, known, facts_of_stack(parts, names), notes=notes)


def _next(side: Side, sides: list[tuple[Join, Side]], where: list[Expression]) -> int:
    """Of FROM a, b, c the next that WHERE ties to those before it; else the next one written."""
    for place, (join, other) in enumerate(sides):
        if join.how != "cross":
            break
        if any(linked(each, side.scope, other.scope) for each in where):
            return place
    return 0


def table_named(source: Named, dataset: Any) -> str:
    """The table of the dataset that a name means.

    Raises:
        InvalidParameter: there is none.
    """
    every = list(dataset.described)
    for name in every:
        fits = name == source.name if source.exact else name.casefold() == source.name.casefold()
        if fits:
            return str(name)
    raise refused(
        source.at,
        "a table must be one of the dataset",
        f"{source.name!r}",
        f"There are: {', '.join(map(str, every[:20]))}.",
    )


def _called(side: Side, alias: str) -> Side:
    return replace(
        side, known=tuple(replace(each, table=alias, is_hidden=False) for each in side.known)
    )


def _refuse_places(select: Select) -> None:
    """A row's place hangs on others."""
    for what, found in (
        ("ORDER BY", select.order),
        ("LIMIT", select.limit),
        ("OFFSET", select.offset),
    ):
        if found:
            at = found[0].at if isinstance(found, tuple) else found.at
            raise refused(
                at,
                "in a subquery a row's place among others would tell of them",
                what,
                "Leave it out.",
            )


def _selected(select: Select, side: Side) -> Side:
    """Of each row one, with the columns that are selected."""
    if select.distinct:
        raise refused(
            select.at,
            "rows of different units stay apart",
            "DISTINCT without the unit among its columns",
            "Leave it out, or select the unit too.",
        )
    terms: dict[str, Term] = {}
    known: list[Known] = []
    facts: dict[str, ColumnFacts] = {}
    origins = {}
    for name, what, found in _columns(select, side):
        if name.casefold() in {each.casefold() for each in terms}:
            raise refused(
                what.at,
                "columns of a subquery must be called differently",
                f"{name!r} twice",
                f"Write AS {name}_2.",
            )
        term = constant(to_term(what, side.scope), what) if found is None else found.column
        plain = found if found is not None else _plain(what, side)
        if plain is not None and plain.column.name in side.origins:
            origins[name] = side.origins[plain.column.name]
        terms[name] = term
        with standing_at(what.at):
            facts[name] = fact_of(term, side)
        known.append(
            Known(
                "",
                name,
                Column(name),
                plain is not None and plain.is_unit,
                plain is not None and plain.may_be_absent,
            )
        )
    with standing_at(select.at):
        rows = side.mapped(terms)
    return Side(rows, tuple(known), facts, origins=origins, notes=side.notes)


def _plain(what: Expression, side: Side) -> Known | None:
    return side.scope.find(what) if isinstance(what, Name) else None


def _columns(select: Select, side: Side) -> list[tuple[str, Any, Known | None]]:
    found: list[tuple[str, Any, Known | None]] = []
    for item in select.items:
        if isinstance(item.what, Star):
            table = item.what.table
            found += [
                (each.name, item.what, each)
                for each in side.known
                if not each.is_hidden
                and (table is None or each.table.casefold() == table.casefold())
            ]
        else:
            found.append((_name(item), item.what, None))
    return found


def _name(item: Item) -> str:
    if item.alias is not None:
        return item.alias
    return item.what.name if isinstance(item.what, Name) else words_of(item.what)
