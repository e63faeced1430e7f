"""What notebooks show: one style, by day and by night, and nothing that names could break."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise import _show
from leastnoise.pictures import renderer
from leastnoise.pictures.tokens import DARK, LIGHT
from leastnoise.release.plan import Plan
from leastnoise.reports import notebook_html, report_html
from tests.reports.page import Node, read
from tests.reports.releases import release, single, table
from tests.reports.test_charts import cut

HOSTILE = "</style></td><script>alert(1)</script>"


def plan() -> Plan:
    data = ln.read(pa.table({"a": [1, 2]}), unit=None, dataset="visits 2026")
    return ln.plan(data).count(name="visits").count(by="a", keys=[1, 2], name="by a")


def shown(value: object) -> Node:
    """All but its picture."""
    return read(f"<!DOCTYPE html>\n{notebook_html(value).partition('<figure')[0]}")


def cells(page: Node) -> list[list[str]]:
    return [
        [cell.text for cell in row.children if isinstance(cell, Node)] for row in page.all("tr")
    ]


@pytest.fixture
def values(tmp_path: Path) -> list[Any]:
    ledger = ln.Ledger(
        tmp_path / "b.db", total=ln.ApproxDP(epsilon=3, delta="1e-7"), dataset="visits", begin=True
    )
    for number in range(12):
        ledger.charge(ln.ApproxDP(epsilon="0.125", delta="1e-9"), purpose=f"table {number}")
    noise = ln.optimal(sensitivity=10, epsilon=3)
    budget = ln.PureDP(epsilon=1)
    made = release([table("by city", ["Oslo", "Bergen"]), single()])
    return [plan(), plan().preview(budget), made.tables[0], ledger, made, noise.privacy(),
            noise.certificate(), noise]  # fmt: skip


def test_all_have_the_same_style_in_light_and_dark(
    values: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renderer, "is_installed", lambda: False)
    sheets = set()
    for value in values:
        page = shown(value)
        assert value._repr_html_() == notebook_html(value)
        (sheet,) = page.all("style")
        sheets.add(sheet.text)
        assert not [node for node in page.every() if node.name in {"script", "link", "img"}]
        assert not re.search(
            r"\b(PureDP|ApproxDP|Fraction)\(|1E-|\d/\d", page.text.replace(sheet.text, "")
        )
    (sheet_text,) = sheets
    assert all(LIGHT[name] in sheet_text and DARK[name] in sheet_text for name in LIGHT)
    assert "prefers-color-scheme:dark" in sheet_text
    rules = re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]+\{", "", sheet_text))
    assert all(".lnz" in rule for each in rules for rule in each.split(","))  # nothing outside


def test_they_say_what_they_are(values: list[Any]) -> None:
    asked, preview, city, ledger, made, *_ = map(shown, values)
    assert "Plan: 2 questions about visits 2026" in asked.text
    assert cells(asked)[1] == ["1", "visits", "The number of rows."]
    assert cells(preview)[1][:2] == ["visits", "1"]
    assert [row[0] for row in cells(city)] == ["City", "Oslo", "Bergen"]
    assert cells(city)[1][-1] == "B"
    assert "12 charges · 2 earlier ones not shown" in ledger.text
    assert "ε: 3 total − 1.5 spent = 1.5 left" in ledger.text
    assert "15 November 2026 · ε = 1, δ = 10⁻⁷ · line 7 of the ledger" in made.text
    assert cells(made)[2] == ["units", "1,836 ± 6", "A"]


def test_promises_of_losses_and_certificates_are_rounded_to_the_safe_side() -> None:
    loss = ln.PrivacyLoss.gaussian(mu=1)
    told = [row[1] for row in cells(shown(loss))[1:]]
    true = loss.epsilon("1e-6").upper
    said = float(told[0].removeprefix("ε ≤ "))
    assert true <= said <= true * 1.001
    proof = ln.optimal(sensitivity=10, epsilon=3).certificate()
    told = [row[1] for row in cells(shown(proof)) if len(row) > 1]
    assert float(told[2 + 1]) >= float(proof.achieved)
    assert float(told[3 + 1]) <= float(proof.bound)


def test_long_tables_show_ten_rows_and_say_how_many_there_are() -> None:
    page = shown(table("long", [f"k{n}" for n in range(25)]))
    assert len(cells(page)) == 11
    assert "15 more" in page.text
    assert len(cells(shown(table("short", [f"k{n}" for n in range(12)])))) == 13


def test_what_limits_cut_is_orange_and_said() -> None:
    made = cut(table("by city", ["Oslo"]), surely=True)
    page = shown(made)
    assert "▲ the limits cut more than the noise adds" in page.text
    assert [n for n in page.all("line") if n.attributes["class"] == "cut"]
    many = release([replace(made, name=f"table {n}") for n in range(5)])
    assert "▲ table 0, table 1, table 2 and 2 more: the limits cut" in shown(many).text
    perhaps = cut(table("by age", ["old"]), surely=False)
    assert "▲ the limits may have cut more than the noise adds" in shown(perhaps).text
    both = release([made, perhaps])
    assert "by city, by age: the limits may have cut more" in shown(both).text
    assert "The limits may have cut more than the noise adds:" in read(report_html(both)).text


def test_hostile_names_stay_text() -> None:
    bad = release([table(HOSTILE, [HOSTILE], column=HOSTILE)], dataset=HOSTILE)
    for value in (bad, bad.tables[0]):
        page = shown(value)
        assert "script" not in {node.name for node in page.every()}
        assert HOSTILE in page.text


def test_reprs_are_short(values: list[Any]) -> None:
    asked, preview, city, _, made, *_ = values
    assert repr(asked) == "<Plan visits 2026: 2 questions>"
    assert repr(preview) == "<Preview: 2 questions>"
    assert repr(made) == "<Release visits 2026: 2 tables, 3 numbers, ε = 1, δ = 10⁻⁷, line 7>"
    assert all(len(repr(each)) <= 80 for each in (asked, preview, city, made))
    assert Plan._repr_html_ is _show.html


def test_the_fingerprint_of_a_plan_is_that_of_all_that_is_public() -> None:
    """It must not change with how a plan is shown: stored releases are found by it."""
    asked = plan()
    parts = (f"table={asked.table!r}", f"bounds={asked.bounds!r}",
             f"questions={asked.questions!r}", f"cut={asked.cut!r}")  # fmt: skip
    told = f"Plan({', '.join(parts)})"
    assert asked.digest == hashlib.sha256(told.encode()).hexdigest()
