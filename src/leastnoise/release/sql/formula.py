"""What a result's cell is computed from, after the noise: keys, released numbers and constants."""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.release.sql.text.place import Place, refused
from leastnoise.release.sql.text.tree import (
    Between,
    Call,
    Case,
    Chain,
    Compared,
    Computed,
    InList,
    IsNull,
    IsTruth,
    Literal,
    Negated,
)

Cell = int | float | str | bool | date | None
"""A value of the result; None for NULL."""


@dataclass(frozen=True)
class KeyOf:
    """The group's own value, by its place among the keys."""

    at: Place
    place: int


@dataclass(frozen=True)
class AnswerTo:
    """A released number.

    Attributes:
        at: where it was asked for.
        question: the name of the question.
        level: of a quantile, which.
        is_positive: whether the truth is never below 0, as that of a count.
        is_whole: whether it is to be shown as a whole number.
    """

    at: Place
    question: str
    level: float | None = None
    is_positive: bool = False
    is_whole: bool = False


@dataclass(frozen=True)
class Group:
    """What is known of one group of the result.

    Attributes:
        key: its values.
        answers: the released numbers, by question and level; dates, of dates.
    """

    key: tuple[Cell, ...]
    answers: Mapping[tuple[str, float | None], float | int | date | None]


SAMPLE_FACTOR = "n/(n-1)"
"""The name of a function of ours: what makes a variance of all that of a sample."""


def evaluated(node: Any, group: Group) -> Cell:  # noqa: PLR0911 - one case after another
    """The value of a formula; NULL wherever it has none."""
    match node:
        case KeyOf():
            return group.key[node.place]
        case AnswerTo():
            found = group.answers.get((node.question, node.level))
            if found is None or isinstance(found, date):
                return found
            if math.isnan(found):
                return None
            return round(found) if node.is_whole else found
        case Literal():
            return _plain(node.value)
        case Computed():
            return _computed(node, group)
        case Call():
            return _called(node, group)
        case Case():
            for test, result in node.branches:
                if evaluated(test, group) is True:
                    return evaluated(result, group)
            return None if node.otherwise is None else evaluated(node.otherwise, group)
        case _:
            return _truth(node, group)


def _plain(value: Any) -> Cell:
    try:
        return float(value) if isinstance(value, Fraction) else value
    except OverflowError:
        return None


def _truth(node: Any, group: Group) -> bool | None:  # noqa: PLR0911 - one case after another
    """By SQL's three values."""
    match node:
        case Compared():
            return _compared(node.sign, evaluated(node.one, group), evaluated(node.other, group))
        case Negated():
            inner = evaluated(node.one, group)
            return None if inner is None else not inner
        case Chain():
            return _chain(node.word, [evaluated(each, group) for each in node.parts])
        case IsNull():
            return evaluated(node.one, group) is None
        case IsTruth():
            return evaluated(node.one, group) is node.value
        case Between():
            one = evaluated(node.one, group)
            low = _compared(">=", one, evaluated(node.low, group))
            high = _compared("<=", one, evaluated(node.high, group))
            return _chain("and", [low, high])
        case InList():
            one = evaluated(node.one, group)
            tests = [_compared("=", one, evaluated(each, group)) for each in node.values]
            return _chain("or", tests)
    raise AssertionError(node)


def _compared(sign: str, one: Any, other: Any) -> bool | None:
    if one is None or other is None:
        return None
    (kind, one), (other_kind, other) = comparable(one), comparable(other)
    if kind != other_kind:
        return None  # refused when the statement was read, but for dates
    tests: dict[str, Callable[[], bool]] = {
        "=": lambda: one == other,
        "<>": lambda: one != other,
        "<": lambda: one < other,
        "<=": lambda: one <= other,
        ">": lambda: one > other,
        ">=": lambda: one >= other,
    }
    return bool(tests[sign]())


def _chain(word: str, parts: list[Any]) -> bool | None:
    decisive = word == "or"
    if any(each is decisive for each in parts):
        return decisive
    return None if any(each is None for each in parts) else not decisive


def _computed(node: Computed, group: Group) -> Cell:
    one, other = (_number(evaluated(each, group)) for each in (node.one, node.other))
    if one is None or other is None:
        return None
    try:
        return _of_two(node, one, other)
    except OverflowError:
        return None


def _of_two(node: Computed, one: float, other: float) -> float | None:
    match node.sign:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
        case "/":
            return _quotient(one, other, positive=_is_positive(node.other))
        case _:
            return math.fmod(one, other) if other else None


def _quotient(one: float, other: float, *, positive: bool) -> float | None:
    """NULL by 0, and where noise has made a number negative that cannot be."""
    if other == 0 or (positive and other < 0):
        return None
    return one / other


def _is_positive(node: Any) -> bool:
    if isinstance(node, AnswerTo):
        return node.is_positive
    if isinstance(node, Literal):
        return isinstance(node.value, int | Fraction) and node.value >= 0
    if isinstance(node, Computed) and node.sign in "+*/":
        return _is_positive(node.one) and _is_positive(node.other)
    return False


def _number(value: Cell) -> int | float | None:
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, int | float) else None


def comparable(value: Any) -> tuple[int, Any]:
    """A value after its kind: values of one kind can be compared, and dates with moments."""
    if isinstance(value, date):
        whole = isinstance(value, datetime)
        return 2, value if whole else datetime.combine(value, time())
    return int(isinstance(value, str)), value


def _rounded(x: float, digits: float = 0) -> float:
    """Halves up, as in every other place of a statement."""
    scale = 10.0 ** max(-15, min(15, int(digits)))
    found = x * scale + 0.5
    return math.floor(found) / scale if abs(found) < _WHOLE_FROM else x


_WHOLE_FROM = 2.0**52


def _sample_factor(n: float) -> float | None:
    return n / (n - 1) if n > 1 else None


_FUNCTIONS: dict[str, tuple[int, int, Callable[..., float | None]]] = {
    "round": (1, 2, _rounded),
    "abs": (1, 1, abs),
    "floor": (1, 1, math.floor),
    "ceil": (1, 1, math.ceil),
    "ceiling": (1, 1, math.ceil),
    "sqrt": (1, 1, lambda x: math.sqrt(x) if x >= 0 else None),
    "ln": (1, 1, lambda x: math.log(x) if x > 0 else None),
    "exp": (1, 1, lambda x: math.exp(x) if x < 700 else None),
    SAMPLE_FACTOR: (1, 1, _sample_factor),
}
_SKIPPING = {"coalesce", "least", "greatest"}


def _of_present(name: str, present: list[Any]) -> Cell:
    """The first, the least or the greatest; NULL of values that cannot be compared."""
    kinds = {comparable(each)[0] for each in present}
    if not present or (name != "coalesce" and len(kinds) > 1):
        return None
    if name == "coalesce":
        return present[0]  # type: ignore[no-any-return]
    return (min if name == "least" else max)(present, key=comparable)  # type: ignore[no-any-return]


def _called(node: Call, group: Group) -> Cell:
    given = [evaluated(each, group) for each in node.arguments]
    if node.name in _SKIPPING:
        present: list[Any] = [each for each in given if each is not None]
        return _of_present(node.name, present)
    if node.name == "nullif":
        return None if _compared("=", *given) else given[0]
    numbers = [_number(each) for each in given]
    if any(each is None for each in numbers):
        return None
    try:
        return _FUNCTIONS[node.name][2](*numbers)
    except OverflowError:
        return None


def refuse_unknown(call: Call) -> None:
    """Checks that a function of released numbers is known.

    Raises:
        InvalidParameter: it is not, or has another number of arguments.
    """
    if call.name in _SKIPPING and call.arguments:
        return
    fewest, most, _ = _FUNCTIONS.get(call.name, (2, 2, None))
    known = call.name in _FUNCTIONS or call.name == "nullif"
    if known and fewest <= len(call.arguments) <= most:
        return
    names = ", ".join(sorted({*_FUNCTIONS, *_SKIPPING, "nullif"} - {SAMPLE_FACTOR}))
    raise refused(
        call.at,
        "a function of results must be a known one",
        f"{call.written} of {len(call.arguments)}",
        f"There are: {names}.",
    )
