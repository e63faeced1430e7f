"""BigQuery's clause, cut out of the words of a statement before these are parsed."""

from fractions import Fraction
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.sql.text.place import Place, Places, refused, standing_at

OPTIONS = frozenset(
    {
        "epsilon",
        "delta",
        "max_groups_contributed",
        "privacy_unit_column",
        "min_privacy_units_per_group",
        "group_selection_strategy",
    }
)
_SHAPE = "WITH DIFFERENTIAL_PRIVACY must be followed by OPTIONS(name = value, …)"
_SIGNS = {"DASH", "DOT"}
_EXAMPLE = "Write WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, delta = 1e-8)."


@dataclass(frozen=True)
class Option:
    """What an option is set to: a number, or a name; NULL is None."""

    at: Place
    value: Fraction | str | None


@dataclass(frozen=True)
class Clause:
    """The options of a statement, by name.

    Attributes:
        at: where the clause stands.
        options: what it says.
    """

    at: Place
    options: dict[str, Option]


def cut_clause(tokens: list[Any], places: Places) -> tuple[list[Any], Clause | None]:
    """The words without the clause, and what the clause says; None if there is none.

    Raises:
        InvalidParameter: two clauses, one that stands elsewhere than behind the outermost SELECT,
            or one that is no list of known options.
    """
    starts = [
        number
        for number in range(1, len(tokens) - 1)
        if _is(tokens[number], "WITH")
        and tokens[number + 1].text.upper() in {"DIFFERENTIAL_PRIVACY", "ANONYMIZATION"}
        and _is(tokens[number - 1], "SELECT")
    ]
    if not starts:
        return tokens, None
    at = places.of(tokens[starts[0]].start)
    if len(starts) > 1 or _depth(tokens[: starts[-1]]):
        where = places.of(tokens[starts[-1]].start)
        raise refused(
            where,
            "a statement has one clause WITH DIFFERENTIAL_PRIVACY, behind its outermost SELECT",
            "one inside, or a second",
            "Leave this one out: the whole statement is private.",
        )
    first = starts[0]
    end = _closing(tokens, first + 2, at)
    found = _options(tokens[first + 4 : end], places, at)
    return [*tokens[:first], *tokens[end + 1 :]], Clause(at, found)


def _is(token: Any, word: str) -> bool:
    return bool(token.token_type.name == word)


def _depth(tokens: list[Any]) -> int:
    names = [token.token_type.name for token in tokens]
    return names.count("L_PAREN") - names.count("R_PAREN")


def _closing(tokens: list[Any], word: int, at: Place) -> int:
    """The number of the parenthesis that closes OPTIONS( … )."""
    if word + 1 < len(tokens) and tokens[word].text.upper() == "OPTIONS":
        depth = 0
        for number in range(word + 1, len(tokens)):
            depth += _is(tokens[number], "L_PAREN") - _is(tokens[number], "R_PAREN")
            if depth == 0:
                return number if number > word + 1 else word + 1
    raise refused(at, _SHAPE, "something else", _EXAMPLE)


def _options(tokens: list[Any], places: Places, at: Place) -> dict[str, Option]:
    found: dict[str, Option] = {}
    for part in _parts(tokens):
        if not part:
            raise refused(at, _SHAPE, "an empty one", _EXAMPLE)
        here = places.of(part[0].start)
        if len(part) < 3 or not _is(part[1], "EQ"):
            raise refused(here, _SHAPE, f"{part[0].text!r} without a value", _EXAMPLE)
        name = part[0].text.lower()
        if name not in OPTIONS:
            known = ", ".join(sorted(OPTIONS))
            raise refused(
                here, "an option must be a known one", f"{name!r}", f"There are: {known}."
            )
        if name in found:
            raise refused(here, "an option must be said once", f"{name!r} twice", "Keep one.")
        found[name] = Option(here, _value(name, part[2:], here))
    return found


def _parts(tokens: list[Any]) -> list[list[Any]]:
    if not tokens:
        return []
    found: list[list[Any]] = [[]]
    for token in tokens:
        if _is(token, "COMMA"):
            found.append([])
        else:
            found[-1].append(token)
    return found


def _value(name: str, tokens: list[Any], at: Place) -> Fraction | str | None:
    """A number with or without a sign, a name with or without its table, or NULL."""
    kinds = [token.token_type.name for token in tokens]
    text = "".join(token.text for token in tokens)
    if kinds == ["NULL"]:
        return None
    if [kind for kind in kinds if kind not in _SIGNS] == ["NUMBER"] and kinds[-1] == "NUMBER":
        with standing_at(at):
            return _check.rational(text, name)
    if len(kinds) <= 5 and all(kind in {"VAR", "IDENTIFIER", "DOT"} for kind in kinds):
        return text
    raise refused(at, f"`{name}` must be a number or a name", "something else", _EXAMPLE)
