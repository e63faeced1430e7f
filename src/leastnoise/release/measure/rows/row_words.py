"""`words_of_rows`: how rows are made, in words that stay if the tables move."""

from dataclasses import fields, is_dataclass
from typing import Any

from leastnoise.release.ask.csv_form import USUAL
from leastnoise.release.ask.location import CsvFiles, Joined, Location, Zoned
from leastnoise.release.measure.rows.rows import PublicRows, Rows
from leastnoise.release.measure.rows.stored import Stored


def words_of_rows(location: Location) -> tuple[Any, ...]:
    """What is made of tables before questions are asked; nothing for a table as it lies.

    Two tables of one dataset, joins and conditions inside of subqueries, zones in which dates are
    read and forms of text files tell rows apart; files and addresses do not.
    """
    if isinstance(location, Joined):
        return ("joined", _words(location.rows))
    if isinstance(location, Zoned):
        return ("in", location.zone, words_of_rows(location.place))
    if isinstance(location, CsvFiles) and location.form != USUAL:
        return ("form", location.form)
    return ()


def _words(part: Any) -> Any:
    if isinstance(part, Stored):
        return (part.name, part.schema, words_of_rows(part.location))
    if isinstance(part, tuple):
        return tuple(map(_words, part))
    if isinstance(part, Rows | PublicRows):
        assert is_dataclass(part)
        said = [(each.name, getattr(part, each.name), each.default) for each in fields(part)]
        kept = tuple((name, _words(value)) for name, value, usual in said if value is not usual)
        return (type(part).__name__, kept)
    return part
