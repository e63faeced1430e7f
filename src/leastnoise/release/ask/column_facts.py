"""`ColumnFacts`: what the owner of the data says about a column; public, never taken from rows."""

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import TypeAlias

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Value, checked_value

End: TypeAlias = Fraction | date
"""The end of a range: of numbers, or of dates and moments."""


@dataclass(frozen=True, init=False)
class ColumnFacts:
    """Facts that questions may use as defaults. Privacy rests on none of them.

    A range is where values are cut to by default, so a wrong one costs accuracy alone; values are
    the public groups of the column.

    Args:
        lower: the least value, if a range is declared.
        upper: the greatest value.
        values: all values that the column can have, if they are few and public.
        measure: the unit of measure, such as "NOK".
        description: for people.
        never_null: that no value is missing.

    Raises:
        InvalidParameter: one end of a range alone, ends in the wrong order or of different kinds,
            values twice or none.
    """

    lower: End | None
    upper: End | None
    values: tuple[Value, ...] | None
    measure: str
    description: str
    never_null: bool

    def __init__(  # noqa: PLR0913 - each is a fact of its own
        self,
        *,
        lower: Exact | date | None = None,
        upper: Exact | date | None = None,
        values: Iterable[object] | None = None,
        measure: str = "",
        description: str = "",
        never_null: bool = False,
    ) -> None:
        ends = _range(lower, upper)
        object.__setattr__(self, "lower", ends[0])
        object.__setattr__(self, "upper", ends[1])
        object.__setattr__(self, "values", None if values is None else _values(values))
        object.__setattr__(self, "measure", measure)
        object.__setattr__(self, "description", description)
        object.__setattr__(self, "never_null", never_null)


def _range(
    lower: Exact | date | None, upper: Exact | date | None
) -> tuple[End, End] | tuple[None, None]:
    if lower is None and upper is None:
        return None, None
    if lower is None or upper is None:
        raise _check.refuse("a range must have both ends", "one of them", "Write range = [0, 110].")
    low, high = _end(lower), _end(upper)
    if type(low) is type(high) and low <= high:  # type: ignore[operator]
        return low, high
    raise _check.refuse(
        "a range must be two numbers or two dates, the lower one first",
        f"{lower} and {upper}",
        "Write range = [0, 110] or [2020-01-01, 2026-12-31].",
    )


def _end(value: Exact | date) -> End:
    return value if isinstance(value, date) else Fraction(_check.rational(value, "range"))


def _values(values: Iterable[object]) -> tuple[Value, ...]:
    found = tuple(map(checked_value, values))
    if found and len(set(found)) == len(found):
        return found
    raise _check.refuse(
        "`values` must list every value once",
        f"{len(found)} of {len(set(found))} different ones",
        "Write each once.",
    )


NOTHING_SAID = ColumnFacts()
"""Of a column that nobody described."""
