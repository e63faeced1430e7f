"""`Exhibit`: one broken mechanism, what it promises, and the evidence against it."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.museum.evidence import Evidence, Finding

KEY = re.compile(r"^Shown by: ([\w, ]+)\.$", re.MULTILINE)
EXHIBITS: "dict[str, Exhibit]" = {}

T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True)
class Exhibit:
    """A broken thing on show.

    Attributes:
        name: in words.
        text: its docstring: what is wrong, and who showed it.
        broken: the thing.
        evidence: how to look at it.
        room: the module it hangs in.
    """

    name: str
    text: str
    broken: Any
    evidence: Evidence
    room: str

    def finding(self) -> Finding:
        return self.evidence.of(self.broken)

    @property
    def fault(self) -> str:
        """What is wrong, as one line."""
        return " ".join(self.text.partition("\n\nShown by:")[0].split())

    @property
    def sources(self) -> list[str]:
        """The papers and public bugs that show it, by key."""
        found = KEY.search(self.text)
        return found[1].split(", ") if found else []


def show(name: str, broken: Any, text: str, evidence: Evidence, room: str) -> None:
    """Put something on show."""
    assert name not in EXHIBITS
    EXHIBITS[name] = Exhibit(name, inspect.cleandoc(text), broken, evidence, room)


def exhibit(evidence: Evidence) -> Callable[[T], T]:
    """Puts a function on show under its own name."""

    def shown(broken: T) -> T:
        name = broken.__name__.replace("_", " ")
        show(name, broken, broken.__doc__ or "", evidence, broken.__module__)
        return broken

    return shown
