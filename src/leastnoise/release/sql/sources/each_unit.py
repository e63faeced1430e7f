"""GROUP BY in a subquery, with the unit among the keys: one row for each unit and group."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.question_parts import sum_grid
from leastnoise.release.measure import sources
from leastnoise.release.measure.sources import (
    CountOf,
    GreatestOf,
    LeastOf,
    MeanOf,
    PublicRows,
    Rows,
    SumOf,
    Total,
)
from leastnoise.release.sql import aggregates
from leastnoise.release.sql.arguments import MOST_ROWS, filter_of, needed_range, only_argument
from leastnoise.release.sql.rows.functions import chosen
from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.rows.to_term import as_term, constant
from leastnoise.release.sql.shape import Shape, parts_of, rebuilt, shape_of, words_of
from leastnoise.release.sql.sources.facts import fact_of
from leastnoise.release.sql.sources.side import Side
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import Call, Expression, Literal, Name, Select, Star

_COUNTED = ColumnFacts(lower=0, upper=MOST_ROWS, never_null=True)


def _added(fact: ColumnFacts) -> ColumnFacts:
    """Where a unit's sum lies: of use where something cuts it."""
    assert isinstance(fact.lower, Fraction), "of numbers"
    assert isinstance(fact.upper, Fraction), "of numbers"
    low = fact.lower if fact.lower >= 0 else fact.lower * MOST_ROWS
    return ColumnFacts(lower=low, upper=fact.upper if fact.upper <= 0 else fact.upper * MOST_ROWS)


def is_grouped(select: Select) -> bool:
    """Whether a subquery makes groups, in whichever way."""
    every = [item.what for item in select.items]
    return bool(select.group or select.distinct or any(any(_calls(each)) for each in every))


def _calls(node: Any) -> Iterator[Call]:
    if aggregates.is_aggregate(node) or _is_extreme(node):
        yield node
    else:
        for each in parts_of(node):
            yield from _calls(each)


def _is_extreme(node: Any) -> bool:
    return isinstance(node, Call) and node.name in aggregates.EXTREMES


def each_unit(select: Select, side: Side) -> Side:
    """One row for each unit and combination of the other keys.

    Raises:
        InvalidParameter: the unit is not among the keys, or what is computed is no count, sum,
            average, least or greatest value.
    """
    return _EachUnit(select, side).made()


class _EachUnit:
    def __init__(self, select: Select, side: Side) -> None:
        self._select, self._side = select, side
        self._by: dict[Shape, tuple[str, Term]] = {}
        self._totals: dict[Shape, tuple[str, Total]] = {}
        self._facts: dict[str, ColumnFacts] = {}
        self._units: set[str] = set()

    def made(self) -> Side:
        select, side = self._select, self._side
        if isinstance(side.rows, PublicRows):
            raise refused(
                select.at,
                "public tables are joined as they are",
                "GROUP BY or DISTINCT over one",
                "Leave it out, or store the result as a public table.",
            )
        for each in self._keys():
            self._key(each)
        if not self._units:
            raise refused(
                select.at,
                "groups inside a statement must be of one unit each",
                "GROUP BY or DISTINCT without the unit",
                f"Add {self._unit_name()} to its columns.",
            )
        having = () if select.having is None else (select.having,)
        for node in (*(item.what for item in select.items), *having):
            for call in _calls(node):
                self._total(call)
        return self._selected(side.rows)

    def _unit_name(self) -> str:
        found = [each.name for each in self._side.known if each.is_unit]
        return found[0] if found else "the unit's column"

    def _keys(self) -> list[Expression]:
        select = self._select
        if select.distinct and not select.group:
            return [item.what for item in select.items]
        found = []
        for each in select.group:
            if isinstance(each, Literal) and type(each.value) is int:
                if not 1 <= each.value <= len(select.items):
                    raise refused(
                        each.at,
                        "GROUP BY is followed by columns, or by numbers of selected ones",
                        f"{each.value}",
                        f"Write a number from 1 to {len(select.items)}.",
                    )
                each = select.items[each.value - 1].what  # noqa: PLW2901 - what it stands for
            elif isinstance(each, Name) and not self._side.scope.has(each):
                each = self._aliased(each)  # noqa: PLW2901 - what it stands for
            found.append(each)
        return found

    def _aliased(self, name: Name) -> Expression:
        for item in self._select.items:
            if item.alias is not None and item.alias.casefold() == name.name.casefold():
                return item.what
        return name

    def _shape(self, node: Any) -> Shape:
        return shape_of(node, self._side.scope)

    def _key(self, each: Expression) -> None:
        if isinstance(each, Star):
            raise refused(each.at, "columns must be named", "*", "Name them.")
        term = constant(to_term(each, self._side.scope), each)
        name = f"key {len(self._by) + 1}"
        self._by[self._shape(each)] = name, term
        self._facts[name] = fact_of(term, self._side)
        known = self._side.scope.find(each) if isinstance(each, Name) else None
        if known is not None and known.is_unit and not known.may_be_absent:
            self._units.add(name)

    def _total(self, call: Call) -> None:
        shape = self._shape(call)
        if shape in self._totals:
            return
        name = f"total {len(self._totals) + 1}"
        with standing_at(call.at):
            made, fact = self._made(call)
        self._totals[shape] = name, made
        self._facts[name] = fact

    def _made(self, call: Call) -> tuple[Total, ColumnFacts]:
        if call.named or call.distinct or call.within is not None:
            raise self._refusal(call)
        test = filter_of(call, self._side.scope)
        if call.name in aggregates.COUNTS_IF:
            met = condition_on(only_argument(call), self._side.scope)
            both = met if test is None else test if met is None else met & test
            return CountOf(None if both is None else chosen([(both, 1)], None)), _COUNTED
        argument = only_argument(call)
        if call.name in aggregates.COUNTS:
            if isinstance(argument, Star | Literal):
                return CountOf(None if test is None else chosen([(test, 1)], None)), _COUNTED
            term = constant(to_term(argument, self._side.scope), argument)
            return CountOf(term if test is None else chosen([(test, term)], None)), _COUNTED
        if call.name not in aggregates.SUMS | aggregates.MEANS | aggregates.EXTREMES:
            raise self._refusal(call)
        term = as_term(to_term(argument, self._side.scope), argument)
        fact = fact_of(term, self._side)
        needed_range(term, self._side, call)
        summed = term if test is None else chosen([(test, term)], None)
        grid = sum_grid(fact.lower, fact.upper, None)  # type: ignore[arg-type]
        if call.name in aggregates.SUMS:
            return SumOf(summed, grid), _added(fact)
        inside = ColumnFacts(lower=fact.lower, upper=fact.upper)
        if call.name in aggregates.MEANS:
            return MeanOf(summed, grid), inside
        return (LeastOf if call.name == "min" else GreatestOf)(summed, grid), inside

    def _refusal(self, call: Call) -> Exception:
        return refused(
            call.at,
            "for each unit there are COUNT, COUNT_IF, SUM, AVG, MIN and MAX",
            f"{call.written}",
            "Use these inside, and others outside.",
        )

    def _selected(self, rows: Rows) -> Side:
        made = sources.per_unit(
            rows, by=dict(self._by.values()), totals=dict(self._totals.values())
        )
        inner = tuple(
            Known("", name, Column(name), name in self._units)
            for name, _ in (*self._by.values(), *self._totals.values())
        )
        found = Side(made, inner, self._facts, notes=self._side.notes)
        scope = found.scope
        if self._select.having is not None:
            found = found.filtered(condition_on(self._replaced(self._select.having), scope))
        terms: dict[str, Term] = {}
        known: list[Known] = []
        for item in self._select.items:
            what = self._replaced(item.what)
            name = item.alias or (
                item.what.name if isinstance(item.what, Name) else words_of(item.what)
            )
            terms[name] = constant(to_term(what, scope), what)
            plain = scope.find(what) if isinstance(what, Name) else None
            known.append(Known("", name, Column(name), plain is not None and plain.is_unit))
        facts = {name: fact_of(term, found) for name, term in terms.items()}
        return Side(found.mapped(terms), tuple(known), facts, notes=self._side.notes)

    def _replaced(self, node: Any) -> Any:
        shape = self._shape(node)
        for known in (self._by, self._totals):
            if shape in known:
                return Name(node.at, known[shape][0], exact=True)
        if isinstance(node, Name):
            raise refused(
                node.at,
                "a column must be among the keys, or inside an aggregate",
                f"{str(node)!r}",
                "Add it to GROUP BY.",
            )
        return rebuilt(node, self._replaced)
