"""A plan in a file: data, privacy unit, budget and questions, in TOML."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from leastnoise import _check
from leastnoise.accounting.pricing import as_amounts
from leastnoise.errors import InvalidParameter
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.mode import Mode
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition, Term, as_term, col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.named_bounds import AUTO
from leastnoise.release.ask.said_keys import keys_by_column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.document.document import Document
from leastnoise.release.document.said_guarantee import said_guarantee
from leastnoise.release.file.key_file import keys_in_file
from leastnoise.release.file.plan_condition import plan_condition
from leastnoise.release.file.plan_data import PlanData, place_beside, plan_data
from leastnoise.release.file.plan_expression import plan_expression
from leastnoise.release.file.plan_schema import plan_document
from leastnoise.release.file.question_kinds import KINDS
from leastnoise.release.measure.sql.sql_term import key_kind, kind_of
from leastnoise.release.plan import Plan, plan
from leastnoise.release.scheduled_plan import ScheduledPlan
from leastnoise.release.sql.rows.condition_of import condition_of

_Ledger = TypeVar("_Ledger", bound=Ledger)
_CONDITIONS, _COLUMNS = {"where", "of"}, {"column", "over", "other", "weight"}


@dataclass(frozen=True)
class PlanFile:
    """What a plan's file says.

    Attributes:
        plan: the table and the questions.
        steps: the same, published step by step; None if it has no schedule.
        spend: the guarantee of the release.
        ledger: where the budget is kept.
        total: the whole budget, for a ledger that is yet to be begun.
        mode: how charges add up, for a ledger that is yet to be begun.
        envelopes: the promises of a ledger in mode plan.
        seal: a hash that the ledger's past must hold; empty if none was noted.
        labels: whose budgets inside the total the release counts against.
        purpose: a note for the ledger.
        dataset: the name of the data, in the ledger.
        folder: where to write the answers.
        formats: how tables are written.
        report: whether a page for people is written.
        store: whether the release is kept in the ledger, to be served again.
        closed: where the exact totals of a schedule's closed steps are kept; None if nowhere.
    """

    plan: Plan
    steps: ScheduledPlan | None
    spend: Guarantee
    ledger: str | Path
    total: Guarantee | None
    mode: Mode | None
    envelopes: dict[str, Guarantee] | None
    seal: str
    labels: dict[str, str]
    purpose: str
    dataset: str
    folder: Path
    formats: tuple[str, ...]
    report: bool
    store: bool
    closed: Path | None = None

    def opened(self, *, begin: bool = False) -> Ledger:
        """The ledger that the plan names: see `opened_as`."""
        return self.opened_as(Ledger, begin=begin)

    def opened_as(self, kind: type[_Ledger], *, begin: bool = False) -> _Ledger:
        """The ledger that the plan names, with the promises that the plan names.

        Raises:
            LedgerMissing: there is none, and it is not to be begun.
            LedgerError: it is about something else, or its past lacks the seal.
        """
        return kind(
            self.ledger,
            total=self.total,
            mode=self.mode,
            envelopes=self.envelopes,
            seal=self.seal,
            begin=begin,
            **self.plan.table.scope.said,
        )


def plan_file(text: str, beside: Path, name: str = "plan", *, choosing: bool = False) -> PlanFile:
    """Read a plan; paths in it are relative to its own folder.

    Nothing is read of the data but the names and types of the columns.

    Args:
        text: TOML, as docs/plans.md describes it.
        beside: the folder of the file.
        name: what to call the file in messages.
        choosing: whether bounds are only to be chosen, so that none need be said yet.

    Raises:
        InvalidParameter: not TOML, a part is missing, unknown or of a wrong type, a question does
            not fit the table; the message begins with the file, the line and the column.
    """
    document = plan_document(text, name)
    data = plan_data(document, beside)
    budget, output = document.said.get("budget", {}), document.said.get("output", {})
    where = _Where(beside, data.places)
    asked = _questions(document, _plan(document, data, choosing), where)
    return PlanFile(
        plan=asked,
        steps=_scheduled(document, asked),
        spend=_spend(document, data),
        ledger=_ledger(document, data, beside),
        total=_promise(document, "total", data),
        mode=Mode(budget["mode"]) if "mode" in budget else None,
        envelopes=_envelopes(document),
        seal=budget.get("seal", ""),
        labels=budget.get("labels", {}),
        purpose=budget.get("purpose", f"plan {name}"),
        dataset=data.table.dataset,
        folder=beside / output.get("folder", "."),
        formats=tuple(dict.fromkeys(output.get("formats", ["csv"]))),
        report=output.get("report", True),
        store=output.get("store", False),
        closed=_closed(document, beside),
    )


def _scheduled(document: Document, asked: Plan) -> ScheduledPlan | None:
    """The plan step by step, if it has a schedule; its questions can be asked over time then."""
    said = document.said.get("schedule")
    if said is None:
        return None
    parts = {name: value for name, value in said.items() if name not in {"every", "from", "closed"}}
    with document.about("schedule"):
        found = asked.every(said["every"], start=said["from"], **parts)
        found.refuse_unscheduled()
        return found


def _closed(document: Document, beside: Path) -> Path | None:
    place = document.said.get("schedule", {}).get("closed")
    return None if place is None else beside / place


def _plan(document: Document, data: PlanData, choosing: bool) -> Plan:
    bounds = {**data.bounds, **document.said.get("bounds", {})}
    if choosing:
        bounds = {"max_groups": AUTO, "max_rows": AUTO, **bounds}
    with document.about("bounds"):
        return plan(data.table, **bounds)


def _ledger(document: Document, data: PlanData, beside: Path) -> str | Path:
    said = document.said.get("budget", {})
    if "ledger" in said:
        return place_beside(said["ledger"], beside)
    found = data.budget.get("ledger")
    if isinstance(found, str | Path):
        return found
    raise _no_budget(document, "ledger", data)


def _promise(document: Document, name: str, data: PlanData) -> Guarantee | None:
    """What the plan says of the budget, else what its dataset says."""
    if name in document.said.get("budget", {}):
        return _guarantee(document, name)
    found = data.budget.get(name)
    return found if isinstance(found, Guarantee) else None


def _no_budget(document: Document, name: str, data: PlanData) -> InvalidParameter:
    """As the schema's refusals are: a plan says its budget, or its dataset does."""
    path, whole = (("budget",), "[budget]") if "budget" in document.said else ((), "a plan")
    parts = "`ledger`, `spend`" if path else "`data`, `budget`, `question`"
    absent = f"no `{name}`" if path else "no `budget`"
    more = " Its dataset may say both." if data.dataset is not None else ""
    remedy = f"Write [budget] with the ledger and what to spend.{more}"
    return document.refusal(path, f"{whole} must have {parts}", absent, remedy)


def _guarantee(document: Document, *path: str) -> Guarantee:
    said: Any = document.said["budget"]
    for step in path:
        said = said[step]
    with document.about("budget", *path):
        return said_guarantee(said)


def _spend(document: Document, data: PlanData) -> Guarantee:
    spend = _promise(document, "spend", data)
    if spend is None:
        raise _no_budget(document, "spend", data)
    if any(as_amounts(spend)):
        return spend
    remedy = "Without any budget nothing can be released."
    raise document.refusal(("budget", "spend"), "`spend` must be above 0", repr(spend), remedy)


def _envelopes(document: Document) -> dict[str, Guarantee] | None:
    said = document.said.get("budget", {}).get("envelopes")
    if said is None:
        return None
    return {name: _guarantee(document, "envelopes", name) for name in said}


class _Where(NamedTuple):
    """The folder of a plan, and the places of the data."""

    beside: Path
    places: tuple[str | Path, ...]


def _questions(document: Document, empty: Plan, where: _Where) -> Plan:
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
    asked: Plan, derived: Mapping[str, Term], document: Document, number: int, where: _Where
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
        return Keys(terms, keys_by_column(names, said).rows)
    if isinstance(said, list) and any(isinstance(row, list) for row in said):
        return Keys(terms, [row if isinstance(row, list) else [row] for row in said])
    return said


def _keys_of_file(
    parts: dict[str, Any], asked: Plan, document: Document, number: int, where: _Where
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
        return Keys([term.name for term in terms], found.rows)


def _condition(
    said: Any,
    document: Document,
    path: tuple[str | int, ...],
    derived: Mapping[str, Term],
    schema: Schema,
) -> Condition:
    if isinstance(said, str):
        with document.about(*path):
            return condition_of(said, schema, derived)

    def terms(name: str) -> Term:
        return derived[name] if name in derived else col(name)

    if isinstance(said, dict):
        return plan_condition(said, document, path, terms)
    parts = (plan_condition(each, document, (*path, n), terms) for n, each in enumerate(said))
    return reduce(and_, parts)
