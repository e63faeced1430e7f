"""Functions of a row's values by the names that SQL has for them, and CASE."""

from collections.abc import Sequence

from leastnoise import _check
from leastnoise.release.ask.choices import Case
from leastnoise.release.ask.conditions import Condition
from leastnoise.release.ask.expression import Column, Constant, Term, Value
from leastnoise.release.ask.functions import FUNCTIONS

Given = Term | Value | None
"""What stands as an argument; None for NULL."""

_ALIASES = {
    "ceiling": "ceil",
    "substr": "substring",
    "char_length": "length",
    "character_length": "length",
    "lcase": "lower",
    "ucase": "upper",
    "ifnull": "coalesce",
    "nvl": "coalesce",
    "dayofweek_iso": "weekday",
    "isodow": "weekday",
    "date_trunc": "date_trunc",
    "datetrunc": "date_trunc",
    "timestamp_trunc": "date_trunc",
}
_PARTS = ("year", "month", "day", "hour")


def function_called(name: str, given: Sequence[Given]) -> Term:
    """A function by name, of terms and values.

    Raises:
        InvalidParameter: there is none of this name, or it takes other arguments.
    """
    known = _ALIASES.get(name, name)
    if any(each is None for each in given):
        raise _check.refuse("an argument must be a value", "NULL", "Leave it out.")
    if known in FUNCTIONS:
        return FUNCTIONS[known].make(*given)
    if known in _PARTS and len(given) == 1 and isinstance(given[0], Column):
        made: Term = getattr(given[0], known)()
        return made
    names = ", ".join(sorted({*FUNCTIONS, *_PARTS} - {"divide"}))
    raise _check.refuse("a function must be a known one", f"{name!r}", f"There are: {names}.")


def chosen(branches: Sequence[tuple[Condition, Given]], otherwise: Given) -> Term:
    """CASE: the value of the first condition that is true; None for NULL.

    Raises:
        InvalidParameter: all values are NULL, or there are too many.
    """
    made = tuple((test, _value(value)) for test, value in branches)
    return Case(made, _value(otherwise))


def _value(value: Given) -> Term | None:
    return value if value is None or isinstance(value, Term) else Constant(value)
