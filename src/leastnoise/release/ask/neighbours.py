"""What makes two tables neighbours: one unit more or less, or one unit's rows replaced."""

from enum import Enum

from leastnoise import _check


class Neighbours(Enum):
    """The relation that privacy is promised for; a unit is a person, or whatever was declared."""

    ADD_REMOVE = "one unit with all its rows is added or removed"
    REPLACE = (
        "one unit's rows are replaced by one or more others; how many units there are is public"
    )


def checked_neighbours(given: Neighbours | str) -> Neighbours:
    """The relation, or the one with this name; nothing else may pass for either of them.

    Raises:
        InvalidParameter: another name, or no name.
    """
    known = {each.name.lower(): each for each in Neighbours}
    found = known.get(given) if isinstance(given, str) else given
    if isinstance(found, Neighbours):
        return found
    raise _check.refuse(
        "`neighbours` must be 'add_remove' or 'replace'", f"{given!r:.60}", "Write one of them."
    )
