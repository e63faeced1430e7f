"""`Place`: where something stands in a text, and refusals that begin with it."""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from leastnoise import _check
from leastnoise.errors import InvalidParameter, UnsupportedQuery


class Place(NamedTuple):
    """A line and a column, both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


START = Place(1, 1)
"""Of a whole text."""


class PlacedRefusal(InvalidParameter):
    """A refusal that says where in the text the reason stands.

    Attributes:
        place: where it stands.
    """

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.place = place


class Places:
    """The lines of a text, to find the place of a character by its number."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(i + 1 for i, letter in enumerate(text) if letter == "\n")]

    def of(self, offset: int) -> Place:
        """The place of a character, by its number from 0."""
        line = bisect_right(self._starts, max(offset, 0))
        return Place(line, max(offset, 0) - self._starts[line - 1] + 1)


def refused(place: Place, rule: str, finding: str, remedy: str) -> PlacedRefusal:
    """The library's one message shape, with the place in front."""
    return PlacedRefusal(f"{place}: {_check.refuse(rule, finding, remedy)}", place)


@contextmanager
def standing_at(place: Place) -> Iterator[None]:
    """What is refused inside without a place stands at this one."""
    try:
        yield
    except PlacedRefusal:
        raise
    except (InvalidParameter, UnsupportedQuery) as refusal:
        raise PlacedRefusal(f"{place}: {refusal}", place) from None
