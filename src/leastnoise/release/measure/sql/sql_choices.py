r"""One of several terms in SQL, all as one type."""

from typing import cast

from leastnoise.release.ask.choices import Case
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.terms import Called, Constant, Term
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.reader import Reader, Spelling, Spellings


def case_sql(term: Case, reader: Reader) -> Fragment:
    """The term of the first condition that holds."""
    kind = reader.kind(term)
    tests = [
        fill("WHEN {} THEN {}", reader.holds(test), _alike(value, kind, reader))
        for test, value in term.branches
    ]
    other = _alike(term.other, kind, reader)
    found = fill("CASE {} ELSE {} END", joined(" ", tests), other)
    return _plain(found, kind, reader)


def _alike(term: Term | None, kind: ColumnType, reader: Reader) -> Fragment:
    if term is None:
        return Fragment("NULL")
    if kind is ColumnType.INTEGER and isinstance(term, Constant):
        return reader.dialect.value(int(cast("int", term.value)), reader.dialect.integer)
    return reader.number(term) if kind is ColumnType.NUMBER else reader.read(term)


def _plain(found: Fragment, kind: ColumnType, reader: Reader) -> Fragment:
    return reader.dialect.by_bytes(found) if kind is ColumnType.TEXT else found


def _first(word: str) -> Spelling:
    def spelled(term: Called, reader: Reader) -> Fragment:
        kind = reader.kind(term)
        listed = joined(", ", (_alike(each, kind, reader) for each in term.arguments))
        return _plain(fill(word + "({})", listed), kind, reader)

    return spelled


CHOICES: Spellings = {"coalesce": _first("COALESCE"), "nullif": _first("NULLIF")}
