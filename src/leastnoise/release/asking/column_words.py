"""What is declared of the columns that a question is about, in words for its readers."""

from collections.abc import Iterable, Iterator

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.measure.one_pass import sought
from leastnoise.release.questions.question import Question
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.unit_spread import UnitSpread


def question_words(question: Question, table: BoundedTable) -> str:
    """What is asked, what its columns mean and are measured in, and what must be known of it."""
    names = dict.fromkeys(_columns(question, table)) if table.table.facts else {}
    told = (_column(name, table.table.fact(name)) for name in names)
    return " ".join([question.words(), *filter(None, told), *table.table.notes])


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
