"""What is declared of the columns that a question is about, in words for its readers."""

from collections.abc import Iterable, Iterator

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.measure.one_pass import sought
from leastnoise.release.questions.bounded_question import BoundedQuestion
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.question import Question
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.unit_spread import UnitSpread


def question_words(question: Question, table: BoundedTable) -> str:
    """What is asked, what its columns mean and are measured in, and what must be known of it."""
    names = dict.fromkeys(_columns(question, table)) if table.table.facts else {}
    told = (_column(name, table.table.fact(name)) for name in names)
    return " ".join([question.words(), *filter(None, told), *table.table.notes])


def question_kind(question: Question) -> str:
    """Which kind of question it is, by the name of its class; "Units" if units are counted."""
    asked = question.question if isinstance(question, BoundedQuestion) else question
    if isinstance(asked, Count) and asked.units:
        return "Units"
    return type(asked).__name__


def answer_measure(question: Question, table: BoundedTable) -> str:
    """What its answers are measured in, if they are values of one column with a measure."""
    if question_kind(question) not in _IN_MEASURE or not table.table.facts:
        return ""
    summed = dict.fromkeys(_summed(question, table))
    found = {table.table.fact(name).measure for name in summed}
    return found.pop() if len(found) == 1 else ""


_IN_MEASURE = frozenset(
    {"Sum", "Mean", "MeanOfAll", "WeightedMean", "Median", "ColumnQuantiles", "StandardDeviation"}
)
"""Kinds whose answers are in the unit of their column."""


def _summed(question: Question, table: BoundedTable) -> Iterator[str]:
    """The columns whose values are added up, or cut into parts."""
    part = getattr(getattr(question, "question", question), "part", None)
    if part is not None:
        yield from (column.name for column in part.column.columns)
        return
    for asked in question.measurements(table):
        inner = asked.measurement if isinstance(asked, UnitSpread) else asked
        for each in sought(inner):
            terms = (a.column for a in each.aggregates if hasattr(a, "column"))
            yield from (column.name for term in terms for column in term.columns)


def columns_told(questions: Iterable[Question], table: BoundedTable) -> Iterator[str]:
    """What is declared of all columns that questions are about, each once."""
    if not table.table.facts:
        return
    names = dict.fromkeys(name for each in questions for name in _columns(each, table))
    yield from filter(None, (_column(name, table.table.fact(name)) for name in names))


def _columns(question: Question, table: BoundedTable) -> Iterator[str]:
    """The columns that are added up, then those that make groups."""
    for asked in question.measurements(table):
        inner = asked.measurement if isinstance(asked, UnitSpread) else asked
        for each in sought(inner):
            summed = (a.column for a in each.aggregates if hasattr(a, "column"))
            yield from (column.name for term in summed for column in term.columns)
            yield from (column.name for term in each.grouping.by for column in term.columns)


def _column(name: str, facts: ColumnFacts) -> str:
    if facts.measure and facts.description:
        return f"{name} is in {facts.measure}: {facts.description}."
    if facts.measure:
        return f"{name} is in {facts.measure}."
    return f"{name}: {facts.description}." if facts.description else ""
