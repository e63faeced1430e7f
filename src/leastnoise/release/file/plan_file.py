"""A plan in a file: data, privacy unit, budget and questions, in TOML."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from leastnoise._dataclass import dataclass
from leastnoise.accounting.pricing import as_amounts
from leastnoise.errors import InvalidParameter
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.mode import Mode
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.named_bounds import AUTO
from leastnoise.release.document.document import Document
from leastnoise.release.document.said_guarantee import said_guarantee
from leastnoise.release.file.plan_data import PlanData, place_beside, plan_data
from leastnoise.release.file.plan_questions import Where, asked_questions
from leastnoise.release.file.plan_schema import plan_document
from leastnoise.release.plan import Plan, plan

if TYPE_CHECKING:
    from leastnoise.release.scheduled_plan import ScheduledPlan

_Ledger = TypeVar("_Ledger", bound=Ledger)


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
    steps: "ScheduledPlan | None"
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
        scope = self.plan.table.scope
        return kind(
            self.ledger,
            total=self.total,
            mode=self.mode,
            envelopes=self.envelopes,
            seal=self.seal,
            begin=begin,
            dataset=scope.dataset,
            unit=scope.unit,
            neighbours=scope.neighbours,
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
    where = Where(beside, data.places)
    asked = asked_questions(document, _plan(document, data, choosing), where)
    with document.about("publication"):
        asked = asked.published(**document.said.get("publication", {}))
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


def _scheduled(document: Document, asked: Plan) -> "ScheduledPlan | None":
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
