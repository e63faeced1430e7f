"""`Asking`: the aggregates of a statement as questions of one plan, each asked once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from leastnoise.release.ask.expression import Column, Condition, Indicator, Term
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.ranges import range_of
from leastnoise.release.plan import Plan
from leastnoise.release.sql import aggregates
from leastnoise.release.sql.arguments import (
    PER_GROUP,
    PER_ROW,
    bounds_of,
    filter_of,
    level_of,
    named_values,
    number_in,
    only_argument,
)
from leastnoise.release.sql.formula import SAMPLE_FACTOR, AnswerTo
from leastnoise.release.sql.group_keys import KeyPart
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.rows.functions import chosen
from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.rows.to_term import as_term
from leastnoise.release.sql.shape import Shape, shape_of, words_of
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import (
    Call,
    Case,
    Computed,
    Expression,
    Literal,
    Name,
    Star,
)

UNITS = "units of the data"
"""The name of an aggregate of ours, which no text can have: how many units."""
_SMALL = Fraction(1, 100)  # importance of a count that only turns n into n − 1


@dataclass
class Asking:
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

    def ask(self, calls: Sequence[Call]) -> None:
        """Ask all aggregates of a statement; one that was asked is not asked again.

        Raises:
            InvalidParameter: one cannot be answered; the message begins with its place.
        """
        for call in _means_last(calls):
            shape = self.shape(call)
            if shape in self.answers:
                continue
            with standing_at(call.at):
                self.answers[shape] = self._asked(call, calls)

    def _asked(self, call: Call, calls: Sequence[Call]) -> Any:  # noqa: PLR0911 - one per kind
        name = call.name
        if call.distinct and name not in aggregates.COUNTS:
            raise refused(
                call.at,
                "equal values of different rows all count",
                f"{call.written}(DISTINCT …)",
                "Leave out DISTINCT.",
            )
        if name == UNITS:
            return self._units(call, self._test(call))
        if name in aggregates.COUNTS:
            return self._count(call)
        if name in aggregates.COUNTS_IF:
            return self._count_if(call, only_argument(call))
        if name in aggregates.SUMS:
            return self._sum(call)
        if name in aggregates.MEANS:
            return self._mean(call)
        if name in aggregates.VARIANCES or name in aggregates.DEVIATIONS:
            return self._variance(call)
        if name in aggregates.TOPS:
            raise refused(
                call.at,
                f"{call.written} has several rows for an answer",
                "it beside other things",
                "Write it as a statement of its own, or GROUP BY … ORDER BY … LIMIT.",
            )
        return self._quantile(call, calls)

    def _groups(self, where: Condition | None) -> dict[str, Any]:
        said: dict[str, Any] = {"where": where}
        if self.parts:
            said |= {"by": [each.term for each in self.parts], "keys": self.keys}
        if self.is_private and self.at_least is not None:
            said["at_least"] = self.at_least
        return said

    def _and(self, more: Condition | None) -> Condition | None:
        return _both(self.where, more)

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
        return self._counted(call, _both(test, present), **bounds)

    def _count_bounds(self, call: Call) -> dict[str, Any]:
        given = bounds_of(call, {PER_GROUP})
        if not given:
            return {}
        low, high = given[PER_GROUP]
        if low != 0 or high.denominator != 1 or high < 1:
            raise refused(
                call.at,
                f"the bounds of COUNT are 0 and a whole number in {PER_GROUP}",
                f"({low}, {high})",
                f"Write {PER_GROUP} => (0, 8).",
            )
        return {"max_rows": int(high)}

    def _distinct(self, call: Call, argument: Expression) -> AnswerTo:
        bounds_of(call, {PER_GROUP})  # a unit counts once in each group, whatever is said
        test = self._test(call)
        known = self._known(argument)
        if known is not None and known.is_unit:
            if known.may_be_absent:
                test = _both(test, ~known.column.is_null())
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
            raise refused(
                call.at,
                "groups found in the data are chosen by all rows that count",
                "COUNT(DISTINCT …) FILTER in such groups",
                "Move the condition to WHERE, or declare the values of what makes the groups.",
            )
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
        return self._counted(call, _both(self._test(call), met), **bounds)

    def _summed(self, call: Call) -> tuple[Term, dict[str, Any], dict[str, Any]]:
        """What is summed, its range, and the groups; FILTER in private groups is a CASE."""
        given = bounds_of(call, {PER_ROW})
        term = as_term(to_term(call.arguments[0], self.prepared.scope), call.arguments[0])
        low, high = given[PER_ROW] if given else self._range(term, call)
        test = self._test(call)
        if test is not None and self.is_private:
            return (
                chosen([(test, term)], None),
                {"lower": low, "upper": high},
                self._groups(self.where),
            )
        return term, {"lower": low, "upper": high}, self._groups(self._and(test))

    def _range(self, term: Term, call: Call) -> tuple[Fraction, Fraction]:
        found = number_in(term, self.prepared.table)
        if found is not None:
            return found
        raise refused(
            call.at,
            f"{call.written} must know a range for its values",
            f"none for {term.name!r}",
            "Give `range` to its column in the dataset, or write it: "
            f"{call.written}(least(greatest(x, 0), 500)).",
        )

    def _sum(self, call: Call) -> AnswerTo:
        argument = only_argument(call)
        test = _zero_or_one(argument)
        if test is not None and not call.named:
            met = condition_on(test, self.prepared.scope)
            return self._counted(call, _both(self._test(call), met))
        term, range_, groups = self._summed(call)
        return self._put(
            call,
            self.plan.sum(term, name=self._title(call), **range_, **groups),
            positive=range_["lower"] >= 0,
        )

    def _mean(self, call: Call) -> Any:
        argument = only_argument(call)
        total = Call(call.at, "sum", call.arguments, call.named, where=call.where)
        number = Call(call.at, "count", call.arguments, where=call.where)
        if self._is_never_null(as_term(to_term(argument, self.prepared.scope), argument)):
            number = Call(call.at, "count", (Star(call.at),), where=call.where)
        asked: list[Any] = [self.answers.get(self.shape(each)) for each in (total, number)]
        if all(isinstance(each, AnswerTo) for each in asked):
            return Computed(call.at, "/", asked[0], asked[1])
        term, range_, groups = self._summed(call)
        return self._put(
            call,
            self.plan.mean(term, name=self._title(call), **range_, **groups),
            positive=range_["lower"] >= 0,
        )

    def _variance(self, call: Call) -> Any:
        only_argument(call)
        term, range_, groups = self._summed(call)
        deviation = call.name in aggregates.DEVIATIONS
        ask = self.plan.std if deviation else self.plan.variance
        found = self._put(call, ask(term, name=self._title(call), **range_, **groups))
        sample = aggregates.DEVIATIONS if deviation else aggregates.VARIANCES
        if not sample[call.name]:
            return found
        factor: Any = Call(call.at, SAMPLE_FACTOR, (self._rows_behind(call, term),))
        if deviation:
            factor = Call(call.at, "sqrt", (factor,))
        return Computed(call.at, "*", found, factor)  # type: ignore[arg-type]

    def _rows_behind(self, call: Call, term: Term) -> Any:
        """The number of values, for n/(n − 1); asked for lightly if nobody else asks for it."""
        argument = Star(call.at) if self._is_never_null(term) else call.arguments[0]
        count = Call(call.at, "count", (argument,), where=call.where)
        shape = self.shape(count)
        if shape not in self.answers:
            before = self.plan
            self.answers[shape] = self._count(count)
            asked = self.plan.questions[-1].name
            self.plan = before
            self.answers[shape] = self._lightly(count, asked)
        return self.answers[shape]

    def _lightly(self, count: Call, name: str) -> AnswerTo:
        self.titles[self.shape(count)] = name
        return self._counted(count, self._present(count), importance=_SMALL)

    def _present(self, count: Call) -> Condition | None:
        argument = count.arguments[0]
        if isinstance(argument, Star):
            return self._test(count)
        term = as_term(to_term(argument, self.prepared.scope), argument)
        return _both(self._test(count), ~term.is_null())

    def _quantile(self, call: Call, calls: Sequence[Call]) -> AnswerTo:
        """All levels of one expression are one question."""
        if self.is_private:
            raise refused(
                call.at,
                f"{call.written} needs groups that are listed",
                "groups found in the data",
                "Declare the values of what makes the groups.",
            )
        what, level = level_of(call)
        alike = [each for each in calls if self._asks_alike(each, call)]
        levels = sorted({level_of(each)[1] for each in alike})
        given = bounds_of(call, {PER_ROW})
        term = as_term(to_term(what, self.prepared.scope), what)
        low, high = given[PER_ROW] if given else self._range(term, call)
        groups = self._groups(self._and(self._test(call)))
        title = self._title(call)
        if len(levels) > 1:
            title = f"quantiles of {words_of(what)}"
            taken = {each.name for each in self.plan.questions}
            title = title if title not in taken else self._title(call)
        plan = self.plan.quantiles(term, levels, lower=low, upper=high, name=title, **groups)
        self.plan = plan
        kind_of(term, self.prepared.table.schema)
        for each in alike:
            own = float(level_of(each)[1])
            self.answers[self.shape(each)] = AnswerTo(
                each.at, title, level=own, is_positive=low >= 0
            )
        return AnswerTo(call.at, title, level=float(level), is_positive=low >= 0)

    def _asks_alike(self, other: Call, call: Call) -> bool:
        if other.name not in aggregates.QUANTILES | aggregates.MEDIANS:
            return False
        pairs = [(each.where, named_values(each), level_of(each)[0]) for each in (other, call)]
        shapes = [tuple(map(self.shape, (what,))) for _, _, what in pairs]
        wheres = [None if where is None else self.shape(where) for where, _, _ in pairs]
        return shapes[0] == shapes[1] and wheres[0] == wheres[1] and pairs[0][1] == pairs[1][1]


def _means_last(calls: Iterable[Call]) -> list[Call]:
    """So that a mean can be had from a sum and a count that are asked for anyway."""
    later = {*aggregates.MEANS, *aggregates.VARIANCES, *aggregates.DEVIATIONS}
    return sorted(calls, key=lambda call: call.name in later)


def _both(one: Condition | None, other: Condition | None) -> Condition | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _zero_or_one(argument: Expression) -> Expression | None:
    """The condition p of CASE WHEN p THEN 1 ELSE 0 END."""
    match argument:
        case Case(branches=((test, Literal(value=1)),), otherwise=Literal(value=0)):
            return test
    return None
