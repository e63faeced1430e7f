r"""`FUNCTIONS`: every function of a row's values, by the name that plans and SQL call it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from leastnoise.release.ask.signatures import SIGNATURES
from leastnoise.release.ask.terms import Term, called


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


FUNCTIONS: dict[str, Function] = {
    name: Function(name, each.words, partial(called, name), str(each))
    for name, each in SIGNATURES.items()
}
