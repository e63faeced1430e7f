"""`Asking`: the aggregates of a statement as questions of one plan, each asked once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.named_bounds import NamedBounds
from leastnoise.release.ask.ranges import range_of
from leastnoise.release.asking.question_list import asked_of
from leastnoise.release.sql import aggregates
from leastnoise.release.sql.arguments import (
    PER_ROW,
    bounds_of,
    level_of,
    named_values,
    needed_range,
    only_argument,
)
from leastnoise.release.sql.counting import Counting, both, rows_bound
from leastnoise.release.sql.formula import SAMPLE_FACTOR, AnswerTo
from leastnoise.release.sql.rows.functions import chosen
from leastnoise.release.sql.rows.to_condition import condition_on, to_term
from leastnoise.release.sql.rows.to_term import as_term
from leastnoise.release.sql.shape import words_of
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import Call, Case, Computed, Expression, Literal, Star

UNITS = "units of the data"
"""The name of an aggregate of ours, which no text can have: how many units."""
_SMALL = Fraction(1, 100)  # importance of a count that only turns n into n − 1


@dataclass
class Asking(Counting):
    """A plan that grows by one question for each aggregate of a statement."""

    def ask(self, calls: Sequence[Call]) -> None:
        """Ask all aggregates of a statement; one that was asked is not asked again.

        Raises:
            InvalidParameter: one cannot be answered; the message begins with its place.
        """
        if self.is_private:
            self._take_bounds(calls)
        for call in _means_last(calls):
            shape = self.shape(call)
            if shape in self.answers:
                continue
            with standing_at(call.at):
                self.answers[shape] = self._asked(call, calls)

    def _take_bounds(self, calls: Sequence[Call]) -> None:
        """Private groups are chosen once: the widest bound of a COUNT holds for all questions."""
        said = [rows_bound(call) for call in calls if call.name in aggregates.COUNTS]
        known = [each for each in said if each is not None]
        if not known:
            return
        own = self.plan.bounds.max_rows
        others = [own] if isinstance(own, int) and len(known) < len(calls) else []
        most = max(*known, *others, 1)
        bounds = NamedBounds(max_groups=self.plan.bounds.max_groups, max_rows=most)
        self.plan = replace(self.plan, bounds=bounds)
        if len({*known, *others}) > 1:
            self.notes.append(
                f"Groups are found once, so up to {most} rows of a unit count in every column."
            )

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
        return needed_range(term, self.prepared.table, call)

    def _sum(self, call: Call) -> AnswerTo:
        argument = only_argument(call)
        test = _zero_or_one(argument)
        if test is not None and not call.named:
            met = condition_on(test, self.prepared.scope)
            return self._counted(call, both(self._test(call), met))
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
        plain = as_term(to_term(call.arguments[0], self.prepared.scope), call.arguments[0])
        factor: Any = Call(call.at, SAMPLE_FACTOR, (self._rows_behind(call, plain),))
        if deviation:
            factor = Call(call.at, "sqrt", (factor,))
        return Computed(call.at, "*", found, factor)  # type: ignore[arg-type]

    def _rows_behind(self, call: Call, term: Term) -> Any:
        """The number of values, for n/(n − 1); asked for lightly if nobody else asks for it."""
        argument = Star(call.at) if self._is_never_null(term) else call.arguments[0]
        count = Call(call.at, "count", (argument,), where=call.where)
        shape = self.shape(count)
        if shape not in self.answers:
            test = self._test(count)
            if not isinstance(argument, Star):
                test = both(test, ~term.is_null())
            self.answers[shape] = self._counted(count, test, importance=_SMALL)
        return self.answers[shape]

    def _quantile(self, call: Call, calls: Sequence[Call]) -> AnswerTo:
        """All levels of one expression are one question."""
        what, level = level_of(call)
        alike = [each for each in calls if self._asks_alike(each, call)]
        levels = sorted({level_of(each)[1] for each in alike})
        term = as_term(to_term(what, self.prepared.scope), what)
        range_ = self._ends(call, term)
        test = self._test(call)
        groups = self._groups(self.where if self.is_private else self._and(test))
        title = self._title(call)
        if len(levels) > 1:
            title = f"quantiles of {words_of(what)}"
            taken = {each.name for each in self.plan.questions}
            title = title if title not in taken else self._title(call)
        plan = self.plan.quantiles(term, levels, **range_, name=title, **groups)
        self.plan = asked_of(plan, test) if self.is_private and test is not None else plan
        positive = range_.get("lower", -1) >= 0
        for each in alike:
            own = float(level_of(each)[1])
            self.answers[self.shape(each)] = AnswerTo(
                each.at, title, level=own, is_positive=positive
            )
        return AnswerTo(call.at, title, level=float(level), is_positive=positive)

    def _ends(self, call: Call, term: Term) -> dict[str, Any]:
        """The range in which a quantile is looked for; of dates it is the declared one."""
        given = bounds_of(call, {PER_ROW})
        if not kind_of(term, self.prepared.table.schema).has_days:
            low, high = given[PER_ROW] if given else self._range(term, call)
            return {"lower": low, "upper": high}
        if given or range_of(term, self.prepared.table) is None:
            raise refused(
                call.at,
                f"{call.written} of dates must know their range from the dataset",
                "numbers" if given else f"none for {term.name!r}",
                "Give `range` to its column: range = [2024-01-01, 2024-12-31].",
            )
        return {}

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


def _zero_or_one(argument: Expression) -> Expression | None:
    """The condition p of CASE WHEN p THEN 1 ELSE 0 END."""
    match argument:
        case Case(branches=((test, Literal(value=1)),), otherwise=Literal(value=0)):
            return test
    return None
