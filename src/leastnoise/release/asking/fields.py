"""A question about how the data are written: fields that are not what was declared."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Self

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.expected import Rows
from leastnoise.release.ask.expression import Condition, Term, as_term, col
from leastnoise.release.ask.location import Joined, declared_in
from leastnoise.release.ask.named_bounds import Bound, NamedBounds
from leastnoise.release.ask.question_parts import checked_importance
from leastnoise.release.ask.unparsed import Unparsed
from leastnoise.release.asking.question_list import QuestionList
from leastnoise.release.step.groups import groups_of


class FieldQuestions(QuestionList):
    """How well the data are what was declared."""

    def unparsed(
        self,
        columns: Sequence[str] | None = None,
        *,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        r"""How many rows have text that is not what was declared, in one of the columns.

        Such fields count as missing in all other questions. A row without a readable unit counts
        nowhere, so it does not count here either.

        Args:
            columns: which ones to look at; if left out, all that are declared to be more than
                text.
            max_rows: how many of one unit's rows count.
            importance: how much an error here matters beside the others.
            expected: how many there may be, for forecasts alone.
            name: what to call the answer.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> from pathlib import Path
            >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
            >>> _ = file.write_text("patient,age\n1,41\n2,many")
            >>> visits = ln.read(file, unit="patient", types={"age": "integer"})
            >>> ln.plan(visits, max_groups=1, max_rows=1).unparsed(["age"])
            <Plan: 1 question>
        """
        from leastnoise.release.questions.unparsed_rows import UnparsedRows  # noqa: PLC0415

        wanted = _columns(columns, self._declared())
        question = UnparsedRows(
            name or "unparsed rows",
            groups_of((), None, Unparsed(tuple(map(col, wanted))) == True, None),  # noqa: E712
            False,
            checked_importance(importance),
            wanted,
        )
        return self._with(question, NamedBounds(max_rows=max_rows))._expecting(expected)

    def outside(  # noqa: PLR0913 - each is part of the question
        self,
        column: str | Term,
        *,
        lower: Exact | None = None,
        upper: Exact | None = None,
        where: Condition | str | None = None,
        max_rows: Bound = None,
        importance: Exact = 1,
        expected: Rows | None = None,
        name: str | None = None,
    ) -> Self:
        """How many rows have a value below `lower` or above `upper`.

        Other questions cut such values to these ends; answers of the same column, range and rows
        tell this number beside them.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"cost": [80.0]}), unit=None)
            >>> ln.plan(visits).outside("cost", lower=0, upper=600)
            <Plan: 1 question>
        """
        from leastnoise.release.questions.rows_left_out import RowsBeyond  # noqa: PLC0415

        term = as_term(column)
        low, high = (Fraction(each) for each in self._range(column, lower, upper))
        beyond, said = (term < low) | (term > high), self._where(where)
        question = RowsBeyond(
            name or f"rows with {term.name} outside {float(low):g} … {float(high):g}",
            groups_of((), None, beyond if said is None else said & beyond, None),
            False,
            checked_importance(importance),
            term.name,
            low,
            high,
            said,
        )
        return self._with(question, NamedBounds(max_rows=max_rows))._expecting(expected)

    def without_unit(
        self, *, importance: Exact = 1, expected: Rows | None = None, name: str | None = None
    ) -> Self:
        """How many rows say nothing of whose they are: they are left out of every other answer.

        Each is taken for a unit of its own, so that the promise holds for whoever it is of.

        Raises:
            InvalidParameter: every row is a unit, or rows are joined of several tables, which
                leave out rows without a unit by themselves.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> visits = ln.read(pa.table({"patient": [1, None]}), unit="patient")
            >>> ln.plan(visits).without_unit(name="rows of nobody")
            <Plan: 1 question>
        """
        from leastnoise.release.questions.rows_left_out import RowsWithoutUnit  # noqa: PLC0415

        unit = self.table.unit
        if unit is None or isinstance(self.table.location, Joined):
            raise _check.refuse(
                "rows without a unit are counted in a table with a column of units",
                "a table whose rows are units" if unit is None else "joined tables",
                "Leave the question out, or ask it of the table by itself.",
            )
        title = name or f"rows without a {unit}"
        question = RowsWithoutUnit(title, unit, checked_importance(importance))
        return self._with(question)._expecting(expected)

    def _declared(self) -> tuple[str, ...]:
        names = (name for name, _ in declared_in(self.table.location))
        return tuple(name for name in names if name != self.table.unit)


def _columns(asked: object, declared: tuple[str, ...]) -> tuple[str, ...]:
    if not declared:
        raise _check.refuse(
            "fields are counted that are not what `types` says, in a table itself or in one whose "
            "keys lead to people",
            "other rows, or a table without declared columns, whose fields are what they are",
            "Leave the question out, declare types where the table is read, or ask it of the table "
            "before it is joined.",
        )
    if asked is None:
        return declared
    if isinstance(asked, str) or not isinstance(asked, Sequence) or not asked:
        raise _check.refuse(
            "`columns` must be a list of some", _check.shown(asked), "Write unparsed(['age'])."
        )
    other = next((each for each in asked if each not in declared), None)
    if other is not None:
        raise _check.refuse(
            "`columns` must be declared to be more than text",
            _check.shown(other),
            f"Such are: {', '.join(map(repr, declared))}.",
        )
    return tuple(dict.fromkeys(asked))
