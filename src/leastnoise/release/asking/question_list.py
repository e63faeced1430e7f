"""`QuestionList`: what is asked about one table, and how it grows by a question."""

from dataclasses import field, replace
from datetime import date
from operator import attrgetter
from typing import Any, Self, SupportsIndex, TypeVar

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.dates import day_parts, day_range
from leastnoise.release.ask.defaults import declared_keys, range_or_declared
from leastnoise.release.ask.expected import Expected, Rows, expectation
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.measured_cut import MeasuredCut
from leastnoise.release.ask.named_bounds import NO_BOUNDS, NamedBounds
from leastnoise.release.ask.publication import NOTHING_SAID, Publication
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.questions.bounded_question import BoundedQuestion, plain
from leastnoise.release.questions.question import Question
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.bounds_used import bounds_used
from leastnoise.release.step.groups import (
    By,
    Groups,
    KeysLike,
    groups_of,
    key_terms,
    with_public_keys,
)

End = Exact | date | None
"""The end of a range of numbers or dates, if it is given."""


@dataclass(frozen=True)
class QuestionList:
    """A list of questions about a table; each method returns a longer one.

    Attributes:
        table: what is asked about.
        bounds: how much of one unit counts in each question, as far as the plan says it.
        questions: what is asked.
        expected: by the names of questions, what somebody expects of their answers. It is for
            forecasts alone, and no part of the plan's fingerprint.
        cut: how what the bounds leave out is measured; None if it is not.
        publication: who publishes it, and what readers are shown first; no part of the plan's
            fingerprint, as it changes no number.
    """

    table: Table
    bounds: NamedBounds
    questions: tuple[Question, ...] = ()
    expected: tuple[tuple[str, Expected], ...] = field(default=(), repr=False)
    cut: MeasuredCut | None = None
    publication: Publication = field(default=NOTHING_SAID, repr=False)

    @property
    def bounded(self) -> BoundedTable:
        """The table with the bounds: what questions are asked of."""
        return BoundedTable(self.table, self.bounds.over(), self.cut)

    def _groups(
        self,
        by: By,
        keys: KeysLike,
        where: Condition | str | None,
        at_least: SupportsIndex | None = None,
    ) -> Groups:
        """The groups that are meant: where no keys are given, those that are declared.

        Where a column holds dates, texts such as "2024-01-31" stand for them.
        """
        if keys is None:
            keys = declared_keys(key_terms(by), self.table)
        groups = groups_of(by, keys, self._where(where), at_least)
        schema = self.table.schema
        if groups.public_keys is None:
            return groups
        dated = {each.name for each in groups.by if kind_of(each, schema) is ColumnType.DATE}
        return replace(groups, keys=groups.public_keys.with_dates(dated))

    def _where(self, said: Condition | str | None) -> Condition | None:
        """Which rows count; a text is read as SQL."""
        return None if said is None else self._condition(said)

    def _condition(self, said: Condition | str) -> Condition:
        if not isinstance(said, str):
            return said
        # Loaded here: who writes conditions in Python need not wait for a parser.
        from leastnoise.release.sql.rows.condition_of import condition_of  # noqa: PLC0415

        return condition_of(said, self.table.schema)

    def _range(
        self, column: str | Term, lower: Exact | None, upper: Exact | None, prefix: str = ""
    ) -> tuple[Exact, Exact]:
        """What values are cut to: what is given, else what is declared of the column."""
        names = f"{prefix}lower", f"{prefix}upper"
        return range_or_declared(as_term(column), self.table, lower, upper, names)

    def _grid(self, column: str | Term, lower: Exact | None, upper: Exact | None) -> Grid:
        low, high = self._range(column, lower, upper)
        return Grid(lower=low, upper=high)

    def _parts(self, column: str | Term, lower: End, upper: End, parts: SupportsIndex) -> Bin:
        """Equal parts of a range of numbers, or stretches of days."""
        term = as_term(column)
        if kind_of(term, self.table.schema).has_days:
            return day_parts(term, *day_range(term, self.table, lower, upper), parts)
        return Bin(term, self._grid(column, *number_ends(lower, upper)), parts)

    def _with(self, question: Question, own: NamedBounds = NO_BOUNDS) -> Self:
        self._refuse_name(question.name)
        bounded = self._bounded(question, own)
        asked = bounded.measurements(self.bounded)
        for each in asked:
            refuse_impossible(each, self.table.schema)
        if self.table.unit is not None:
            used = frozenset[str]().union(*map(bounds_used, asked))
            own.before(self.bounds).refuse_missing(used, question.name)
        return replace(self, questions=(*self.questions, bounded))

    def _refuse_name(self, name: object) -> None:
        if not isinstance(name, str) or not name.isprintable():
            raise _check.refuse(
                "`name` must be printable text", _check.shown(name), "Use a few words."
            )
        if name in map(attrgetter("name"), self.questions):
            raise _check.refuse("questions must have different names", repr(name), "Give `name=`.")

    def _bounded(self, question: Question, own: NamedBounds) -> Question:
        """The question under its own bounds, if it has any that have an effect."""
        if own.clip is not None:
            with_public_keys(question.groups, "a clip")
        if own.max_groups is not None and not question.groups.by:
            raise _check.refuse(
                "`max_groups` is for questions by groups",
                f"max_groups={own.max_groups} for {question.name!r}",
                "Leave it out, or say `by`.",
            )
        return question if own == NO_BOUNDS else BoundedQuestion(question, own)

    def _expecting(self, rows: Rows | None, answer: Exact | None = None) -> Self:
        """The same, with what somebody expects of the last question's answers."""
        expected = expectation(rows, answer)
        return replace(self, expected=(*self.expected, (self.questions[-1].name, expected)))


def number_ends(lower: End, upper: End) -> tuple[Exact | None, Exact | None]:
    """Ends of a range of numbers.

    Raises:
        InvalidParameter: a date.
    """
    if isinstance(lower, date) or isinstance(upper, date):
        raise _check.refuse(
            "`lower` and `upper` of numbers must be numbers",
            "a date",
            "Take a column of dates, or give numbers.",
        )
    return lower, upper


_Asked = TypeVar("_Asked", bound=QuestionList)


def asked_of(asked: _Asked, only: Condition) -> _Asked:
    """The last question, asked of fewer rows; which private groups are shown stays as it was.

    Args:
        asked: a list whose last question is about private groups.
        only: of the rows that count, those that the question is asked of.

    Raises:
        InvalidParameter: the condition does not fit the table.
    """
    last = asked.questions[-1]
    inner: Any = plain(last)
    assert inner.groups.are_private, "groups that are listed have a `where`"
    narrow = replace(inner, groups=replace(inner.groups, only=only))
    own = last.own if isinstance(last, BoundedQuestion) else NO_BOUNDS
    return replace(asked, questions=asked.questions[:-1])._with(narrow, own)
