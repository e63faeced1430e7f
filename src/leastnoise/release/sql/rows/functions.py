"""Functions of a row's values by the names that SQL has for them, and CASE."""

from collections.abc import Sequence
from typing import Any

from leastnoise import _check
from leastnoise.release.ask.expression import Column, Condition, Term, Value

Given = Term | Value | None


def function_called(name: str, given: Sequence[Given]) -> Term:
    """A function by name, of terms and values."""
    if (
        name in {"year", "month", "day", "hour"}
        and len(given) == 1
        and isinstance(given[0], Column)
    ):
        made: Any = getattr(given[0], name)()
        return made  # type: ignore[no-any-return]
    raise _check.refuse("a function must be a known one", f"{name!r}", "See the page SQL.")


def chosen(branches: Sequence[tuple[Condition, Given]], otherwise: Given) -> Term:
    """CASE."""
    raise _check.refuse("CASE", "nothing", "")
