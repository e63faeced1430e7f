"""Functions of texts: what they take and give."""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.signature import Parameter, Signature, Wants, whole_between
from leastnoise.release.ask.values import MOST_TEXT

_TEXT = Parameter("s", Wants.TEXT)
_FARTHEST = 1_000_000
_START = Parameter(
    "start",
    Wants.WHOLE,
    whole_between(1, _FARTHEST),
    f"a constant integer in 1..{_FARTHEST}; the first letter is number 1",
)
_COUNT = Parameter(
    "count", Wants.WHOLE, whole_between(0, MOST_TEXT), f"a constant integer in 0..{MOST_TEXT}"
)

TEXT_FUNCTIONS = (
    Signature("length", "the number of letters (code points) of s", (_TEXT,), ColumnType.INTEGER),
    Signature("lower", "s with a..z for A..Z; other letters stay", (_TEXT,), ColumnType.TEXT),
    Signature("upper", "s with A..Z for a..z; other letters stay", (_TEXT,), ColumnType.TEXT),
    Signature("trim", "s without spaces at its ends", (_TEXT,), ColumnType.TEXT),
    Signature(
        "substring",
        "the letters of s from number start on, count of them or all",
        (_TEXT, _START, _COUNT),
        ColumnType.TEXT,
        optional=1,
    ),
)
