"""`ColumnType`: what a column holds, as far as questions care; the same words on every engine."""

from enum import Enum


class ColumnType(Enum):
    """What may be asked of a column depends on this and on nothing in the data."""

    TRUTH = "truth"
    INTEGER = "integer"
    WIDE_INTEGER = "wide integer"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    MOMENT = "moment"
    INSTANT = "moment with a zone"
    OTHER = "other"
    UNDECLARED = "undeclared"

    @property
    def can_be_key(self) -> bool:
        """Whether groups can be made by such a column: equality must be plain and exact."""
        return self in {ColumnType.TRUTH, ColumnType.INTEGER, ColumnType.TEXT, ColumnType.DATE}

    @property
    def can_be_unit(self) -> bool:
        """Whether such a column can say whose row it is."""
        return self in {ColumnType.INTEGER, ColumnType.WIDE_INTEGER, ColumnType.TEXT}

    @property
    def has_days(self) -> bool:
        """Whether such a column holds dates, or moments that have one."""
        return self in {ColumnType.DATE, ColumnType.MOMENT}

    @property
    def is_numeric(self) -> bool:
        """Whether such a column can be summed; a truth value counts as 0 or 1."""
        return self in {
            ColumnType.TRUTH,
            ColumnType.INTEGER,
            ColumnType.WIDE_INTEGER,
            ColumnType.NUMBER,
        }


DECLARABLE = (
    ColumnType.TRUTH,
    ColumnType.INTEGER,
    ColumnType.NUMBER,
    ColumnType.TEXT,
    ColumnType.DATE,
    ColumnType.MOMENT,
    ColumnType.INSTANT,
)
"""What a column of a text file can be declared to be."""
