"""A TOML text with the line and column of every key, so that messages can show the place.

`tomllib` reads the values and refuses what is not TOML. It keeps no places, so a second pass over
the text, which by then is known to be valid, finds them.
"""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from leastnoise.numbers.errors import InvalidInput

Keys = tuple[str, ...]
"""The way to a value: ("tables", "visits", "path")."""

MOST_BYTES = 10**6

_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_TOMLLIB_PLACE = re.compile(r"(.*?) \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, eq=False)
class Document:
    """A TOML text and its values.

    Attributes:
        name: the file, as messages call it.
        text: what it holds.
        values: the same as Python values.
    """

    name: str
    text: str
    values: dict[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> "Document":
        """The document in a file."""
        place = Path(path)
        if place.is_dir():
            raise InvalidInput(f"{path} is a folder. Name the TOML file in it.")
        try:
            content = place.read_bytes()
        except FileNotFoundError:
            others = sorted(each.name for each in place.absolute().parent.glob("*.toml"))
            verb = "are" if len(others) > 1 else "is"
            known = f" There {verb} {', '.join(others[:5])}." if others else ""
            raise InvalidInput(
                f"There is no file {path}.{known}\n  To make one:  leastnoise init {path} visits.csv"
            ) from None
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
        if len(content) > MOST_BYTES:
            raise InvalidInput(f"{path} has more than a million bytes. Is it a TOML file?")
        try:
            return cls.read(place.name, content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise InvalidInput(f"{path} is no text in UTF-8. Is it a TOML file?") from None

    @classmethod
    def read(cls, name: str, text: str) -> "Document":
        """The document of a text."""
        text = text.replace("\r\n", "\n")
        try:
            return cls(name, text, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            found = _TOMLLIB_PLACE.match(str(error))
            what = found[1] if found else str(error)
            lines = text.rstrip("\n").split("\n")
            line, column = (
                (int(found[2]), int(found[3]))
                if found and found[2]
                else (len(lines), len(lines[-1]) + 1)
            )
            message = f"this is no TOML: {what[:1].lower()}{what[1:]}."
            raise InvalidInput(_marked(name, text, line, column, 1, message)) from None
        except RecursionError:
            raise InvalidInput(f"{name} has brackets inside brackets without end.") from None

    @cached_property
    def places(self) -> dict[Keys, tuple[int, int]]:
        """Where each key stands: its first character and the one behind its last."""
        found: dict[Keys, tuple[int, int]] = {}
        for keys, place in _Scanner(self.text).document():
            found.setdefault(keys, place)
        return found

    def error(self, keys: Keys, message: str) -> InvalidInput:
        """A refusal with the place of a key, or of the nearest one that it is in."""
        while keys and keys not in self.places:
            keys = keys[:-1]
        if not keys:
            return InvalidInput(f"{self.name}: {message}")
        start, end = self.places[keys]
        before = self.text[:start]
        line, column = before.count("\n") + 1, start - before.rfind("\n")
        return InvalidInput(_marked(self.name, self.text, line, column, end - start, message))

    @contextmanager
    def at(self, *keys: str) -> Iterator[None]:
        """What is refused inside is refused with the place of a key."""
        try:
            yield
        except InvalidInput as error:
            raise self.error(keys, str(error)) from None


def _marked(name: str, text: str, line: int, column: int, width: int, message: str) -> str:
    """A message with the line that it is about; what to do comes last."""
    shown = text.split("\n")[line - 1]
    place = column - 1
    if place > 60:  # a long line is shown around the mark
        shown, place = "..." + shown[place - 50 :], 53
    first, rest, after = message.partition("\n")
    mark = " " * place + "^" * max(1, min(width, 76 - place))
    where = f"{name}, line {line}, column {column}"
    return f"{where}: {first}\n    {shown[:76]}\n    {mark}{rest}{after}"


class _Scanner:
    """Goes over a text that is valid TOML and yields every key with its place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> Iterator[tuple[Keys, tuple[int, int]]]:
        """Every key of the text."""
        table: Keys = ()
        self._skip(_GAP)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                self._at += 1 + self._text.startswith("[[", self._at)
                table = ()
                for keys, place in self._key(()):
                    yield keys, place
                    table = keys
                self._at += 1 + self._text.startswith("]]", self._at)
            else:
                yield from self._pair(table)
            self._skip(_GAP)

    def _pair(self, inside: Keys) -> Iterator[tuple[Keys, tuple[int, int]]]:
        """`key = value`, where the key may have dots."""
        keys = inside
        for keys, place in self._key(inside):
            yield keys, place
        self._at += 1  # the equals sign
        yield from self._value(keys)

    def _key(self, inside: Keys) -> Iterator[tuple[Keys, tuple[int, int]]]:
        while True:
            self._skip(_GAP)
            start = self._at
            self._skip(_STRING if self._text[start] in "\"'" else _BARE_KEY)
            raw = self._text[start : self._at]
            (part,) = tomllib.loads(f"{raw} = 0")
            inside = (*inside, part)
            yield inside, (start, self._at)
            dot = _DOT.match(self._text, self._at)
            if dot is None:
                self._skip(_GAP)
                return
            self._at = dot.end()

    def _value(self, keys: Keys) -> Iterator[tuple[Keys, tuple[int, int]]]:
        self._skip(_GAP)
        first = self._text[self._at]
        if first in "\"'":
            self._skip(_STRING)
        elif first in "[{":
            self._at += 1
            self._skip(_GAP)
            while self._text[self._at] not in "]}":
                yield from self._value(keys) if first == "[" else self._pair(keys)
                self._skip(_GAP)
                self._at += self._text[self._at] == ","
                self._skip(_GAP)
            self._at += 1
        else:
            self._skip(_BARE_VALUE)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        assert found is not None, "the text is no TOML"
        self._at = found.end()
