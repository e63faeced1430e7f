"""`Counting`: a plan that grows by the counts of a statement, of rows, units and values."""

from dataclasses import field, replace
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column, Condition, Indicator, Term
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.ranges import range_of
from leastnoise.release.asking.question_list import asked_of
from leastnoise.release.plan import Plan
from leastnoise.release.sql.arguments import PER_GROUP, bounds_of, filter_of
from leastnoise.release.sql.formula import AnswerTo
from leastnoise.release.sql.group_keys import KeyPart
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.rows.to_term import as_term
from leastnoise.release.sql.shape import Shape, shape_of, words_of
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import Call, Expression, Literal, Name, Star


@dataclass
class Counting:
    """A plan that grows by one question for each aggregate.

    Attributes:
        prepared: the rows.
        plan: the questions so far.
        parts: what makes the groups.
        keys: the groups.
        where: which rows count.
        at_least: of private groups, the fewest units.
        top: how many groups, if those with the most units are all that is asked for.
        titles: what the statement calls aggregates, by shape.
        answers: what each aggregate became, by shape.
        notes: what must be known of them.
    """

    prepared: Prepared
    plan: Plan
    parts: tuple[KeyPart, ...]
    keys: Keys | str | None
    where: Condition | None
    at_least: int | None = None
    top: int | None = None
    titles: dict[Shape, str] = field(default_factory=dict)
    answers: dict[Shape, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def is_private(self) -> bool:
        """Whether groups are found in the data."""
        return self.keys == "private"

    def shape(self, node: Any) -> Shape:
        """What an expression is, wherever it stands."""
        return shape_of(node, self.prepared.scope)

    def _groups(self, where: Condition | None) -> dict[str, Any]:
        said: dict[str, Any] = {"where": where}
        if self.parts:
            said |= {"by": [each.term for each in self.parts], "keys": self.keys}
        if self.is_private and self.at_least is not None:
            said["at_least"] = self.at_least
        return said

    def _and(self, more: Condition | None) -> Condition | None:
        return both(self.where, more)

    def _title(self, call: Call) -> str:
        """As the statement calls it, or as it was written; never one of another question."""
        wanted = self.titles.get(self.shape(call)) or words_of(call)
        taken = {each.name for each in self.plan.questions}
        found, number = wanted, 2
        while found in taken:
            found, number = f"{wanted} ({number})", number + 1
        return found

    def _put(self, call: Call, plan: Plan, *, positive: bool = False) -> AnswerTo:
        self.plan = plan
        return AnswerTo(call.at, plan.questions[-1].name, is_positive=positive)

    def _counted(self, call: Call, test: Condition | None, **bounds: Any) -> AnswerTo:
        """Rows that meet a condition; in private groups they are summed, so that groups are one."""
        if test is not None and self.is_private:
            said = self._groups(self.where)
            asked = self.plan.sum(
                Indicator(test), lower=0, upper=1, name=self._title(call), **said, **bounds
            )
            return replace(self._put(call, asked, positive=True), is_whole=True)
        said = self._groups(self._and(test))
        return self._put(
            call, self.plan.count(name=self._title(call), **said, **bounds), positive=True
        )

    def _test(self, call: Call) -> Condition | None:
        return filter_of(call, self.prepared.scope)

    def _count(self, call: Call) -> AnswerTo:
        argument = call.arguments[0] if len(call.arguments) == 1 else None
        if argument is None:
            raise refused(
                call.at,
                "COUNT takes *, or one column",
                f"{len(call.arguments)} of them",
                "Write COUNT(*).",
            )
        if call.distinct:
            return self._distinct(call, argument)
        bounds = self._count_bounds(call)
        test = self._test(call)
        if isinstance(argument, Literal) and argument.value is None:
            raise refused(argument.at, "COUNT takes *, or one column", "NULL", "Write COUNT(*).")
        if isinstance(argument, Star | Literal):
            return self._counted(call, test, **bounds)
        term = as_term(to_term(argument, self.prepared.scope), argument)
        present = None if self._is_never_null(term) else ~term.is_null()
        return self._counted(call, both(test, present), **bounds)

    def _count_bounds(self, call: Call) -> dict[str, Any]:
        """Of COUNT in public groups; private ones are chosen once, under one bound for all."""
        most = rows_bound(call)
        return {} if most is None or self.is_private else {"max_rows": most}

    def _distinct(self, call: Call, argument: Expression) -> AnswerTo:
        bounds_of(call, {PER_GROUP})  # a unit counts once in each group, whatever is said
        test = self._test(call)
        known = self._known(argument)
        if known is not None and known.is_unit:
            if known.may_be_absent:
                test = both(test, ~known.column.is_null())
            return self._units(call, test)
        if self.is_private:
            raise refused(
                call.at,
                "different values are counted in groups that are listed",
                f"COUNT(DISTINCT {argument}) in groups found in the data",
                "Declare the values of what makes the groups, or count units.",
            )
        term = as_term(to_term(argument, self.prepared.scope), argument)
        self.notes.append(
            f"COUNT(DISTINCT {words_of(argument)}) counts at most max_rows values of each unit in "
            "a group, so values that few units have may be left out."
        )
        said = self._groups(self._and(test))
        return self._put(
            call, self.plan.distinct(term, name=self._title(call), **said), positive=True
        )

    def _units(self, call: Call, test: Condition | None) -> AnswerTo:
        if test is not None and self.is_private:
            asked = self.plan.count_units(name=self._title(call), **self._groups(self.where))
            return self._put(call, asked_of(asked, test), positive=True)
        said, title = self._groups(self._and(test)), self._title(call)
        if self.top is not None:
            by = said.pop("by")
            asked = self.plan.most_common(by, count=self.top, name=title, **said)
        else:
            asked = self.plan.count_units(name=title, **said)
        return self._put(call, asked, positive=True)

    def _known(self, argument: Expression) -> Known | None:
        return self.prepared.scope.find(argument) if isinstance(argument, Name) else None

    def _is_never_null(self, term: Term) -> bool:
        if isinstance(term, Column):
            return self.prepared.table.fact(term.name).never_null
        found = range_of(term, self.prepared.table)
        return found is not None and not found.may_be_null

    def _count_if(self, call: Call, argument: Expression) -> AnswerTo:
        bounds = self._count_bounds(call)
        met = condition_on(argument, self.prepared.scope)
        return self._counted(call, both(self._test(call), met), **bounds)


def both(one: Condition | None, other: Condition | None) -> Condition | None:
    """One condition of two, either of which may be left out."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def rows_bound(call: Call) -> int | None:
    """How many rows of a unit a COUNT counts in a group, if it says so.

    Raises:
        InvalidParameter: it says something else.
    """
    given = bounds_of(call, {PER_GROUP})
    if not given:
        return None
    low, high = given[PER_GROUP]
    if low != 0 or high.denominator != 1 or high < 1:
        raise refused(
            call.at,
            f"the bounds of COUNT are 0 and a whole number in {PER_GROUP}",
            f"({low}, {high})",
            f"Write {PER_GROUP} => (0, 8).",
        )
    return int(high)
