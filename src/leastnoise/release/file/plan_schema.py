"""The published schema of plan files."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from leastnoise.release.document.document import Document
from leastnoise.release.document.schema_faults import Fault, SchemaCheck
from leastnoise.release.file.question_kinds import KINDS


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(plan_schema(), indent=2, ensure_ascii=False) + "\n"


@cache
def plan_schema() -> dict[str, Any]:
    """The schema as a value: what the file says of the parts, and all kinds of questions."""
    file = files("leastnoise.release.file").joinpath("plan_schema.json")
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    schema["$defs"]["question"] = {"oneOf": [kind.schema() for kind in KINDS.values()]}
    return schema


def fault_in(plan: Mapping[str, Any]) -> Fault | None:
    """The first thing in a plan that is not as the schema has it; None if all is well."""
    return _check().fault_in(plan)


def plan_document(text: str, name: str) -> Document:
    """A plan's text, read and checked.

    Raises:
        InvalidParameter: not TOML, or not as the schema has it; the message says where.
    """
    return Document(text, name, _check())


def _check() -> SchemaCheck:
    return SchemaCheck(plan_schema(), "a plan")
