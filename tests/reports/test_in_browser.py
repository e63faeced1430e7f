"""The report and the page of a picture in a real browser: readable by all, and harmless."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leastnoise.release.result.released_table import ReleasedTable
from tests.reports.releases import question, release, single, table
from tests.web import browser

pytest.importorskip("selenium")
pytestmark = pytest.mark.skipif(browser.found() is None, reason=f"no Chromium: {browser.INSTALL}")

HOSTILE = "</script></style><script>document.title='run'</script><img src=x onerror=alert(1)>"
SCREENS = {"light": (1280, False), "dark": (1280, True), "phone": (360, False)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("report")
    keys = [f"municipality {n}" for n in range(80)]
    shown = table(HOSTILE, [HOSTILE, *keys[:3]], column=HOSTILE, note=HOSTILE)
    tables = [shown, table("count by municipality", keys), single(), *charted()]
    kinds = ["Count", "Count", "Units", "Count", "Count", "Histogram", "ColumnQuantiles", "Mean"]
    asked = [
        replace(question(each.name, "The number of rows."), kind=kind)
        for each, kind in zip(tables, kinds, strict=True)
    ]
    release(tables, asked).report(made / "report.html")
    shown.plot().save(made / "picture.html")
    return made


def charted() -> list[ReleasedTable]:
    """One table for each kind of chart."""
    months = [f"2026-{month:02}" for month in range(1, 13)]
    cities = [f"city {n}" for n in range(9)]
    both = tuple((city, month) for city in cities for month in months)
    ages = tuple((10.0 * n, 10.0 * n + 10) for n in range(11))
    costs = 1e6 + np.arange(2.0)
    return [
        table("by month", months),
        replace(table("by city and month", ["x"] * len(both)), columns=("a", "b"), rows=both),
        replace(table("by age", ["x"] * 11), columns=("age_from", "age_to"), rows=ages),
        replace(table("age", list("abc")), columns=("quantile",), rows=((0.25,), (0.5,), (0.75,))),
        replace(
            table("mean cost", ["insured", "not insured"]),
            values=costs,
            lower=costs - 1e5,
            upper=costs + 1e5,
        ),
    ]


@pytest.fixture(scope="module", params=SCREENS)
def opened(request: pytest.FixtureRequest) -> Iterator[Any]:
    width, dark = SCREENS[request.param]
    with browser.opened(width=width, height=900, dark=dark) as found:
        yield found


def asked_for(opened: Any) -> list[str]:
    events = [json.loads(line["message"])["message"] for line in opened.get_log("performance")]
    sent = [event for event in events if event["method"] == "Network.requestWillBeSent"]
    found = [event["params"]["request"]["url"] for event in sent]
    return [url for url in found if not url.startswith(("chrome", "data:", "about:"))]


def faults(opened: Any) -> list[str]:
    package = pytest.importorskip("axe_core_python")
    opened.execute_script((Path(package.__file__).parent / "axe.min.js").read_text("utf-8"))
    found = opened.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    return [fault["id"] for fault in found["violations"]]


DRAWN = """
const done = arguments[0];
const look = () => document.querySelector("#picture svg") ? done() : requestAnimationFrame(look);
look();
"""


@pytest.mark.parametrize("name", ["report.html", "picture.html"])
def test_the_page_is_readable_and_harmless(opened: Any, folder: Path, name: str) -> None:
    opened.get("about:blank")
    asked_for(opened)  # what the browser's own first page wanted does not count
    opened.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    address = (folder / name).as_uri()
    opened.get(address)
    assert [url for url in asked_for(opened) if url != address] == []
    assert opened.title != "run"
    assert opened.execute_script("return document.images.length") == 0
    if name == "picture.html":
        opened.execute_async_script(DRAWN)
        assert opened.execute_script("return document.querySelectorAll('#picture svg').length") == 1
    else:
        wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert opened.execute_script(wide) <= 0  # wide tables scroll in their own frames
    assert not [line for line in opened.get_log("browser") if line["level"] == "SEVERE"]
    opened.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})  # for the examiner's own script
    opened.get(address)
    assert faults(opened) == []


OVERLAPPING = """
const found = [];
for (const chart of document.querySelectorAll("svg.chart")) {
  const texts = [...chart.querySelectorAll("text")];
  const boxes = texts.map(t => [t.textContent, t.getBoundingClientRect()]);
  for (const [i, [one, a]] of boxes.entries())
    for (const [other, b] of boxes.slice(i + 1))
      if (a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
        found.push([one, other]);
}
return found
"""
BEYOND = """
const wide = document.documentElement.clientWidth;
return [...document.querySelectorAll("svg.chart text")]
  .filter(t => t.getBoundingClientRect().right > wide || t.getBoundingClientRect().left < 0)
  .map(t => t.textContent)
"""


def test_no_text_of_a_chart_covers_another_or_leaves_the_screen(opened: Any, folder: Path) -> None:
    opened.get((folder / "report.html").as_uri())
    assert opened.execute_script(OVERLAPPING) == []
    assert opened.execute_script(BEYOND) == []


def test_on_paper_everything_is_unfolded_and_pages_are_numbered(opened: Any, folder: Path) -> None:
    opened.get((folder / "report.html").as_uri())
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = "return [...document.querySelectorAll('.rest tr')].filter(r => !r.offsetHeight).length"
    wide = "return getComputedStyle(document.body).backgroundColor"
    assert opened.execute_script(hidden) == 1  # only the repeated head
    assert opened.execute_script(wide) == "rgb(255, 255, 255)"  # by night too
    printed = opened.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert base64.b64decode(printed["data"]).count(b"/Type /Page\n") in range(5, 16)
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
