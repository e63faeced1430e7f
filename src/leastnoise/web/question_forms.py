"""What the page's form asks for in each kind of question: as the kinds of a plan's file have it."""

from collections.abc import Mapping
from typing import Any

from leastnoise.release.file.plan_schema import plan_schema
from leastnoise.release.file.question_kinds import KINDS


def question_forms(said: Mapping[str, Any]) -> dict[str, Any]:
    """The kinds with their parts, and each part with its label, its type and a value to begin."""
    del said  # there is one answer for all
    kinds = [
        {"ask": kind.ask, "label": kind.label, "parts": kind.form, "grouped": kind.has_groups}
        for kind in KINDS.values()
    ]
    names = dict.fromkeys(name for kind in KINDS.values() for name in kind.form)
    return {"kinds": kinds, "parts": {name: _part(plan_schema()["$defs"][name]) for name in names}}


def _part(schema: Mapping[str, Any]) -> dict[str, Any]:
    (start,) = schema.get("examples", [""])
    words = ", ".join(map(str, start)) if isinstance(start, list) else str(start)
    return {"label": schema["title"], "type": schema["type"], "start": words}
