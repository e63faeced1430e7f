r"""`FUNCTIONS`: every function of a row's values, by the name that plans and SQL call it."""

from collections.abc import Callable
from functools import partial
from typing import cast

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.choices import Indicator
from leastnoise.release.ask.conditions import Match, TextTest
from leastnoise.release.ask.signatures import SIGNATURES
from leastnoise.release.ask.terms import Column, Constant, DatePart, Part, Term, called


@dataclass(frozen=True)
class Function:
    """A function that can be called by name.

    Attributes:
        name: in lower case.
        words: what it gives, for people.
        make: of terms and constants: the term; raises InvalidParameter for others.
        spelled: its name with its arguments.
    """

    name: str
    words: str
    make: Callable[..., Term]
    spelled: str = ""


def _tested(name: str, how: Match, *arguments: object) -> Term:
    match arguments:
        case [Term() as term, pattern]:
            text = pattern.value if isinstance(pattern, Constant) else pattern
            return Indicator(TextTest(term, how, cast("str", text)))
    raise _check.refuse(
        f"`{name}` must have a term and a constant text",
        f"{len(arguments)} arguments",
        f"Write {name}(city, 'berg').",
    )


_TESTS = {
    "contains": (Match.CONTAINS, "whether s has the constant text t in it"),
    "starts_with": (Match.STARTS, "whether s begins with the constant text t"),
    "like": (
        Match.LIKE,
        "whether s as a whole fits the constant text t, in which % is any text, _ any letter",
    ),
}


def _part(name: str, *arguments: object) -> Term:
    """Of a column, the term that its own method makes."""
    match arguments:
        case [Column() as column]:
            return DatePart(column, Part(name))
    return called(name, *arguments)


_PARTS = {part.value: partial(_part, part.value) for part in Part}

FUNCTIONS: dict[str, Function] = {
    **{
        name: Function(name, each.words, _PARTS.get(name, partial(called, name)), str(each))
        for name, each in SIGNATURES.items()
    },
    **{
        name: Function(name, words, partial(_tested, name, how), f"{name}(s, t)")
        for name, (how, words) in _TESTS.items()
    },
}
