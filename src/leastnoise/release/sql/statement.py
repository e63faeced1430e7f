"""From one SELECT over prepared rows to a plan and the formulas of its result."""

from collections.abc import Iterator, Mapping
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.measure.public_values import values_in_public
from leastnoise.release.plan import Plan, plan
from leastnoise.release.sql import aggregates
from leastnoise.release.sql.asking import UNITS, Asking
from leastnoise.release.sql.formula import KeyOf, refuse_unknown
from leastnoise.release.sql.group_keys import MOST_PUBLIC, KeyPart, keys_of, public_values
from leastnoise.release.sql.outcome import Outcome
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.shape import Shape, parts_of, rebuilt, shape_of, words_of
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import (
    Call,
    Expression,
    Literal,
    Name,
    Order,
    Scalar,
    Select,
    Star,
)
from leastnoise.release.sql.top_groups import with_top_groups

_ROWS = "rows are not shown"
_AGGREGATE = "Use an aggregate, such as COUNT(*), or GROUP BY it."


@dataclass(frozen=True)
class Compiled:
    """A plan, and what becomes of its answers."""

    plan: Plan
    outcome: Outcome
    notes: tuple[str, ...]


def compiled(
    select: Select, prepared: Prepared, bounds: Mapping[str, Any], at_least: int | None = None
) -> Compiled:
    """The plan of one SELECT over prepared rows.

    Raises:
        InvalidParameter: something cannot be answered; the message begins with its place.
    """
    return _Statement(with_top_groups(select), prepared, bounds, at_least).compiled()


class _Statement:
    def __init__(
        self,
        select: Select,
        prepared: Prepared,
        bounds: Mapping[str, Any],
        at_least: int | None,
    ) -> None:
        self._select, self._prepared = select, prepared
        self._bounds, self._at_least = bounds, at_least
        self._scope = prepared.scope
        self._refuse_rows()
        self._parts = self._grouped()
        self._refuse_kept()
        self._places = {each.shape: place for place, each in enumerate(self._parts)}

    def _refuse_rows(self) -> None:
        if self._select.distinct:
            raise refused(self._select.at, _ROWS, "SELECT DISTINCT", "Use GROUP BY.")
        for item in self._select.items:
            if isinstance(item.what, Star):
                raise refused(item.at, _ROWS, "*", _AGGREGATE)

    def _shape(self, node: Any) -> Shape:
        return shape_of(node, self._scope)

    def _grouped(self) -> tuple[KeyPart, ...]:
        found: dict[Shape, KeyPart] = {}
        for each in self._select.group:
            part = self._key(self._selected(each, "GROUP BY"))
            found.setdefault(part.shape, part)
        return tuple(found.values())

    def _selected(self, each: Expression, where: str) -> Expression:
        """What an ordinal number or the name of an item stands for; else the expression itself."""
        if isinstance(each, Literal):
            place = each.value
            if type(place) is int and 1 <= place <= len(self._select.items):
                return self._select.items[place - 1].what
            raise refused(
                each.at,
                f"{where} is followed by columns, or by numbers of selected ones",
                f"{each.value!r}" if isinstance(each.value, int) else "a value",
                f"Write a number from 1 to {len(self._select.items)}.",
            )
        return self._named(each, first=where == "ORDER BY")

    def _named(self, each: Expression, *, first: bool = False) -> Expression:
        """What the name of an item stands for; of a column, too, if items come first."""
        if not isinstance(each, Name) or each.table is not None:
            return each
        if first or not self._scope.has(each):
            for item in self._select.items:
                if item.alias is not None and item.alias.casefold() == each.name.casefold():
                    return item.what
        return each

    def _key(self, each: Expression) -> KeyPart:
        if any(True for _ in self._calls(each)):
            raise refused(
                each.at, "groups are made by columns", "an aggregate", "Use HAVING to filter by it."
            )
        if isinstance(each, Name) and self._scope.find(each).is_unit:
            raise refused(
                each.at,
                "a group must be of several units",
                f"GROUP BY {each}, which names them",
                "Leave it out, or group by it in a subquery.",
            )
        found = to_term(each, self._scope)
        if not isinstance(found, Term):
            raise refused(each.at, "groups are made by columns", "a constant", "Leave it out.")
        shape = self._shape(each)
        with standing_at(each.at):
            values = self._public_values(found)
        return KeyPart(shape, self._title(each, shape), found, values)

    def _public_values(self, term: Term) -> tuple[Key, ...] | None:
        """Those that are declared, or that a public table has."""
        found = public_values(term, self._prepared.table)
        origin = self._prepared.origins.get(term.name) if isinstance(term, Column) else None
        if found is not None or origin is None:
            return found
        return values_in_public(*origin, most=MOST_PUBLIC)

    def _refuse_kept(self) -> None:
        """Public rows without a match are groups without rows, or nothing."""
        kept = self._prepared.kept
        groups = [each.term.name for each in self._parts]
        if kept and not (groups and set(groups) <= set(kept)):
            raise refused(
                self._select.at,
                "a RIGHT JOIN that keeps public rows must be grouped by their columns",
                "other groups, or none",
                "Write JOIN, or GROUP BY columns of the public table.",
            )

    def _title(self, each: Expression, shape: Shape) -> str:
        for item in self._select.items:
            if item.alias is not None and self._shape(item.what) == shape:
                return item.alias
        return each.name if isinstance(each, Name) else words_of(each)

    def _calls(self, node: Any) -> Iterator[Call]:
        """The aggregates inside an expression, but for what makes the groups."""
        if aggregates.is_aggregate(node) or (isinstance(node, Call) and node.name == UNITS):
            yield node
            return
        for each in parts_of(node):
            yield from self._calls(each)

    def _order(self) -> list[tuple[Expression, Order]]:
        return [(self._selected(each.what, "ORDER BY"), each) for each in self._select.order]

    def compiled(self) -> Compiled:
        select = self._select
        items, order = select.items, self._order()
        having = None if select.having is None else self._within(select.having)
        wanted = [item.what for item in items] + [what for what, _ in order]
        calls = [
            call for node in (*wanted, having) if node is not None for call in self._calls(node)
        ]
        calls = calls or [Call(select.at, UNITS, ())]
        keys = keys_of(self._parts)
        asking = Asking(
            prepared=self._prepared,
            plan=plan(self._prepared.table, **self._bounds),
            parts=self._parts,
            keys=keys,
            where=None if select.where is None else condition_on(select.where, self._scope),
            at_least=self._at_least,
            titles={self._shape(item.what): item.alias for item in items if item.alias},
            top=self._most_common(order, having, calls, keys),
        )
        asking.ask(calls)
        self._answers = asking.answers
        outcome = Outcome(
            columns=self._columns(),
            cells=tuple(self._formula(item.what) for item in items),
            having=None if having is None else self._formula(having),
            order=tuple(
                (self._formula(what), each.falling, bool(each.nulls_first)) for what, each in order
            ),
            limit=_number(select.limit),
            offset=_number(select.offset) or 0,
        )
        notes = (*self._prepared.notes, *self._notes(keys), *asking.notes)
        return Compiled(asking.plan, outcome, tuple(dict.fromkeys(notes)))

    def _within(self, node: Expression) -> Any:
        """A condition on groups, with names of items in it replaced by what they stand for."""
        found = self._named(node)
        return found if found is not node else _through(node, self._within)

    def _columns(self) -> tuple[str, ...]:
        found: list[str] = []
        for item in self._select.items:
            wanted = item.alias or words_of(item.what)
            if item.alias is None and isinstance(item.what, Name):
                wanted = item.what.name
            name, number = wanted, 2
            while name in found:
                name, number = f"{wanted} ({number})", number + 1
            found.append(name)
        return tuple(found)

    def _most_common(
        self, order: list[tuple[Expression, Order]], having: Any, calls: list[Call], keys: Any
    ) -> int | None:
        """How many groups, if the statement asks for those with the most units and nothing else."""
        limit = _number(self._select.limit)
        if not order or not limit or having is not None or not isinstance(keys, Keys):
            return None
        first, how = order[0]
        only = {self._shape(call) for call in calls} == {self._shape(first)}
        if not (only and how.falling and self._is_units(first)) or self._select.offset:
            return None
        return min(limit, len(keys))

    def _is_units(self, node: Any) -> bool:
        match node:
            case Call(name="count", distinct=True, arguments=(Name() as name,), where=None):
                known = self._scope.find(name)
                return known.is_unit and not known.may_be_absent
            case Call(name=name, where=None):
                return name == UNITS
        return False

    def _formula(self, node: Any) -> Any:
        shape = self._shape(node)
        if shape in self._places:
            return KeyOf(node.at, self._places[shape])
        if shape in self._answers:
            return self._answers[shape]
        if isinstance(node, Name):
            self._scope.find(node)
            raise refused(node.at, _ROWS, f"{str(node)!r} outside an aggregate", _AGGREGATE)
        if isinstance(node, Call):
            refusal = aggregates.refusal_of(node)
            if refusal is not None:
                raise refusal
            if node.distinct or node.named or node.within is not None or node.where is not None:
                raise refused(
                    node.at, "an aggregate must be a known one", node.written, "See the page SQL."
                )
            refuse_unknown(node)
        elif type(node).__name__ in _NO_FORMULA:
            if isinstance(node, Scalar):
                to_term(node, self._scope)
            raise refused(
                node.at,
                "results are computed by + - * /, comparisons, CASE and functions",
                "something else",
                "See the page SQL.",
            )
        return rebuilt(node, self._formula)

    def _notes(self, keys: Any) -> Iterator[str]:
        table = self._prepared.table
        for each in self._parts:
            known = isinstance(each.term, Column) and table.fact(each.term.name).never_null
            if not known and each.values != (False, True):
                yield (
                    f"Rows without {each.name} are in no group; COALESCE gives them a group of "
                    "their own."
                )
        if self._prepared.kept:
            yield "Public rows without a match are groups of 0 rows, where SQL counts 1."
        if isinstance(keys, Keys):
            if self._at_least is not None:
                yield "Groups that are declared are shown however few units they have."
            yield "Groups are those that are declared; groups without rows are shown too."
        elif keys is not None:
            yield "Groups are found in the data; those of few units are not shown."


_NO_FORMULA = {"InQuery", "Exists", "Scalar", "Like", "Several", "Star"}


def _through(node: Any, change: Any) -> Any:
    """Aggregates stay as they are: inside them, names are those of columns."""
    return node if aggregates.is_aggregate(node) else rebuilt(node, change)


def _number(literal: Literal | None) -> int | None:
    return None if literal is None else int(literal.value)  # type: ignore[arg-type]
