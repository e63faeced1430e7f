"""Keys as engines carry them: dates as numbers of days, everything else as it is."""

import numpy as np

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.days import day_number, day_of, is_day
from leastnoise.release.ask.key_rows import KeyColumn, KeyRows
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.measure.backends.session import CarriedKey


def carried(keys: Keys) -> Keys:
    """Public keys to be joined with."""
    if not any(map(is_day, keys.listed[0])):  # all values of a column are of one type
        return keys
    return Keys(keys.columns, KeyRows(map(_numbers, keys.listed.columns), len(keys)))


def _numbers(column: KeyColumn) -> KeyColumn:
    if isinstance(column, np.ndarray) or not is_day(column[0]):
        return column
    known = {day: day_number(day) for day in set(column)}  # type: ignore[arg-type]
    return np.fromiter(map(known.__getitem__, column), np.int64, len(column))


def told(column: list[CarriedKey], kind: ColumnType) -> list[Key]:
    """Private keys that were found, of a column that holds this."""
    if kind is not ColumnType.DATE:
        return list(column)
    return [day_of(int(number)) for number in column]
