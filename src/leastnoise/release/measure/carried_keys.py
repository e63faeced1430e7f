"""Keys as engines carry them: dates as numbers of days, everything else as it is."""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.days import day_number, day_of, is_day
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.measure.backends.session import CarriedKey


def carried(keys: Keys) -> Keys:
    """Public keys to be joined with."""
    if not any(map(is_day, keys.rows[0])):  # all values of a column are of one type
        return keys
    return Keys(keys.columns, (tuple(map(_number, row)) for row in keys.rows))


def _number(value: Key) -> Key:
    return day_number(value) if is_day(value) else value  # type: ignore[arg-type]


def told(column: list[CarriedKey], kind: ColumnType) -> list[Key]:
    """Private keys that were found, of a column that holds this."""
    if kind is not ColumnType.DATE:
        return list(column)
    return [day_of(int(number)) for number in column]
