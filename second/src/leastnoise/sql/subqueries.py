"""Subqueries and WITH: row by row, grouped by the unit, or one below the other.

Nothing here is trusted: it can only call the constructors of `tables.relations`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from leastnoise.numbers.errors import UnsupportedSQL
from leastnoise.sql import refusals
from leastnoise.sql.nodes import aggregates, conjuncts, is_aggregate, meant, output, plain
from leastnoise.sql.parse import Text
from leastnoise.sql.refusals import only
from leastnoise.sql.scope import Scope, place_of
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

    def names_unit(self, expression: Expression, scope: Scope) -> bool:
        """Whether an expression is a column that names the privacy unit."""

    def unit_of(self, scope: Scope) -> str:
        """The unit's column of a scope, as it is written in SQL."""


def subquery(reader: RowReader, query: Any, alias: str) -> Scope:
    """The rows of a subquery, and what its columns are called."""
    kind = type(query).__name__
    if kind == "Union":
        return _stacked(reader, query, alias)
    if kind in ("Intersect", "Except"):
        raise refusals.union()
    if kind != "Select":
        raise refusals.table_function(kind.upper())
    if query.args.get("limit") or query.args.get("order"):
        raise refusals.inner_limit()
    only(query, "expressions", "from_", "joins", "where", "group", "having", "distinct", "with_",
         where=" in a subquery")  # fmt: skip
    scope = reader.rows(query)
    if query.args.get("group") or any(map(is_aggregate, query.expressions)):
        return _grouped(reader, query, scope, alias)
    columns = [
        (output(each, at), reader.expression(plain(each), scope))
        for at, each in enumerate(query.expressions)
    ]
    if query.args.get("distinct"):
        return _distinct(reader, query, scope, alias, columns)
    only(query, "expressions", "from_", "joins", "where", "with_", where=" in a subquery")
    relation = Mapped(scope.relation, tuple(columns))
    return _derived(alias, relation, scope, dict(columns))


def _distinct(
    reader: RowReader, query: Any, scope: Scope, alias: str, columns: list[tuple[str, Expression]]
) -> Scope:
    if query.args["distinct"].args.get("on"):
        raise UnsupportedSQL("DISTINCT ON is not supported. GROUP BY the columns.")
    units = [name for name, each in columns if reader.names_unit(each, scope)]
    if not units:
        raise refusals.mixes(reader.unit, reader.unit_of(scope), "SELECT DISTINCT")
    return _per_unit(reader, scope, alias, columns, [], [name for name, _ in columns])


def _grouped(reader: RowReader, query: Any, scope: Scope, alias: str) -> Scope:
    """GROUP BY with the unit among the keys."""
    group = query.args.get("group")
    if group:
        only(group, "expressions", where=" in GROUP BY")
    shown = {output(each, at): plain(each) for at, each in enumerate(query.expressions)}
    keys: list[tuple[str, Expression]] = []
    for each in group.expressions if group else ():
        node = meant(each, list(shown.values()), shown, scope)
        expression = reader.expression(node, scope)
        own = [name for name, other in shown.items() if other == node]
        keys.append((own[0] if own else f"key {len(keys) + 1}", expression))
    if not any(reader.names_unit(each, scope) for _, each in keys):
        raise refusals.mixes(reader.unit, reader.unit_of(scope))
    taken: list[tuple[str, PerUnitAggregate]] = []
    for name, node in shown.items():
        if name in dict(keys):
            continue
        if not is_aggregate(node):
            same = [key for key, each in keys if each == reader.expression(node, scope)]
            if not same:
                raise place_of(reader.text, node, refusals.rows_shown())
            keys.append((name, dict(keys)[same[0]]))
            continue
        taken.append((name, _aggregate(reader, node, scope)))
    having = query.args.get("having")
    tests = []
    for each in conjuncts(having.this) if having else ():
        tests.append(_having(reader, each, scope, taken))
    return _per_unit(reader, scope, alias, keys, taken, list(shown), tests)


def _per_unit(
    reader: RowReader,
    scope: Scope,
    alias: str,
    keys: list[tuple[str, Expression]],
    taken: Sequence[tuple[str, PerUnitAggregate]],
    shown: list[str],
    having: Sequence[Callable[[Relation], Expression]] = (),
) -> Scope:
    """The unit is hidden in every row, so its column needs not be a key: a group has one."""
    units = [(name, each) for name, each in keys if reader.names_unit(each, scope)]
    rest = tuple((name, each) for name, each in keys if not reader.names_unit(each, scope))
    named = [(name, PerUnitAggregate("min", each)) for name, each in units]
    relation: Relation = PerUnit(scope.relation, rest, (*named, *taken))
    for test in having:
        relation = Filtered(relation, test(relation))
    columns = tuple((name, Column(name, relation.schema[name].type)) for name in shown)
    relation = Mapped(relation, columns)
    return _derived(alias, relation, scope, dict(keys))


def _having(
    reader: RowReader, node: Any, scope: Scope, taken: list[tuple[str, PerUnitAggregate]]
) -> Callable[[Relation], Expression]:
    """A condition on groups: each aggregate in it becomes a column."""
    node = node.copy()
    from sqlglot import exp

    for each in list(aggregates(node)):
        name = f"having {len(taken)}"
        taken.append((name, _aggregate(reader, each, scope)))
        column = exp.column(name, quoted=True)
        if each is node:
            node = column
        else:
            each.replace(column)

    def test(relation: Relation) -> Expression:
        def resolve(column: Any) -> Column:
            return Column(column.name, relation.schema[column.name].type)

        return to_expression(node, reader.text, resolve)

    return test


def _aggregate(reader: RowReader, node: Any, scope: Scope) -> PerUnitAggregate:
    """An aggregate of the rows of one unit."""
    where = None
    inner = node
    if type(node).__name__ == "Filter":
        where, inner = reader.expression(node.args["expression"].this, scope), node.this
    name = _AGGREGATES.get(type(inner).__name__)
    if name is None:
        known = "COUNT, SUM, AVG, MIN and MAX"
        raise place_of(reader.text, node, UnsupportedSQL(f"In a subquery there are {known}."))
    of = inner.this
    if name == "count" and type(of).__name__ == "Star":
        return PerUnitAggregate("count", None, where)
    if type(of).__name__ == "Distinct":
        (of,) = of.expressions
        if name != "count":
            raise UnsupportedSQL(f"{name.upper()}(DISTINCT ...) is not supported.")
        return PerUnitAggregate("count distinct", reader.expression(of, scope), where)
    value = reader.expression(of, scope)
    ends = scope.relation.schema[value.name].range if isinstance(value, Column) else None
    if ends is not None and value.type is Type.NUMBER and name in ("sum", "avg"):
        value = Call("clip", (value, *(Literal(_plain_number(end)) for end in ends)))
    return PerUnitAggregate(name, value, where)  # type: ignore[arg-type]


def _stacked(reader: RowReader, query: Any, alias: str) -> Scope:
    if query.args.get("distinct") or query.args.get("by_name"):
        raise refusals.union()
    if query.args.get("limit") or query.args.get("order"):
        raise refusals.inner_limit()
    parts = [subquery(reader, each, alias) for each in (query.this, query.expression)]
    first = list(parts[0].relation.schema)
    others = list(parts[1].relation.schema)
    if len(first) != len(others):
        raise UnsupportedSQL("UNION ALL needs the same number of columns on both sides.")
    columns = tuple((name, Column(own, parts[1].relation.schema[own].type))
                    for name, own in zip(first, others, strict=True))  # fmt: skip
    renamed = dict(zip(others, first, strict=True))
    ties = {renamed[own]: each for own, each in parts[1].ties.items()}
    common = {name: each & ties[name] for name, each in parts[0].ties.items() if name in ties}
    relation = Stacked((parts[0].relation, Mapped(parts[1].relation, columns)))
    return Scope(relation, {alias: {name: name for name in first}}, common)


def _derived(
    alias: str, relation: Relation, scope: Scope, columns: Mapping[str, Expression]
) -> Scope:
    """The scope of a subquery: what its columns name, and which public rows they come from."""
    ties, public = {}, {}
    for name in relation.schema:
        each = columns.get(name)
        if isinstance(each, Column):
            if each.name in scope.ties:
                ties[name] = scope.ties[each.name]
            if each.name in scope.public:
                public[name] = scope.public[each.name]
    return Scope(relation, {alias: {name: name for name in relation.schema}}, ties, public)


def _plain_number(number: Any) -> Any:
    return int(number) if number.denominator == 1 else number
