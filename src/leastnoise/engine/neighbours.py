"""What makes two tables neighbours: one unit more or less, or one unit's rows replaced."""

from enum import Enum


class Neighbours(Enum):
    """The relation that privacy is promised for; a unit is a person, or whatever was declared."""

    ADD_REMOVE = "one unit with all its rows is added or removed"
    REPLACE = "one unit's rows are replaced by any others"
