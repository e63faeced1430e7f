"""The plan that the page says: what may be in it, where its files are, what is wrong with it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.release.file.plan_file import PlanFile, plan_file

_MOST_QUESTIONS = 100  # they are priced while somebody waits
_LONGEST = 4096  # the longest path of Linux
_PLACE = re.compile(r"plan:(?P<line>\d+):\d+: ")


def read_plan(text: str, folder: Path) -> PlanFile:
    """The plan; a mistake is told by its question rather than by its line."""
    try:
        return plan_file(text, folder)
    except InvalidParameter as mistake:
        place = _PLACE.match(str(mistake))
        if place is None:
            raise
        before = text.split("\n")[: int(place["line"])]
        number = before.count("[[question]]")
        where = f"question {number}: " if number else ""
        raise InvalidParameter(where + str(mistake)[place.end() :]) from None


def plan_said(said: Mapping[str, Any]) -> dict[str, Any]:
    """What the page says of a plan, and nothing else of the request, with whole paths."""
    plan = {name: said[name] for name in ("data", "bounds", "budget", "question")
            if name in said}  # fmt: skip
    data, budget = plan.get("data"), plan.get("budget")
    if isinstance(data, dict):
        _refuse_cluster(data)
        place = "dataset" if "dataset" in data else "path"
        plan["data"] = data | {place: typed_path(data, place)}
    declared = isinstance(data, dict) and "dataset" in data
    if isinstance(budget, dict) and ("ledger" in budget or not declared):
        plan["budget"] = budget | {"ledger": typed_path(budget, "ledger")}
    return plan


def refuse_too_many(said: Mapping[str, Any]) -> None:
    """Somebody waits for the answer, and each question is priced beside all others."""
    questions = said.get("question")
    if isinstance(questions, list) and len(questions) > _MOST_QUESTIONS:
        raise _check.refuse(
            f"a plan on this page may have at most {_MOST_QUESTIONS} questions",
            f"{len(questions)}",
            "Ask for groups with `by`, or use the command line, which has no such limit.",
        )


def typed_path(said: Mapping[str, Any], name: str) -> str:
    """A path as a person typed it, with ~ for their home.

    Raises:
        InvalidParameter: none, or not one of this machine's files.
    """
    value = said.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        raise _check.refuse(f"`{name}` must be a file's path", _check.shown(value), "Type it.")
    if "://" in value or "\0" in value:
        raise _check.refuse(
            f"`{name}` must be a file on this machine",
            f"an address of {value.partition('://')[0]}://"
            if "://" in value
            else _check.shown(value),
            "Databases are for the library and the command line.",
        )
    return os.path.expanduser(value.strip())


def _refuse_cluster(data: Mapping[str, Any]) -> None:
    """A page must not start processes on other machines, nor in its own any that stay."""
    if "spark" in data:
        raise _check.refuse(
            "the page reads files and databases itself; plans with `spark` are for the command",
            "`spark`",
            "Leave it out, or save the plan and run `leastnoise release`.",
        )
