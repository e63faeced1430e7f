"""Functions of numbers: what they take and give."""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.signature import Parameter, Signature, Wants, whole_between

_X = Parameter("x", Wants.NUMBER)
_Y = Parameter("y", Wants.NUMBER)
_MOST_DIGITS = 15  # 10^15 is a double
_MOST_DIVISOR = 2**53
_DIVISOR = Parameter(
    "m",
    Wants.WHOLE,
    whole_between(2, _MOST_DIVISOR),
    "a constant integer in 2..2^53",
)
_DIGITS = Parameter(
    "k",
    Wants.WHOLE,
    whole_between(-_MOST_DIGITS, _MOST_DIGITS),
    f"a constant integer in −{_MOST_DIGITS}..{_MOST_DIGITS}",
)

NUMBER_FUNCTIONS = (
    Signature("abs", "x without its sign", (_X,), ColumnType.NUMBER),
    Signature(
        "divide",
        "x / y, with decimals also of integers; nothing where y is 0",
        (_X, _Y),
        ColumnType.NUMBER,
    ),
    Signature(
        "mod",
        "what is left of an integer x divided by m, with the sign of x",
        (Parameter("x", Wants.WHOLE), _DIVISOR),
        ColumnType.INTEGER,
    ),
    Signature("floor", "the greatest integer up to x", (_X,), ColumnType.NUMBER),
    Signature("ceil", "the least integer from x on", (_X,), ColumnType.NUMBER),
    Signature(
        "round",
        "x to k decimals (0 if left out, less than 0 for tens and hundreds), halves up",
        (_X, _DIGITS),
        ColumnType.NUMBER,
        optional=1,
    ),
    Signature(
        "least",
        "the least of those that have a value",
        (_X, _Y),
        ColumnType.NUMBER,
        repeats=True,
    ),
    Signature(
        "greatest",
        "the greatest of those that have a value",
        (_X, _Y),
        ColumnType.NUMBER,
        repeats=True,
    ),
)
