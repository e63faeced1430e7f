r"""The chain of hashes: every line is bound to all lines before it.

hash(n) = SHA-256(hash(n−1) ‖ line n), and hash(0) is that of the ledger's header. Whoever changes,
removes or reorders a line must change every later hash; a note of the last hash kept elsewhere
shows even that.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError
from leastnoise.ledger.entry import Entry, event_from_text, event_text


@dataclass(frozen=True)
class Line:
    """One stored row: its number, its text and its hash."""

    number: int
    text: str
    hash: str


def linked(before: str, text: str) -> str:
    """The hash of a line after another."""
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def written(entry: Entry, before: str) -> Line:
    """An entry as a line."""
    body = {"number": entry.number, "time": entry.time, **event_text(entry.event)}
    text = canonical(body | ({"totals": entry.totals} if entry.totals else {}))
    return Line(entry.number, text, linked(before, text))


def canonical(value: dict[str, Any]) -> str:
    """One text for one value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def checked(lines: Iterable[Line], before: str, known: int = 0) -> Iterator[Line]:
    """The lines of an untouched chain after `known` lines that end with the hash `before`.

    Raises:
        LedgerError: a line was changed, removed, added or reordered.
    """
    for expected, line in enumerate(lines, known + 1):
        if line.number != expected or line.hash != linked(before, line.text):
            raise tampered(expected)
        yield line
        before = line.hash


def entry_of(line: Line) -> Entry:
    """What a line says.

    Raises:
        LedgerError: nothing that a ledger wrote.
    """
    try:
        body = json.loads(line.text)
        if body["number"] != line.number:
            raise tampered(line.number)
        totals = str(body.get("totals", ""))
        return Entry(line.number, body["time"], event_from_text(body), line.hash, totals)
    except (AttributeError, KeyError, ValueError, TypeError, RecursionError):
        raise tampered(line.number) from None


def tampered(number: int) -> LedgerError:
    """The refusal to work with a broken chain."""
    return LedgerError(
        f"a ledger's lines must follow from one another; line {number} does not. It was changed "
        "or damaged: restore a backup, and count everything since as spent."
    )
