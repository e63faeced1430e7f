r"""Text as what it was declared to be, in DuckDB: by patterns, because its casts take far more.

A cast makes 1000 of 1_000, 16 of 0x10, infinity of 1e400, the year 24 of 24-01-05 and a day in 1970
of the word epoch. A text that fits no pattern has no value; nothing here can fail on data.
"""

import re
from collections.abc import Iterable

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.csv_form import CsvForm
from leastnoise.release.ask.date_pattern import OFFSET, YEAR, regex_of
from leastnoise.release.ask.unparsed import flag_of
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_term import sql_type

UNREADABLE = "\x00"
"""What stands for an object that could not be written as text."""

_SPACES = "[ \\t]*"
_DATE = f"{YEAR}-[0-9]{{2}}-[0-9]{{2}}"
_TIME = "([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?"
_OFFSET = "(Z|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)"
_ISO = {
    ColumnType.DATE: _DATE,
    ColumnType.MOMENT: f"{_DATE}([ T]{_TIME})?",
    ColumnType.INSTANT: f"{_DATE}[ T]{_TIME}{_OFFSET}",
}
_TRUE, _FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
_NO_BREAK = "\u00a0\u202f"


def declared_scan(
    scan: Fragment, columns: Iterable[tuple[str, ColumnType]], form: CsvForm
) -> Fragment:
    """A scan whose columns of text are what was declared, with a flag for each that may fail."""
    found = [(DUCKDB.identifier(name), flag_of(name), kind) for name, kind in columns]
    if not found:
        return scan
    values = (fill("{} AS {}", _value(named, kind, form), named) for named, _, kind in found)
    flags = (
        fill("{} AS {}", _flag(named, kind, form), DUCKDB.identifier(flag))
        for named, flag, kind in found
    )
    text = "(SELECT * REPLACE ({}), {} FROM {}) AS declared"
    return fill(text, joined(", ", values), joined(", ", flags), scan)


def _value(named: Fragment, kind: ColumnType, form: CsvForm) -> Fragment:
    """What a field holds; NULL if it is empty, a word for nothing, or not what was declared."""
    if kind is ColumnType.TEXT:
        return _said(named, (*form.null, UNREADABLE))
    text = _said(named, form.null)
    match kind:
        case ColumnType.INTEGER:
            point = re.escape(form.decimal)
            return _number(text, f"({_digits(form)})({point}0*)?", DUCKDB.integer, form)
        case ColumnType.NUMBER:
            return _real(text, form)
        case ColumnType.TRUTH:
            return _truth(text)
        case _:
            return _dated(text, kind, form)


def _flag(named: Fragment, kind: ColumnType, form: CsvForm) -> Fragment:
    """Whether a field has text that is not what was declared; never NULL."""
    if kind is ColumnType.TEXT:
        return fill("COALESCE({} = {}, FALSE)", named, _text(UNREADABLE))
    blank = fill("COALESCE(trim({}, ' \t'), '') = ''", _said(named, form.null))
    return fill("(NOT {} AND {} IS NULL)", blank, _value(named, kind, form))


def _said(named: Fragment, null: Iterable[str]) -> Fragment:
    """The text of a field, if it says something."""
    words = joined(", ", map(_text, dict.fromkeys(("", *null))))
    # DuckDB 2.0 moves the cast of a bare column into its reader, where it fails instead of trying.
    return fill("CASE WHEN {} NOT IN ({}) THEN {} END", named, words, named)


def _text(value: str) -> Fragment:
    return DUCKDB.value(value, DUCKDB.text)


def _digits(form: CsvForm) -> str:
    """Digits, all together or in groups of three."""
    if not form.thousands:
        return "[0-9]+"
    return f"[0-9]+|[0-9]{{1,3}}({_between(form)}[0-9]{{3}})+"


def _between(form: CsvForm) -> str:
    return f"[ {_NO_BREAK}]" if form.thousands == " " else re.escape(form.thousands)


def _number(text: Fragment, pattern: str, kind: str, form: CsvForm) -> Fragment:
    plain = text
    for letter in _removed(form):
        plain = fill("replace({}, {}, '')", plain, _text(letter))
    if form.decimal != ".":
        plain = fill("replace({}, {}, '.')", plain, _text(form.decimal))
    return _if_like(text, f"[+-]?({pattern})", fill(f"TRY_CAST({{}} AS {kind})", plain))


def _removed(form: CsvForm) -> str:
    return f" {_NO_BREAK}" if form.thousands == " " else form.thousands


def _real(text: Fragment, form: CsvForm) -> Fragment:
    point = re.escape(form.decimal)
    pattern = f"(({_digits(form)})({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
    found = _number(text, pattern, DUCKDB.number, form)
    return fill("nullif(nullif({}, 'Infinity'::DOUBLE), '-Infinity'::DOUBLE)", found)


def _truth(text: Fragment) -> Fragment:
    word = fill("lower(trim({}, ' \t'))", text)
    true, false = (joined(", ", map(_text, words)) for words in (_TRUE, _FALSE))
    return fill(
        "CASE WHEN {} IN ({}) THEN TRUE WHEN {} IN ({}) THEN FALSE END", word, true, word, false
    )


def _dated(text: Fragment, kind: ColumnType, form: CsvForm) -> Fragment:
    pattern = form.dates if kind is ColumnType.DATE else form.moments
    if kind is not ColumnType.DATE and (OFFSET in pattern) is not (kind is ColumnType.INSTANT):
        pattern = ""  # it is of the other kind of moments
    word = DUCKDB.instant if kind is ColumnType.INSTANT else sql_type(kind, DUCKDB)
    if pattern:
        read = fill(f"CAST(try_strptime({{}}, {{}}) AS {word})", text, _text(pattern))
    else:
        read = fill(f"TRY_CAST({{}} AS {word})", text)
    return _if_like(text, regex_of(pattern) if pattern else _ISO[kind], read)


def _if_like(text: Fragment, pattern: str, value: Fragment) -> Fragment:
    like = _text(f"{_SPACES}({pattern}){_SPACES}")
    return fill("CASE WHEN regexp_full_match({}, {}) THEN {} END", text, like, value)
