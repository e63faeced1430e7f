"""Subqueries and WITH: row by row, grouped by the unit, or one below the other.

Nothing here is trusted: it can only call the constructors of `tables.relations`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL
from leastnoise.sql import refusals
from leastnoise.sql.nodes import aggregates, conjuncts, kind_of, names_of, number_of, sql_of
from leastnoise.sql.parse import Text
from leastnoise.sql.scope import Scope, column_of
from leastnoise.sql.to_expression import to_expression
from leastnoise.tables.expressions import Call, Column, Expression, Literal
from leastnoise.tables.per_unit import PerUnitAggregate
from leastnoise.tables.relations import Filtered, Mapped, PerUnit, Relation, Stacked
from leastnoise.tables.schema import Type

_AGGREGATES = {"Count": "count", "Sum": "sum", "Avg": "avg", "Min": "min", "Max": "max"}


class RowReader(Protocol):
    """What reads FROM and WHERE, and row expressions."""

    text: Text
    unit: str

    def rows(self, select: Any, outer: Scope | None = None) -> Scope:
        """What WITH, FROM, JOIN and WHERE of a SELECT give."""

    def expression(self, node: Any, scope: Scope) -> Expression:
        """A row expression over the columns of a scope."""


def subquery(reader: RowReader, query: Any, alias: str) -> Scope:
    """The rows of a subquery, and what its columns are called."""
    text, kind = reader.text, kind_of(query)
    if kind in ("Union", "Intersect", "Except"):
        return _stacked(reader, query, alias)
    if kind != "Select":
        raise text.refusal(query, refusals.not_a_table(sql_of(query)[:40]))
    for each in ("limit", "order"):
        if query.args.get(each):
            raise text.refusal(query.args[each], refusals.inner_limit())
    text.only(query, "expressions", "from_", "joins", "where", "group", "having", "distinct",
              "with_", where=" in a subquery")  # fmt: skip
    scope = reader.rows(query)
    for each in query.expressions:
        if each.is_star:
            raise text.refusal(each, refusals.star())
    names, nodes = names_of(query.expressions), [each.unalias() for each in query.expressions]
    for each in (each for node in nodes for each in aggregates(node)):
        if kind_of(each) == "Window":
            raise text.refusal(each, refusals.window(reader.unit, scope.unit or reader.unit))
    group, distinct = query.args.get("group"), query.args.get("distinct")
    if group or query.args.get("having") or any(next(aggregates(each), None) for each in nodes):
        if distinct:
            raise text.refusal(query, UnsupportedSQL("DISTINCT beside GROUP BY is not supported."))
        asked = []
        if group:
            text.only(group, "expressions", where=" in GROUP BY")
            asked = [grouped_by(each, names, nodes, scope) for each in group.expressions]
        return _grouped(reader, query, asked, "GROUP BY", scope, alias)
    if distinct:
        text.only(distinct, where=" behind DISTINCT")
        return _grouped(reader, query, nodes, "SELECT DISTINCT", scope, alias)
    columns = [
        (name, reader.expression(node, scope)) for name, node in zip(names, nodes, strict=True)
    ]
    return _derived(alias, Mapped(scope.relation, tuple(columns)), scope, dict(columns))


def grouped_by(node: Any, names: list[str], nodes: list[Any], scope: Scope) -> Any:
    """What GROUP BY 1, or GROUP BY a name of SELECT, stands for."""
    if kind_of(node) == "Literal" and (place := number_of(node)) is not None:
        if place not in range(1, len(nodes) + 1):
            raise UnsupportedSQL(f"There is no column {place} in SELECT.")
        return nodes[int(place) - 1]
    if kind_of(node) == "Column" and not node.table and scope.find(node) is None:
        found = [each for name, each in zip(names, nodes, strict=True)
                 if name.casefold() == node.name.casefold()]  # fmt: skip
        return found[0] if found else node
    return node


def _grouped(
    reader: RowReader, query: Any, asked: list[Any], word: str, scope: Scope, alias: str
) -> Scope:
    """Groups with the unit among the keys. It is hidden in every row, so a group has one."""
    if scope.relation.unit is None:
        raise reader.text.refusal(query.args.get("group") or query, refusals.no_units())
    keys = dict.fromkeys(reader.expression(each, scope) for each in asked)
    names = {each: f"key {at}" for at, each in enumerate(keys)}
    if not any(map(scope.names_unit, keys)):
        hint = refusals.mixes(reader.unit, scope.unit or reader.unit, word)
        raise reader.text.refusal(query.args.get("group") or query, hint)
    groups = _Groups(reader, scope, names)
    shown = [groups.read(each.unalias()) for each in query.expressions]
    having = query.args.get("having")
    groups.aliases = dict(zip(names_of(query.expressions), shown, strict=True))
    tests = [groups.read(each) for each in conjuncts(having.this)] if having else []
    rest = tuple((name, each) for each, name in names.items() if not scope.names_unit(each))
    units = [(name, PerUnitAggregate("min", each)) for each, name in names.items()
             if scope.names_unit(each)]  # fmt: skip
    relation: Relation = PerUnit(scope.relation, rest, (*units, *groups.taken))
    for test in tests:
        relation = Filtered(relation, test)
    columns = tuple(zip(names_of(query.expressions), shown, strict=True))
    own = {Column(name, each.type): each for each, name in names.items()}
    sources = {name: own[each] for name, each in columns if each in own}
    return _derived(alias, Mapped(relation, columns), scope, sources)


class _Groups:
    """Reads expressions over groups: aggregates and keys become columns of the groups."""

    def __init__(self, reader: RowReader, scope: Scope, names: Mapping[Expression, str]) -> None:
        self._reader, self._scope, self._names = reader, scope, names
        self.taken: list[tuple[str, PerUnitAggregate]] = []
        self.aliases: dict[str, Expression] = {}

    def read(self, node: Any) -> Expression:
        if next(aggregates(node), None) is None and kind_of(node) != "Column":
            try:
                whole = self._reader.expression(node, self._scope)
                return Column(self._names[whole], whole.type)
            except (InvalidInput, KeyError):
                pass  # no key as a whole; its parts may be
        return to_expression(node, self._reader.text, self._column, self._aggregate)

    def _column(self, node: Any) -> Expression:
        if node.name in self.aliases and self._scope.find(node) is None:
            return self.aliases[node.name]
        key = self._scope.column(node)
        if key not in self._names:
            raise refusals.rows_shown()
        return Column(self._names[key], key.type)

    def _aggregate(self, node: Any) -> Column:
        found = _aggregate(self._reader, node, self._scope)
        same = [name for name, each in self.taken if each == found]
        if not same:
            self.taken.append((f"aggregate {len(self.taken)}", found))
        return Column(same[0] if same else self.taken[-1][0], found.type)


def _aggregate(reader: RowReader, node: Any, scope: Scope) -> PerUnitAggregate:
    """An aggregate of the rows of one unit."""
    where, inner = None, node
    if kind_of(node) == "Filter":
        where, inner = reader.expression(node.args["expression"].this, scope), node.this
    name = _AGGREGATES.get(kind_of(inner))
    if name is None:
        raise UnsupportedSQL("In a subquery there are COUNT, SUM, AVG, MIN and MAX.")
    reader.text.only(inner, "this", "big_int", where=f" in {name.upper()}")
    of = inner.this
    if name == "count" and (of is None or kind_of(of) == "Star"):
        return PerUnitAggregate("count", None, where)
    if kind_of(of) == "Distinct":
        if name != "count" or len(of.expressions) != 1:
            raise UnsupportedSQL("Of DISTINCT, only COUNT(DISTINCT x) is supported.")
        return PerUnitAggregate(
            "count distinct", reader.expression(of.expressions[0], scope), where
        )
    value = reader.expression(of, scope)
    ends = scope.relation.schema[value.name].range if isinstance(value, Column) else None
    if ends is not None and value.type is Type.NUMBER and name in ("sum", "avg"):
        numbers = (Literal(int(end) if end.denominator == 1 else end) for end in ends)  # type: ignore[union-attr, arg-type]
        value = Call("clip", (value, *numbers))
    found = PerUnitAggregate(name, value, where)  # type: ignore[arg-type]
    found.check(scope.relation.schema)
    return found


def _stacked(reader: RowReader, query: Any, alias: str) -> Scope:
    word = kind_of(query).upper()
    if word != "UNION" or query.args.get("distinct"):
        raise reader.text.refusal(query, refusals.union(word), word)
    for each in ("limit", "order"):
        if query.args.get(each):
            raise reader.text.refusal(query.args[each], refusals.inner_limit())
    reader.text.only(query, "this", "expression", where=" in UNION ALL")
    one, other = (subquery(reader, each.unnest(), alias) for each in (query.this, query.expression))
    names, others = [*one.relation.schema], [*other.relation.schema]
    if len(names) != len(others):
        raise reader.text.refusal(query, UnsupportedSQL(
            "UNION ALL needs the same number of columns on both sides."))  # fmt: skip
    columns = tuple((name, column_of(other.relation, own))
                    for name, own in zip(names, others, strict=True))  # fmt: skip
    ties = {name: one.ties.get(name, frozenset()) & other.ties.get(own, frozenset())
            for name, own in zip(names, others, strict=True)}  # fmt: skip
    relation = Stacked((one.relation, Mapped(other.relation, columns)))
    return Scope(relation, {alias: {name: name for name in names}}, ties)


def _derived(
    alias: str, relation: Relation, scope: Scope, columns: Mapping[str, Expression]
) -> Scope:
    """The scope of a subquery: what its columns name, and which public rows they come from."""
    own = {name: each.name for name, each in columns.items() if isinstance(each, Column)}
    ties = {name: scope.ties[each] for name, each in own.items() if each in scope.ties}
    public = {name: scope.public[each] for name, each in own.items() if each in scope.public}
    return Scope(relation, {alias: {name: name for name in relation.schema}}, ties, public)
