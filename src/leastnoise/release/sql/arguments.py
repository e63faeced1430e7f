"""What stands between the parentheses of an aggregate, and behind them."""

from fractions import Fraction

from leastnoise.release.ask.expression import Condition, Term
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.ranges import Declared, range_of
from leastnoise.release.sql import aggregates
from leastnoise.release.sql.rows.scope import Scope
from leastnoise.release.sql.rows.to_condition import condition_on
from leastnoise.release.sql.text.place import refused
from leastnoise.release.sql.text.tree import Call, Expression, Literal, Several

PER_GROUP, PER_ROW = "contribution_bounds_per_group", "contribution_bounds_per_row"
"""BigQuery's names for bounds on what a unit has in a group, and on what a row has."""
MOST_ROWS = 2**40
"""More rows than any unit has; what is added up over so many has no range worth the name."""
_EXAMPLE = "Write contribution_bounds_per_row => (0, 100)."


def only_argument(call: Call) -> Expression:
    """The one argument of an aggregate.

    Raises:
        InvalidParameter: there is none, or there are several.
    """
    if len(call.arguments) == 1 and call.within is None:
        return call.arguments[0]
    raise refused(
        call.at,
        f"{call.written} takes one expression",
        f"{len(call.arguments)}",
        f"Write {call.written}(x).",
    )


def filter_of(call: Call, scope: Scope) -> Condition | None:
    """The condition behind FILTER."""
    return None if call.where is None else condition_on(call.where, scope)


def named_values(call: Call) -> tuple[tuple[str, tuple[Fraction, Fraction]], ...]:
    """The named arguments, each a pair of numbers.

    Raises:
        InvalidParameter: one is something else.
    """
    return tuple((name, _pair(name, value)) for name, value in call.named)


def bounds_of(call: Call, known: set[str]) -> dict[str, tuple[Fraction, Fraction]]:
    """The named arguments of an aggregate, if they are among the known ones.

    Raises:
        InvalidParameter: one is not.
    """
    found = dict(named_values(call))
    for name, value in call.named:
        if name not in known:
            raise refused(
                value.at,
                f"{call.written} takes the bounds {' or '.join(sorted(known))}",
                f"{name!r}",
                "Write these, or none.",
            )
    return found


def _pair(name: str, value: Expression) -> tuple[Fraction, Fraction]:
    match value:
        case Several(parts=(Literal(value=low), Literal(value=high))):
            numbers = [each for each in (low, high) if _is_number(each)]
            if len(numbers) == 2 and numbers[0] <= numbers[1]:  # type: ignore[operator]
                return Fraction(numbers[0]), Fraction(numbers[1])  # type: ignore[arg-type]
    raise refused(
        value.at, f"`{name}` must be two numbers, the lower one first", "others", _EXAMPLE
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def level_of(call: Call) -> tuple[Expression, Fraction]:
    """What a quantile is of, and its level; a median is one at a half.

    Raises:
        InvalidParameter: neither PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) nor (x, 0.5).
    """
    given = call.arguments
    if call.name in aggregates.MEDIANS:
        return only_argument(call), Fraction(1, 2)
    if call.within is not None and len(given) == 1:
        level = _level(given[0], call)
        return call.within.what, 1 - level if call.within.falling else level
    if call.within is None and len(given) == 2:
        return given[0], _level(given[1], call)
    raise refused(
        call.at,
        f"{call.written} takes a level and what it is of",
        "something else",
        f"Write {call.written}(0.5) WITHIN GROUP (ORDER BY x), or {call.written}(x, 0.5).",
    )


def _level(value: Expression, call: Call) -> Fraction:
    match value:
        case Literal(value=int() | Fraction() as level) if _is_number(level) and 0 < level < 1:
            return Fraction(level)
    raise refused(
        value.at,
        f"the level of {call.written} must be a number between 0 and 1, both left out",
        "something else",
        "Write 0.5, or 0.01 and 0.99 for the ends.",
    )


def number_in(term: Term, table: Declared) -> tuple[Fraction, Fraction] | None:
    """The range of a term's values, if it follows from what is declared; else None."""
    found = range_of(term, table)
    if found is None or not isinstance(found.lower, int | Fraction):
        return None
    assert isinstance(found.upper, int | Fraction), "ends are alike"
    if max(abs(found.lower), abs(found.upper)) >= MOST_ROWS:
        return None  # so wide that it says nothing
    return Fraction(found.lower), Fraction(found.upper)


def needed_range(term: Term, table: Declared, call: Call) -> tuple[Fraction, Fraction]:
    """The range of what an aggregate adds up.

    Raises:
        PlacedRefusal: its values are no numbers, or no range follows from what is declared.
    """
    kind = kind_of(term, table.schema)
    if not kind.is_numeric:
        raise refused(
            call.at,
            f"{call.written} is of numbers or truth values",
            f"{term.name!r}, which holds values of type {kind.value!r}",
            "Count it, or GROUP BY it; if it holds numbers, declare its type in the dataset.",
        )
    found = number_in(term, table)
    if found is not None:
        return found
    raise refused(
        call.at,
        f"{call.written} must know a range for its values",
        f"none for {term.name!r}",
        "Give `range` to its column in the dataset, or write it: "
        f"{call.written}(least(greatest(x, 0), 500)).",
    )
