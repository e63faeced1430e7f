"""Queries of the parser's tree as our own."""

from fractions import Fraction
from typing import Any

from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.to_tree import ToTree, kind
from leastnoise.release.sql.text.tree import (
    Derived,
    Item,
    Join,
    Literal,
    Named,
    Query,
    Select,
    Source,
    Stack,
    With,
)

_SELECT = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
    "with_",
)


def query_of(tree: ToTree, node: Any) -> Query:
    """A SELECT, or several joined by UNION ALL; parentheses around them mean nothing.

    Raises:
        InvalidParameter: another kind of query, or a part of one that is not known.
    """
    while kind(node) in {"Subquery", "Paren"}:
        (node,) = tree.parts(node, "this")
    if kind(node) == "Select":
        return _select(tree, node)
    if kind(node) == "Union" and node.args.get("distinct") is False:
        return _stack(tree, node)
    if kind(node) == "Union":
        raise refused(
            tree.place(node),
            "UNION drops rows that others have too",
            "UNION without ALL",
            "Write UNION ALL, inside FROM (…).",
        )
    raise tree.refusal(node)


def _stack(tree: ToTree, node: Any) -> Stack:
    parts: list[Select] = []
    queries: tuple[With, ...] = ()
    rest, at = [node], tree.place(node)
    while rest:
        each = rest.pop()
        if kind(each) == "Union" and each.args.get("distinct") is False:
            one, other, _, named = tree.parts(each, "this", "expression", "distinct", "with_")
            queries += _queries(tree, named)
            rest += [other, one]
            continue
        found = query_of(tree, each)
        if isinstance(found, Stack):
            parts += found.parts
            queries += found.queries
        else:
            parts.append(found)
    return Stack(at, tuple(parts), queries)


def _select(tree: ToTree, node: Any) -> Select:
    items, source, joins, where, group, having, order, limit, offset, distinct, named = tree.parts(
        node, *_SELECT
    )
    if distinct is not None:
        tree.parts(distinct)
    sources = () if source is None else tree.parts(source, "this")
    return Select(
        at=tree.place(node),
        items=tuple(_item(tree, each) for each in items or ()),
        source=_source(tree, sources[0]) if sources else None,
        joins=tuple(_join(tree, each) for each in _all_joins(sources, joins)),
        where=None if where is None else tree.expression(tree.parts(where, "this")[0]),
        group=tuple(map(tree.expression, () if group is None else _grouped(tree, group))),
        having=None if having is None else tree.expression(tree.parts(having, "this")[0]),
        order=tuple(map(tree.order, () if order is None else tree.parts(order, "expressions")[0])),
        limit=_number(tree, limit),
        offset=_number(tree, offset),
        distinct=distinct is not None,
        queries=_queries(tree, named),
    )


def _all_joins(sources: Any, joins: Any) -> list[Any]:
    """The parser hangs some joins below the table in front of them."""
    own = sources[0].args.get("joins") or [] if sources else []
    return [*own, *(joins or [])]


def _grouped(tree: ToTree, group: Any) -> Any:
    return tree.parts(group, "expressions")[0] or ()


def _item(tree: ToTree, node: Any) -> Item:
    alias = None
    if kind(node) == "Alias":
        node, name = tree.parts(node, "this", "alias")
        alias = str(name.this)
    what = tree.expression(node)
    return Item(what.at, what, alias)


def _number(tree: ToTree, node: Any) -> Literal | None:
    if node is None:
        return None
    (what,) = tree.parts(node, "expression")
    found = tree.expression(what)
    if isinstance(found, Literal) and isinstance(found.value, int | Fraction):
        value = found.value
        if not isinstance(value, bool) and isinstance(value, int) and 0 <= value < 2**63:
            return found
    raise refused(
        found.at, "LIMIT is followed by a whole number", "something else", "Write LIMIT 10."
    )


def _queries(tree: ToTree, node: Any) -> tuple[With, ...]:
    if node is None:
        return ()
    (listed,) = tree.parts(node, "expressions")
    return tuple(_with(tree, each) for each in listed)


def _with(tree: ToTree, node: Any) -> With:
    query, alias = tree.parts(node, "this", "alias")
    (name,) = tree.parts(alias, "this")
    return With(tree.place(name), str(name.this), query_of(tree, query))


def _source(tree: ToTree, node: Any) -> Source:
    if kind(node) == "Table":
        this, alias, _ = tree.parts(node, "this", "alias", "joins")
        if kind(this) != "Identifier":
            raise tree.refusal(this)
        called = str(this.this) if alias is None else _alias(tree, alias)
        return Named(tree.place(this), str(this.this), called, bool(this.args.get("quoted")))
    if kind(node) == "Subquery":
        this, alias, _ = tree.parts(node, "this", "alias", "joins")
        called = "" if alias is None else _alias(tree, alias)
        return Derived(tree.place(node), query_of(tree, this), called)
    raise tree.refusal(node)


def _alias(tree: ToTree, node: Any) -> str:
    this, columns = tree.parts(node, "this", "columns")
    if columns:
        raise refused(
            tree.place(columns[0]),
            "columns are named where they are selected",
            "a list of names behind a table",
            "Write SELECT x AS y.",
        )
    return str(this.this)


def _join(tree: ToTree, node: Any) -> Join:
    this, side, how, on, using = tree.parts(node, "this", "side", "kind", "on", "using")
    word = str(side or how or ("INNER" if on is not None or using else "CROSS")).lower()
    if how and side and str(how).upper() != "OUTER":
        word = f"{side} {how}".lower()
    if word not in {"inner", "left", "right", "full", "cross"}:
        raise refused(
            tree.place(this),
            "joins are JOIN, LEFT JOIN and such",
            word.upper(),
            "Write EXISTS or NOT EXISTS for rows with or without a match.",
        )
    return Join(
        at=tree.place(this),
        how=word,
        source=_source(tree, this),
        on=None if on is None else tree.expression(on),
        using=tuple(str(each.this) for each in using or ()),
    )
