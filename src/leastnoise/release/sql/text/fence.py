"""The fence around the parser: limits before, a thread of its own, none of its messages after."""

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, TypeVar

from leastnoise import _check
from leastnoise.release.sql.text.place import START, Places, refused

_T = TypeVar("_T")

MOST_LETTERS = 20_000
"""Of a text; people's longest have a tenth of it."""
MOST_TOKENS = 5_000
"""Of a text."""
DEEPEST = 24
"""Parentheses, CASE and signs inside one another."""
_OPENING = {"L_PAREN", "L_BRACKET", "L_BRACE", "CASE"}
_CLOSING = {"R_PAREN", "R_BRACKET", "R_BRACE", "END"}
_SIGNS = {"NOT", "DASH", "PLUS", "TILDE"}
_KEPT_PARSERS = {"CAST", "TRY_CAST", "SAFE_CAST", "EXTRACT"}
_PLACE_OF_QUOTE = re.compile(r"from (\d+):(\d+)")


def tokens_of(text: str) -> list[Any]:
    """The words of a text, none of them a semicolon; within all limits.

    Raises:
        InvalidParameter: not a text, too long, too deep, several statements, or a letter that no
            engine can hold.
    """
    _refuse_unreadable(text)
    places = Places(text)
    found = _apart(lambda: _tokenized(text, places))
    while found and found[-1].token_type.name == "SEMICOLON":
        found.pop()
    if not found:
        raise refused(START, "a text must say something", "nothing", "Write SELECT COUNT(*) FROM …")
    _refuse_many(found, places)
    return found


def tree_of(tokens: list[Any], text: str, *, condition: bool) -> Any:
    """The parser's own tree of a query, or of one condition.

    Raises:
        InvalidParameter: the words make no such thing; the message begins with the place.
    """
    return _apart(lambda: _parsed(tokens, text, condition=condition))


def apart(work: Callable[[], _T]) -> _T:
    """Do something in a thread of its own, where nobody's calls take from the depth of a stack."""
    return _apart(work)


def _apart(work: Callable[[], _T]) -> _T:
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with _silent():
                done.append(work())
        except RecursionError:
            failed.append(
                refused(
                    START,
                    "a text must not be nested deeper than people can read",
                    "one that is",
                    "Split it with WITH, or use a list for many values.",
                )
            )
        except BaseException as failure:  # to be raised where it was asked for
            failed.append(failure)

    thread = threading.Thread(target=run, name="leastnoise sql", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


@contextmanager
def _silent() -> Iterator[None]:
    """The parser writes texts to its log: not those of this thread."""
    logger, own = logging.getLogger("sqlglot"), threading.get_ident()

    def others(record: logging.LogRecord) -> bool:
        return record.thread != own

    logger.addFilter(others)
    try:
        yield
    finally:
        logger.removeFilter(others)


def _refuse_unreadable(text: object) -> None:
    if not isinstance(text, str):
        raise _check.refuse("SQL must be text", f"a {type(text).__name__}", "Write it in quotes.")
    if len(text) > MOST_LETTERS:
        raise refused(
            START,
            f"SQL must have at most {MOST_LETTERS} letters",
            f"{len(text)}",
            "Keep long lists in the dataset, as values or as a public table.",
        )
    for number, letter in enumerate(text):
        if letter == "\x00" or "\ud800" <= letter <= "\udfff" or letter in _STEERING:
            raise refused(
                Places(text).of(number),
                "SQL must be made of letters that show what they are",
                f"U+{ord(letter):04X}",
                "Take it out.",
            )


_STEERING = frozenset("\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _tokenized(text: str, places: Places) -> list[Any]:
    from sqlglot.errors import TokenError  # noqa: PLC0415 - loaded when first used

    try:
        return list(_dialect()().tokenize(text))
    except TokenError as failure:
        cause = _PLACE_OF_QUOTE.search(str(failure.__cause__ or failure))
        at = places.of(int(cause.group(2))) if cause else places.of(len(text))
        raise refused(
            at,
            "every quote, comment and number must be closed",
            "one that is not",
            "Texts stand in single quotes, names in double ones.",
        ) from None


def _refuse_many(tokens: list[Any], places: Places) -> None:
    if len(tokens) > MOST_TOKENS:
        raise refused(
            places.of(tokens[MOST_TOKENS].start),
            f"SQL must have at most {MOST_TOKENS} words and signs",
            f"{len(tokens)}",
            "Keep long lists in the dataset, as values or as a public table.",
        )
    depth = signs = 0
    for token in tokens:
        name = token.token_type.name
        if name == "SEMICOLON":
            raise refused(
                places.of(token.start), "there must be one statement", "a second", "Ask it apart."
            )
        signs = signs + 1 if name in _SIGNS else 0
        depth += (name in _OPENING) - (name in _CLOSING)
        if depth + signs > DEEPEST:
            raise refused(
                places.of(token.start),
                f"SQL may be nested {DEEPEST} deep",
                "more",
                "Split it with WITH, or leave out parentheses.",
            )


def _parsed(tokens: list[Any], text: str, *, condition: bool) -> Any:
    from sqlglot import exp  # noqa: PLC0415 - loaded when first used
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    places = Places(text)
    parser = _dialect()().parser()
    try:
        made = (
            parser.parse_into(exp.Condition, tokens, text)
            if condition
            else parser.parse(tokens, text)
        )
    except SqlglotError:
        made = None
    if made and len(made) == 1 and made[0] is not None:
        return made[0]
    token = parser.stopped or tokens[-1]
    raise refused(
        places.of(token.start),
        "a condition must be readable" if condition else "a statement must be readable",
        f"{token.text[:40]!r} where it does not fit",
        "Look for a missing comma, operator or parenthesis before it.",
    )


@cache
def _dialect() -> Any:
    """A dialect without functions: a name and its arguments are all that a call has."""
    try:
        from sqlglot import parser, tokens  # noqa: PLC0415 - loaded when first used
        from sqlglot.dialects.dialect import Dialect  # noqa: PLC0415
    except ImportError:
        raise _check.refuse(
            "SQL needs the package sqlglot", "none", "pip install sqlglot."
        ) from None

    class Words(tokens.Tokenizer):
        IDENTIFIERS: ClassVar[list[Any]] = ['"', "`"]

    class Grammar(parser.Parser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: how
            for name, how in parser.Parser.FUNCTION_PARSERS.items()
            if name in _KEPT_PARSERS
        }
        stopped: Any = None

        def expression(self, instance: Any, token: Any = None, comments: Any = None) -> Any:
            made = super().expression(instance, token, comments)
            if self._prev and "start" not in made.meta:
                made.meta["near"] = self._prev.start
            return made

        def raise_error(self, message: str, token: Any = None) -> None:
            self.stopped = token or self._curr or self._prev
            super().raise_error(message, self.stopped)

    class OwnDialect(Dialect):
        NULL_ORDERING = "nulls_are_last"
        Tokenizer = Words
        Parser = Grammar

    return OwnDialect
