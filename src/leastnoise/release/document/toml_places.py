"""Where each key of a TOML text stands: the parser of the standard library does not tell."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str | int, ...]
"""The keys and list positions that lead to a value, such as ("question", 0, "upper")."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\n]*")
_QUOTES = ('"""', "'" * 3, '"', "'")


class Place(NamedTuple):
    """A line and a column, both counted from 1."""

    line: int
    column: int


def toml_places(text: str) -> dict[Path, Place]:
    r"""The place of every table, key and list element.

    Args:
        text: valid TOML; the standard library's parser has read it.

    Example:
        >>> places = toml_places('[data]\nunit = "id"\n[[question]]\nask = {a = 1}\n')
        >>> places["data", "unit"], places["question", 0, "ask", "a"]
        (Place(line=2, column=1), Place(line=4, column=8))
    """
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return {path: _place(starts, at) for path, at in _Scanner(text).found()}


def _place(starts: list[int], at: int) -> Place:
    line = bisect_right(starts, at)
    return Place(line, at - starts[line - 1] + 1)


class _Scanner:
    """One walk through the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lengths: dict[Path, int] = {}

    def found(self) -> Iterator[tuple[Path, int]]:
        """Every path with the offset at which it is written."""
        table: Path = ()
        while self._skip_blank() < len(self._text):
            start = self._at
            if self._text[start] == "[":
                table = self._header()
                yield table, start
            else:
                yield from self._pair(table)

    def _skip_blank(self) -> int:
        match = _BLANK.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return self._at

    def _take(self, mark: str) -> bool:
        self._skip_blank()
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def _header(self) -> Path:
        is_list = self._text.startswith("[[", self._at)
        self._at += 2 if is_list else 1
        *parents, last = self._key()
        self._at = self._text.index("]", self._at) + (2 if is_list else 1)
        path: Path = ()
        for part in parents:
            path = self._inside((*path, part))
        path = (*path, last)
        if is_list:
            self._lengths[path] = self._lengths.get(path, 0) + 1
        return self._inside(path)

    def _inside(self, path: Path) -> Path:
        """A list of tables stands for its last one."""
        return (*path, self._lengths[path] - 1) if path in self._lengths else path

    def _key(self) -> list[str]:
        parts = [self._key_part()]
        while self._take("."):
            parts.append(self._key_part())
        return parts

    def _key_part(self) -> str:
        start = self._skip_blank()
        if self._text[start] in "\"'":
            self._string()
            return self._text[start + 1 : self._at - 1]
        match = _BARE.match(self._text, start)
        assert match is not None
        self._at = match.end()
        return match.group()

    def _pair(self, table: Path) -> Iterator[tuple[Path, int]]:
        start, path = self._skip_blank(), table
        for part in self._key():
            path = (*path, part)
            yield path, start
        self._take("=")
        yield from self._value(path)

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        start = self._skip_blank()
        if self._text[start] == "[":
            yield from self._list(path)
        elif self._take("{"):
            while not self._take("}"):
                yield from self._pair(path)
                self._take(",")
        elif self._text[start] in "\"'":
            self._string()
        else:
            match = _SCALAR.match(self._text, start)
            assert match is not None
            self._at = match.end()

    def _list(self, path: Path) -> Iterator[tuple[Path, int]]:
        self._at += 1
        number = 0
        while not self._take("]"):
            yield (*path, number), self._skip_blank()
            yield from self._value((*path, number))
            number += 1
            self._take(",")

    def _string(self) -> None:
        quote = next(each for each in _QUOTES if self._text.startswith(each, self._at))
        self._at += len(quote)
        while not self._text.startswith(quote, self._at):
            self._at += 2 if self._text[self._at] == "\\" and quote[0] == '"' else 1
        self._at += len(quote)
        # Up to two more quotes may belong to the end of a long text.
        while len(quote) == 3 and self._text.startswith(quote[0], self._at):
            self._at += 1
