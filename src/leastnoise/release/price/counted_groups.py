"""Which questions the choices of private groups answer with their own noisy counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.release.draw.key_selection import KeySelection
from leastnoise.release.questions.bounded_question import table_of
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.unit_counts import AsksForUnits
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.step import Step

Counted = Mapping[str, Fraction]
"""Names of questions that a choice answers ↦ how much an error of one unit matters there."""
Uses = Mapping[KeySelection, Sequence[Fraction]]
"""Choices of private groups ↦ the importance of each question that they answer."""


def counted(questions: Iterable[Question], table: BoundedTable) -> Counted:
    """The questions that ask for numbers of units in private groups, and for nothing else."""
    asked = (
        (each.name, each.counted(table)) for each in questions if isinstance(each, AsksForUnits)
    )
    return {name: importance for name, importance in asked if importance is not None}


def key_choice(question: Question, table: BoundedTable) -> KeySelection | None:
    """What chooses its groups, if they are private."""
    if not question.groups.are_private:
        return None
    return KeySelection.of(question.groups, table_of(question, table))


def uses(questions: Iterable[Question], table: BoundedTable, answered: Counted) -> Uses:
    """The choices of groups that must be made, each once."""
    found: dict[KeySelection, list[Fraction]] = {}
    for each in questions:
        choice = key_choice(each, table)
        if choice is not None:
            asked = found.setdefault(choice, [])
            asked.extend([answered[each.name]] if each.name in answered else [])
    return found


def bearing(choice: Step, paid: Grant, sharers: int) -> Grant:
    """A question's part of what its choice costs: all that the choice answers bear it alike."""
    assert isinstance(choice.mechanism, CountedPartitions)
    return replace(paid, share=paid.share / sharers, counts=choice.mechanism)
