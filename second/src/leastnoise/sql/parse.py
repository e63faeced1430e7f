"""SQL text to a sqlglot tree, with the place of every part for messages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL

LONGEST = 100_000  # characters
_WIDTH = 76  # of a line that is shown

_WORDS = {
    "windows": "WINDOW", "laterals": "LATERAL", "sample": "TABLESAMPLE", "pivots": "PIVOT",
    "locks": "FOR UPDATE", "sort": "SORT BY", "cluster": "CLUSTER BY", "match": "MATCH_RECOGNIZE",
    "distribute": "DISTRIBUTE BY", "order": "ORDER BY", "group": "GROUP BY", "joins": "JOIN",
    "limit_options": "PERCENT",
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """A text that was parsed; it turns nodes into messages with a line, a column and a mark."""

    text: str

    def refusal(self, node: Any, refused: InvalidInput, word: str = "") -> InvalidInput:
        """The same refusal with the place of a node, or of a word in it, unless it has one."""
        if re.match(r"line \d+, column \d+: ", str(refused)):
            return refused
        span = self._word(word, node) or _span(node)
        while span is None and node.parent is not None:
            node = node.parent
            span = _span(node)
        if span is None or self.text.strip() == self.text[slice(*span)]:
            return refused
        return self._marked(span, refused)

    @contextmanager
    def placed(self, node: Any) -> Iterator[None]:
        """Gives refusals inside the place of a node."""
        try:
            yield
        except InvalidInput as error:
            raise self.refusal(node, error) from None

    def only(self, node: Any, *allowed: str, where: str = "") -> None:
        """Refuses parts of a node that no rule names: they may change what it means."""
        for name, value in node.args.items():
            if value and name not in allowed:
                word = _WORDS.get(name, name.strip("_").replace("_", " ").upper())
                refused = UnsupportedSQL(f"{word} is not supported{where}. Leave it out.")
                raise self.refusal(value if hasattr(value, "walk") else node, refused, word)

    def _word(self, word: str, node: Any) -> tuple[int, int] | None:
        """Where a keyword stands: the last time before the end of a node, or the first time."""
        if not word:
            return None
        pattern = re.escape(word).replace(r"\ ", r"\s+")
        found = [each.span() for each in re.finditer(rf"\b{pattern}\b", self.text, re.IGNORECASE)]
        whole = _span(node, whole=True)
        before = [each for each in found if whole and each[0] < whole[1]]
        return next(iter([*before[-1:], *found]), None)

    def _marked(self, span: tuple[int, int], refused: InvalidInput) -> InvalidInput:
        start, end = span
        before = self.text[:start]
        line, column = before.count("\n"), start - (before.rfind("\n") + 1)
        shown, place = self.text.split("\n")[line], column
        width = max(1, min(end - start, len(shown) - column))
        if column > 60:  # a long line is shown around the mark
            shown, place = "..." + shown[column - 50 :], 53
        first, rest, after = str(refused).partition("\n")
        mark = " " * place + "^" * min(width, _WIDTH - place)
        where = f"line {line + 1}, column {column + 1}"
        shown = shown[:_WIDTH].replace("\t", " ")
        return type(refused)(f"{where}: {first}\n    {shown}\n    {mark}{rest}{after}")


def _span(node: Any, *, whole: bool = False) -> tuple[int, int] | None:
    """Where a node stands; of one with a subquery only its first part, unless the whole is wanted."""
    parts = [each.meta for each in node.walk() if "start" in each.meta]
    if not parts:
        return None
    first = min(parts, key=lambda part: int(part["start"]))
    last = max(part["end"] for part in parts)
    if not whole and any(type(each).__name__ in ("Select", "SetOperation") for each in node.walk()):
        last = first["end"]
    return first["start"], last + 1


def parse(text: str, what: str = "SQL") -> Any:
    """The tree of one statement, or of an expression.

    Args:
        text: what to parse.
        what: what an expression is called in messages.
    """
    from sqlglot import Dialect, exp
    from sqlglot.errors import ParseError, SqlglotError

    if not isinstance(text, str):
        raise InvalidInput(f"{what} is a {type(text).__name__}. Write it as text.")
    if len(text) > LONGEST:
        raise InvalidInput(f"{what} has {len(text):,} characters; {LONGEST:,} are the most.")
    if "\0" in text or (not text.isascii() and text != text.encode(errors="replace").decode()):
        raise InvalidInput(f"{what} has a character that no text can have. Delete it.")
    kind: Any = exp.Select if what == "SQL" else exp.Condition
    try:
        found = Dialect.get_or_raise("duckdb").parse_into(kind, text)
    except ParseError as error:
        raise _unread(text, what, error.errors[0] if error.errors else {}) from None
    except (SqlglotError, ValueError):
        raise UnsupportedSQL(f"{what} cannot be read. Is a quote or a comment open?") from None
    except RecursionError:
        raise UnsupportedSQL(f"{what} is nested too deep. Use fewer parentheses.") from None
    found = [each for each in found if each is not None]
    if len(found) != 1:
        raise InvalidInput(f"{what} has {len(found)} statements. Write one.")
    return found[0]


def _unread(text: str, what: str, place: dict[str, Any]) -> InvalidInput:
    word, line, end = place.get("highlight") or "", place.get("line"), place.get("col") or 1
    first = re.match(r"[\s(]*(\w*)", text)
    if what == "SQL" and first is not None and first[1].upper() not in ("SELECT", "WITH", "FROM"):
        return Text(text)._marked(first.span(1), UnsupportedSQL("Only SELECT is answered."))
    if not line:
        return UnsupportedSQL(f"{what} is not complete.")
    start = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + max(0, end - len(word))
    refused = UnsupportedSQL("This cannot be read. Look at what stands before it, too.")
    if text[:start].rstrip().endswith(";"):
        refused = UnsupportedSQL("A second statement begins here. Write one.")
    return Text(text)._marked((start, start + len(word)), refused)
