"""`Releases`: from a described file to published tables: columns, preview, confirm, download.

Nothing here hands on a value of the data: a file shows its columns' names and types, a preview
shows errors, and a release shows what was published, noise included.
"""

from collections import OrderedDict
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.errors import LedgerMissing
from leastnoise.ledger.ahead import Ahead, ahead, ahead_of_beginning, earlier_line, earlier_words
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people import said_law, said_minute
from leastnoise.release.file.anchor import refuse_another, refuse_new
from leastnoise.release.file.column_guesses import guessed_type, guessed_unit, is_id
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.read import read
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.preview import CutForecast, KeysForecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports.report import report_html
from leastnoise.web.asked_plan import plan_said, read_plan, refuse_too_many, typed_path
from leastnoise.web.budget_view import guarantee_facts
from leastnoise.web.dataset_view import described_columns
from leastnoise.web.demo import write_demo
from leastnoise.web.plan_code import plan_code
from leastnoise.web.plan_forecast import finite, forecast_facts
from leastnoise.web.plan_text import plan_text

_MOST_SHOWN = 200  # rows on a page; the download has all
_MOST_KEPT = 32  # in memory, for one person


@dataclass(frozen=True)
class Asked:
    """A plan that was previewed and may be released once."""

    text: str
    plan: PlanFile
    begins: bool  # whether the person was told that a new ledger will be begun


@dataclass(frozen=True)
class Made:
    """A release, with the plan it answers."""

    asked: Asked
    release: PlanRelease


class Releases:
    """Plans that wait for a confirmation, and releases that can be downloaded.

    Args:
        folder: what paths that people type are relative to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)
        self._lock = Lock()
        self._waiting: OrderedDict[int, Asked] = OrderedDict()
        self._made: OrderedDict[int, Made] = OrderedDict()
        self._demo: TemporaryDirectory[str] | None = None

    def columns(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The names and types of a file's columns, and nothing else of it.

        Of a dataset's file: the tables that may be asked about, and what is declared of one.
        """
        if typed_path(said, "path").lower().endswith(".toml"):
            return described_columns(self._folder / typed_path(said, "path"), said.get("table"))
        types = said.get("types") or None
        table = read(
            self._folder / typed_path(said, "path"),
            unit=None,
            types=types if isinstance(types, dict) else None,
            delimiter=str(said.get("delimiter") or ","),
        )
        names = [
            {"name": name, "type": kind.value, "guess": guessed_type(name).value, "id": is_id(name)}
            for name, kind in table.schema.columns
        ]
        return {"columns": names, "unit": guessed_unit(table.schema)}

    def demo(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Invented data in a folder that goes with the page, and a ledger's place beside them."""
        del said
        with self._lock:
            if self._demo is None:
                self._demo = TemporaryDirectory(prefix="leastnoise-demo-")
        home = Path(self._demo.name)
        return {"path": str(write_demo(home)), "ledger": str(home / "budget.db")}

    def made(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The releases of this run, the latest first."""
        del said
        with self._lock:
            found = list(self._made.items())
        return {"releases": [_listed(number, made) for number, made in reversed(found)]}

    def close(self) -> None:
        """Take the invented data away."""
        if self._demo is not None:
            self._demo.cleanup()

    def preview(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The error of every answer, whether the budget allows it, and a ticket to release it."""
        refuse_too_many(said)
        meant = plan_said(said)
        text = plan_text(meant)
        plan = read_plan(text, self._folder)
        forecasts = plan.plan.preview(plan.spend)
        ledger = _ledger_facts(plan)
        answer = {
            "spend": guarantee_facts(plan.spend),
            "ledger": ledger,
            "plan": text,
            "code": plan_code(meant, begins=ledger["new"]),
            "about": plan.dataset,
            "questions": [forecast_facts(each) for each in forecasts],
            "keys": [_other(each) for each in forecasts.keys],
            "cuts": [_other(each) for each in forecasts.cuts],
        }
        if ledger["refused"] is not None:
            return answer
        with self._lock:
            ticket = next(self._numbers)
            self._waiting[ticket] = Asked(text, plan, ledger["new"])
            _trim(self._waiting)
        return answer | {"ticket": ticket}

    def release(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Spend and publish what a ticket stands for; each ticket once, and only if confirmed.

        Raises:
            InvalidParameter: not confirmed, or an unknown or used ticket.
            BudgetExceeded: the ledger has less left; nothing was charged or drawn.
        """
        if said.get("confirmed") is not True:
            raise _check.refuse(
                "a release must be confirmed", "no confirmation", "Budget cannot be got back."
            )
        ticket = said.get("ticket")
        with self._lock:
            asked = self._waiting.pop(ticket, None) if type(ticket) is int else None
        if asked is None:
            raise _check.refuse(
                "a preview can be released once",
                f"number {_check.shown(ticket)}, unknown or used",
                "Preview again.",
            )
        plan = asked.plan
        made = plan.plan.release(
            plan.spend, ledger=_ledger(asked), labels=plan.labels, purpose=plan.purpose
        )
        with self._lock:
            number = next(self._numbers)
            self._made[number] = Made(asked, made)
            _trim(self._made)
        return _shown(number, made)

    def download(self, number: int, name: str) -> tuple[str, str, bytes] | None:
        """(file name, media type, content) of a part of a release; None if there is none."""
        made = self._made.get(number)
        if made is None:
            return None
        if name == "release.json":
            return name, "application/json", made.release.to_json().encode()
        if name == "plan.toml":
            return name, "application/toml", made.asked.text.encode()
        if name == "report.html":
            return name, "text/html; charset=utf-8", report_html(made.release).encode()
        stem, _, suffix = name.partition(".")
        if suffix == "csv" and stem.isdigit() and 0 < int(stem[:6]) <= len(made.release.tables):
            table = made.release.tables[int(stem[:6]) - 1]
            return f"table_{stem}.csv", "text/csv; charset=utf-8", table.to_csv().encode()
        return None


def _trim(kept: OrderedDict[int, Any]) -> None:
    while len(kept) > _MOST_KEPT:
        kept.popitem(last=False)


def _ledger(asked: Asked) -> Ledger:
    """The ledger; begun only if there is none, and the person confirmed that one will be."""
    folder = asked.plan.folder
    try:
        ledger = asked.plan.opened()
    except LedgerMissing:
        refuse_new(folder)
        if not asked.begins:
            raise
        return asked.plan.opened(begin=True)
    refuse_another(folder, ledger)
    return ledger


def _ledger_facts(plan: PlanFile) -> dict[str, Any]:
    """What the ledger has left, and its refusal if that is not enough. None is begun by looking."""
    asked = plan.plan
    costs, scope = asked.admitted(plan.spend).costs, asked.table.scope.said
    try:
        ledger = plan.opened()
    except LedgerMissing:
        if plan.total is None:
            raise _check.refuse(
                "a new ledger needs its whole budget", "none", "Say what may be spent in all."
            ) from None
        found = ahead_of_beginning(plan.total, plan.mode, costs)
        return _said_ahead(found, new=True, earlier="")
    found = ahead(ledger, costs, dict(plan.labels), **scope)
    line = earlier_line(ledger, asked.digest)
    earlier = "" if line is None else earlier_words(line, ledger)
    return _said_ahead(found, new=False, earlier=earlier)


def _said_ahead(found: Ahead, *, new: bool, earlier: str) -> dict[str, Any]:
    sums = [] if found.after is None else budget_sums(found.after, found.before)
    return {
        "new": new,
        "earlier": earlier,
        "sums": [f"{each.letter}: {each.words('now')}" for each in sums],
        "held": [] if found.after is None else held_words(found.after),
        "parts": [float(part / each.total) for each in sums[:1] if each.total
                  for part in (each.spent + each.held, each.now)],
        "refused": None if found.fits else _does_not_fit(found),
    }  # fmt: skip


def _does_not_fit(found: Ahead) -> dict[str, str]:
    remedy = "Spend less, ask less, or leave it: what is spent stays spent."
    return {"kind": "budget", "rule": found.verdict, "finding": "", "remedy": remedy}


def _listed(number: int, made: Made) -> dict[str, Any]:
    release = made.release
    return {
        "number": number,
        "time": said_minute(release.entry.time),
        "about": visible(made.asked.plan.dataset),
        "tables": [visible(table.name) for table in release.tables],
        "price": guarantee_facts(release.guarantee)["text"],
        "line": release.entry.number,
    }


def _other(told: KeysForecast | CutForecast) -> dict[str, Any]:
    return {"question": told.name, "share": finite(told.share), "note": told.note}


def _shown(number: int, made: PlanRelease) -> dict[str, Any]:
    return {
        "number": number,
        "line": made.entry.number,
        "time": made.entry.time,
        "guarantee": guarantee_facts(made.guarantee),
        "remaining": guarantee_facts(made.left),
        "flags": [visible(flag.words) for flag in made.flags],
        "tables": [_table(place, table) for place, table in enumerate(made.tables, 1)],
    }


def _table(place: int, table: ReleasedTable) -> dict[str, Any]:
    """The first rows; all of them are in the download."""
    shown = table.shown(_MOST_SHOWN)
    ends = zip(shown, table.values, table.lower, table.upper, strict=False)
    return {
        "name": visible(table.name),
        "file": f"{place}.csv",
        "columns": [visible(name) for name in table.columns],
        "count": len(table.rows),
        "mechanism": said_law(table.mechanism),
        "ratio": None if table.ratio is None else nearest_float(table.ratio),
        "notes": [visible(note) for note in table.notes],
        "remarks": [visible(remark) for remark in table.remarks],
        "answers": [
            {"cells": row.cells, "value": finite(v), "lower": finite(low), "upper": finite(high)}
            | {"grade": row.grade, "flags": row.flags}
            for row, v, low, high in ends
        ],
    }
