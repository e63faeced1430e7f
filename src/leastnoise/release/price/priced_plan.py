"""`PricedPlan`: questions with the shares of a budget they get."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

from leastnoise import _check
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import Guarantee, checked_guarantee
from leastnoise.release.draw.drawn import CONFIDENCE
from leastnoise.release.draw.key_selection import KeySelection
from leastnoise.release.gate import Admitted, admit
from leastnoise.release.price.allocation import granted
from leastnoise.release.questions.question import Question
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.grant import Allotment, Grant
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class PricedPlan:
    """Questions about a table, each with its grants; private groups are chosen once for all.

    Attributes:
        table: what is asked about, and how much of one unit counts.
        questions: what is asked.
        grants: those of each question.
        choices: for each choice of private groups, the step that makes it.
    """

    table: BoundedTable
    questions: tuple[Question, ...]
    grants: tuple[tuple[Grant, ...], ...]
    choices: dict[KeySelection, Step]

    @classmethod
    def of(
        cls, table: BoundedTable, questions: Sequence[Question], budget: Guarantee
    ) -> "PricedPlan":
        """The questions with the shares that make the weighted sum of their errors least.

        Raises:
            InvalidParameter: nothing is asked, or the budget is no guarantee.
            UnsupportedQuery: the budget cannot pay for what is asked.
        """
        if not questions:
            raise _check.refuse("a plan must ask something", "no question", "Add .count() first.")
        own = [question.demands(table) for question in questions]
        choices = _choices(questions)
        demands = [each.demand(table) for each in choices]
        given = iter(granted([*demands, *chain(*own)], checked_guarantee(budget, "budget")))
        paid = tuple(islice(given, len(choices)))
        grants = tuple(tuple(islice(given, len(part))) for part in own)
        pairs = zip(choices, paid, strict=True)
        made = {choice: choice.step(grant, table) for choice, grant in pairs}
        return cls(table, tuple(questions), grants, made)

    @cached_property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """What each question has drawn; the choices of private groups come before all of them."""
        return tuple(each.steps(given, self._choice(each)) for each, given in self.allotted())

    def allotted(self) -> Iterator[tuple[Question, Allotment]]:
        """Each question with what it may spend, and on which table."""
        for question, given in zip(self.questions, self.grants, strict=True):
            yield question, Allotment(self.table, given)

    def _choice(self, question: Question) -> Step | None:
        groups = question.groups
        return self.choices[KeySelection.of(groups)] if groups.are_private else None

    def admitted(self, budget: Guarantee) -> Admitted:
        """All steps, if the gate finds that together they keep the budget."""
        return admit(self.table.table, [*self.choices.values(), *chain(*self.steps)], budget)

    def forecasts(self) -> list[Forecast]:
        """The error of every answer, before any data is read."""
        return [self._forecast(question, given) for question, given in self.allotted()]

    def _forecast(self, question: Question, given: Allotment) -> Forecast:
        told = question.forecast(given, CONFIDENCE)
        choice = self._choice(question)
        if choice is None:
            return told
        assert isinstance(choice.mechanism, PartitionSelection)
        return replace(told, shown_from=choice.mechanism.likely_kept(CONFIDENCE))


def _choices(questions: Sequence[Question]) -> tuple[KeySelection, ...]:
    """The choices of groups that must be made, each once."""
    private = (each.groups for each in questions if each.groups.are_private)
    return tuple(dict.fromkeys(map(KeySelection.of, private)))
