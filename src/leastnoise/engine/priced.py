"""`Priced`: questions with the shares of a budget they get."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice

from leastnoise import _check
from leastnoise.engine.allocation import granted
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.forecast import Forecast
from leastnoise.engine.grant import Grant, added_up
from leastnoise.engine.key_selection import KeySelection
from leastnoise.engine.questions.question import Question
from leastnoise.engine.table import Table
from leastnoise.mechanisms.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import Guarantee, checked_guarantee

CONFIDENCE = Fraction(95, 100)
"""Of all intervals."""


@dataclass(frozen=True)
class Priced:
    """Questions about a table, each with its grants; private groups are chosen once for all.

    Attributes:
        table: what is asked about.
        bounds: how much of one unit counts.
        questions: what is asked.
        grants: those of each question.
        rules: for each choice of private groups, how many units a group needs to be shown.
        paid: what these choices may spend.
    """

    table: Table
    bounds: Bounds
    questions: tuple[Question, ...]
    grants: tuple[tuple[Grant, ...], ...]
    rules: dict[KeySelection, PartitionSelection]
    paid: tuple[Grant, ...]

    @classmethod
    def of(
        cls, table: Table, bounds: Bounds, questions: Sequence[Question], budget: Guarantee
    ) -> "Priced":
        """The questions with the shares that make the weighted sum of their errors least.

        Raises:
            InvalidParameter: nothing is asked, or the budget is no guarantee.
            UnsupportedQuery: the budget cannot pay for what is asked.
        """
        if not questions:
            raise _check.refuse("a plan must ask something", "no question", "Add .count() first.")
        own = [question.demands(table, bounds) for question in questions]
        choices = _choices(questions)
        demands = [each.demand(table, bounds) for each in choices]
        given = iter(granted([*demands, *chain(*own)], checked_guarantee(budget, "budget")))
        paid = tuple(islice(given, len(choices)))
        grants = tuple(tuple(islice(given, len(part))) for part in own)
        pairs = zip(choices, paid, strict=True)
        rules = {choice: choice.rule(grant, table, bounds) for choice, grant in pairs}
        return cls(table, bounds, tuple(questions), grants, rules, paid)

    def costs(self, budget: Guarantee) -> tuple[Guarantee, ...]:
        """Promises that all hold of the whole: the budget, and what the parts add up to."""
        added = added_up([*self.paid, *chain(*self.grants)])
        return (budget,) if added == budget else (budget, added)

    def forecasts(self) -> list[Forecast]:
        """The error of every answer, before any data is read."""
        pairs = zip(self.questions, self.grants, strict=True)
        return [self._forecast(question, given) for question, given in pairs]

    def _forecast(self, question: Question, given: tuple[Grant, ...]) -> Forecast:
        told = question.forecast(given, CONFIDENCE)
        if not question.groups.are_private:
            return told
        rule = self.rules[KeySelection.of(question.groups)]
        return replace(told, shown_from=rule.likely_kept(CONFIDENCE))


def _choices(questions: Sequence[Question]) -> tuple[KeySelection, ...]:
    """The choices of groups that must be made, each once."""
    private = (each.groups for each in questions if each.groups.are_private)
    return tuple(dict.fromkeys(map(KeySelection.of, private)))
