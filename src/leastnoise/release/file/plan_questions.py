"""The questions of a plan's file: columns that it computes, conditions, and groups."""

from collections.abc import Mapping
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any, NamedTuple

from leastnoise import _check
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition, Term, as_term, col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.said_keys import keys_by_column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.document.document import Document
from leastnoise.release.file.key_file import keys_in_file
from leastnoise.release.file.plan_condition import plan_condition
from leastnoise.release.file.plan_expression import plan_expression
from leastnoise.release.file.question_kinds import KINDS
from leastnoise.release.measure.sql.sql_term import key_kind, kind_of
from leastnoise.release.plan import Plan

_CONDITIONS, _COLUMNS = {"where", "of"}, {"column", "over", "other", "weight"}


class Where(NamedTuple):
    """The folder of a plan, and the places of the data."""

    beside: Path
    places: tuple[str | Path, ...]


def asked_questions(document: Document, empty: Plan, where: Where) -> Plan:
    """The plan with all questions of its file.

    Raises:
        InvalidParameter: a question does not fit the table; the message says where it stands.
    """
    asked, derived = empty, _derived(document, empty)
    for number in range(len(document.said["question"])):
        with document.about("question", number):
            asked = _asked(asked, derived, document, number, where)
    return asked


def _derived(document: Document, empty: Plan) -> dict[str, Term]:
    """The columns that a plan computes, by name; none may hide one of the table."""
    found = {}
    for name, text in document.said.get("derive", {}).items():
        with document.about("derive", name):
            if name in empty.table.schema.names:
                raise _check.refuse(
                    "a derived column must have a name of its own",
                    f"{name!r}, which is a column of the table",
                    "Choose another.",
                )
            found[name] = plan_expression(text)
            kind_of(found[name], empty.table.schema)
    return found


def _asked(
    asked: Plan, derived: Mapping[str, Term], document: Document, number: int, where: Where
) -> Plan:
    question = document.said["question"][number]
    parts = {name: value for name, value in question.items() if name != "ask"}
    for name in _CONDITIONS & parts.keys():
        path = ("question", number, name)
        parts[name] = _condition(parts[name], document, path, derived, asked.table.schema)
    if "by" in parts:
        parts["by"] = [derived.get(name, name) for name in _names(question)]
    if "keys_file" in parts:
        parts["keys"] = _keys_of_file(parts, asked, document, number, where)
    elif "keys" in parts and KINDS[question["ask"]].has_groups:  # else each column has its own
        parts["keys"] = _keys(question, parts.get("by", []))
    if "clip" in parts:
        parts["clip"] = Clip(**parts["clip"])
    for name in _COLUMNS & parts.keys():
        parts[name] = derived.get(parts[name], parts[name])
    if "on" in parts:
        parts["on"] = [derived.get(name, name) for name in parts["on"]]
    return KINDS[question["ask"]].asked(asked, parts)


def _names(question: Mapping[str, Any]) -> list[str]:
    by = question.get("by", [])
    return [by] if isinstance(by, str) else by


def _keys(question: Mapping[str, Any], by: list[str | Term]) -> Any:
    """A list of rows if there are several columns; all combinations of a table of lists."""
    said, names = question["keys"], _names(question)
    terms = [as_term(each).name for each in by]
    if isinstance(said, dict):
        return Keys(terms, keys_by_column(names, said).listed)
    if isinstance(said, list) and any(isinstance(row, list) for row in said):
        return Keys(terms, [row if isinstance(row, list) else [row] for row in said])
    return said


def _keys_of_file(
    parts: dict[str, Any], asked: Plan, document: Document, number: int, where: Where
) -> Keys:
    path, place = ("question", number, "keys_file"), where.beside / parts.pop("keys_file")
    if "keys" in parts:
        raise document.refusal(
            path, "groups must be named in one place", "`keys` and `keys_file`", "Drop one of them."
        )
    terms = [as_term(each) for each in parts.get("by", [])]
    kinds = [key_kind(term, asked.table.schema) for term in terms]
    with document.about(*path):
        names = _names(document.said["question"][number])
        found = keys_in_file(place, names, kinds, data=where.places)
        return Keys([term.name for term in terms], found.listed)


def _condition(
    said: Any,
    document: Document,
    path: tuple[str | int, ...],
    derived: Mapping[str, Term],
    schema: Schema,
) -> Condition:
    if isinstance(said, str):
        from leastnoise.release.sql.rows.condition_of import condition_of  # noqa: PLC0415

        with document.about(*path):
            return condition_of(said, schema, derived)

    def terms(name: str) -> Term:
        return derived[name] if name in derived else col(name)

    if isinstance(said, dict):
        return plan_condition(said, document, path, terms)
    parts = (plan_condition(each, document, (*path, n), terms) for n, each in enumerate(said))
    return reduce(and_, parts)
