"""A SELECT in SQL to a query: its groups, its aggregates, arithmetic on them, the rows shown.

FROM, WHERE and subqueries become a relation in `sql.to_relation`. What is left of the statement is
the question itself. Nothing here is trusted.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL
from leastnoise.release.estimate import Linear
from leastnoise.release.grouping import Bins, Key, bins, known_values
from leastnoise.release.kinds import SQL_NAMES, Aggregate, Kind, Style, bind
from leastnoise.release.postprocess import OfTotal, Operand, Outer, Sign, combined
from leastnoise.sql import refusals
from leastnoise.sql.nodes import (
    aggregates,
    conjuncts,
    is_aggregate,
    kind_of,
    names_of,
    number_of,
    sql_of,
)
from leastnoise.sql.parse import Text, parse
from leastnoise.sql.subqueries import grouped_by
from leastnoise.sql.to_relation import Reader
from leastnoise.tables.expressions import Call, Case, Column, Expression, Literal, columns_of
from leastnoise.tables.relations import Mapped, Relation, WithPublic
from leastnoise.tables.schema import Type, Value
from leastnoise.tables.sources import public_rows

_SIGNS: dict[str, Sign] = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/"}
_COMPARED = {"GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "EQ": "=", "NEQ": "<>"}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "=", "<>": "<>"}
_NAMES = {
    "Stddev": "STDDEV",
    "StddevSamp": "STDDEV",
    "StddevPop": "STDDEV",
    "VariancePop": "VARIANCE",
    "PercentileCont": "QUANTILE",
}
_KNOWN = "COUNT, SUM, AVG, MEDIAN, QUANTILE, STDDEV, VARIANCE"


class Statement:
    """A SELECT that was read.

    Attributes:
        relation: its rows.
        keys: what they are grouped by.
        aggregates: the answers by name.
        outer: which rows are shown.
        hidden: aggregates that are not shown.
        sets: of GROUPING SETS the keys of each table, by their numbers.
        title: what the answer is called.
        text: the statement in one spelling.
    """

    def __init__(self, text: str, tables: Mapping[str, Relation], unit: str) -> None:
        tree = parse(text)
        self._text, self._unit = Text(text), unit
        try:
            self._read(tree, tables)
            self.text = sql_of(tree)
        except RecursionError:
            raise InvalidInput("This statement is nested too deep. Ask for less in one.") from None

    def _read(self, tree: Any, tables: Mapping[str, Relation]) -> None:
        if kind_of(tree) != "Select":
            raise UnsupportedSQL(
                "Write one SELECT; UNION ALL stands in a subquery:\n"
                "  SELECT COUNT(*) FROM (SELECT ... UNION ALL SELECT ...) AS both"
            )
        if tree.args.get("distinct"):
            refused = UnsupportedSQL("DISTINCT is not supported here. GROUP BY the columns.")
            raise self._text.refusal(tree, refused, "DISTINCT")
        self._text.only(tree, "expressions", "from_", "joins", "where", "group", "having", "order",
                        "limit", "with_")  # fmt: skip
        self._reader = Reader(self._text, tables, self._unit, _is_unique)
        self._scope = self._reader.rows(tree)
        self.relation = self._scope.relation
        first = tree.args["from_"].this
        if self.relation.is_public:
            raise self._text.refusal(first, refusals.public_alone(first.alias_or_name))
        for each in tree.expressions:
            if each.is_star:
                raise self._text.refusal(each, refusals.star())
        self._names = names_of(tree.expressions)
        self._nodes = [each.unalias() for each in tree.expressions]
        self.aggregates: dict[str, Kind] = {}
        self._measured: dict[str, Any] = {}
        self.sets: list[tuple[int, ...]] = []
        self.keys = self._keys(tree.args.get("group"))
        for at, (name, node) in enumerate(zip(self._names, self._nodes, strict=True)):
            if name in self._names[:at]:
                raise self._text.refusal(node, InvalidInput(
                    f'Two columns are called "{name}". Rename one:  ... AS other_name'))  # fmt: skip
            if self._key_of(node) is None:
                self.aggregates[name], self._measured[name] = self._answer(node), node
        shown = {*self.aggregates}
        self.outer = self._outer(tree)
        if self.sets and self.outer != Outer():
            word = "HAVING" if self.outer.having else "ORDER" if self.outer.order else "LIMIT"
            raise self._text.refusal(tree, refusals.rows_of_grouping_sets(), word)
        self.hidden = frozenset({*self.aggregates} - shown)
        names = ", ".join(key.name for key in self.keys)
        self.title = first.alias_or_name if kind_of(first) == "Subquery" else first.name
        self.title += f" by {names}" if names and not self.sets else ""

    # Groups

    def _keys(self, group: Any) -> list[Key]:
        if group is None:
            return []
        self._text.only(group, "expressions", where=" in GROUP BY")
        found = list[Key]()
        nodes = list(group.expressions)
        if [*map(kind_of, nodes)] == ["GroupingSets"]:
            self.sets = [
                tuple(self._add_key(each, found) for each in _members(some))
                for some in nodes[0].expressions
            ]
            return found
        for each in nodes:
            if kind_of(each) in ("GroupingSets", "Cube", "Rollup"):
                raise self._text.refusal(each, refusals.grouping_sets(), kind_of(each))
            self._add_key(each, found)
        return found

    def _add_key(self, node: Any, keys: list[Key]) -> int:
        """The number of a key of GROUP BY; each is there once."""
        with self._text.placed(node):
            key = self._key(
                grouped_by(node, self._names, self._nodes, self._scope), f"key_{len(keys) + 1}"
            )
        same = (at for at, other in enumerate(keys) if key.by == other.by)
        at = next(same, len(keys))
        keys += [key] if at == len(keys) else []
        return at

    def _key(self, node: Any, other: str) -> Key:
        """One key; its name is that in SELECT, if it is shown."""
        labels: tuple[str, ...] | None = None
        known: tuple[Value, ...] | None
        if kind_of(node) == "Anonymous" and node.name.lower() == "bins":
            x, found = self._bins(node)
            by, labels, known = found.code(x), found.labels, tuple(range(len(found.labels)))
        else:
            by = self._reader.expression(node, self._scope)
            known = self._known(by)
        if next(columns_of(by), None) is None:
            raise UnsupportedSQL("GROUP BY takes columns, and this is the same in every row.")
        shown = (name for name, each in zip(self._names, self._nodes, strict=True)
                 if each == node or self._by(each) == by)  # fmt: skip
        name = next(shown, node.name if kind_of(node) == "Column" else other)
        return Key(name, by, known, labels)

    def _by(self, node: Any) -> Expression | None:
        """A column of SELECT as a row expression, if it is one."""
        if next(aggregates(node), None) is not None:
            return None
        try:
            return self._reader.expression(node, self._scope)
        except InvalidInput:
            return None

    def _key_of(self, node: Any) -> Key | None:
        """The key that a column of SELECT or ORDER BY shows."""
        if kind_of(node) == "Anonymous" and node.name.lower() == "bins":
            x, found = self._bins(node)
            by: Expression | None = found.code(x)
        else:
            by = self._by(node)
        return next((key for key in self.keys if key.by == by), None)

    def _known(self, by: Expression) -> tuple[Value, ...] | None:
        """Known values, also those of a column of a public table, computed as the query does.

        Behind a LEFT JOIN, the columns of the public table may all be missing.
        """
        found = known_values(by, self.relation.schema)
        columns = {column.name for column in columns_of(by)}
        origins = {name: self._scope.public[name] for name in columns if name in self._scope.public}
        if found is not None or not columns or len(origins) < len(columns):
            return found
        relations = {id(relation): relation for relation, _ in origins.values()}
        if len(relations) > 1:
            return None
        (relation,) = relations.values()
        own = _over(by, {name: column for name, (_, column) in origins.items()})
        rows = [*public_rows(relation, [own]), *public_rows(_missing(relation), [own])]
        return tuple(dict.fromkeys(row[0] for row in rows if row[0] is not None))

    def _bins(self, node: Any) -> tuple[Expression, Bins]:
        x, rest = node.expressions[:1], node.expressions[1:]
        is_list = len(rest) == 1 and kind_of(rest[0]) == "Array"
        typed = [number_of(each) for each in (rest[0].expressions if is_list else rest)]
        numbers = [each for each in typed if each is not None]
        if not x or len(numbers) < len(typed) or not (is_list or len(numbers) == 3):
            refused = InvalidInput("Write bins(age, 0, 100, 10), or bins(age, [0, 18, 65]).")
            raise self._text.refusal(node, refused)
        text = sql_of(x[0])
        lower, upper, width = (numbers * 3)[:3]
        found = (
            bins(text, numbers) if is_list else bins(text, lower=lower, upper=upper, width=width)
        )
        return self._reader.expression(x[0], self._scope), found

    # Answers

    def _answer(self, node: Any) -> Kind:
        found = self._operand(node)
        if isinstance(found, Kind):
            return found
        raise self._text.refusal(node, refusals.rows_shown())

    def _operand(self, node: Any) -> Kind | Fraction:
        """An aggregate, a number, or arithmetic on them, with the place of what is wrong in it."""
        with self._text.placed(node):
            return self._computed(node)

    def _computed(self, node: Any) -> Kind | Fraction:
        kind = kind_of(node)
        if kind == "Paren" or (
            kind == "Cast" and node.to.this.name in ("DOUBLE", "FLOAT", "DECIMAL")
        ):
            return self._operand(node.this)
        if kind == "Nullif" and number_of(node.expression) == 0:
            return self._operand(node.this)  # a denominator: no answer is exactly 0
        if (number := number_of(node)) is not None:
            return number
        if kind == "Neg":
            return self._arithmetic("-", node, Fraction(0), self._operand(node.this))
        if kind in _SIGNS:
            left = self._operand(node.this)
            if kind == "Div" and kind_of(node.expression) == "Window":
                return self._of_total(node, left)
            return self._arithmetic(_SIGNS[kind], node, left, self._operand(node.expression))
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
        text = sql_of(node)
        counts = all(isinstance(each, Kind) and each.style == "count" for each in (left, right))
        style: Style = "count" if counts and isinstance(found, Linear) else "number"
        return Kind(found, text, text, style)

    def _of_total(self, node: Any, own: Kind | Fraction) -> Kind:
        """COUNT(*) / SUM(COUNT(*)) OVER (), perhaps times a number."""
        window = node.expression
        self._text.only(window, "this", "over", where=" in a share of the total")
        of = window.this.this if kind_of(window.this) == "Sum" else None
        inner = self._operand(of) if of and next(aggregates(of), None) else None
        if isinstance(inner, Kind) and isinstance(own, Kind):
            one, all_ = own.estimate, inner.estimate
            if isinstance(one, Linear) and isinstance(all_, Linear):
                total, least = next(iter(all_.coefficients.items()))
                factor = one.coefficients.get(total, Fraction(0)) / least
                if factor and one.coefficients == {
                    t: factor * c for t, c in all_.coefficients.items()
                }:
                    text, share = sql_of(node), OfTotal(all_)
                    if factor == 1:
                        return Kind(share, f"share of the total of {inner.what}", text, "share")
                    return Kind(combined("*", factor, share), text, text)  # type: ignore[arg-type]
        raise UnsupportedSQL(
            "Of windows, only a share of the total is supported:\n  COUNT(*) / SUM(COUNT(*)) OVER ()"
        )

    def _aggregate(self, node: Any) -> Kind:
        where, inner = None, node
        if kind_of(node) == "Filter":
            where = self._reader.expression(node.args["expression"].this, self._scope)
            inner = node.this
        name, word = kind_of(inner), _word(inner)
        if name == "Window":
            raise refusals.window(self._unit, self._scope.unit or self._unit)
        if name == "WithinGroup":
            return self._within_group(inner, where)
        if name in ("Min", "Max"):
            q = "0.01" if name == "Min" else "0.99"
            of = sql_of(inner.this) if inner.this else "x"
            raise UnsupportedSQL(f"{word} shows the value of one row. Write QUANTILE({of}, {q}).")
        known = SQL_NAMES.get(_NAMES.get(name) or word)
        if name not in ("Count", "CountIf") and known is None:
            raise self._no_answer(inner, word)
        self._text.only(inner, "this", "expressions", "quantile", "expression", "big_int",
                        where=f" in {word}")  # fmt: skip
        if name == "Count":
            return self._count(inner, where)
        nodes = inner.expressions if name == "Anonymous" else [inner.this, *inner.expressions]
        if not nodes or kind_of(nodes[0]) == "Distinct":
            raise self._only_units(word)
        x = self._reader.expression(nodes[0], self._scope)
        part = inner.args.get("quantile") or inner.args.get("expression")
        rest = [*nodes[1:], *([part] if part is not None else [])]
        if len(rest) != (known == "quantile"):
            takes = f"two values. Write {word}(x, 0.9)" if known == "quantile" else "one value"
            raise UnsupportedSQL(f"{word} takes {takes}.")
        if name == "CountIf" or (known == "sum" and x.type is Type.BOOLEAN):
            return self._bound("count", where=_both(where, x))
        if known == "quantile":
            return self._quantile(x, rest[0], where)
        if known == "mean" and x.type is Type.BOOLEAN:
            return self._bound("share", condition=x, where=where)
        return self._bound(str(known), x=x, where=where)

    def _no_answer(self, node: Any, word: str) -> InvalidInput:
        """Why something that is no aggregate of ours is no answer."""
        if is_aggregate(node):
            return UnsupportedSQL(f"{word} cannot be released. Aggregates that can: {_KNOWN}.")
        inner = next(aggregates(node), None)
        if inner is not None:
            return UnsupportedSQL(
                f"{word} around an aggregate is not supported; answers are never missing, and are "
                f"rounded to their margin. Write {sql_of(inner)}."
            )
        self._reader.expression(node, self._scope)  # what is wrong in it comes first
        return refusals.rows_shown()

    def _quantile(self, x: Expression, part: Any, where: Expression | None) -> Kind:
        q = number_of(part)
        if q is None or not 0 < q < 1:
            refused = UnsupportedSQL("The part of a quantile is a number between 0 and 1.")
            raise self._text.refusal(part, refused)
        return self._bound("quantile", x=x, q=q, where=where)

    def _within_group(self, node: Any, where: Expression | None) -> Kind:
        order = node.expression.expressions
        if kind_of(node.this) != "PercentileCont" or len(order) != 1 or order[0].args.get("desc"):
            raise UnsupportedSQL("Write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x).")
        x = self._reader.expression(order[0].this, self._scope)
        return self._quantile(x, node.this.this, where)

    def _count(self, node: Any, where: Expression | None) -> Kind:
        of = node.this
        if of is None or kind_of(of) == "Star":
            return self._bound("count", where=where)
        if kind_of(of) == "Distinct":
            names = [self._reader.expression(each, self._scope) for each in of.expressions]
            if len(names) != 1 or not self._scope.names_unit(names[0]):
                raise self._only_units("COUNT")
            return self._bound("count_units", where=where)
        if node.expressions:
            raise UnsupportedSQL("COUNT takes one value.")
        x = self._reader.expression(of, self._scope)
        return self._bound("count", where=_both(where, Call("not", (Call("is null", (x,)),))))

    def _only_units(self, word: str) -> InvalidInput:
        if word != "COUNT":
            return UnsupportedSQL(f"{word} of DISTINCT values, or of none, is not supported.")
        unit = self._scope.unit
        hint = f":\n  COUNT(DISTINCT {unit})" if unit else "."
        return UnsupportedSQL(f"Only the privacy unit can be counted DISTINCT{hint}")

    def _bound(self, kind: str, **arguments: Any) -> Kind:
        return bind(Aggregate(kind, arguments), self.relation.schema, kind)

    # Rows that are shown

    def _outer(self, tree: Any) -> Outer:
        having, order = tree.args.get("having"), list[tuple[str, bool]]()
        tests = [test for each in (conjuncts(having.this) if having else ())
                 for test in self._tests(each)]  # fmt: skip
        for each in tree.args["order"].expressions if tree.args.get("order") else ():
            if each.args.get("nulls_first") or each.args.get("with_fill"):
                refused = UnsupportedSQL("A missing value comes last. Leave NULLS FIRST out.")
                raise self._text.refusal(each, refused)
            order.append((self._column(each.this), bool(each.args.get("desc"))))
        if not tree.args.get("limit"):
            return Outer(tuple(tests), tuple(order))
        limit = tree.args["limit"]
        self._text.only(limit, "expression", "limit_options", where=" in LIMIT")
        number, options = number_of(limit.expression), limit.args.get("limit_options")
        if options or number is None or number.denominator != 1 or number < 1:
            refused = UnsupportedSQL("LIMIT takes a whole number above 0.")
            raise self._text.refusal(limit, refused, "LIMIT")
        return Outer(tuple(tests), tuple(order), int(number))

    def _tests(self, node: Any) -> list[tuple[str, str, Fraction]]:
        """The comparisons of an answer with a number that a condition consists of."""
        if kind_of(node) == "Between":
            low, high = number_of(node.args["low"]), number_of(node.args["high"])
            if low is not None and high is not None and not node.args.get("symmetric"):
                name = self._answer_column(node.this)
                return [(name, ">=", low), (name, "<=", high)]
        sign = _COMPARED.get(kind_of(node))
        if sign is not None:
            for side, other, own in ((node.this, node.expression, sign),
                                     (node.expression, node.this, _MIRRORED[sign])):  # fmt: skip
                number = number_of(other)
                if number is not None:
                    return [(self._answer_column(side), own, number)]
        refused = UnsupportedSQL(
            "HAVING compares aggregates with numbers; AND connects several:\n  COUNT(*) > 100"
        )
        raise self._text.refusal(node, refused)

    def _answer_column(self, node: Any) -> str:
        name = self._column(node)
        if name not in self.aggregates:
            refused = UnsupportedSQL(
                f"HAVING is for aggregates. Write the condition on {name} in WHERE."
            )
            raise self._text.refusal(node, refused)
        return name

    def _column(self, node: Any) -> str:
        """The column that ORDER BY or HAVING means; one that is not shown is measured for it alone."""
        node = node.unnest()
        if kind_of(node) == "Literal" and (place := number_of(node)) is not None:
            if place not in range(1, len(self._nodes) + 1):
                refused = UnsupportedSQL(f"There is no column {place} in SELECT.")
                raise self._text.refusal(node, refused)
            node = self._nodes[int(place) - 1]
        names = [*(key.name for key in self.keys), *self._measured]
        if kind_of(node) == "Column" and not node.table:
            for name in names:
                if name.casefold() == node.name.casefold():
                    return name
        key = self._key_of(node)
        same = [name for name, each in self._measured.items() if each == node]
        if key is not None or same:
            return same[0] if key is None else key.name
        name = sql_of(node)
        while name in names:
            name += "_"
        self.aggregates[name], self._measured[name] = self._answer(node), node
        return name


def _members(node: Any) -> list[Any]:
    """The columns of one of GROUPING SETS: (a, b), (a), a or ()."""
    match kind_of(node):
        case "Tuple":
            return list(node.expressions)
        case "Paren":
            return [node.this]
        case _:
            return [node]


def _word(node: Any) -> str:
    """The name of a function, as DuckDB calls it."""
    text = sql_of(node)
    return str(node.name if kind_of(node) == "Anonymous" else text.partition("(")[0]).upper()


def _both(where: Expression | None, other: Expression) -> Expression:
    return other if where is None else Call("and", (where, other))


def _over(by: Expression, columns: Mapping[str, Column]) -> Expression:
    """The same expression over other columns."""
    match by:
        case Column(name):
            return columns[name]
        case Call(_, arguments):
            return replace(by, arguments=tuple(_over(each, columns) for each in arguments))
        case Case(whens, otherwise):
            pairs = tuple((_over(a, columns), _over(b, columns)) for a, b in whens)
            return Case(pairs, None if otherwise is None else _over(otherwise, columns))
    return by


def _missing(relation: Relation) -> Relation:
    """Public rows with the columns of a relation, all of them missing."""
    return WithPublic(Mapped(relation, ()), relation, "left", Literal(value=False))


def _is_unique(relation: Relation, column: str) -> bool:
    """Whether public rows have different values in a column."""
    by = Column(column, relation.schema[column].type)
    return all(count == 1 for value, count in public_rows(relation, [by]) if value is not None)
