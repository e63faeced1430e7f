"""From the parser's tree to our own: what is known is taken over, everything else is refused."""

import re
from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from leastnoise import _check
from leastnoise.release.sql.text.place import Place, PlacedRefusal, Places, refused, standing_at
from leastnoise.release.sql.text.refusals import ARGUMENTS, KINDS, UNKNOWN
from leastnoise.release.sql.text.tree import (
    Between,
    Call,
    Case,
    Chain,
    Compared,
    Computed,
    Exists,
    Expression,
    InList,
    InQuery,
    IsNull,
    IsTruth,
    Like,
    Literal,
    Name,
    Negated,
    Order,
    Query,
    Scalar,
    Several,
    Star,
)

_COMPARED = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_COMPUTED = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%"}
_CHAINS = {"And": "and", "Or": "or"}
MOST_OPERATIONS = 50
"""One after another, in one expression."""
_FLAGS = frozenset({"typed", "safe", "_type", "negated_operator"})  # of no meaning here


class ToTree:
    """The translation of one text."""

    def __init__(self, text: str, query: Callable[["ToTree", Any], Query]) -> None:
        self._places = Places(text)
        self._query = query

    def place(self, node: Any) -> Place:
        """Where a part stands: its own place, else the first of its parts', else near it."""
        near = None
        best: int | None = None
        rest = [node]
        while rest:
            each = rest.pop()
            if not hasattr(each, "meta"):
                continue
            start = each.meta.get("start")
            if start is not None:
                best = start if best is None else min(best, start)
                continue
            near = each.meta.get("near", near) if near is None else near
            for value in each.args.values():
                rest += value if isinstance(value, list) else [value]
        found = best if best is not None else near
        return self._places.of(found or 0)

    def refusal(self, node: Any) -> PlacedRefusal:
        """A part of a kind that is not known."""
        rule, remedy = KINDS.get(kind(node), UNKNOWN)
        return refused(self.place(node), rule, f"{_words(node)}", remedy)

    def parts(self, node: Any, *known: str) -> list[Any]:
        """The parts of a node by name; whatever else is said with it is refused."""
        for name, value in node.args.items():
            if value and name not in known and name not in _FLAGS:
                rule, remedy = ARGUMENTS.get(name, UNKNOWN)
                first = value[0] if isinstance(value, list) else value
                at = self.place(first if hasattr(first, "meta") else node)
                raise refused(at, rule, _words(first, name), remedy)
        return [node.args.get(name) for name in known]

    def query(self, node: Any) -> Query:
        """A query inside."""
        return self._query(self, node)

    def expression(self, node: Any) -> Expression:
        """Any expression.

        Raises:
            InvalidParameter: one of a kind that is not known.
        """
        name = kind(node)
        if name in _COMPARED:
            one, other = map(self.expression, self.parts(node, "this", "expression"))
            return Compared(min(one.at, other.at), _COMPARED[name], one, other)
        if name in _COMPUTED:
            return self._computed(node)
        if name in _CHAINS:
            return self._chain(node)
        made = getattr(self, f"_{name.lower()}", None)
        if made is None:
            raise self.refusal(node)
        found: Expression = made(node)
        return found

    def _computed(self, node: Any) -> Expression:
        """From the left: a long sum is deep in the parser's tree."""
        signs: list[tuple[str, Any]] = []
        while kind(node) in _COMPUTED:
            one, other = self.parts(node, "this", "expression")
            signs.append((_COMPUTED[kind(node)], other))
            node = one
            if len(signs) > MOST_OPERATIONS:
                raise refused(
                    self.place(other),
                    f"a sum or product may have {MOST_OPERATIONS} signs",
                    "more",
                    "Add a column with the result to the data.",
                )
        found = self.expression(node)
        for sign, other in reversed(signs):
            found = Computed(found.at, sign, found, self.expression(other))
        return found

    def _chain(self, node: Any) -> Chain:
        word, parts, rest = kind(node), [], [node]
        while rest:
            each = rest.pop()
            if kind(each) == word:
                one, other = self.parts(each, "this", "expression")
                rest += [other, one]
            else:
                parts.append(self.expression(each))
        return Chain(parts[0].at, _CHAINS[word], tuple(parts))

    def _paren(self, node: Any) -> Expression:
        return self.expression(self.parts(node, "this")[0])

    def _tuple(self, node: Any) -> Several:
        parts = tuple(map(self.expression, self.parts(node, "expressions")[0] or ()))
        return Several(self.place(node), parts)

    def _column(self, node: Any) -> Name | Star:
        this, table = self.parts(node, "this", "table")
        front = None if table is None else str(table.this)
        if kind(this) == "Star":
            self.parts(this)
            return Star(self.place(node), front)
        exact = bool(this.args.get("quoted"))
        return Name(self.place(node), str(this.this), exact, front)

    def _identifier(self, node: Any) -> Name:
        return Name(self.place(node), str(node.this), bool(node.args.get("quoted")))

    def _var(self, node: Any) -> Name:
        return Name(self.place(node), str(node.this))

    def _star(self, node: Any) -> Star:
        self.parts(node)
        return Star(self.place(node))

    def _literal(self, node: Any) -> Literal:
        at = self.place(node)
        if node.args.get("is_string"):
            return Literal(at, str(node.this))
        return Literal(at, self._number(str(node.this), at))

    def _number(self, text: str, at: Place) -> int | Fraction:
        with standing_at(at):
            found = _check.rational(text, "a number")
        return int(found) if found.denominator == 1 else found

    def _boolean(self, node: Any) -> Literal:
        return Literal(self.place(node), bool(node.this))

    def _null(self, node: Any) -> Literal:
        return Literal(self.place(node), None)

    def _neg(self, node: Any) -> Expression:
        inner = self.expression(self.parts(node, "this")[0])
        if isinstance(inner, Literal) and isinstance(inner.value, int | Fraction):
            return Literal(inner.at, -inner.value)
        return Computed(inner.at, "-", Literal(inner.at, 0), inner)

    def _not(self, node: Any) -> Expression:
        inner = self.expression(self.parts(node, "this")[0])
        return Negated(inner.at, inner)

    def _is(self, node: Any) -> Expression:
        this, other = self.parts(node, "this", "expression")
        one = self.expression(this)
        if kind(other) == "Null":
            return IsNull(one.at, one)
        if kind(other) == "Boolean":
            return IsTruth(one.at, one, bool(other.this))
        raise self.refusal(node)

    def _between(self, node: Any) -> Between:
        one, low, high = map(self.expression, self.parts(node, "this", "low", "high"))
        return Between(one.at, one, low, high)

    def _in(self, node: Any) -> Expression:
        this, values, query = self.parts(node, "this", "expressions", "query")
        one = self.expression(this)
        if query is None:
            return InList(one.at, one, tuple(map(self.expression, values or ())))
        return InQuery(one.at, one, self.query(query))

    def _exists(self, node: Any) -> Exists:
        (query,) = self.parts(node, "this")
        return Exists(self.place(node), self.query(query))

    def _subquery(self, node: Any) -> Scalar:
        return Scalar(self.place(node), self.query(node))

    def _select(self, node: Any) -> Scalar:
        return Scalar(self.place(node), self.query(node))

    def _like(self, node: Any) -> Expression:
        this, fits, negated = self.parts(node, "this", "expression", "negate")
        one, pattern = self.expression(this), self.expression(fits)
        found = Like(one.at, one, pattern)
        return Negated(one.at, found) if negated else found

    def _escape(self, node: Any) -> Expression:
        found, mark = map(self.expression, self.parts(node, "this", "expression"))
        inner = found.one if isinstance(found, Negated) else found
        if not isinstance(inner, Like):
            raise self.refusal(node)
        made = Like(inner.at, inner.one, inner.pattern, mark)
        return Negated(found.at, made) if isinstance(found, Negated) else made

    def _case(self, node: Any) -> Case:
        this, ifs, default = self.parts(node, "this", "ifs", "default")
        one = None if this is None else self.expression(this)
        branches = []
        for each in ifs:
            test, result = map(self.expression, self.parts(each, "this", "true"))
            if one is not None:
                test = Compared(test.at, "=", one, test)
            branches.append((test, result))
        otherwise = None if default is None else self.expression(default)
        return Case(self.place(node), tuple(branches), otherwise)

    def _if(self, node: Any) -> Case:
        this, true, false = self.parts(node, "this", "true", "false")
        branches = ((self.expression(this), self.expression(true)),)
        return Case(self.place(node), branches, None if false is None else self.expression(false))

    def _cast(self, node: Any) -> Literal:
        """DATE '2024-01-31' and TIMESTAMP '…'; no other."""
        this, to = self.parts(node, "this", "to")
        at, wanted = self.place(node), str(getattr(to.this, "name", ""))
        if kind(this) == "Literal" and this.args.get("is_string"):
            try:
                if wanted == "DATE":
                    return Literal(at, date.fromisoformat(str(this.this)))
                if wanted in {"TIMESTAMP", "DATETIME", "TIMESTAMPNTZ"}:
                    found = datetime.fromisoformat(str(this.this))
                    if found.tzinfo is None:
                        return Literal(at, found)
            except ValueError:
                pass
        raise self.refusal(node)

    def _extract(self, node: Any) -> Call:
        part, of = self.parts(node, "this", "expression")
        return Call(self.place(node), str(part.this).lower(), (self.expression(of),))

    def _anonymous(self, node: Any) -> Call:
        name, given = self.parts(node, "this", "expressions")
        at = self.place(node)
        if not isinstance(name, str):
            raise self.refusal(node)
        arguments: list[Expression] = []
        named: list[tuple[str, Expression]] = []
        distinct = False
        for each in given or ():
            if kind(each) == "Distinct":
                distinct = True
                arguments += map(self.expression, self.parts(each, "expressions")[0])
            elif kind(each) == "Kwarg":
                word, value = self.parts(each, "this", "expression")
                named.append((str(word.this).lower(), self.expression(value)))
            else:
                arguments.append(self.expression(each))
        return Call(at, name.lower(), tuple(arguments), tuple(named), distinct)

    def _filter(self, node: Any) -> Call:
        this, where = self.parts(node, "this", "expression")
        call = self.expression(this)
        if not isinstance(call, Call) or call.where is not None:
            raise self.refusal(node)
        test = self.expression(self.parts(where, "this")[0])
        return Call(
            call.at, call.name, call.arguments, call.named, call.distinct, call.within, test
        )

    def _withingroup(self, node: Any) -> Call:
        this, order = self.parts(node, "this", "expression")
        call = self.expression(this)
        listed = self.parts(order, "expressions")[0]
        if not isinstance(call, Call) or len(listed) != 1:
            raise self.refusal(node)
        by = self.order(listed[0])
        return Call(call.at, call.name, call.arguments, call.named, call.distinct, by, call.where)

    def order(self, node: Any) -> Order:
        """One part of ORDER BY."""
        this, falling, nulls = self.parts(node, "this", "desc", "nulls_first")
        what = self.expression(this)
        return Order(what.at, what, bool(falling), nulls if isinstance(nulls, bool) else None)


def kind(node: Any) -> str:
    """What the parser calls a part."""
    return type(node).__name__


def _words(node: Any, name: str = "") -> str:
    """What was found, in the words of SQL."""
    if kind(node) == "Anonymous":
        return f"{str(node.this)[:40]!r}"
    word = kind(node) if hasattr(node, "meta") else name
    if word == "DPipe":
        return "||"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word).upper().replace("_", " ")
