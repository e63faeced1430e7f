r"""`SqlReader`: every term and condition in SQL, each made of what others are."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.choices import Case, Indicator
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Both, Condition, Either, Not, Readable
from leastnoise.release.ask.day_number import DayNumber
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.terms import Arithmetic, Called, Column, Constant, Cut, DatePart, Term
from leastnoise.release.ask.unparsed import Unparsed, flag_of
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.reader import Reader, Spellings
from leastnoise.release.measure.sql.sql_choices import CHOICES, case_sql
from leastnoise.release.measure.sql.sql_comparison import comparison_sql
from leastnoise.release.measure.sql.sql_dates import DATES, dated, day_number
from leastnoise.release.measure.sql.sql_numbers import NUMBERS, WILD, tame, tamed
from leastnoise.release.measure.sql.sql_places import part_of
from leastnoise.release.measure.sql.sql_texts import TEXTS
from leastnoise.release.measure.sql.sql_types import as_number, has_value, sql_type

_DEEPEST = 100
_MOST_LETTERS = 200_000
_EXACT = 2.0**53

SPELLINGS: Spellings = {**NUMBERS, **TEXTS, **CHOICES, **DATES}
"""By the name of a function: how it is said. A new kind of functions is added here."""


@dataclass(frozen=True)
class SqlReader:
    """Terms and conditions of a table in an engine's SQL, as `Reader` tells.

    Attributes:
        schema: the columns.
        dialect: the engine's spelling.
    """

    schema: Schema
    dialect: Dialect

    def kind(self, term: Readable) -> ColumnType:
        """What a term holds."""
        return kind_of(term, self.schema)

    def read(self, term: Readable) -> Fragment:
        """A term's value as its own type."""
        found = self._read(term)
        if len(found.text) <= _MOST_LETTERS:
            return found
        raise _check.refuse(
            f"an expression must be said in {_MOST_LETTERS} letters of SQL",
            f"{len(found.text)} for a part of it",
            "Use fewer functions inside of functions, or add a column with the result to the data.",
        )

    def _read(self, term: Readable) -> Fragment:  # noqa: PLR0911 - one per kind
        match term:
            case Column():
                return self._column(term)
            case DatePart():
                return _date_part(term, self)
            case Constant():
                return self._constant(term)
            case Arithmetic():
                one, other = map(self._operand, term.parts)
                return fill("({} " + term.operation.value + " {})", one, other)
            case Cut():
                return _cut(term, self)
            case Called():
                return SPELLINGS[term.function](term, self)
            case Bin():
                return part_of(term, self)
            case DayNumber():
                return day_number(term.term, self)
            case Indicator():
                return self.holds(term.condition)
            case Case():
                return case_sql(term, self)
            case Unparsed():
                flags = (self.dialect.identifier(flag_of(each.name)) for each in term.fields)
                return fill("({})", joined(" OR ", flags))
            case _:
                raise AssertionError(term)

    def _column(self, column: Column) -> Fragment:
        kind = sql_type(self.schema.type_of(column), self.dialect)
        named = self.dialect.identifier(column.name)
        return self.dialect.cast(named, kind) if kind else named

    def _constant(self, term: Constant) -> Fragment:
        if isinstance(term.value, int | Fraction) and not isinstance(term.value, bool):
            return self.dialect.value(tamed(term.value), self.dialect.number)
        kind = self.kind(term)
        word = sql_type(kind, self.dialect)
        assert word is not None
        found = self.dialect.value(term.value, word)
        return self.dialect.by_bytes(found) if kind is ColumnType.TEXT else found

    def _operand(self, term: Term) -> Fragment:
        """What is computed with: results of sums and products go on as they are."""
        return self.read(term) if isinstance(term, Arithmetic) else self.number(term)

    def number(self, term: Readable) -> Fragment:
        """A term of numbers or truth values as a tame double."""
        read, kind = self.read(term), self.kind(term)
        if kind is ColumnType.TRUTH:
            whole = fill("CASE WHEN {} THEN 1 WHEN NOT {} THEN 0 END", read, read)
            return self.dialect.cast(whole, self.dialect.number)
        if kind is not ColumnType.NUMBER:
            return self.dialect.cast(read, self.dialect.number)  # integers below 2^120
        if isinstance(term, Constant | Case):
            return read
        if isinstance(term, Called) and term.function not in WILD:
            return read
        computed = isinstance(term, Arithmetic | Called)  # and so never NaN
        present = has_value(read, ColumnType.INTEGER if computed else kind, self.dialect)
        return tame(read, present, self.dialect)

    def integer(self, term: Readable) -> Fragment:
        """A term of whole numbers as a 64-bit integer; NULL from ±2^53 on if it was computed.

        Below that every integer is a double, so that no two of them become one.
        """
        if self.kind(term) is ColumnType.INTEGER:
            return self.read(term)
        number = self.number(term)
        end = self.dialect.value(_EXACT, self.dialect.number)
        whole = self.dialect.cast(number, self.dialect.integer)
        return fill("CASE WHEN abs({}) < {} THEN {} END", number, end, whole)

    def holds(self, condition: Condition, depth: int = 0) -> Fragment:
        """A condition: true or false, never unknown."""
        if depth > _DEEPEST:
            raise _check.refuse(
                f"conditions may be nested {_DEEPEST} deep",
                f"{depth}",
                "Use isin for many values of one column.",
            )
        match condition:
            case Not():
                return fill("(NOT {})", self.holds(condition.condition, depth + 1))
            case Both() | Either():
                word = " AND " if isinstance(condition, Both) else " OR "
                parts = (self.holds(each, depth + 1) for each in _chain(condition))
                return fill("({})", joined(word, parts))
            case _:
                return comparison_sql(condition, self)


def _chain(condition: Both | Either) -> list[Condition]:
    """The parts of a & b & c & …, which Python nests one deeper for each."""
    parts: list[Condition] = []
    rest: list[Condition] = [condition]
    while rest:
        part = rest.pop()
        if isinstance(part, Both | Either) and type(part) is type(condition):
            rest += [part.other, part.one]
        else:
            parts.append(part)
    return parts


def _date_part(term: DatePart, reader: Reader) -> Fragment:
    read, kind, dialect = reader.read(term.column), reader.kind(term.column), reader.dialect
    part = fill("EXTRACT(" + term.part.value.upper() + " FROM {})", read)
    return dated(read, kind, dialect, dialect.cast(part, dialect.integer))


def _cut(term: Cut, reader: Reader) -> Fragment:
    """NULL where there is no value, which GREATEST and LEAST of engines would take for nothing."""
    read, kind, dialect = reader.read(term.term), reader.kind(term.term), reader.dialect
    return fill(
        "CASE WHEN {} THEN GREATEST({}, LEAST({}, {})) END",
        has_value(read, kind, dialect),
        dialect.value(tamed(term.low), dialect.number),
        dialect.value(tamed(term.high), dialect.number),
        as_number(read, kind, dialect),
    )
