"""`words_of_rows`: how rows are made, in words that stay if the tables move."""

from dataclasses import fields, is_dataclass
from typing import Any

from leastnoise.release.ask.location import Joined, Location, Zoned
from leastnoise.release.measure.rows.rows import PublicRows, Rows
from leastnoise.release.measure.rows.stored import Stored


def words_of_rows(location: Location) -> str:
    """What is made of tables before questions are asked; nothing for a table as it lies.

    Two tables of one dataset, joins and conditions inside of subqueries, and zones in which dates
    are read tell rows apart; files and addresses do not.
    """
    if isinstance(location, Joined):
        return _words(location.rows)
    return f"in {location.zone}" if isinstance(location, Zoned) else ""


def _words(part: Any) -> str:
    if isinstance(part, Stored):
        return f"{part.name!r} {part.schema!r} {words_of_rows(part.location)}"
    if isinstance(part, tuple):
        return f"({', '.join(map(_words, part))})"
    if isinstance(part, Rows | PublicRows):
        assert is_dataclass(part)
        found = (f"{each.name}={_words(getattr(part, each.name))}" for each in fields(part))
        return f"{type(part).__name__}({', '.join(found)})"
    return repr(part)
