"""A plan in a file: data, privacy unit, budget and questions, in TOML."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.engine.expression import Condition, col
from leastnoise.engine.keys import Keys
from leastnoise.engine.neighbours import Neighbours
from leastnoise.engine.plan import Plan, plan
from leastnoise.engine.read import read
from leastnoise.errors import InvalidParameter
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP

_PARTS: dict[str, tuple[type, ...]] = {
    "by": (str, list),
    "keys": (list, dict),
    "name": (str,),
    "column": (str,),
}
_SAID: dict[type, str] = {str: "text", list: "a list", dict: "a table"}
_NEIGHBOURS = {"add_remove": Neighbours.ADD_REMOVE, "replace": Neighbours.REPLACE}


@dataclass(frozen=True)
class PlanFile:
    """What a plan's file says.

    Attributes:
        plan: the table and the questions.
        spend: the guarantee of the release.
        ledger: where the budget is kept.
        total: the whole budget, for a ledger that is yet to be begun.
        dataset: the name of the data, in the ledger.
        folder: where to write the answers.
    """

    plan: Plan
    spend: Guarantee
    ledger: str | Path
    total: Guarantee | None
    dataset: str
    folder: Path


def plan_file(text: str, beside: Path) -> PlanFile:
    """Read a plan; paths in it are relative to its own folder.

    Raises:
        InvalidParameter: not TOML, or a part is missing or unknown; the message says which.
    """
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _check.refuse("a plan must be TOML", str(error), "Mend that line.") from None
    _only(said, "the plan", {"data", "bounds", "budget", "question", "output"})
    data, budget = _part(said, "data"), _part(said, "budget")
    _only(budget, "[budget]", {"ledger", "spend", "total"})
    return PlanFile(
        plan=_questions(said, _plan(data, said, beside)),
        spend=_guarantee(_part(budget, "spend"), "budget.spend"),
        ledger=_ledger(_text(budget, "ledger", "budget"), beside),
        total=_guarantee(budget["total"], "budget.total") if "total" in budget else None,
        dataset=_text(data, "name", "data", _text(data, "path", "data")),
        folder=beside / _text(_table(said, "output", {"folder"}), "folder", "output", "."),
    )


def _ledger(said: str, beside: Path) -> str | Path:
    """A database's URL as it is; a file beside the plan."""
    return said if "://" in said else beside / said


def _plan(data: Mapping[str, Any], said: Mapping[str, Any], beside: Path) -> Plan:
    _only(data, "[data]", {"path", "unit", "types", "delimiter", "table", "neighbours", "name"})
    if "unit" not in data:
        raise _check.refuse(
            "[data] must say whose rows they are",
            "no `unit`",
            'Write unit = "patient_id", or unit = "row" if every row is a person of its own.',
        )
    unit = _text(data, "unit", "data")
    for name, kind in (("types", dict), ("delimiter", str), ("table", str)):
        if not isinstance(data.get(name, kind()), kind):
            raise _check.refuse(
                f"`{name}` in [data] must be {_SAID[kind]}", "something else", "Mend it."
            )
    table = read(
        beside / _text(data, "path", "data"),
        unit=None if unit == "row" else unit,
        table=data.get("table"),
        types=data.get("types"),
        delimiter=data.get("delimiter", ","),
        neighbours=_choice(data.get("neighbours", "add_remove"), _NEIGHBOURS, "data.neighbours"),
    )
    bounds = _table(said, "bounds", {"max_groups", "max_rows"})
    return plan(table, max_groups=bounds.get("max_groups", 1), max_rows=bounds.get("max_rows", 1))


def _questions(said: Mapping[str, Any], empty: Plan) -> Plan:
    asked, questions = empty, said.get("question", [])
    if not isinstance(questions, list) or not all(isinstance(q, Mapping) for q in questions):
        raise _check.refuse(
            "questions must be tables of their own", "something else", "Write [[question]]."
        )
    for number, question in enumerate(questions, 1):
        try:
            asked = _asked(asked, question)
        except InvalidParameter as refusal:
            raise InvalidParameter(f"[[question]] number {number}: {refusal}") from None
    return asked


def _asked(asked: Plan, question: Mapping[str, Any]) -> Plan:
    known: dict[str, Callable[..., Plan]] = {
        "count": asked.count,
        "units": asked.count_units,
        "sum": asked.sum,
        "mean": asked.mean,
    }
    ask: Callable[..., Plan] = _choice(question.get("ask"), known, "ask")
    rest = {name: value for name, value in question.items() if name != "ask"}
    shared = {"by", "keys", "where", "importance", "name"}
    numeric = {"column", "lower", "upper"} if question["ask"] in ("sum", "mean") else set()
    _only(rest, f"a {question['ask']}", shared | numeric)
    missing = numeric - rest.keys()
    if missing:
        raise _check.refuse(
            f"a {question['ask']} needs {', '.join(sorted(numeric))}",
            f"no {', '.join(sorted(missing))}",
            "Bounds are public: the range values can have.",
        )
    _refuse_types(rest)
    if "where" in rest:
        rest["where"] = _where(rest["where"])
    if isinstance(rest.get("keys"), Mapping):
        rest["keys"] = Keys.cross(rest["keys"])
    column = rest.pop("column", None)
    return ask(column, **rest) if column is not None else ask(**rest)


def _refuse_types(question: Mapping[str, Any]) -> None:
    """TOML has more types than a question's parts may be of."""
    for name in question.keys() & _PARTS.keys():
        if not isinstance(question[name], _PARTS[name]):
            raise _check.refuse(
                f"`{name}` must be {' or '.join(_SAID[kind] for kind in _PARTS[name])}",
                f"a {type(question[name]).__name__}",
                "See the example of a plan.",
            )
    lists = question.get("keys"), question.get("by")
    inner = [*lists[0].values()] if isinstance(lists[0], dict) else []
    names = lists[1] if isinstance(lists[1], list) else []
    if not all(isinstance(values, list) for values in inner) or not all(
        isinstance(name, str) for name in names
    ):
        raise _check.refuse(
            "`by` must hold names, and `keys` a list for each", "something else", "List them."
        )


def _where(conditions: Any) -> Condition:
    """All of several conditions, each a column and one comparison."""
    parts = conditions if isinstance(conditions, list) else [conditions]
    found = [_condition(part) for part in parts]
    if not found:
        raise _check.refuse("`where` must hold a condition", "none", "Leave it out.")
    whole = found[0]
    for part in found[1:]:
        whole = whole & part
    return whole


def _condition(part: Any) -> Condition:
    if not isinstance(part, Mapping) or "column" not in part or len(part) != 2:
        raise _check.refuse(
            "a condition must be a column and one comparison",
            "something else",
            'Write where = {column = "age", at_least = 18}.',
        )
    column = col(str(part["column"]))
    comparisons: dict[str, Callable[[Any], Condition]] = {
        "is": lambda value: column == value,
        "is_not": lambda value: column != value,
        "below": lambda value: column < value,
        "at_most": lambda value: column <= value,
        "above": lambda value: column > value,
        "at_least": lambda value: column >= value,
        "in": column.isin,
    }
    (name,) = part.keys() - {"column"}
    if name == "in" and not isinstance(part[name], list):
        raise _check.refuse("`in` must be a list of values", "something else", "Write in = [1, 2].")
    compare: Callable[[Any], Condition] = _choice(name, comparisons, "a comparison")
    return compare(part[name])


def _guarantee(said: Mapping[str, Any], name: str) -> Guarantee:
    if not isinstance(said, Mapping):
        raise _check.refuse(f"{name} must be a table", "something else", "Write {epsilon = 1}.")
    match sorted(said):
        case ["epsilon"]:
            return PureDP(epsilon=said["epsilon"])
        case ["delta", "epsilon"]:
            return ApproxDP(epsilon=said["epsilon"], delta=said["delta"])
        case ["rho"]:
            return ZCDP(rho=said["rho"])
    raise _check.refuse(
        f"{name} must be {{epsilon}}, {{epsilon, delta}} or {{rho}}",
        ", ".join(sorted(said)) or "nothing",
        'Write {epsilon = 1, delta = "1e-7"}.',
    )


def _choice(name: Any, choices: Mapping[str, Any], what: str) -> Any:
    if isinstance(name, str) and name in choices:
        return choices[name]
    raise _check.refuse(f"`{what}` must be one of {', '.join(choices)}", repr(name), "Choose one.")


def _part(said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if isinstance(said.get(name), Mapping):
        return said[name]  # type: ignore[no-any-return]
    raise _check.refuse(f"a plan must have [{name}]", "none", "Add it.")


def _table(said: Mapping[str, Any], name: str, known: set[str]) -> Mapping[str, Any]:
    """A part that may be left out."""
    part = said.get(name, {})
    if not isinstance(part, Mapping):
        raise _check.refuse(f"[{name}] must be a table", "something else", f"Write [{name}].")
    _only(part, f"[{name}]", known)
    return part


def _text(said: Mapping[str, Any], name: str, where: str, default: str | None = None) -> str:
    value = said.get(name, default)
    if isinstance(value, str):
        return value
    raise _check.refuse(f"[{where}] must have the text `{name}`", "none", "Add it.")


def _only(said: Mapping[str, Any], what: str, known: set[str]) -> None:
    strange = said.keys() - known
    if strange:
        raise _check.refuse(
            f"{what} may have {', '.join(sorted(known))}",
            ", ".join(sorted(strange)),
            "Is it misspelt?",
        )
