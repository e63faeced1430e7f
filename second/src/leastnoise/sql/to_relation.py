"""FROM, JOIN, WITH, WHERE and subqueries of a sqlglot tree to a relation and a scope.

A node or an argument that no rule names is refused. Nothing here is trusted: it can only call the
constructors of `tables.relations`, and whatever they build is unit-local.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL, did_you_mean
from leastnoise.sql import refusals
from leastnoise.sql.nodes import aggregates, conjuncts, has_query, kind_of, sql_of
from leastnoise.sql.parse import Text
from leastnoise.sql.scope import UNIT, Scope, Ties, column_of
from leastnoise.sql.subqueries import subquery
from leastnoise.sql.to_expression import call, to_expression
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

MOST_TABLES = 100  # that a statement reads: WITH can name one very often


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
    _common: Mapping[str, Any] = field(default_factory=dict)
    _read: int = 0

    def rows(self, select: Any, outer: Scope | None = None) -> Scope:
        """What WITH, FROM, JOIN and WHERE of a SELECT give."""
        before = self._common
        if select.args.get("with_"):
            self._common = {**before, **self._named(select.args["with_"])}
        if not select.args.get("from_"):
            raise self.text.refusal(select, UnsupportedSQL("FROM is missing. Name a table."))
        where = select.args.get("where")
        conditions = [*conjuncts(where.this)] if where else []
        scope = self._where(self._from(select, conditions), conditions, outer)
        self._common = before
        return scope

    def _named(self, clause: Any) -> dict[str, Any]:
        """The subqueries of WITH, by name."""
        self.text.only(clause, "expressions")
        found = {}
        for each in clause.expressions:
            self.text.only(each, "this", "alias", where=" in WITH")
            if each.args["alias"].columns:
                raise self.text.refusal(each.args["alias"], refusals.renamed_columns())
            found[each.alias.casefold()] = each.this
        return found

    def expression(self, node: Any, scope: Scope) -> Expression:
        """A row expression over the columns of a scope."""
        return to_expression(node, self.text, scope.column)

    # FROM and JOIN

    def _from(self, select: Any, conditions: list[Any]) -> Scope:
        scope = self._item(select.args["from_"].this)
        waiting = [(each, self._item(each.this)) for each in select.args.get("joins") or ()]
        while waiting:
            # A comma join may be tied to a table that comes after it.
            ready = (each for each in waiting if self._can_join(scope, *each, conditions))
            join, other = next(ready, waiting[0])
            waiting.remove((join, other))
            with self.text.placed(join.this):
                scope = self._join(scope, other, join, conditions)
        return scope

    def _can_join(self, scope: Scope, join: Any, other: Scope, conditions: list[Any]) -> bool:
        if join.args.get("on") or join.args.get("using") or join.args.get("side"):
            return True
        if scope.relation.is_public or other.relation.is_public:
            return True
        other = other.renamed(scope.relation.schema)
        return any(self._is_tie(scope, other, each) for each in conditions)

    def _item(self, node: Any) -> Scope:
        """A table, a subquery or a name from WITH."""
        self._read += 1
        if self._read > MOST_TABLES:
            raise UnsupportedSQL(f"More than {MOST_TABLES} tables are read. Use fewer.")
        kind = kind_of(node)
        if kind not in ("Subquery", "Table") or (
            kind == "Table" and kind_of(node.this) != "Identifier"
        ):
            refused = refusals.not_a_table(f"{sql_of(node):.40}")
            raise self.text.refusal(node, refused)
        self.text.only(node, "this", "alias", "db", "catalog", where=" here")
        if node.args.get("alias") and node.args["alias"].columns:
            raise self.text.refusal(node.args["alias"], refusals.renamed_columns())
        name, alias = node.name, node.alias or node.name
        if kind == "Subquery":
            if not node.alias:
                raise self.text.refusal(node, UnsupportedSQL(
                    "A subquery needs a name: (SELECT ...) AS visits_2020"))  # fmt: skip
            with self.text.placed(node):
                return subquery(self, node.this, alias)
        if node.args.get("db") or node.args.get("catalog"):
            raise self.text.refusal(node, UnsupportedSQL(
                f"A schema before a table is not supported. Write {name}."))  # fmt: skip
        common = self._common
        if name.casefold() in common:
            # It cannot name itself: what stands in it means the table, or is unknown.
            self._common = {key: each for key, each in common.items() if key != name.casefold()}
            with self.text.placed(node):
                found = subquery(self, common[name.casefold()], alias)
            self._common = common
            return found
        match = [each for each in self.tables if each.casefold() == name.casefold()]
        if not match:
            hint = did_you_mean(name, [*self.tables, *common])
            raise self.text.refusal(node, InvalidInput(
                f'no table "{name}".{hint} Tables: {", ".join(sorted(self.tables))}.'))  # fmt: skip
        relation = self.tables[name if name in match else match[0]]
        return Scope.of(alias, relation, _ties(relation, self.tables))

    def _join(self, scope: Scope, other: Scope, join: Any, conditions: list[Any]) -> Scope:
        method, side, word = (join.args.get(each) or "" for each in ("method", "side", "kind"))
        if method or word not in ("", "INNER", "OUTER", "CROSS"):
            instead = "[NOT] EXISTS in WHERE" if word in ("SEMI", "ANTI") else "JOIN ... ON"
            raise UnsupportedSQL(f"{method or word} JOIN is not supported. Write {instead}.")
        self.text.only(join, "this", "on", "using", "side", "kind", where=" in JOIN")
        if side == "FULL":
            for each in (scope.relation, other.relation):
                if each.is_public:
                    raise refusals.public_side(each.schema.of)
            raise UnsupportedSQL("FULL JOIN is not supported. Write JOIN or LEFT JOIN.")
        if side == "RIGHT":
            scope, other = other, scope
        kind: Join = "left" if side in ("LEFT", "RIGHT") else "inner"
        if scope.relation.is_public and not other.relation.is_public:
            if kind == "left":
                raise refusals.public_side(scope.relation.schema.of)
            scope, other = other, scope
        other = other.renamed(scope.relation.schema)
        on = [*conjuncts(join.args["on"])] if join.args.get("on") else []
        equal, usual = list[tuple[Expression, Expression]](), {}
        for each in join.args.get("using") or ():
            node = _column(each)
            equal.append((self.expression(node, scope), self.expression(node, other)))
            usual[each.name] = scope.column(node).name
        found = scope.joined(other.optional() if kind == "left" else other, scope.relation)
        tests: list[Expression] = [Call("=", pair) for pair in equal]
        sides = (scope.relation, other.relation)
        tests += [
            to_expression(each, self.text, lambda node: _of(found, node, *sides)) for each in on
        ]
        tied = any(_ties_of(scope, a) & _ties_of(other, b) for a, b in equal)
        candidates = on if kind == "left" else [*on, *conditions]
        tied = tied or any(self._is_tie(scope, other, each) for each in candidates)
        relation = self._joined(scope, other, kind, tests, tied)
        return replace(found, relation=relation, usual={**found.usual, **usual})

    def _joined(
        self, left: Scope, right: Scope, kind: Join, tests: list[Expression], tied: bool
    ) -> Relation:
        if right.relation.is_public:
            if left.relation.unit is None and not left.relation.is_public:
                return self._looked_up(left.relation, right.relation, kind, tests)
            return WithPublic(left.relation, right.relation, kind, _all(tests))
        if left.relation.unit is None:
            raise refusals.rows_repeat(right.relation.schema.of)
        if not tied:
            alias = next(iter(right.names))
            raise refusals.not_tied(self.unit, left.tie_with(right), alias)
        # OnUnit adds that the hidden units are equal.
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
        raise refusals.rows_repeat(right.schema.of)

    # WHERE

    def _where(self, scope: Scope, conditions: list[Any], outer: Scope | None) -> Scope:
        plain = [each for each in conditions if not has_query(each)]
        tests = [
            self.expression(each, scope) for each in plain if not _is_outside(each, scope, outer)
        ]
        test = _all(tests)
        if test is not None:
            with self.text.placed(conditions[0]):
                scope = replace(scope, relation=Filtered(scope.relation, test))
        for each in conditions:
            if has_query(each):
                with self.text.placed(each):
                    scope = self._exists(scope, each)
        return scope

    def _exists(self, scope: Scope, node: Any) -> Scope:
        """[NOT] EXISTS, or IN (SELECT ...): rows with or without a match."""
        negated = kind_of(node) == "Not"
        test = node.this.unnest() if negated else node.unnest()
        is_in = kind_of(test) == "In" and bool(test.args.get("query"))
        if not is_in and kind_of(test) != "Exists":
            words = [kind_of(each) for each in node.walk() if has_query(each)]
            inside = "Exists" in words or "In" in words
            raise refusals.query_in_condition() if inside else refusals.scalar_subquery()
        if is_in and negated:
            raise refusals.not_in()
        query = (test.args["query"] if is_in else test.this).unnest()
        if is_in and (kind_of(query) != "Select" or _is_grouped(query)):
            found, correlated = subquery(self, query, "inside"), list[Any]()
            shown = [_column(each) for each in found.relation.schema]
        else:
            found, correlated = self._inside(query, scope)
            shown = [each.unalias() for each in query.expressions]
        inner = found.renamed(scope.relation.schema)
        tied = any(self._is_tie(scope, inner, each) for each in correlated)
        tests = [
            to_expression(each, self.text, lambda node: _resolve(node, inner, scope))
            for each in correlated
        ]
        if is_in:
            self.text.only(test, "this", "query", where=" here")
            if len(shown) != 1:
                raise UnsupportedSQL("IN (SELECT ...) takes one column. Write EXISTS for several.")
            pair = self.expression(test.this, scope), self.expression(shown[0], inner)
            tests.append(call("=", *pair))
            tied = tied or bool(_ties_of(scope, pair[0]) & _ties_of(inner, pair[1]))
        kind: Join = "anti" if negated else "semi"
        relation: Relation
        if inner.relation.is_public:
            relation = WithPublic(scope.relation, inner.relation, kind, _all(tests))
        elif tied:
            relation = OnUnit(scope.relation, inner.relation, kind, _all(tests))
        else:
            units = inner.unit or self.unit, scope.unit or self.unit
            raise refusals.not_correlated(self.unit, *units)
        return replace(scope, relation=relation)

    def _inside(self, query: Any, outer: Scope) -> tuple[Scope, list[Any]]:
        """The rows of a subquery in WHERE, and its conditions on columns outside."""
        if kind_of(query) != "Select":
            raise refusals.query_in_condition()
        self.text.only(query, "expressions", "from_", "joins", "where", "with_",
                       where=" in this subquery")  # fmt: skip
        for each in query.expressions:
            if next(aggregates(each), None) is not None:
                raise self.text.refusal(each, refusals.aggregate_here())
        found = self.rows(query, outer)
        where = query.args.get("where")
        tests = [each for each in (conjuncts(where.this) if where else ()) if not has_query(each)]
        return found, [each for each in tests if _is_outside(each, found, outer)]

    def _is_tie(self, left: Scope, right: Scope, node: Any) -> bool:
        """Whether a condition says that rows of two scopes belong to one unit."""
        sides = (node.this, node.args.get("expression"))
        if kind_of(node) != "EQ" or any(kind_of(each) != "Column" for each in sides):
            return False
        for one, other in ((left, right), (right, left)):
            own, its = one.find(node.this), other.find(node.expression)
            if one.ties.get(own or "", frozenset()) & other.ties.get(its or "", frozenset()):
                return True
        return False


def _ties(relation: Relation, tables: Mapping[str, Relation]) -> dict[str, Ties]:
    """What the columns of a table name: the unit, or rows of a parent."""
    ties: dict[str, Ties] = {}

    def add(column: str, what: str) -> None:
        ties[column] = ties.get(column, frozenset()) | {what}

    if isinstance(relation, OfUnit) and relation.table.unit is not None:
        add(relation.table.unit, UNIT)
    if isinstance(relation, Referring):
        add(relation.column, f"{relation.parent.table.name}.{relation.key}")
    for other in tables.values():
        if isinstance(other, Referring) and other.parent == relation:
            add(other.key, f"{other.parent.table.name}.{other.key}")
    return ties


def _is_outside(node: Any, scope: Scope, outer: Scope | None) -> bool:
    """Whether a condition of a subquery speaks of columns outside it."""
    if outer is None:
        return False
    columns = (each for each in node.walk() if kind_of(each) == "Column")
    return any(scope.find(each) is None and outer.find(each) is not None for each in columns)


def _is_grouped(query: Any) -> bool:
    return any(query.args.get(each) for each in ("group", "having", "distinct"))


def _ties_of(scope: Scope, expression: Expression) -> Ties:
    name = expression.name if isinstance(expression, Column) else ""
    return scope.ties.get(name, frozenset())


def _of(scope: Scope, node: Any, *relations: Relation) -> Column:
    """The column that a node means, of one of two relations that are to be joined."""
    own = scope.find(node)
    for each in relations:
        if own is not None and own in each.schema:
            return column_of(each, own)
    raise scope.unknown(node)


def _resolve(node: Any, *scopes: Scope) -> Column:
    for scope in scopes:
        if scope.find(node) is not None:
            return scope.column(node)
    raise scopes[0].unknown(node)


def _column(name: Any) -> Any:
    """A column without a table before it, of a name or an identifier."""
    from sqlglot import exp

    identifier = exp.to_identifier(name, quoted=True) if isinstance(name, str) else name.copy()
    return exp.Column(this=identifier)


def _all(tests: list[Expression]) -> Expression | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    return Call("and", tuple(tests))
