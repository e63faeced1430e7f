"""FROM, JOIN, WITH, WHERE and subqueries of a sqlglot tree to a relation and a scope.

A node or an argument that no rule names is refused. Nothing here is trusted: it can only call the
constructors of `tables.relations`, and whatever they build is unit-local.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL, did_you_mean
from leastnoise.sql import refusals
from leastnoise.sql.nodes import aggregates, conjuncts, plain
from leastnoise.sql.parse import Text
from leastnoise.sql.refusals import only
from leastnoise.sql.scope import Scope, Ties, place_of
from leastnoise.sql.subqueries import subquery
from leastnoise.sql.to_expression import to_expression
from leastnoise.tables.expressions import Call, Column, Expression
from leastnoise.tables.relations import (
    Filtered,
    Join,
    LookedUp,
    OfUnit,
    OnUnit,
    Referring,
    Relation,
    WithPublic,
)

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
        conditions = [*conjuncts(where.this)] if where else []
        scope = self._from(select, conditions)
        return self._where(scope, conditions, outer)

    def expression(self, node: Any, scope: Scope) -> Expression:
        """A row expression over the columns of a scope."""
        if next(aggregates(node), None) is not None:
            raise place_of(self.text, node, UnsupportedSQL("An aggregate cannot stand here."))
        return to_expression(node, self.text, scope.column)

    @staticmethod
    def names_unit(expression: Expression, scope: Scope) -> bool:
        """Whether an expression is a column that names the privacy unit."""
        return isinstance(expression, Column) and _UNIT in scope.ties.get(
            expression.name, frozenset()
        )

    # FROM and JOIN

    def _from(self, select: Any, conditions: list[Any]) -> Scope:
        scope = self._item(select.args["from_"].this)
        waiting = list(select.args.get("joins") or ())
        while waiting:
            # A comma join may be tied to a table that comes after it.
            ready = [each for each in waiting if self._can_join(scope, each, conditions)]
            join = (ready or waiting)[0]
            waiting.remove(join)
            scope = self.placed(join, partial(self._join, scope, join, conditions))
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
            return self.placed(node, lambda: subquery(self, node.this, node.alias))
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
                return subquery(self, inner, alias)
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
        on, usual = [*conjuncts(join.args["on"])] if join.args.get("on") else [], {}
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
        relation = self._joined(scope, other, kind, on, tests, conditions)
        found = both.over(relation)
        return Scope(relation, found.names, found.ties, found.public, {**found.usual, **usual})

    def _joined(
        self,
        left: Scope,
        right: Scope,
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
            raise refusals.not_tied(self.unit, self.unit_of(left), self.unit_of(right))
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

    def unit_of(self, scope: Scope) -> str:
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
                scope = self.placed(each, partial(self._exists, scope, each))
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
            each for each in (conjuncts(where.this) if where else ())
            if not _has_query(each) and _outside(each, inner, scope)
        ]  # fmt: skip
        renamed = inner.renamed(scope.relation.schema)
        tests, tied = list[Expression](), False
        if type(test).__name__ == "In":
            left = to_expression(test.this, self.text, scope.column)
            (shown,) = query.expressions
            right = to_expression(plain(shown), self.text, renamed.column)
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
            raise refusals.not_correlated(self.unit, self.unit_of(inner), self.unit_of(scope))
        return scope.over(OnUnit(scope.relation, renamed.relation, kind, _all(tests)))

    def placed(self, node: Any, work: Callable[[], Scope]) -> Scope:
        """What `work` gives; its refusals get the place of a node."""
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


def _has_query(node: Any) -> bool:
    return any(type(each).__name__ in ("Select", "Union", "Exists") for each in node.walk())


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
