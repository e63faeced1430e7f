r"""`Fragment`: a piece of SQL and the values bound to its markers, in order.

Text comes from this package alone, save for quoted identifiers; whatever users supply is bound.
"""

from collections.abc import Iterable
from dataclasses import field

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Fragment:
    """SQL text with one value per parameter marker."""

    text: str
    parameters: tuple[object, ...] = field(default=(), repr=False)


def fill(template: str, *parts: Fragment) -> Fragment:
    """The template with each {} replaced by a part; values keep the order of their markers.

    Example:
        >>> fill("{} < {}", Fragment('"age"'), Fragment("?", (18,)))
        Fragment(text='"age" < ?')
    """
    pieces = template.split("{}")
    assert len(pieces) == len(parts) + 1
    text = [pieces[0]]
    for part, piece in zip(parts, pieces[1:], strict=True):
        text += [part.text, piece]
    return Fragment("".join(text), tuple(value for part in parts for value in part.parameters))


def joined(separator: str, parts: Iterable[Fragment]) -> Fragment:
    """The parts with the separator between them."""
    found = tuple(parts)
    return fill(separator.join(["{}"] * len(found)), *found)


def named(letter: str, parts: Iterable[Fragment]) -> list[Fragment]:
    """Each part with a letter and its number as its name.

    Example:
        >>> named("k", [Fragment("city"), Fragment("year")])
        [Fragment(text='city AS k0'), Fragment(text='year AS k1')]
    """
    return [fill(f"{{}} AS {letter}{i}", part) for i, part in enumerate(parts)]


def names(letter: str, count: int) -> list[Fragment]:
    """The first `count` names with a letter."""
    return [Fragment(f"{letter}{i}") for i in range(count)]


def grouped(parts: Iterable[Fragment]) -> Fragment:
    """What makes one row of those that share these; one of all rows, if there is nothing."""
    found = list(parts)
    return fill(" GROUP BY {}", joined(", ", found)) if found else Fragment("")
