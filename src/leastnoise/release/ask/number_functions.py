"""Functions of numbers: what they take and give."""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.signature import Parameter, Signature, Wants

_X = Parameter("x", Wants.NUMBER)
MOST_DIGITS = 15
_MOST_DIVISOR = 2**53

NUMBER_FUNCTIONS = (Signature("abs", "x without its sign", (_X,), ColumnType.NUMBER),)
