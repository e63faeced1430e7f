"""Nothing that people look at shows a fraction, a repr, 1E-8, an empty column or digits too many.

The surfaces: terminal, report, notebook and the answers of the explorer, for the plan of the demo
(on fewer patients), three other plans, and their ledgers.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from examples import make_visits
from leastnoise.ledger import Ledger
from leastnoise.release.file.plan_file import PlanFile, plan_file
from leastnoise.release.result.plan_release import PlanRelease
from tests.cli.run import run
from tests.web.client import client_of

ROOT = Path(__file__).parent.parent.parent
PATIENTS = 1500
UNFIT = {
    "a repr": r"\b(?:ApproxDP|PureDP|ZCDP|RDP|GDP|Discrete[A-Z]\w+|CentredGaussian|TwoCounterNoise|"
    r"OneCounterNoise|Fraction|Decimal|True|False|nan|inf)\b",
    "an exponent": r"\d[eE][-+]?\d",
    "a fraction": r"\d{2,}/\d+|\d/\d{2,}",
    "a long number": r"\d\.\d{5,}|\d{8,}",
}
HEAD = """
[data]
path = "visits.parquet"
unit = "patient_id"

[bounds]
max_groups = 2
max_rows = 6
"""
OUTPUT = '\n[output]\nfolder = "release"\n'
OTHERS = {
    "a third": HEAD
    + """
[budget]
ledger = "budget.db"
total = {epsilon = "7/3"}
spend = {epsilon = "1/3"}

[[question]]
ask = "median"
column = "age"
lower = 0
upper = 110

[[question]]
ask = "share"
of = {column = "smoker", is = true}
by = "insured"
keys = [true, false]

[[question]]
ask = "sum"
column = "cost"
lower = 0
upper = 600
"""
    + OUTPUT,
    "normal noise": HEAD
    + """
[budget]
ledger = "budget.db"
total = {rho = "1/7"}
spend = {rho = "1/60"}

[[question]]
ask = "count"
by = "city"
keys = ["Oslo", "Bergen", "Trondheim"]

[[question]]
ask = "mean"
column = "cost"
lower = 0
upper = 600
by = "diabetic"
keys = [true, false]
"""
    + OUTPUT,
    "found groups": HEAD
    + """
[budget]
ledger = "budget.db"
total = {epsilon = 2, delta = "1e-6"}
spend = {epsilon = 1, delta = "3e-7"}

[[question]]
ask = "units"
by = "complaint"
keys = "private"

[[question]]
ask = "cumulative"
column = "age"
lower = 0
upper = 110
parts = 5

[[question]]
ask = "variance"
column = "age"
lower = 0
upper = 110
"""
    + OUTPUT,
}


class Read(HTMLParser):
    """What a page says, and its tables, without what is not seen."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tables: list[list[list[str]]] = []
        self._hidden = self._cell = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._hidden += tag in ("style", "script", "title")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("th", "td") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
            self._cell += 1
        elif tag == "svg" and self._cell:
            self.tables[-1][-1][-1] += "(drawn)"

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script", "title")
        self._cell -= tag in ("th", "td") and self._cell > 0

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        self.words.append(data)
        if self._cell:
            self.tables[-1][-1][-1] += data

    def empty_columns(self) -> Iterator[str]:
        """Heads of columns in which no row of a table says anything."""
        for head, *rows in (table for table in self.tables if len(table) > 1):
            for place, name in enumerate(head):
                cells = [row[place] for row in rows if len(row) == len(head)]
                if cells and not any(cell.strip() for cell in cells):
                    yield name or f"column {place} of {head}"


@dataclass(frozen=True)
class Shown:
    """All that is seen of one plan.

    Attributes:
        release: what was published.
        pages: HTML by surface.
        screens: plain text by surface.
    """

    release: PlanRelease
    pages: dict[str, str]
    screens: dict[str, str]

    def everything(self) -> Iterator[tuple[str, str]]:
        yield from self.screens.items()
        for name, page in self.pages.items():
            yield name, " ".join(Read(page).words)


def _demo() -> str:
    text = (ROOT / "examples" / "visits.toml").read_text("utf-8")
    return re.sub(r'"\.\./build/demo/([^"]+)"', r'"\1"', text)


@pytest.fixture(scope="module", params=["demo", *OTHERS])
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("surfaces")
    with mock.patch.object(make_visits, "PATIENTS", PATIENTS):
        make_visits.main(folder / "visits.parquet")
    text = _demo() if request.param == "demo" else OTHERS[request.param]
    place = folder / "plan.toml"
    place.write_text(text, "utf-8")
    screens = {}
    commands: dict[str, list[str | Path]] = {
        "preview": ["preview", place],
        "release": ["release", place, "--begin"],
        "second preview": ["preview", place],
        "budget": ["budget", folder / "budget.db"],
    }
    for name, command in commands.items():
        outcome = run(*command)
        assert outcome.status == 0, outcome.errors
        screens[f"terminal: {name}"] = outcome.errors + outcome.output
    release = PlanRelease.from_json((folder / "release" / "release.json").read_text("utf-8"))
    plan = plan_file(text, folder)
    pages = {"report": (folder / "release" / "report.html").read_text("utf-8")}
    pages |= _notebook(plan, release, Ledger(folder / "budget.db"))
    return Shown(release, pages, screens | _printed(plan, release) | _explorer(folder))


def _notebook(plan: PlanFile, release: PlanRelease, ledger: Ledger) -> dict[str, str]:
    values: list[Any] = [plan.plan, plan.plan.preview(plan.spend), release, ledger]
    values += list(release.tables)
    return {
        f"notebook: {type(each).__name__} {number}": each._repr_html_()
        for number, each in enumerate(values)
    }


def _printed(plan: PlanFile, release: PlanRelease) -> dict[str, str]:
    values = [plan.plan.preview(plan.spend), *release.tables]
    return {f"printed: {number}": str(each) for number, each in enumerate(values)}


def _explorer(folder: Path) -> dict[str, str]:
    """What the page shows of a ledger; its other answers are of the tests in a browser."""
    with client_of(folder) as client:
        told = client.ask("budget", ledger="budget.db")
    return {"explorer: budget": "\n".join(_texts(told))}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def seen(text: str) -> str:
    """Without seals, digests and the names of files, which are noted and not read."""
    plain = re.sub(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{8} … [0-9a-f]{8}\b", "(seal)", text)
    plain = re.sub(r"(?<!\d)/\S+", " (a path) ", plain)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+\+\d\d:\d\d", "(a time)", plain)


def test_nothing_is_shown_that_people_do_not_read(shown: Shown) -> None:
    for surface, text in shown.everything():
        for what, pattern in UNFIT.items():
            found = re.search(pattern, seen(text))
            assert found is None, (surface, what, text[max(found.start() - 80, 0) :][:200])


def test_no_table_has_an_empty_column(shown: Shown) -> None:
    for surface, page in shown.pages.items():
        assert list(Read(page).empty_columns()) == [], surface


def test_answers_have_the_same_digits_everywhere(shown: Shown) -> None:
    """They are rounded once, to the error of their noise; no surface says more of them."""
    report = " ".join(Read(shown.pages["report"]).words)
    for table in shown.release.tables:
        if table.is_band or "share" in table.name:
            continue  # told as percentages there
        for row in table.shown(3):
            assert row.value in report, (table.name, row)
            assert row.value in shown.screens["terminal: release"], (table.name, row)


def test_reports_call_people_what_they_are(shown: Shown) -> None:
    """By the name the plan gives, or by their column; "units" is said in names of questions."""
    report = " ".join(Read(shown.pages["report"]).words)
    for table in shown.release.tables:
        report = re.sub(re.escape(table.name), "(a name)", report, flags=re.IGNORECASE)
    found = re.search(r"[^.;]*\b(?:units|(?:a|one|each|that) unit)\b[^.;]*", report)
    assert found is None, found[0]
    assert "patient" in report


def test_the_sums_of_a_budget_add_up_on_every_screen(shown: Shown) -> None:
    for surface in ("terminal: preview", "terminal: release", "terminal: budget"):
        told = " ".join(shown.screens[surface].split())
        sums = re.findall(
            r"([\d.]+) total − ([\d.]+) spent(?: − ([\d.]+) \D+?)? = ([\d.]+) left", told
        )
        assert sums or "10⁻" in told, surface
        for total, spent, now, left in sums:
            assert float(total) - float(spent) - float(now or 0) == pytest.approx(float(left))


@pytest.mark.parametrize("wrong", ["ε = 12345/678", "PureDP(epsilon=1)", "δ = 1E-8", "0.123456789"])
def test_the_judge_notices_what_is_unfit(wrong: str) -> None:
    assert any(re.search(pattern, seen(f"left: {wrong}.")) for pattern in UNFIT.values())


def test_the_judge_notices_an_empty_column() -> None:
    page = "<table><tr><th>city<th>flags<tr><td>Oslo<td><tr><td>Bergen<td> </table>"
    assert list(Read(page).empty_columns()) == ["flags"]
    assert json.dumps(list(_texts({"a": ["b", {"c": "d"}]}))) == '["b", "d"]'
