"""The functions, comparisons and connectives of row expressions: one table of types and SQL.

Every function is total (no row can make it fail), deterministic, and reads one row. What has no
sensible value is missing: a quotient by 0, an integer beyond 64 bits. No NaN and no infinity can
arise: columns are cleaned (`cleaning`), and sizes are bounded here.

*Sizes.* Every number x of an expression is 0 or satisfies 2^-low <= |x| <= 2^high, with (high, low)
computed from those of its parts. An expression whose size might leave the range of doubles is
refused. Text that is put together keeps `LONGEST` characters. Proof page: docs/proofs/expressions.md.

Trusted.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase

from leastnoise.tables.schema import Type

Size = tuple[int, int]
"""(high, low): a number is 0 or between 2^-low and 2^high in magnitude."""

COLUMN: Size = (200, 200)  # of a cleaned column of doubles
WHOLE: Size = (64, 0)  # of a 64-bit integer
LARGEST: Size = (1000, 1000)

LONGEST = 1 << 16
"""Of text that is put together. Doubled in one subquery after another, it would fill the memory."""

PERIODS = ("day", "week", "month", "quarter", "year")
PARTS = ("year", "quarter", "month", "day", "weekday", "hour")


def greatest_size(sizes: Sequence[Size]) -> Size:
    """That of a value which is one of several."""
    return max(high for high, _ in sizes), max(low for _, low in sizes)


def _sum(sizes: Sequence[Size]) -> Size:
    """A difference of doubles is a multiple of the last place of the smaller one."""
    high, low = greatest_size(sizes)
    return high + 1, low + 53


def _product(sizes: Sequence[Size]) -> Size:
    (high, low), (other_high, other_low) = sizes
    return high + other_high + 1, low + other_low + 1


def _quotient(sizes: Sequence[Size]) -> Size:
    (high, low), (other_high, other_low) = sizes
    return high + other_low + 1, low + other_high + 1


def _rounded(sizes: Sequence[Size]) -> Size:
    """To at most 15 decimals: 0, or at least half of the last one."""
    return sizes[0][0] + 1, 60


@dataclass(frozen=True)
class Function:
    """One function.

    Attributes:
        arguments: what each argument may be; the last one repeats if `repeats`.
        result: its type; None: the type that all arguments have in common.
        sql: with {0}, {1}, ... for the arguments, or {all} for the list of them.
        whole_sql: the same where all arguments are integers, which then give an integer.
        size: of its numbers, from those of its arguments.
        constants: for each argument that must be a constant, by place: which values it may have.
        least: how many arguments there must be; all, if -1.
        repeats: whether the last argument may stand more than once.
        meet: whether the arguments are brought to the type that they have in common.
        infix: how it is written between its arguments, if it is.
    """

    arguments: tuple[tuple[Type, ...], ...]
    result: Type | None
    sql: str
    whole_sql: str = ""
    size: Callable[[Sequence[Size]], Size] = greatest_size
    constants: dict[int, Container[object]] = field(default_factory=dict)
    least: int = -1
    repeats: bool = False
    meet: bool = False
    infix: str = ""


class _Anything:
    def __contains__(self, value: object) -> bool:
        return value is not None


_NUMERIC = (Type.INTEGER, Type.NUMBER)
_INTEGER, _TEXT, _CONDITION = (Type.INTEGER,), (Type.TEXT,), (Type.BOOLEAN,)
_DATED = (Type.DATE, Type.TIMESTAMP)
_ANY = tuple(kind for kind in Type if kind is not Type.OTHER)
_TO_INTEGER = "TRY_CAST({} AS BIGINT)"


def _arithmetic(sign: str, size: Callable[[Sequence[Size]], Size]) -> Function:
    # Of two 64-bit integers even the product fits into 128 bits.
    whole = _TO_INTEGER.replace("{}", f"CAST({{0}} AS HUGEINT) {sign} {{1}}")
    numbers = (_NUMERIC, _NUMERIC)
    return Function(numbers, None, f"({{0}} {sign} {{1}})", whole, size, meet=True, infix=sign)


def _comparison(sign: str) -> Function:
    return Function((_ANY, _ANY), Type.BOOLEAN, f"({{0}} {sign} {{1}})", meet=True, infix=sign)


def _connective(word: str) -> Function:
    sql = f"({{all {word} }})"
    return Function((_CONDITION,), Type.BOOLEAN, sql, least=2, repeats=True, infix=word)


def _choice(name: str) -> Function:
    return Function((_ANY,), None, f"{name}({{all, }})", least=2, repeats=True, meet=True)


def _to_integer(name: str) -> Function:
    return Function((_NUMERIC,), Type.INTEGER, _TO_INTEGER.replace("{}", f"{name}({{0}})"), "{0}")


def _part(name: str) -> Function:
    word = "isodow" if name == "weekday" else name
    kinds = (Type.TIMESTAMP,) if name == "hour" else _DATED
    return Function((kinds,), Type.INTEGER, f"CAST({word}({{0}}) AS BIGINT)")


def _letters(old: str, new: str) -> Function:
    # Letter by letter: engines' own words differ on other alphabets, and some hang on a locale.
    return Function((_TEXT,), Type.TEXT, f"translate({{0}}, '{old}', '{new}')")


FUNCTIONS: dict[str, Function] = {
    "+": _arithmetic("+", _sum),
    "-": _arithmetic("-", _sum),
    "*": _arithmetic("*", _product),
    "/": Function(
        (_NUMERIC, _NUMERIC), Type.NUMBER, "({0} / NULLIF({1}, 0))", size=_quotient, infix="/"
    ),
    "%": Function(
        (_INTEGER, _INTEGER),
        Type.INTEGER,
        "CAST(CAST({0} AS HUGEINT) % NULLIF({1}, 0) AS BIGINT)",
        infix="%",
    ),
    "abs": Function(
        (_NUMERIC,), None, "abs({0})", _TO_INTEGER.replace("{}", "abs(CAST({0} AS HUGEINT))")
    ),
    "floor": _to_integer("floor"),
    "ceil": _to_integer("ceil"),
    "round": _to_integer("round"),
    "round_to": Function(
        (_NUMERIC, _INTEGER),
        Type.NUMBER,
        "round({0}, CAST({1} AS INTEGER))",
        size=_rounded,
        constants={1: range(-15, 16)},
    ),
    "least": _choice("least"),
    "greatest": _choice("greatest"),
    "clip": Function(
        (_NUMERIC, _NUMERIC, _NUMERIC),
        None,
        "CASE WHEN {0} IS NOT NULL THEN greatest({1}, least({2}, {0})) END",
        constants={1: _Anything(), 2: _Anything()},
        meet=True,
    ),
    "coalesce": _choice("coalesce"),
    "nullif": Function((_ANY, _ANY), None, "nullif({0}, {1})", meet=True),
    "lower": _letters(ascii_uppercase, ascii_lowercase),
    "upper": _letters(ascii_lowercase, ascii_uppercase),
    "trim": Function((_TEXT,), Type.TEXT, "trim({0}, ' ')"),
    "length": Function((_TEXT,), Type.INTEGER, "CAST(length({0}) AS BIGINT)"),
    "substring": Function(
        (_TEXT, _INTEGER, _INTEGER),
        Type.TEXT,
        "substring({0}, CAST({1} AS INTEGER), CAST({2} AS INTEGER))",
        constants={1: range(1, 2**31), 2: range(2**31)},
    ),
    "concat": Function(
        (_TEXT,), Type.TEXT, f"left(concat({{all, }}), {LONGEST})", least=2, repeats=True
    ),
    "||": Function((_TEXT, _TEXT), Type.TEXT, f"left({{0}} || {{1}}, {LONGEST})", infix="||"),
    "starts_with": Function((_TEXT, _TEXT), Type.BOOLEAN, "starts_with({0}, {1})"),
    "contains": Function((_TEXT, _TEXT), Type.BOOLEAN, "contains({0}, {1})"),
    "date_trunc": Function(
        (_TEXT, _DATED),
        Type.DATE,
        "CAST(date_trunc({0}, {1}) AS DATE)",
        constants={0: PERIODS},
    ),
    "days_between": Function(
        (_DATED, _DATED),
        Type.INTEGER,
        "CAST(date_diff('day', CAST({0} AS DATE), CAST({1} AS DATE)) AS BIGINT)",
    ),
    "is null": Function((_ANY,), Type.BOOLEAN, "({0} IS NULL)"),
    "not": Function((_CONDITION,), Type.BOOLEAN, "(NOT {0})"),
    "and": _connective("AND"),
    "or": _connective("OR"),
    "in": Function(
        (_ANY, _ANY), Type.BOOLEAN, "({0} IN ({rest}))", least=2, repeats=True, meet=True
    ),
}
FUNCTIONS |= {sign: _comparison(sign) for sign in ("=", "<>", "<", "<=", ">", ">=")}
FUNCTIONS |= {name: _part(name) for name in PARTS}
