"""SQL text to a sqlglot tree, with the place of every part for messages."""

from dataclasses import dataclass
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL

LONGEST = 100_000  # characters


@dataclass(frozen=True)
class Text:
    """A text that was parsed; it turns nodes into messages with a line, a column and a mark."""

    text: str

    def refusal(self, node: Any, refused: InvalidInput) -> InvalidInput:
        """The same refusal with the place of a node: `line 1, column 8: ...`, and the line marked."""
        span = _span(node)
        if span is None or self.text.strip() == self.text[span[0] : span[1] + 1]:
            return refused
        start, end = span
        before = self.text[:start]
        line, column = before.count("\n"), start - (before.rfind("\n") + 1)
        shown, place = self.text.split("\n")[line], column
        width = max(1, min(end - start + 1, len(shown) - column))
        if column > 60:  # a long line is shown around the mark
            shown, place = "..." + shown[column - 50 :], 53
        first, rest, after = str(refused).partition("\n")
        mark = " " * place + "^" * min(width, 76 - place)
        where = f"line {line + 1}, column {column + 1}"
        return type(refused)(f"{where}: {first}\n    {shown[:76]}\n    {mark}{rest}{after}")


def _span(node: Any) -> tuple[int, int] | None:
    """The first and last character of a node, or of the first part that knows its place."""
    for part in node.walk(bfs=False):
        if "start" in part.meta:
            return part.meta["start"], part.meta["end"]
    return None


def parse(text: str, what: str = "SQL") -> Any:
    """The tree of one statement or expression.

    Args:
        text: what to parse.
        what: what the text is called in messages.
    """
    import sqlglot
    from sqlglot.errors import ParseError, SqlglotError

    if not isinstance(text, str):
        raise InvalidInput(f"{what} is a {type(text).__name__}. Write it as text.")
    if len(text) > LONGEST or "\0" in text:
        raise InvalidInput(f"{what} has {len(text):,} characters; {LONGEST:,} are the most.")
    try:
        found = [each for each in sqlglot.parse(text, read="duckdb") if each is not None]
    except ParseError as error:
        place = error.errors[0] if error.errors else {}
        raise UnsupportedSQL(_unparsed(text, place)) from None
    except (SqlglotError, RecursionError, ValueError):
        raise UnsupportedSQL(f"{what} cannot be read: {text:.60}") from None
    if len(found) != 1:
        raise InvalidInput(f"{what} has {len(found)} statements. Write one.")
    return found[0]


def _unparsed(text: str, place: dict[str, Any]) -> str:
    line, end = place.get("line"), place.get("col")
    if not line:
        return f"This is not complete: {text:.60}"
    word = place.get("highlight") or ""
    shown = text.split("\n")[line - 1]
    column = max(0, (end or 1) - len(word))
    return (
        f"line {line}, column {column + 1}: this cannot be read.\n"
        f"    {shown:.76}\n{' ' * (4 + column)}{'^' * max(1, len(word))}"
    )
