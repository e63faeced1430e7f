"""A SELECT in SQL to a query: its groups, its aggregates, arithmetic on them, the rows shown.

FROM, WHERE and subqueries become a relation in `sql.to_relation`. What is left of the statement is
the question itself. Nothing here is trusted.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL, did_you_mean
from leastnoise.numbers.exact import exact
from leastnoise.release.estimate import Linear
from leastnoise.release.grouping import Bins, Key, bins, known_values
from leastnoise.release.kinds import SQL_NAMES, Aggregate, Kind, Style, bind
from leastnoise.release.postprocess import OfTotal, Operand, Outer, Sign, combined
from leastnoise.sql import refusals
from leastnoise.sql.nodes import conjuncts, meant, plain
from leastnoise.sql.parse import Text, parse
from leastnoise.sql.scope import place_of
from leastnoise.sql.to_relation import Reader
from leastnoise.tables.expressions import Call, Column, Expression
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import Type, Value
from leastnoise.tables.sources import public_rows

_SIGNS: dict[str, Sign] = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/"}
_COMPARED = {"GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "EQ": "=", "NEQ": "<>"}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "=", "<>": "<>"}
_NAMES = {
    "StddevSamp": "STDDEV",
    "StddevPop": "STDDEV",
    "VariancePop": "VARIANCE",
    "Quantile": "QUANTILE",
}


class Statement:
    """A SELECT that was read.

    Attributes:
        relation: its rows.
        keys: what they are grouped by.
        aggregates: the answers by name.
        outer: which rows are shown.
        hidden: aggregates that are not shown.
        title: what the answer is called.
        text: the statement in one spelling.
    """

    def __init__(self, text: str, tables: Mapping[str, Relation], unit: str) -> None:
        tree = parse(text)
        self._text, self._unit = Text(text), unit
        if type(tree).__name__ != "Select":
            raise UnsupportedSQL("Write one SELECT. UNION ALL stands in a subquery.")
        refusals.only(tree, "expressions", "from_", "joins", "where", "group", "having", "order",
                      "limit", "with_")  # fmt: skip
        self._reader = Reader(self._text, tables, unit, _is_unique)
        self._scope = self._reader.rows(tree)
        self.relation = self._scope.relation
        if self.relation.is_public:
            raise refusals.public_alone(tree.args["from_"].this.name)
        self.text = tree.sql("duckdb", comments=False)
        self.aggregates: dict[str, Kind] = {}
        self._nodes: dict[str, Any] = {}
        self._items = {_name(each, at): plain(each) for at, each in enumerate(tree.expressions)}
        self._read_keys(tree)
        self._read_items()
        shown = {*self.aggregates}
        self.outer = self._outer(tree)
        self.hidden = frozenset({*self.aggregates} - shown)
        names = ", ".join(key.name for key in self.keys)
        first = tree.args["from_"].this
        self.title = (first.name or first.alias) + (f" by {names}" if names else "")

    def _placed(self, node: Any, refused: InvalidInput) -> InvalidInput:
        return place_of(self._text, node, refused)

    # Groups

    def _read_keys(self, tree: Any) -> None:
        group = tree.args.get("group")
        if group:
            refusals.only(group, "expressions", where=" in GROUP BY")
        self.keys: list[Key] = []
        self._key_nodes: dict[str, Any] = {}
        for each in group.expressions if group else ():
            node = meant(each, list(self._items.values()), self._items, self._scope)
            own = [name for name, other in self._items.items() if other == node]
            name = own[0] if own else (node.name or f"key_{len(self.keys) + 1}")
            self._key_nodes[name] = node
            self.keys.append(self._key(name, node))

    def _key(self, name: str, node: Any) -> Key:
        if type(node).__name__ == "Anonymous" and node.name.lower() == "bins":
            x, found = self._bins(node)
            return Key(name, found.code(x), tuple(range(len(found.labels))), found.labels)
        by = self._reader.expression(node, self._scope)
        return Key(name, by, self._known(by))

    def _known(self, by: Expression) -> tuple[Value, ...] | None:
        """Known values, also those of a column of a public table, computed as the query does."""
        found = known_values(by, self.relation.schema)
        columns = {column.name for column in _columns(by)}
        origins = {name: self._scope.public[name] for name in columns if name in self._scope.public}
        if found is not None or not columns or len(origins) < len(columns):
            return found
        relations = {id(relation): relation for relation, _ in origins.values()}
        if len(relations) > 1:
            return None
        (relation,) = relations.values()
        own = _over(by, {name: column for name, (_, column) in origins.items()})
        return tuple(row[0] for row in public_rows(relation, [own]) if row[0] is not None)

    def _bins(self, node: Any) -> tuple[Expression, Bins]:
        x, *rest = node.expressions
        numbers = [_number(each) for part in rest for each in (
            part.expressions if type(part).__name__ == "Array" else [part])]  # fmt: skip
        if any(each is None for each in numbers) or not numbers:
            raise self._placed(
                node, InvalidInput("Write bins(age, 0, 100, 10), or bins(age, [0, 18, 65]).")
            )
        found = (
            bins(x.sql("duckdb"), numbers)  # type: ignore[arg-type]
            if len(rest) == 1
            else bins(x.sql("duckdb"), lower=numbers[0], upper=numbers[1], width=numbers[2])
        )
        return self._reader.expression(x, self._scope), found

    # Answers

    def _read_items(self) -> None:
        for name, node in self._items.items():
            if any(node == each for each in self._key_nodes.values()):
                continue
            self.aggregates[name] = self._answer(node)
            self._nodes[name] = node

    def _answer(self, node: Any) -> Kind:
        try:
            found = self._operand(node)
        except InvalidInput as error:
            refused = error
        else:
            if isinstance(found, Kind):
                return found
            raise self._placed(node, refusals.rows_shown())
        raise self._placed(node, refused)

    def _operand(self, node: Any) -> Kind | Fraction:
        """An aggregate, a number, or arithmetic on them."""
        kind = type(node).__name__
        if kind == "Paren" or (
            kind == "Cast" and node.to.this.name in ("DOUBLE", "FLOAT", "DECIMAL")
        ):
            return self._operand(node.this)
        if kind == "Nullif":  # of a denominator: no answer is exactly 0
            return self._operand(node.this)
        if kind == "Neg":
            return self._arithmetic("-", node, Fraction(0), self._operand(node.this))
        if (number := _number(node)) is not None:
            return number
        if kind in _SIGNS:
            if kind == "Div" and type(node.expression).__name__ == "Window":
                return self._of_total(node)
            left, right = self._operand(node.this), self._operand(node.expression)
            return self._arithmetic(_SIGNS[kind], node, left, right)
        return self._aggregate(node)

    def _arithmetic(
        self, sign: Sign, node: Any, left: Kind | Fraction, right: Kind | Fraction
    ) -> Kind | Fraction:
        sides: list[Operand] = [
            each.estimate if isinstance(each, Kind) else each for each in (left, right)
        ]
        found = combined(sign, *sides)
        if isinstance(found, Fraction):
            return found
        text = node.sql("duckdb")
        counts = all(isinstance(each, Kind) and each.style == "count" for each in (left, right))
        style: Style = "count" if counts and isinstance(found, Linear) else "number"
        return Kind(found, text, text, style)

    def _of_total(self, node: Any) -> Kind:
        """COUNT(*) / SUM(COUNT(*)) OVER ()."""
        window, own = node.expression, self._operand(node.this)
        refusals.only(window, "this", "over", where=" here")
        inner = window.this
        same = type(inner).__name__ == "Sum" and inner.this == node.this
        if not same or not isinstance(own, Kind) or not isinstance(own.estimate, Linear):
            raise UnsupportedSQL(
                "Of windows, only a share of the total is supported:  COUNT(*) / SUM(COUNT(*)) OVER ()"
            )
        text = node.sql("duckdb")
        return Kind(OfTotal(own.estimate), f"share of the total of {own.what}", text, "share")

    def _aggregate(self, node: Any) -> Kind:
        where, inner = None, node
        if type(node).__name__ == "Filter":
            where = self._reader.expression(node.args["expression"].this, self._scope)
            inner = node.this
        name = type(inner).__name__
        if name == "Window":
            raise refusals.window(self._unit, self._unit)
        if name == "WithinGroup":
            return self._within_group(inner, where)
        if name in ("Min", "Max"):
            q = "0.01" if name == "Min" else "0.99"
            raise UnsupportedSQL(
                f"{name.upper()} shows one row. Use QUANTILE({inner.this.sql()}, {q})."
            )
        if name == "Count":
            return self._count(inner, where)
        if name == "CountIf":
            condition = self._reader.expression(inner.this, self._scope)
            return self._bound("count", where=_both(where, condition))
        known = SQL_NAMES.get(
            _NAMES.get(name) or (inner.name.upper() if name == "Anonymous" else name.upper())
        )
        if known is None:
            if not _is_function(inner):
                raise refusals.rows_shown()
            hint = did_you_mean(inner.sql_name() if name != "Anonymous" else inner.name, SQL_NAMES)
            raise UnsupportedSQL(
                f"{inner.sql('duckdb'):.40} is no aggregate that can be released.{hint}"
            )
        if type(inner.this).__name__ == "Distinct":
            raise UnsupportedSQL("Only the privacy unit can be counted DISTINCT.")
        nodes = inner.expressions if name == "Anonymous" else [inner.this]
        x = self._reader.expression(nodes[0], self._scope)
        if known == "quantile":
            return self._bound("quantile", x=x, q=_number(inner.args.get("quantile")), where=where)
        if known == "mean" and x.type is Type.BOOLEAN:
            return self._bound("share", condition=x, where=where)
        return self._bound(known, x=x, where=where)

    def _within_group(self, node: Any, where: Expression | None) -> Kind:
        function, order = node.this, node.expression.expressions
        q = _number(function.this) if type(function).__name__ == "PercentileCont" else None
        if q is None or len(order) != 1 or order[0].args.get("desc"):
            raise UnsupportedSQL("Write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x).")
        return self._bound(
            "quantile", x=self._reader.expression(order[0].this, self._scope), q=q, where=where
        )

    def _count(self, node: Any, where: Expression | None) -> Kind:
        of = node.this
        if type(of).__name__ == "Star":
            return self._bound("count", where=where)
        if type(of).__name__ == "Distinct":
            names = [self._reader.expression(each, self._scope) for each in of.expressions]
            if len(names) != 1 or not self._reader.names_unit(names[0], self._scope):
                raise UnsupportedSQL("Only the privacy unit can be counted DISTINCT.")
            return self._bound("count_units", where=where)
        x = self._reader.expression(of, self._scope)
        return self._bound("count", where=_both(where, Call("not", (Call("is null", (x,)),))))

    def _bound(self, kind: str, **arguments: Any) -> Kind:
        return bind(Aggregate(kind, arguments), self.relation.schema, kind)

    # Rows that are shown

    def _outer(self, tree: Any) -> Outer:
        having = tree.args.get("having")
        tests = tuple(self._test(each) for each in conjuncts(having.this)) if having else ()
        order = []
        for each in tree.args["order"].expressions if tree.args.get("order") else ():
            order.append((self._column(each.this), bool(each.args.get("desc"))))
        limit = None
        if tree.args.get("limit"):
            number = _number(tree.args["limit"].expression)
            if number is None or number.denominator != 1 or number < 1:
                raise UnsupportedSQL("LIMIT takes a whole number above 0.")
            limit = int(number)
        return Outer(tests, tuple(order), limit)

    def _test(self, node: Any) -> tuple[str, str, Fraction]:
        sign = _COMPARED.get(type(node).__name__)
        if sign is not None:
            for side, other, own in ((node.this, node.expression, sign),
                                     (node.expression, node.this, _MIRRORED[sign])):  # fmt: skip
                number = _number(other)
                if number is not None:
                    return self._column(side), own, number
        raise self._placed(
            node, UnsupportedSQL("HAVING compares an aggregate with a number:  COUNT(*) > 100")
        )

    def _column(self, node: Any) -> str:
        """The column that ORDER BY or HAVING means; one that is not shown is measured for it alone."""
        node = node.this if type(node).__name__ == "Paren" else node
        if type(node).__name__ == "Literal" and not node.is_string:
            node = meant(node, list(self._items.values()), self._items, self._scope)
        names = {**self._nodes, **self._key_nodes}
        for name, each in names.items():
            if each == node or (
                type(node).__name__ == "Column" and not node.table and node.name == name
            ):
                return name
        name = f"{node.sql('duckdb')}"
        self.aggregates[name] = self._answer(node)
        self._nodes[name] = node
        return name


def _both(where: Expression | None, other: Expression) -> Expression:
    return other if where is None else Call("and", (where, other))


def _name(node: Any, at: int) -> str:
    if type(node).__name__ == "Alias":
        return str(node.alias)
    if type(node).__name__ == "Column" and type(node.this).__name__ != "Star":
        return str(node.name)
    inner = node.this if type(node).__name__ == "Filter" else node
    return inner.sql_name().lower() if _is_function(inner) and not at else f"column_{at + 1}"


def _is_function(node: Any) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Func) and not isinstance(
        node, exp.Case | exp.Cast | exp.And | exp.Or
    )


def _number(node: Any) -> Fraction | None:
    """The number of a literal."""
    if type(node).__name__ == "Neg":
        inner = _number(node.this)
        return None if inner is None else -inner
    if type(node).__name__ == "Literal" and not node.is_string:
        return exact(node.this)
    return None


def _columns(by: Expression) -> list[Column]:
    from leastnoise.tables.expressions import columns_of

    return list(columns_of(by))


def _over(by: Expression, columns: Mapping[str, Column]) -> Expression:
    """The same expression over other columns."""
    if isinstance(by, Column):
        return columns[by.name]
    if isinstance(by, Call):
        return replace(by, arguments=tuple(_over(each, columns) for each in by.arguments))
    return by


def _is_unique(relation: Relation, column: str) -> bool:
    """Whether public rows have different values in a column."""
    by = Column(column, relation.schema[column].type)
    return all(count == 1 for value, count in public_rows(relation, [by]) if value is not None)
