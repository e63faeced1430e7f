"""`Document`: a text, read, checked against its schema, with the place of every part."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from leastnoise.errors import BackendError, InvalidParameter, UnsupportedQuery
from leastnoise.release.document.schema_faults import Fault, SchemaCheck
from leastnoise.release.document.toml_places import Path, Place, toml_places

_QUOTED = re.compile(r"`(\w+)`")
_NAMED = re.compile(r"\bkeys\b")
_AT = re.compile(r"(.*?) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_DAY = re.compile(r"[=,\[]\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b")
_COMMA = re.compile(r"=\s*[+-]?\d+,\d")


class Mistake(InvalidParameter):
    """Something in a file is wrong; the message says where it stands."""


class Document:
    """What a text says, as TOML's values; numbers with a point are decimal, hence exact.

    Args:
        text: TOML.
        name: what to call the file in messages.
        check: what it may say.

    Raises:
        InvalidParameter: not TOML, or not as the schema has it; the message says where.
    """

    def __init__(self, text: str, name: str, check: SchemaCheck) -> None:
        self._name, self._whole = name, check.whole
        self.said = self._parsed(text)
        self._places = toml_places(text.replace("\r\n", "\n"))
        fault = check.fault_in(self.said)
        if fault is not None:
            raise self._located(fault.path, fault.message)

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            match = _AT.fullmatch(str(error))
            what, line, column = match.groups() if match else (str(error), None, None)
            lines = text.split("\n")
            place = Place(int(line or len(lines)), int(column or len(lines[-1]) + 1))
            found = what[:1].lower() + what[1:]
            remedy = _remedy(lines[min(place.line, len(lines)) - 1])
            message = f"{self._whole} must be TOML; got: {found}. {remedy}"
            raise InvalidParameter(f"{self._at(place)} {message}") from None
        except (RecursionError, ValueError):
            message = "must be TOML of moderate depth and size; got another. Write less."
            raise InvalidParameter(f"{self._name}: {self._whole} {message}") from None

    def _at(self, place: Place) -> str:
        return f"{self._name}:{place.line}:{place.column}:"

    def place(self, path: Path) -> Place:
        """Where a part stands, or the nearest thing around it that is written down."""
        while path and path not in self._places:
            path = path[:-1]
        return self._places.get(path, Place(1, 1))

    def _located(self, path: Path, message: str) -> InvalidParameter:
        return Mistake(f"{self._at(self.place(path))} {message}")

    def refusal(self, path: Path, rule: str, finding: str, remedy: str) -> InvalidParameter:
        """What is wrong with a part, and where it stands."""
        return self._located(path, Fault(path, rule, finding, remedy).message)

    @contextmanager
    def about(self, *path: str | int) -> Iterator[None]:
        """What is refused inside is about this part: the message says where it stands."""
        try:
            yield
        except Mistake:
            raise
        except (InvalidParameter, UnsupportedQuery, BackendError) as refusal:
            # The class stays, so that an engine's failure is not taken for a mistake in the plan.
            located = f"{self._at(self.place(self._guilty(path, str(refusal))))} {refusal}"
            kind = Mistake if isinstance(refusal, InvalidParameter) else type(refusal)
            raise kind(located) from None

    def _guilty(self, path: Path, message: str) -> Path:
        """The key inside a part that a message names, else the one whose value it quotes."""
        part: Any = self.said
        for step in path:
            part = part[step]
        if not isinstance(part, Mapping):
            return path
        finding = message.partition(". ")[0]  # a remedy may list what there is
        for name in [*_QUOTED.findall(finding), *_NAMED.findall(finding)]:
            if name in part:
                return (*path, name)
        quoting = (name for name, value in part.items() if _quotes(finding, value))
        return next(((*path, name) for name in quoting), path)


def _quotes(message: str, value: Any) -> bool:
    if isinstance(value, str):
        return repr(value) in message
    if isinstance(value, Mapping):
        return any(_quotes(message, each) for each in value.values())
    return isinstance(value, list) and any(_quotes(message, each) for each in value)


def _remedy(line: str) -> str:
    """What to do about a line that is no TOML, where people often slip."""
    if _DAY.search(line):
        return "Correct it here: a date is written 2026-01-31, and must be in the calendar."
    if _COMMA.search(line):
        return "Correct it here: decimals stand behind a point, as in 0.5."
    return "Correct it here."
