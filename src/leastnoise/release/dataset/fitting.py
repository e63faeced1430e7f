"""Whether what is said of a column fits what it holds."""

from datetime import date, datetime
from fractions import Fraction

from leastnoise import _check
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.column_type import ColumnType

_DATES = {ColumnType.DATE, ColumnType.MOMENT}


def refuse_misfit(name: str, facts: ColumnFacts, kind: ColumnType) -> None:
    """Checks the range and the values of a column against its type.

    Raises:
        InvalidParameter: a range of something that has none, or values of another type.
    """
    if facts.lower is not None and not _has_range(kind, facts.lower):
        raise _check.refuse(
            f"the range of {name!r} must be of what the column holds, {kind.value!r}",
            "dates" if isinstance(facts.lower, date) else "numbers",
            "Ranges are of numbers, dates and moments; list the `values` of others.",
        )
    others = [each for each in facts.values or () if not _is_of(kind, each)]
    if others:
        raise _check.refuse(
            f"the values of {name!r} must be of what the column holds, {kind.value!r}",
            _check.shown(str(others[0])),
            "Write them as the column has them: 1 is not '1'.",
        )


def _has_range(kind: ColumnType, end: Fraction | date) -> bool:
    return kind in _DATES if isinstance(end, date) else kind.is_numeric


def _is_of(kind: ColumnType, value: object) -> bool:
    if isinstance(value, bool):
        return kind is ColumnType.TRUTH
    if isinstance(value, str):
        return kind is ColumnType.TEXT
    if isinstance(value, date):
        return kind is (ColumnType.MOMENT if isinstance(value, datetime) else ColumnType.DATE)
    whole = not isinstance(value, Fraction)
    return kind is ColumnType.NUMBER or (whole and kind.is_numeric and kind is not ColumnType.TRUTH)


def refuse_other_type(name: str, declared: ColumnType, found: ColumnType) -> None:
    """Checks that a column holds what was declared; whole numbers may be called numbers.

    Raises:
        InvalidParameter: it holds something else.
    """
    wider = {ColumnType.NUMBER: {ColumnType.INTEGER, ColumnType.WIDE_INTEGER}}
    wider[ColumnType.INTEGER] = {ColumnType.WIDE_INTEGER}
    wider[ColumnType.INSTANT] = {ColumnType.MOMENT}  # read as local times of the dataset's zone
    if found is declared or found in wider.get(declared, ()):
        return
    raise _check.refuse(
        f"{name!r} must hold what is declared, {declared.value!r}",
        f"a column of type {found.value!r}",
        "Declare what the data have, or convert the data.",
    )
