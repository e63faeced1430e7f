"""EXISTS, NOT EXISTS and IN (SELECT …) in WHERE: rows that have a match, or none."""

from dataclasses import replace
from typing import Any

from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.rows.to_condition import condition_on
from leastnoise.release.sql.sources.conjuncts import conjuncts, is_about, together
from leastnoise.release.sql.sources.joining import matched
from leastnoise.release.sql.sources.side import Side
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import (
    Compared,
    Exists,
    Expression,
    InQuery,
    Name,
    Negated,
    Query,
    Select,
)

_NO_NULL = "NOT IN (SELECT …) takes no notice of missing values in the public table."


def with_matches(side: Side, where: list[Expression], reader: Any) -> tuple[Side, list[Expression]]:
    """The rows that meet all such conditions, and the conditions that are left.

    Raises:
        InvalidParameter: what is looked for is private and not tied by a key.
    """
    rest: list[Expression] = []
    for each in where:
        inner, absent = _unwrapped(each)
        if isinstance(inner, Exists):
            side = _exists(side, inner, absent, reader)
        elif isinstance(inner, InQuery):
            side = _in_query(side, inner, absent, reader)
        else:
            rest.append(each)
    return side, rest


def _unwrapped(each: Expression) -> tuple[Expression, bool]:
    absent = False
    while isinstance(each, Negated):
        each, absent = each.one, not absent
    return each, absent


def _select(query: Query) -> Select:
    if isinstance(query, Select) and not query.group and query.having is None:
        return query
    raise refused(
        query.at,
        "what is looked for must be rows of one SELECT without groups",
        "something else",
        "Name that query by WITH first.",
    )


def _exists(side: Side, exists: Exists, absent: bool, reader: Any) -> Side:
    """Conditions that compare a column inside with one outside tie the two."""
    query = _select(exists.query)
    inner, where = reader.inside(query).from_and_where(query)
    side, inner = _apart(side, inner)
    pairs: list[tuple[Known, Known]] = []
    own: list[Expression] = []
    for each in conjuncts(where):
        pair = _linked_inside(each, side, inner)
        if pair is not None:
            pairs.append(pair)
        elif is_about(each, inner.scope):
            own.append(each)
        else:
            raise refused(
                each.at,
                "inside EXISTS a column is compared with one outside by = alone",
                "another condition on both",
                "Join the tables in a subquery, and filter there.",
            )
    if own:
        inner = inner.filtered(condition_on(together(own), inner.scope))  # type: ignore[arg-type]
    if not pairs:
        raise refused(
            exists.at,
            "EXISTS must be tied to the rows outside",
            "no column that equals one of theirs",
            "Add WHERE inside.key = outside.key.",
        )
    return matched(side, inner, pairs, absent=absent, at=exists.at)


def _linked_inside(each: Expression, outer: Side, inner: Side) -> tuple[Known, Known] | None:
    """Names inside mean columns inside, if there are such."""
    if not isinstance(each, Compared) or each.sign != "=":
        return None
    for one, other in ((each.one, each.other), (each.other, each.one)):
        if not (isinstance(one, Name) and isinstance(other, Name)):
            return None
        if inner.scope.has(one) and not inner.scope.has(other) and outer.scope.has(other):
            return outer.scope.find(other), inner.scope.find(one)
    return None


def _in_query(side: Side, found: InQuery, absent: bool, reader: Any) -> Side:
    if not isinstance(found.one, Name):
        raise refused(
            found.one.at,
            "what stands before IN (SELECT …) must be a column",
            "something else",
            "Name it in a subquery first.",
        )
    inner = reader.query(found.query)
    if len(inner.known) != 1:
        raise refused(
            found.query.at, "IN (SELECT …) selects one column", f"{len(inner.known)}", "Select one."
        )
    if absent and not inner.is_public:
        raise refused(
            found.at,
            "one missing value in anybody's row makes NOT IN false for all",
            "NOT IN (SELECT …) over private rows",
            "Write NOT EXISTS (SELECT 1 FROM … WHERE inside.key = outside.key).",
        )
    side, inner = _apart(side, inner)
    outer = side.scope.find(found.one)
    if absent:
        side = replace(side.filtered(~outer.column.is_null()), notes=(*side.notes, _NO_NULL))
    return matched(side, inner, [(outer, inner.known[0])], absent=absent, at=found.at)


def _apart(side: Side, inner: Side) -> tuple[Side, Side]:
    return side, inner.apart(side.schema.names)
