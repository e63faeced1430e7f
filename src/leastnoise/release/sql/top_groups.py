"""APPROX_TOP_COUNT as a statement: the groups with the most units."""

from dataclasses import replace

from leastnoise.release.sql import aggregates
from leastnoise.release.sql.asking import UNITS
from leastnoise.release.sql.shape import words_of
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import Call, Expression, Item, Literal, Order, Select


def with_top_groups(select: Select) -> Select:
    """A statement of one APPROX_TOP_COUNT(x, k) as the groups by x with the most units."""
    match select.items:
        case (Item(what=Call(name=name) as call),) if name in aggregates.TOPS and not select.group:
            what, most = _top(call)
        case _:
            return select
    count = Item(call.at, Call(call.at, UNITS, (), where=call.where), "count")
    named = Item(what.at, what, words_of(what))
    order = (Order(call.at, Literal(call.at, 2), falling=True),)
    return replace(select, items=(named, count), group=(what,), order=order, limit=most)


def _top(call: Call) -> tuple[Expression, Literal]:
    match call.arguments:
        case (what, Literal(value=int() as most) as written) if most > 0:
            return what, written
    raise refused(
        call.at,
        f"{call.written} takes what to count, and a whole number of groups",
        "something else",
        f"Write {call.written}(city, 10).",
    )
