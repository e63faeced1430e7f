"""Pictures of the explorer and of the demo's report: `python -m tests.web.screenshots [FOLDER]`.

By default those that the documentation shows, in docs/images; with `all` after the folder every
view, dark and on a phone as well. The data are made up, the answers are drawn anew in every run.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import leastnoise as ln
from tests.web.browser import opened
from tests.web.filling_in import asked, limited, looked_at
from tests.web.pages import Page
from tests.web.running import running
from tests.web.visits import write_visits

ROOT = Path(__file__).parent.parent.parent
REPORT = ROOT / "build" / "demo" / "release" / "report.html"
WIDE, PHONE = 1280, 360
SHOWN = ("choose", "release")  # the views that the documentation shows


def choose(page: Page) -> None:
    page.open("choose")
    page.type("sensitivity-exact", "10")
    page.type("epsilon-exact", "1.5")
    page.type("delta-exact", "1e-8")
    page.wait_for("noise-facts", "linear program")
    page.wait_for("certificate", "Ratio to the bound")


def plan(page: Page) -> None:
    page.open("plan")
    page.wait_for("shapes", "permute-and-flip")
    page.wait_for("size-answer", "suffice")


def release(page: Page) -> None:
    looked_at(page)
    page.type("data-name", "hospital visits")
    limited(page, "1", "2")
    page.type("most-rows", "2")
    asked(page)
    page.press("step-publish")
    page.type("ledger", "budget.db")
    page.type("total-epsilon", "10")
    page.type("purpose", "table for the yearbook")
    page.submit("budget-form")
    page.wait_for("spend-bar", "Spend")
    page.press("go")
    page.press("confirm-check")
    page.press("confirm-yes")
    page.wait_for("release-answer", "Done.")


def budget(page: Page) -> None:
    page.open("budget")
    page.type("ledger-path", "year.db")
    page.submit("ledger-form")
    page.wait_for("ledger-answer", "History")


VIEWS: dict[str, Callable[[Page], None]] = {
    "choose": choose,
    "plan": plan,
    "release": release,
    "budget": budget,
}


def begin_year(folder: Path) -> None:
    total = ln.ApproxDP(epsilon=4, delta="1e-7")
    ledger = ln.Ledger(folder / "year.db", total=total, dataset="hospital visits", begin=True)
    for month in ("January", "February", "March", "April"):
        ledger.charge(
            ln.ApproxDP(epsilon="0.5", delta="1e-8"),
            purpose=f"monthly tables, {month}",
            labels={"analyst": "ann"},
        )


def take(page: Page, width: int, path: Path) -> None:
    """The whole page, however long."""
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    height = min(int(page.run("return document.documentElement.scrollHeight")), 4000)
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    page.browser.save_screenshot(str(path))


def explorer(folder: Path, *, everything: bool) -> None:
    """The views of the explorer."""
    looks = ((WIDE, False), (WIDE, True), (PHONE, False)) if everything else ((WIDE, False),)
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        write_visits(home)
        begin_year(home)
        with running(home) as address:
            for width, dark in looks:
                for view in VIEWS if everything else SHOWN:
                    with opened(width=width, height=900, dark=dark) as browser:
                        page = Page(browser, address)
                        VIEWS[view](page)
                        kind = "-dark" if dark else "-phone" if width == PHONE else ""
                        take(page, width, folder / f"explorer-{view}{kind}.png")


def report(folder: Path) -> None:
    """The first screen of the demo's report, wide and on a phone, and a question of it."""
    if not REPORT.exists():
        subprocess.run(
            [sys.executable, ROOT / "examples" / "demo.py"], check=True, capture_output=True
        )
    for name, width, height, place in (
        ("report", 1200, 900, ""),
        ("report-phone", 390, 844, ""),
        ("report-question", 1200, 560, "#question-5"),
    ):
        with opened(width=width, height=height) as browser:
            browser.get(f"{REPORT.as_uri()}{place}")
            browser.save_screenshot(str(folder / f"{name}.png"))


def main(folder: Path, *, everything: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    report(folder)
    explorer(folder, everything=everything)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]) if given else ROOT / "docs" / "images", everything="all" in given[1:])
