"""Patterns of dates and moments in text, such as %d.%m.%Y: few signs, each with one meaning."""

import re

from leastnoise import _check

YEAR = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
"""1 to 9999: engines disagree beyond."""
SIGNS = {
    "%Y": YEAR,
    "%y": "[0-9]{2}",
    "%m": "[0-9]{1,2}",
    "%d": "[0-9]{1,2}",
    "%b": "[A-Za-z]{3}",
    "%B": "[A-Za-z]{3,9}",
    "%H": "[0-9]{1,2}",
    "%I": "[0-9]{1,2}",
    "%M": "[0-9]{1,2}",
    "%S": "[0-9]{1,2}",
    "%f": "[0-9]{1,6}",
    "%p": "[AaPp][Mm]",
    "%z": "[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?",
}
"""What a pattern may hold, each with what stands there, as a regular expression."""
_OF_DAYS = (("%Y", "%y"), ("%m", "%b", "%B"), ("%d",))
OFFSET = "%z"
"""The sign of patterns for moments with a zone."""
_OF_HOURS = ("%H", "%I", "%M", "%S", "%f", "%p", OFFSET)
_PARTS = re.compile("%.|[^%]", re.DOTALL)
_PLAIN = re.compile("[ -~]*")
_MOST = 60


def checked_pattern(given: object, name: str, *, hours: bool) -> str:
    """A pattern that says a whole day, and with `hours` perhaps a time of it; "" for ISO 8601.

    Raises:
        InvalidParameter: no text, an unknown sign, one twice, or no year, month or day.
    """
    if given == "" or (isinstance(given, str) and _is_pattern(given, hours=hours)):
        return given
    example = "'%d.%m.%Y %H:%M'" if hours else "'%d.%m.%Y'"
    allowed = " ".join(sign for sign in SIGNS if hours or sign not in _OF_HOURS)
    raise _check.refuse(
        f"`{name}` must be a pattern with a year, a month and a day, each once",
        _check.shown(given),
        f"Write {example}, of these signs: {allowed}.",
    )


def _is_pattern(given: str, *, hours: bool) -> bool:
    if len(given) > _MOST or not _PLAIN.fullmatch(given) or given != given.strip():
        return False
    found = [part for part in parts_of(given) if part.startswith("%")]
    known = all(sign in SIGNS and (hours or sign not in _OF_HOURS) for sign in found)
    days = all(sum(found.count(sign) for sign in one) == 1 for one in _OF_DAYS)
    clock = [found.count(sign) for sign in _OF_HOURS]
    twelve = found.count("%I") == found.count("%p") and found.count("%H") + found.count("%I") <= 1
    return known and days and twelve and max(clock) <= 1


def parts_of(pattern: str) -> list[str]:
    """The signs of a pattern and the letters between them."""
    return _PARTS.findall(pattern)


def regex_of(pattern: str) -> str:
    """What texts look like that may follow a pattern."""
    return "".join(SIGNS.get(part, re.escape(part)) for part in parts_of(pattern))
