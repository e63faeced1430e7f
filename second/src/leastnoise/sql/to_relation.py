"""FROM, JOIN, WITH, WHERE and subqueries of a sqlglot tree to a relation and a scope.

A node or an argument that no rule names is refused. Nothing here is trusted: it can only call the
constructors of `tables.relations`, and whatever they build is unit-local.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL, did_you_mean
from leastnoise.sql import refusals
from leastnoise.sql.parse import Text
from leastnoise.sql.refusals import only
from leastnoise.sql.scope import Scope, Ties, place_of
from leastnoise.sql.to_expression import to_expression
from leastnoise.tables.expressions import Call, Column, Expression
from leastnoise.tables.per_unit import PerUnitAggregate
from leastnoise.tables.relations import (
    Filtered,
    Join,
    LookedUp,
    Mapped,
    OfUnit,
    OnUnit,
    PerUnit,
    Public,
    Referring,
    Relation,
    Stacked,
    WithPublic,
)

_AGGREGATES = {"Count": "count", "Sum": "sum", "Avg": "avg", "Min": "min", "Max": "max"}
_UNIT = "unit"


@dataclass
class Reader:
    """Reads one statement.

    Attributes:
        text: the statement.
        tables: the tables that it may name.
        unit: the name of the privacy unit.
        is_unique: whether a column of public rows has no value twice; it may read them.
    """

    text: Text
    tables: Mapping[str, Relation]
    unit: str
    is_unique: Callable[[Relation, str], bool]
    _common: dict[str, Any] = field(default_factory=dict)

    def rows(self, select: Any, outer: Scope | None = None) -> Scope:
        """What WITH, FROM, JOIN and WHERE of a SELECT give."""
        if select.args.get("with_"):
            only(select.args["with_"], "expressions")
            for each in select.args["with_"].expressions:
                only(each, "this", "alias")
                self._common[each.alias] = each.this
        if not select.args.get("from_"):
            raise UnsupportedSQL("FROM is missing. Name a table.")
        where = select.args.get("where")
        conditions = [*_conjuncts(where.this)] if where else []
        scope = self._from(select, conditions)
        return self._where(scope, conditions, outer)

    def expression(self, node: Any, scope: Scope) -> Expression:
        """A row expression over the columns of a scope."""
        if next(_aggregates(node), None) is not None:
            raise place_of(self.text, node, UnsupportedSQL("An aggregate cannot stand here."))
        return to_expression(node, self.text, scope.column)

    # FROM and JOIN

    def _from(self, select: Any, conditions: list[Any]) -> Scope:
        scope = self._item(select.args["from_"].this)
        waiting = list(select.args.get("joins") or ())
        while waiting:
            # A comma join may be tied to a table that comes after it.
            ready = [each for each in waiting if self._can_join(scope, each, conditions)]
            join = (ready or waiting)[0]
            waiting.remove(join)
            scope = self._placed(join, lambda join=join: self._join(scope, join, conditions))  # type: ignore[misc]
        return scope

    def _can_join(self, scope: Scope, join: Any, conditions: list[Any]) -> bool:
        if join.args.get("on") or join.args.get("using") or join.args.get("side"):
            return True
        other = self._item(join.this)
        if scope.relation.is_public or other.relation.is_public:
            return True
        other = other.renamed(scope.relation.schema)
        return any(self._ties(scope, other, each) for each in conditions)

    def _item(self, node: Any) -> Scope:
        """A table, a subquery or a name from WITH."""
        kind = type(node).__name__
        if kind == "Subquery":
            only(node, "this", "alias", where=" here")
            if not node.alias:
                raise UnsupportedSQL("A subquery needs a name: (SELECT ...) AS visits_2020")
            return self._placed(node, lambda: self._subquery(node.this, node.alias))
        if kind != "Table" or type(node.this).__name__ != "Identifier":
            name = node.sql("duckdb")
            raise place_of(self.text, node, refusals.table_function(f"{name:.40}"))
        if node.args.get("db") or node.args.get("catalog"):
            raise UnsupportedSQL(f"{node.sql('duckdb')}: name tables without a schema.")
        only(node, "this", "alias", where=" here")
        name, alias = node.name, node.alias or node.name
        if node.args.get("alias") and node.args["alias"].args.get("columns"):
            raise UnsupportedSQL("Columns are renamed in SELECT, not behind the table.")
        if name in self._common:
            inner = self._common.pop(name)  # so that it cannot name itself
            try:
                return self._subquery(inner, alias)
            finally:
                self._common[name] = inner
        match = [each for each in self.tables if each.casefold() == name.casefold()]
        if not match:
            hint = did_you_mean(name, self.tables)
            raise place_of(self.text, node, InvalidInput(
                f'no table "{name}".{hint} Tables: {", ".join(sorted(self.tables))}.'))  # fmt: skip
        relation = self.tables[match[0]]
        return Scope.of(alias, relation, _ties(relation, self.tables))

    def _join(self, scope: Scope, join: Any, conditions: list[Any]) -> Scope:
        method = join.args.get("method")
        if method:
            raise UnsupportedSQL(f"{method} JOIN is not supported. Write JOIN ... ON.")
        only(join, "this", "on", "using", "side", "kind", where=" in JOIN")
        side, word = (join.args.get(each) or "" for each in ("side", "kind"))
        if word in ("SEMI", "ANTI"):
            raise UnsupportedSQL(f"{word} JOIN is not supported. Write [NOT] EXISTS in WHERE.")
        other = self._item(join.this)
        if side == "RIGHT":
            scope, other, side = other, scope, "LEFT"
        other = other.renamed(scope.relation.schema)
        both = scope.joined(other, scope.relation)
        on, usual = [*_conjuncts(join.args["on"])] if join.args.get("on") else [], {}
        tests = []
        for name in join.args.get("using") or ():
            left, right = (each.column(_name(name)) for each in (scope, other))
            tests.append((left, right))
            usual[name.name] = left.name
        kind: Join = "left" if side == "LEFT" else "inner"
        if side == "FULL":
            name = (scope if scope.relation.is_public else other).relation.schema.of
            raise refusals.public_side(name) if scope.relation.is_public or other.relation.is_public \
                else UnsupportedSQL("FULL JOIN is not supported. Write JOIN or LEFT JOIN.")  # fmt: skip
        if scope.relation.is_public and not other.relation.is_public:
            if kind == "left":
                raise refusals.public_side(scope.relation.schema.of)
            scope, other = other, scope
            tests = [(b, a) for a, b in tests]
        relation = self._joined(scope, other, both, kind, on, tests, conditions)
        found = both.over(relation)
        return Scope(relation, found.names, found.ties, found.public, {**found.usual, **usual})

    def _joined(
        self,
        left: Scope,
        right: Scope,
        both: Scope,
        kind: Join,
        on: list[Any],
        equal: list[tuple[Column, Column]],
        conditions: list[Any],
    ) -> Relation:
        if right.relation.is_public:
            tests = [_equal(*pair) for pair in equal] + self._tests(on, left, right)
            if left.relation.unit is None and not left.relation.is_public:
                return self._looked_up(left.relation, right.relation, kind, tests)
            return WithPublic(left.relation, right.relation, kind, _all(tests))
        tied = any(left.ties.get(a.name, frozenset()) & right.ties.get(b.name, frozenset())
                   for a, b in equal)  # fmt: skip
        candidates = on if kind == "left" else [*on, *conditions]
        tied = tied or any(self._ties(left, right, each) for each in candidates)
        if left.relation.unit is None:
            raise refusals.rows_repeat()
        if not tied:
            raise refusals.not_tied(self.unit, self._unit_of(left), self._unit_of(right))
        rest = [each for each in on if not self._ties(left, right, each)]
        tests = [_equal(*pair) for pair in equal] + self._tests(rest, left, right)
        return OnUnit(left.relation, right.relation, kind, _all(tests))

    def _looked_up(
        self, left: Relation, right: Relation, kind: Join, tests: list[Expression]
    ) -> Relation:
        """A row that is a unit of its own meets at most one public row."""
        match tests:
            case [Call("=", (Column(a), Column(b)))]:
                own, key = (a, b) if a in left.schema else (b, a)
                if own in left.schema and key in right.schema and self.is_unique(right, key):
                    return LookedUp(left, right, kind, None, own, key)
        raise refusals.rows_repeat()

    def _tests(self, nodes: list[Any], *scopes: Scope) -> list[Expression]:
        return [
            to_expression(each, self.text, lambda node: _resolve(node, *scopes)) for each in nodes
        ]

    def _ties(self, left: Scope, right: Scope, node: Any) -> bool:
        """Whether a condition says that rows of two scopes belong to one unit."""
        if type(node).__name__ != "EQ":
            return False
        ties: list[Ties] = []
        for scopes in ((left, right), (right, left)):
            ties = []
            for side, scope in zip((node.this, node.expression), scopes, strict=True):
                own = scope.find(side) if type(side).__name__ == "Column" else None
                ties.append(scope.ties.get(own or "", frozenset()))
            if ties[0] & ties[1]:
                return True
        return False

    def _unit_of(self, scope: Scope) -> str:
        """The unit's column of a scope, as it is written in SQL."""
        for alias, columns in scope.names.items():
            for name, own in columns.items():
                if _UNIT in scope.ties.get(own, frozenset()):
                    return f"{alias}.{name}"
        return self.unit

    # WHERE

    def _where(self, scope: Scope, conditions: list[Any], outer: Scope | None) -> Scope:
        plain = [each for each in conditions if not _has_query(each)]
        tests = [self.expression(each, scope) for each in plain if not _outside(each, scope, outer)]
        relation = scope.relation
        for test in tests:
            relation = Filtered(relation, test)
        scope = scope.over(relation)
        for each in conditions:
            if _has_query(each):
                scope = self._placed(each, lambda each=each: self._exists(scope, each))  # type: ignore[misc]
        return scope

    def _exists(self, scope: Scope, node: Any) -> Scope:
        """[NOT] EXISTS, or IN (SELECT ...): rows with or without a match."""
        negated = type(node).__name__ == "Not"
        inside = node.this.this if negated and type(node.this).__name__ == "Paren" else node.this
        test = inside if negated else node
        if type(test).__name__ not in ("Exists", "In"):
            raise refusals.scalar_subquery()
        if type(test).__name__ == "In":
            if negated:
                raise refusals.not_in()
            only(test, "this", "query", where=" here")
            query = test.args["query"].this
        else:
            query = test.this
        if type(query).__name__ != "Select":
            raise refusals.union()
        only(query, "expressions", "from_", "joins", "where", "with_", where=" in this subquery")
        inner = self.rows(query, outer=scope)
        where = query.args.get("where")
        correlated = [
            each for each in (_conjuncts(where.this) if where else ())
            if not _has_query(each) and _outside(each, inner, scope)
        ]  # fmt: skip
        renamed = inner.renamed(scope.relation.schema)
        tests, tied = [], False
        if type(test).__name__ == "In":
            left = to_expression(test.this, self.text, scope.column)
            (shown,) = query.expressions
            right = to_expression(_plain(shown), self.text, renamed.column)
            tests.append(Call("=", (left, right)))
            names = [each.name if isinstance(each, Column) else "" for each in (left, right)]
            tied = bool(
                scope.ties.get(names[0], frozenset()) & renamed.ties.get(names[1], frozenset())
            )
        tied = tied or any(self._ties(scope, renamed, each) for each in correlated)
        tests += self._tests(correlated, renamed, scope)
        kind: Join = "anti" if negated else "semi"
        if renamed.relation.is_public:
            return scope.over(WithPublic(scope.relation, renamed.relation, kind, _all(tests)))
        if not tied:
            raise refusals.not_correlated(self.unit, self._unit_of(inner), self._unit_of(scope))
        return scope.over(OnUnit(scope.relation, renamed.relation, kind, _all(tests)))

    # Subqueries

    def _subquery(self, query: Any, alias: str) -> Scope:
        kind = type(query).__name__
        if kind == "Union":
            return self._stacked(query, alias)
        if kind in ("Intersect", "Except"):
            raise refusals.union()
        if kind != "Select":
            raise refusals.table_function(kind.upper())
        if query.args.get("limit") or query.args.get("order"):
            raise refusals.inner_limit()
        only(query, "expressions", "from_", "joins", "where", "group", "having", "distinct", "with_",
             where=" in a subquery")  # fmt: skip
        scope = self.rows(query)
        if query.args.get("group") or any(map(_is_aggregate, query.expressions)):
            return self._grouped(query, scope, alias)
        columns = [
            (_output(each), self.expression(_plain(each), scope)) for each in query.expressions
        ]
        if query.args.get("distinct"):
            return self._distinct(query, scope, alias, columns)
        only(query, "expressions", "from_", "joins", "where", "with_", where=" in a subquery")
        relation = Mapped(scope.relation, tuple(columns))
        return _derived(alias, relation, scope, dict(columns))

    def _distinct(
        self, query: Any, scope: Scope, alias: str, columns: list[tuple[str, Expression]]
    ) -> Scope:
        if query.args["distinct"].args.get("on"):
            raise UnsupportedSQL("DISTINCT ON is not supported. GROUP BY the columns.")
        units = [name for name, each in columns if _names_unit(each, scope)]
        if not units:
            raise refusals.mixes(self.unit, self._unit_of(scope)).__class__(
                f"This would mix rows of more than one {self.unit}. Add {self._unit_of(scope)} to the "
                "SELECT DISTINCT.")  # fmt: skip
        return self._per_unit(scope, alias, columns, [], [name for name, _ in columns])

    def _grouped(self, query: Any, scope: Scope, alias: str) -> Scope:
        """GROUP BY with the unit among the keys."""
        group = query.args.get("group")
        if group:
            only(group, "expressions", where=" in GROUP BY")
        shown = {_output(each): _plain(each) for each in query.expressions}
        keys: list[tuple[str, Expression]] = []
        for each in group.expressions if group else ():
            node = _meant(each, list(shown.values()), shown, scope)
            expression = self.expression(node, scope)
            own = [name for name, other in shown.items() if other == node]
            keys.append((own[0] if own else f"key {len(keys) + 1}", expression))
        if not any(_names_unit(each, scope) for _, each in keys):
            raise refusals.mixes(self.unit, self._unit_of(scope))
        aggregates = []
        for name, node in shown.items():
            if name in dict(keys):
                continue
            if not _is_aggregate(node):
                same = [key for key, each in keys if each == self.expression(node, scope)]
                if not same:
                    raise place_of(self.text, node, refusals.rows_shown())
                keys.append((name, dict(keys)[same[0]]))
                continue
            aggregates.append((name, self._aggregate(node, scope)))
        having = query.args.get("having")
        tests = []
        for each in _conjuncts(having.this) if having else ():
            tests.append(self._having(each, scope, aggregates))
        found = self._per_unit(scope, alias, keys, aggregates, list(shown), tests)
        return found

    def _per_unit(
        self,
        scope: Scope,
        alias: str,
        keys: list[tuple[str, Expression]],
        aggregates: list[tuple[str, PerUnitAggregate]],
        shown: list[str],
        having: list[Callable[[Relation], Expression]] = [],  # noqa: B006
    ) -> Scope:
        """The unit is hidden in every row, so its column needs not be a key: a group has one."""
        units = [(name, each) for name, each in keys if _names_unit(each, scope)]
        rest = tuple((name, each) for name, each in keys if not _names_unit(each, scope))
        named = [(name, PerUnitAggregate("min", each)) for name, each in units]
        relation: Relation = PerUnit(scope.relation, rest, (*named, *aggregates))
        for test in having:
            relation = Filtered(relation, test(relation))
        columns = tuple((name, Column(name, relation.schema[name].type)) for name in shown)
        relation = Mapped(relation, columns)
        found = _derived(alias, relation, scope, dict(keys))
        return found

    def _having(
        self, node: Any, scope: Scope, aggregates: list[tuple[str, PerUnitAggregate]]
    ) -> Callable[[Relation], Expression]:
        """A condition on groups: each aggregate in it becomes a column."""
        node = node.copy()
        from sqlglot import exp

        for each in list(_aggregates(node)):
            name = f"having {len(aggregates)}"
            aggregates.append((name, self._aggregate(each, scope)))
            column = exp.column(name, quoted=True)
            if each is node:
                node = column
            else:
                each.replace(column)
        return lambda relation: to_expression(
            node, self.text, lambda column: Column(column.name, relation.schema[column.name].type))  # fmt: skip

    def _aggregate(self, node: Any, scope: Scope) -> PerUnitAggregate:
        """An aggregate of the rows of one unit."""
        where = None
        inner = node
        if type(node).__name__ == "Filter":
            where, inner = self.expression(node.args["expression"].this, scope), node.this
        name = _AGGREGATES.get(type(inner).__name__)
        if name is None:
            known = "COUNT, SUM, AVG, MIN and MAX"
            raise place_of(self.text, node, UnsupportedSQL(f"In a subquery there are {known}."))
        of = inner.this
        if name == "count" and type(of).__name__ == "Star":
            return PerUnitAggregate("count", None, where)
        if type(of).__name__ == "Distinct":
            (of,) = of.expressions
            if name != "count":
                raise UnsupportedSQL(f"{name.upper()}(DISTINCT ...) is not supported.")
            return PerUnitAggregate("count distinct", self.expression(of, scope), where)
        return PerUnitAggregate(name, self.expression(of, scope), where)  # type: ignore[arg-type]

    def _stacked(self, query: Any, alias: str) -> Scope:
        if query.args.get("distinct") or query.args.get("by_name"):
            raise refusals.union()
        if query.args.get("limit") or query.args.get("order"):
            raise refusals.inner_limit()
        parts = [self._subquery(each, alias) for each in (query.this, query.expression)]
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

    def _placed(self, node: Any, work: Callable[[], Scope]) -> Scope:
        try:
            return work()
        except InvalidInput as error:
            refused = error
        raise place_of(self.text, node, refused)


def _ties(relation: Relation, tables: Mapping[str, Relation]) -> dict[str, Ties]:
    """What the columns of a table name: the unit, or rows of a parent."""
    ties: dict[str, Ties] = {}

    def add(column: str, what: str) -> None:
        ties[column] = ties.get(column, frozenset()) | {what}

    if isinstance(relation, OfUnit) and relation.table.unit is not None:
        add(relation.table.unit, _UNIT)
    if isinstance(relation, Referring):
        add(relation.column, f"{relation.parent.table.name}.{relation.key}")
    for other in tables.values():
        if isinstance(other, Referring) and other.parent == relation:
            add(other.key, f"{other.parent.table.name}.{other.key}")
    return ties


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


def _names_unit(expression: Expression, scope: Scope) -> bool:
    return isinstance(expression, Column) and _UNIT in scope.ties.get(expression.name, frozenset())


def _conjuncts(node: Any) -> Iterator[Any]:
    """The conditions that AND connects."""
    kind = type(node).__name__
    if kind == "And":
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    elif kind == "Paren" and type(node.this).__name__ == "And":
        yield from _conjuncts(node.this)
    else:
        yield node


def _has_query(node: Any) -> bool:
    return any(type(each).__name__ in ("Select", "Union", "Exists") for each in node.walk())


def _aggregates(node: Any) -> Iterator[Any]:
    """The aggregates in an expression, each with its FILTER."""
    if _is_aggregate(node):
        yield node
        return
    for each in node.iter_expressions():
        yield from _aggregates(each)


def _is_aggregate(node: Any) -> bool:
    from sqlglot import exp

    inner = _plain(node)
    return isinstance(inner, exp.AggFunc | exp.Filter | exp.Window | exp.WithinGroup)


def _plain(node: Any) -> Any:
    """A column of SELECT without its name."""
    if type(node).__name__ == "Star" or (
        type(node).__name__ == "Column" and type(node.this).__name__ == "Star"
    ):
        raise refusals.star()
    return node.this if type(node).__name__ == "Alias" else node


def _output(node: Any) -> str:
    """What a column of SELECT is called."""
    name = node.alias if type(node).__name__ == "Alias" else node.name
    if type(node).__name__ not in ("Alias", "Column"):
        _plain(node)
        raise UnsupportedSQL(f"{node.sql('duckdb'):.40} needs a name in a subquery: AS total")
    return str(name)


def _meant(node: Any, shown: list[Any], names: Mapping[str, Any], scope: Scope) -> Any:
    """What GROUP BY 1, or GROUP BY a name of SELECT, stands for."""
    if type(node).__name__ == "Literal" and not node.is_string:
        place = int(node.this)
        if not 1 <= place <= len(shown):
            raise InvalidInput(f"GROUP BY {place}: SELECT has {len(shown)} columns.")
        return shown[place - 1]
    if type(node).__name__ == "Column" and not node.table and scope.find(node) is None:
        return names.get(node.name, node)
    return node


def _outside(node: Any, scope: Scope, outer: Scope | None) -> bool:
    """Whether a condition of a subquery speaks of columns outside it."""
    if outer is None:
        return False
    columns = (each for each in node.walk() if type(each).__name__ == "Column")
    return any(scope.find(each) is None and outer.find(each) is not None for each in columns)


def _resolve(node: Any, *scopes: Scope) -> Column:
    for scope in scopes:
        if scope.find(node) is not None:
            return scope.column(node)
    raise scopes[0].unknown(node)


def _name(identifier: Any) -> Any:
    from sqlglot import exp

    return exp.column(identifier.name)


def _equal(left: Column, right: Column) -> Expression:
    return Call("=", (left, right))


def _all(tests: list[Expression]) -> Expression | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    return Call("and", tuple(tests))
