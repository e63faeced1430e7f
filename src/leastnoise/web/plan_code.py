"""A plan of the page as a program and as SQL, to take along.

The program says what the plan's file says. SQL has fewer kinds of questions: those it has not are
named in a comment.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leastnoise.release.file.question_kinds import KINDS

_SIGNS = {"is": "=", "is_not": "<>", "at_least": ">=", "at_most": "<=", "above": ">", "below": "<"}
_SQL = {
    "count": "COUNT(*)",
    "units": "COUNT(DISTINCT {unit})",
    "distinct": "COUNT(DISTINCT {column})",
    "sum": "SUM({clipped})",
    "mean": "AVG({clipped})",
    "median": "MEDIAN({clipped})",
}
"""Kinds that SQL has, too."""


def plan_code(said: Mapping[str, Any], *, begins: bool) -> dict[str, str]:
    """The plan in Python, and in SQL; for plans that were read without complaint.

    Args:
        said: the parts of a plan, as its file has them.
        begins: whether its ledger is yet to be begun.
    """
    return {"python": _python(said, begins=begins), "sql": _sql(said)}


def _python(said: Mapping[str, Any], *, begins: bool) -> str:
    data, budget = said["data"], said["budget"]
    lines = ["import leastnoise as ln", "", *_table(data), "plan = ("]
    bounds = "".join(f", {name}={value!r}" for name, value in said.get("bounds", {}).items())
    lines += [f"    ln.plan(table{bounds})", *map(_call, said.get("question", [])), ")"]
    spend = _guarantee(budget["spend"])
    lines += [f"spend = {spend}", "print(plan.preview(spend))  # costs nothing", ""]
    if "ledger" in budget:
        begin = f", total={_guarantee(budget['total'])}, begin=True" if begins else ""
        name = f", dataset={data['name']!r}" if "name" in data else ""
        lines += [f"ledger = ln.Ledger({budget['ledger']!r}{begin}{name})"]
        purpose = f", purpose={budget['purpose']!r}" if "purpose" in budget else ""
        lines += [f"release = plan.release(spend, ledger=ledger{purpose})"]
        lines += ["print(release)"]
    return "\n".join(lines) + "\n"


def _table(data: Mapping[str, Any]) -> list[str]:
    if "dataset" in data:
        return [f"table = ln.dataset({data['dataset']!r}).table({data['table']!r})"]
    unit = None if data["unit"] == "row" else data["unit"]
    types = f", types={data['types']!r}" if "types" in data else ""
    name = f", dataset={data['name']!r}" if "name" in data else ""
    return [f"table = ln.read({data['path']!r}, unit={unit!r}{types}{name})"]


def _call(question: Mapping[str, Any]) -> str:
    kind = KINDS[question["ask"]]
    parts = [f"{name}={_value(value)}" for name, value in question.items() if name != "ask"]
    return f"    .{kind.method or kind.ask}({', '.join(parts)})"


def _value(value: Any) -> str:
    return repr(_condition(value)) if isinstance(value, Mapping) else repr(value)


def _guarantee(said: Mapping[str, Any]) -> str:
    kind = "ApproxDP" if "delta" in said else "PureDP"
    return f"ln.{kind}({', '.join(f'{name}={value!r}' for name, value in said.items())})"


def _sql(said: Mapping[str, Any]) -> str:
    data, spend, bounds = said["data"], said["budget"]["spend"], said.get("bounds", {})
    options = [f"{name} = {value}" for name, value in spend.items()]
    if "max_groups" in bounds:
        options += [f"max_groups_contributed = {bounds['max_groups']}"]
    unit = data.get("unit", "")
    if unit not in ("", "row"):
        options += [f"privacy_unit_column = {_name(unit)}"]
    table = data["table"] if "dataset" in data else Path(data["path"]).name.partition(".")[0]
    head = "-- Each statement is priced alone: leastnoise sql previews it.\n"
    return head + "\n".join(
        _statement(each, unit, _name(table), ", ".join(options)) for each in said["question"]
    )


def _statement(question: Mapping[str, Any], unit: str, table: str, options: str) -> str:
    if question["ask"] not in _SQL or (question["ask"] == "units" and unit in ("", "row")):
        return f"-- {question['ask']}: not in SQL; the plan's file has it\n"
    by = _name(question["by"]) if "by" in question else ""
    conditions = [_condition(question["where"])] if "where" in question else []
    if by and isinstance(question.get("keys"), list):
        conditions += [f"{by} IN ({', '.join(map(_literal, question['keys']))})"]
    return "".join(
        [
            f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({options})\n  ",
            f"{by}, " if by else "",
            f"{_aggregate(question, unit)}\nFROM {table}\n",
            f"WHERE {' AND '.join(conditions)}\n" if conditions else "",
            f"GROUP BY {by}\n" if by else "",
        ]
    )


def _condition(said: Mapping[str, Any]) -> str:
    ((test, value),) = [(name, each) for name, each in said.items() if name != "column"]
    return f"{_name(said['column'])} {_SIGNS[test]} {_literal(value)}"


def _aggregate(question: Mapping[str, Any], unit: str) -> str:
    column = _name(question["column"]) if "column" in question else ""
    form = _SQL[question["ask"]]
    return form.format(unit=_name(unit), column=column, clipped=column and _clipped(question))


def _clipped(question: Mapping[str, Any]) -> str:
    column = _name(question["column"])
    if "lower" not in question or "upper" not in question:
        return column
    return f"LEAST(GREATEST({column}, {question['lower']}), {question['upper']})"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def _name(name: str) -> str:
    if name.isidentifier() and name.isascii():
        return name
    return '"' + name.replace('"', '""') + '"'
