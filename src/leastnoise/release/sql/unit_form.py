"""BigQuery's bounds per group: sums and averages of each unit first, then of all units.

`SUM(x, contribution_bounds_per_group => (l, u))` cuts what a unit's values add up to in a group,
and its AVG is the average of the units' averages. Both are asked of rows that hold one unit and
group each, so that one row of a unit counts in a group.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.question_parts import sum_grid
from leastnoise.release.measure import sources
from leastnoise.release.measure.sources import CountOf, MeanOf, Rows, SumOf
from leastnoise.release.sql import aggregates
from leastnoise.release.sql.arguments import (
    PER_GROUP,
    PER_ROW,
    bounds_of,
    filter_of,
    number_in,
    only_argument,
)
from leastnoise.release.sql.asking import UNITS
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.rows.functions import chosen
from leastnoise.release.sql.rows.scope import Known, Scope
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.rows.to_term import as_term, constant
from leastnoise.release.sql.shape import Shape, parts_of, rebuilt, shape_of, words_of
from leastnoise.release.sql.text.place import Place, refused, standing_at
from leastnoise.release.sql.text.tree import Call, Expression, Literal, Name, Select, Several, Star

Total = CountOf | SumOf | MeanOf
_NOTE = (
    "SUM and AVG with bounds per group are of what each unit has in a group, as in BigQuery: sums "
    "of units' sums and averages of units' averages."
)


def needs_units_first(select: Select) -> bool:
    """Whether a statement has bounds on what a unit adds up to in a group."""
    rest: list[Any] = [item.what for item in select.items]
    rest += [each.what for each in select.order]
    rest += [] if select.having is None else [select.having]
    while rest:
        each = rest.pop()
        is_sum = isinstance(each, Call) and each.name in aggregates.SUMS | aggregates.MEANS
        if is_sum and any(name == PER_GROUP for name, _ in each.named):
            return True
        rest += list(parts_of(each))
    return False


def units_first(
    select: Select, prepared: Prepared, most_rows: int | None
) -> tuple[Prepared, Select]:
    """The rows of units and groups, and the statement as it is asked of them.

    Args:
        select: the statement.
        prepared: the rows.
        most_rows: how many rows of a unit COUNT counts, where it has no bounds of its own.

    Raises:
        InvalidParameter: something beside COUNT, SUM and AVG is asked.
    """
    return _UnitForm(select, prepared, most_rows).made()


class _UnitForm:
    def __init__(self, select: Select, prepared: Prepared, most_rows: int | None) -> None:
        assert prepared.rows is not None, "made for this"
        self._select, self._scope, self._table = select, prepared.scope, prepared.table
        self._rows: Rows = prepared.rows
        self._prepared, self._most_rows = prepared, most_rows
        self._by: dict[str, Term] = {}
        self._totals: dict[str, Total] = {}
        self._names: dict[Shape, Any] = {}
        self._facts: dict[str, ColumnFacts] = {}
        self._origins: dict[str, Any] = {}
        self._notes = [_NOTE]

    def made(self) -> tuple[Prepared, Select]:
        select = self._select
        if select.where is not None:
            condition = condition_on(select.where, self._scope)
            if condition is not None:
                self._rows = sources.filtered(self._rows, condition)
        group = tuple(self._key(each) for each in map(self._selected, select.group))
        changed = replace(
            select,
            items=tuple(
                replace(item, what=self._changed(item.what), alias=self._alias(item))
                for item in select.items
            ),
            where=None,
            group=group,
            having=None if select.having is None else self._changed(select.having),
            order=tuple(replace(each, what=self._changed(each.what)) for each in select.order),
        )
        with standing_at(select.at):
            rows = sources.per_unit(self._rows, by=self._by, totals=self._totals)
        table = rows.table(
            dataset=self._table.dataset,
            neighbours=self._table.neighbours,
            facts=tuple(self._facts.items()),
        )
        known = tuple(Known("", name, Column(name)) for name in rows.schema.names)
        prepared = Prepared(
            table=table,
            scope=Scope(known, table.schema),
            notes=(*self._prepared.notes, *self._notes),
            rows=rows,
            origins=self._origins,
        )
        return prepared, changed

    def _alias(self, item: Any) -> str:
        return item.alias or (
            item.what.name if isinstance(item.what, Name) else words_of(item.what)
        )

    def _shape(self, node: Any) -> Shape:
        return shape_of(node, self._scope)

    def _selected(self, each: Expression) -> Expression:
        items = self._select.items
        if isinstance(each, Literal) and type(each.value) is int and 1 <= each.value <= len(items):
            return items[each.value - 1].what
        if isinstance(each, Name) and not self._scope.has(each):
            for item in items:
                if item.alias is not None and item.alias.casefold() == each.name.casefold():
                    return item.what
        return each

    def _key(self, each: Expression) -> Name:
        shape = self._shape(each)
        if shape not in self._names:
            name = f"key {len(self._by) + 1}"
            term = constant(to_term(each, self._scope), each)
            self._by[name] = term
            self._names[shape] = Name(each.at, name, exact=True)
            if isinstance(term, Column):
                self._facts[name] = self._table.fact(term.name)
                if term.name in self._prepared.origins:
                    self._origins[name] = self._prepared.origins[term.name]
        found: Name = self._names[shape]
        return found

    def _changed(self, node: Any) -> Any:
        shape = self._shape(node)
        if shape in self._names:
            return replace(self._names[shape], at=node.at)
        if aggregates.is_aggregate(node):
            with standing_at(node.at):
                self._names[shape] = self._aggregate(node)
            return self._names[shape]
        return rebuilt(node, self._changed)

    def _aggregate(self, call: Call) -> Call:
        test = filter_of(call, self._scope)
        if call.distinct:
            return self._units(call)
        if call.name in aggregates.COUNTS:
            argument = only_argument(call)
            term = None
            if not isinstance(argument, Star | Literal):
                term = constant(to_term(argument, self._scope), argument)
            if test is not None:
                term = chosen([(test, 1 if term is None else term)], None)
            return self._outer(call, "sum", CountOf(term), self._count_range(call))
        if call.name not in aggregates.SUMS | aggregates.MEANS:
            raise refused(
                call.at,
                "beside bounds per group there are COUNT, SUM and AVG",
                call.written,
                "Ask it in a statement of its own.",
            )
        argument = only_argument(call)
        term = as_term(to_term(argument, self._scope), argument)
        given = bounds_of(call, {PER_GROUP})
        if not given:
            raise refused(
                call.at,
                "all sums and averages of a statement have bounds per group, or none",
                f"{call.written} without them",
                f"Write {call.written}(x, {PER_GROUP} => (0, 100)).",
            )
        low, high = given[PER_GROUP]
        grid = sum_grid(*self._row_range(term, low, high), None)
        summed = term if test is None else chosen([(test, term)], None)
        if call.name in aggregates.SUMS:
            return self._outer(call, "sum", SumOf(summed, grid), (low, high))
        return self._outer(call, "avg", MeanOf(summed, grid), (low, high))

    def _row_range(self, term: Term, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        declared = number_in(term, self._table)
        if declared is not None:
            return declared
        most = max(abs(low), abs(high), Fraction(1))
        self._notes.append(
            f"Values of {term.name} have no declared range: each is cut to ±{float(most):g} before "
            "it is added."
        )
        return -most, most

    def _count_range(self, call: Call) -> tuple[Fraction, Fraction]:
        given = bounds_of(call, {PER_GROUP})
        if given:
            return given[PER_GROUP]
        if self._most_rows is not None:
            return Fraction(0), Fraction(self._most_rows)
        raise refused(
            call.at,
            "COUNT must know how many rows of a unit count in a group",
            "no bound",
            f"Write COUNT(*, {PER_GROUP} => (0, 8)), or give max_rows.",
        )

    def _units(self, call: Call) -> Call:
        argument = call.arguments[0] if len(call.arguments) == 1 else None
        if isinstance(argument, Name) and self._scope.find(argument).is_unit and not call.where:
            return Call(call.at, UNITS, ())
        raise refused(
            call.at,
            "beside bounds per group, units alone are counted",
            "COUNT(DISTINCT …) of something else",
            "Ask it in a statement of its own.",
        )

    def _outer(
        self,
        call: Call,
        name: str,
        total: Total,
        ends: tuple[Fraction, Fraction],
    ) -> Call:
        column = f"total {len(self._totals) + 1}"
        self._totals[column] = total
        at: Place = call.at
        low, high = (Literal(at, int(e) if e.denominator == 1 else e) for e in ends)
        named = ((PER_ROW, Several(at, (low, high))),)
        return Call(at, name, (Name(at, column, exact=True),), named)
