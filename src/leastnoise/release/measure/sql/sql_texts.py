r"""Texts in SQL: functions and tests that mean the same on every engine."""

from string import ascii_lowercase, ascii_uppercase

from leastnoise import _check
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Match, TextTest
from leastnoise.release.ask.terms import Called, Constant
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.reader import Reader, Spelling, Spellings

_INT = "INTEGER"  # which numbers of letters are on every engine


def _length(term: Called, reader: Reader) -> Fragment:
    read = reader.read(term.arguments[0])
    return reader.dialect.cast(fill("LENGTH({})", read), reader.dialect.integer)


def _letters(old: str, new: str) -> Spelling:
    """Letter by letter: engines' own words differ on ß, İ, Σ, and some hang on a locale."""

    def spelled(term: Called, reader: Reader) -> Fragment:
        read, dialect = reader.read(term.arguments[0]), reader.dialect
        sides = (dialect.value(each, dialect.text) for each in (old, new))
        return dialect.by_bytes(fill("translate({}, {}, {})", read, *sides))

    return spelled


def _trim(term: Called, reader: Reader) -> Fragment:
    """Without saying what is cut off, DuckDB cuts off spaces of every kind."""
    read = reader.read(term.arguments[0])
    return reader.dialect.by_bytes(fill("trim(BOTH ' ' FROM {})", read))


def _substring(term: Called, reader: Reader) -> Fragment:
    read, dialect = reader.read(term.arguments[0]), reader.dialect
    numbers = [dialect.value(each.value, _INT) for each in term.arguments[1:]
               if isinstance(each, Constant)]  # fmt: skip
    marks = ", {}" * len(numbers)
    return dialect.by_bytes(fill("substring({}" + marks + ")", read, *numbers))


TEXTS: Spellings = {
    "length": _length,
    "lower": _letters(ascii_uppercase, ascii_lowercase),
    "upper": _letters(ascii_lowercase, ascii_uppercase),
    "trim": _trim,
    "substring": _substring,
}


def text_test_sql(condition: TextTest, reader: Reader) -> Fragment:
    """Whether a text fits a constant one; false where there is none.

    Raises:
        InvalidParameter: a column of another type.
    """
    kind = reader.kind(condition.column)
    if kind is not ColumnType.TEXT:
        raise _check.refuse(
            f"what {condition.match.value} something must be text",
            f"{condition.column.name!r}, which holds values of type {kind.value!r}",
            "Take a column of texts.",
        )
    read = reader.read(condition.column)
    present = fill("({} IS NOT NULL)", read)
    if not condition.pattern and condition.match not in {Match.LIKE, Match.ESCAPED}:
        return present
    return fill("({} AND {})", present, _fits(condition, read, reader))


def _fits(condition: TextTest, read: Fragment, reader: Reader) -> Fragment:
    dialect, said = reader.dialect, condition.pattern
    pattern = dialect.value(said, dialect.text)
    match condition.match:
        case Match.CONTAINS:
            return fill(dialect.position + " > 0", read, pattern)
        case Match.STARTS:
            count = dialect.value(len(said), _INT)
            return fill("{} = {}", dialect.by_bytes(fill("substring({}, 1, {})", read, count)),
                        pattern)  # fmt: skip
        case Match.LIKE:
            # Our own escape, and every one of it doubled: engines differ on theirs.
            escaped = dialect.value(said.replace("~", "~~"), dialect.text)
            return fill("{} LIKE {} ESCAPE '~'", read, escaped)
        case Match.ESCAPED:
            return fill("{} LIKE {} ESCAPE '~'", read, pattern)
