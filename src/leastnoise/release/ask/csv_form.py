"""`CsvForm`: how text files are written. It is declared, never guessed from rows."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.date_pattern import checked_pattern
from leastnoise.release.ask.expression import MOST_TEXT

ENCODINGS = ("utf-8", "utf-16", "latin-1", "windows-1252")
_ALIASES = {
    "utf8": "utf-8",
    "utf16": "utf-16",
    "latin1": "latin-1",
    "iso-8859-1": "latin-1",
    "cp1252": "windows-1252",
}
_THOUSANDS = ("", ",", ".", "'", " ", "_", "\u2019")
_MOST_WORDS = 10_000


@dataclass(frozen=True, init=False)
class CsvForm:
    r"""How fields, numbers and dates stand in text files.

    Args:
        delimiter: what separates fields.
        quote: what may stand around a field; twice inside for one of itself; "" for none.
        decimal: what stands before the decimals of a number: "." or ",".
        thousands: what may stand between groups of three digits; "" for nothing. A space stands
            for spaces that do not break, too.
        dates: how dates are written, such as "%d.%m.%Y"; "" for 2024-01-31.
        moments: how moments are written; "" for 2024-01-31 23:59:59.5, also with a T between, and
            without seconds. A pattern with %z, an offset such as +02:00, is of columns with a zone.
        encoding: "utf-8", "utf-16", "latin-1" or "windows-1252".
        null: fields that mean that there is no value, such as "NA"; empty ones always do.
        header: the names of the columns, if files have no first line of names.

    Raises:
        InvalidParameter: one of them is none of these, or two would be mistaken for each other.

    Example:
        >>> form = CsvForm(delimiter=";", decimal=",", dates="%d.%m.%Y", null=["NA"])
        >>> form.decimal
        ','
    """

    delimiter: str
    quote: str
    decimal: str
    thousands: str
    dates: str
    moments: str
    encoding: str
    null: tuple[str, ...]
    header: tuple[str, ...]

    def __init__(  # noqa: PLR0913 - files differ in all of these
        self,
        *,
        delimiter: str = ",",
        quote: str = '"',
        decimal: str = ".",
        thousands: str = "",
        dates: str = "",
        moments: str = "",
        encoding: str = "utf-8",
        null: Iterable[str] = (),
        header: Iterable[str] = (),
    ) -> None:
        object.__setattr__(self, "delimiter", _delimiter(delimiter))
        object.__setattr__(self, "quote", _quote(quote, delimiter))
        object.__setattr__(self, "decimal", _one_of(decimal, "decimal", (".", ",")))
        object.__setattr__(self, "thousands", _thousands(thousands, decimal))
        object.__setattr__(self, "dates", checked_pattern(dates, "dates", hours=False))
        object.__setattr__(self, "moments", checked_pattern(moments, "moments", hours=True))
        object.__setattr__(self, "encoding", _encoding(encoding))
        object.__setattr__(self, "null", _null(null))
        object.__setattr__(self, "header", _words(header, "header", 'Write ["id", "age"].'))

    def __repr__(self) -> str:
        """What differs from the usual, by which a plan's fingerprint tells forms apart."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        other = [f"{name}={v!r}" for name, v in said.items() if v != getattr(USUAL, name)]
        return f"CsvForm({', '.join(other)})"


def checked_form(given: CsvForm | Mapping[str, object] | None, delimiter: str | None) -> CsvForm:
    """The form that a user describes, in one way or the other.

    Args:
        given: a form, or its parts by name.
        delimiter: what separates fields, if the form does not say it.

    Raises:
        InvalidParameter: an unknown part, or the delimiter twice.
    """
    if isinstance(given, CsvForm) and delimiter is None:
        return given
    apart = {} if delimiter is None else {"delimiter": delimiter}
    parts = {} if given is None else _parts(given)
    if apart and "delimiter" in parts:
        raise _check.refuse(
            "the delimiter must be said in one place",
            "`delimiter` beside a `csv` that says it too",
            "Leave one of them out.",
        )
    known = [each.name for each in fields(CsvForm)]
    wrong = sorted(set(parts) - set(known))
    if wrong:
        raise _check.refuse(
            "`csv` must say how text files are written",
            _check.shown(wrong[0]),
            f"It may name: {', '.join(known)}.",
        )
    return CsvForm(**apart, **parts)


def _parts(given: object) -> dict[str, Any]:
    if isinstance(given, CsvForm):
        return {each.name: getattr(given, each.name) for each in fields(CsvForm)}
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    raise _check.refuse(
        "`csv` must be a CsvForm, or its parts by name",
        f"a {type(given).__name__}",
        "Write csv={'delimiter': ';', 'decimal': ','}.",
    )


def _delimiter(given: object) -> str:
    ascii_one = isinstance(given, str) and len(given) == 1 and given.isascii()
    if ascii_one and given not in '"\r\n\x00':  # type: ignore[operator]
        return str(given)
    raise _check.refuse(
        "`delimiter` must be one character of ASCII, no quote and no line end",
        f"delimiter={_check.shown(given)}",
        "Give ',', ';' or '\\t'.",
    )


def _quote(given: object, delimiter: str) -> str:
    if given in ('"', "'", "") and given != delimiter:
        return str(given)
    raise _check.refuse(
        "`quote` must be '\"' or \"'\", or empty if none is used, and not the delimiter",
        f"quote={_check.shown(given)}",
        "Leave it out for files with the usual '\"'.",
    )


def _thousands(given: object, decimal: str) -> str:
    found = _one_of(given, "thousands", _THOUSANDS)
    if found != decimal:
        return found
    raise _check.refuse(
        "`thousands` and `decimal` must differ",
        f"{decimal!r} for both",
        "Write decimal=',' beside thousands='.'.",
    )


def _encoding(given: object) -> str:
    name = given.lower().replace("_", "-") if isinstance(given, str) else given
    return _one_of(_ALIASES.get(str(name), name), "encoding", ENCODINGS)


def _one_of(given: object, name: str, known: tuple[str, ...]) -> str:
    if isinstance(given, str) and given in known:
        return given
    listed = ", ".join(map(repr, known))
    raise _check.refuse(
        f"`{name}` must be one of {listed}", _check.shown(given), "Write one of them."
    )


def _null(given: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_words(given, "null", 'Write ["NA", "-"].')))


def _words(given: object, name: str, remedy: str) -> tuple[str, ...]:
    listed = isinstance(given, Iterable) and not isinstance(given, str)
    found = tuple(given) if listed else ()  # type: ignore[arg-type]
    if listed and len(found) <= _MOST_WORDS and all(map(_is_word, found)):
        return found
    raise _check.refuse(f"`{name}` must be a list of printable texts", _check.shown(given), remedy)


def _is_word(word: object) -> bool:
    return isinstance(word, str) and word.isprintable() and len(word) <= MOST_TEXT


USUAL = CsvForm()
"""What is meant if nothing is said."""
