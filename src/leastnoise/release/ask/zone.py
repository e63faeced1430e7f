"""Zones of time, by the names that engines know."""

from leastnoise import _check

_OWN = frozenset({"localtime", "Factory"})  # what these mean is the machine's affair


def checked_zone(value: object) -> str:
    """The name of a zone, such as "Europe/Oslo".

    Raises:
        InvalidParameter: no such zone.
    """
    from zoneinfo import available_timezones  # noqa: PLC0415 - few tables have a zone

    if isinstance(value, str) and value not in _OWN and value in available_timezones():
        return value
    raise _check.refuse(
        "`zone` must be a zone of the tz database",
        _check.shown(value),
        'Write "Europe/Oslo" or "UTC"; abbreviations and offsets do not know summer time.',
    )
