"""How soon a person sees something: the explorer, and the report of the demo, in Chromium.

The page is opened anew each time, with an empty cache of its own; the browser tells when the first
text or picture was painted. Requests that leave the machine are counted: there must be none.

    python -m benchmarks.first_paint
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.row import Row, markdown
from tests.web.browser import found, opened
from tests.web.pages import Page
from tests.web.running import running

_ROOT = Path(__file__).parent.parent
_REPORT = _ROOT / "build" / "demo" / "release" / "report.html"
_TIMES = 7
_PAINTED = "performance.getEntriesByName('first-contentful-paint').map(p => p.startTime)[0] ?? null"


def first_paint_rows() -> Iterator[Row]:
    """The median of some openings, and how many requests went elsewhere; none without Chromium."""
    if found() is None:
        return
    if not _REPORT.exists():
        demo = [sys.executable, str(_ROOT / "examples" / "demo.py")]
        subprocess.run(demo, check=True, capture_output=True, cwd=_ROOT)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as address:
        yield from _rows("explorer", address)
    yield from _rows("the demo's report", _REPORT.as_uri())


def _rows(what: str, address: str) -> Iterator[Row]:
    with opened() as browser:
        page = Page(browser, address)
        times = sorted(_painted(page) for _ in range(_TIMES))
        home = urlsplit(address).netloc
        away = [url for url in page.requested() if urlsplit(url).scheme in ("http", "https")
                and urlsplit(url).netloc != home]  # fmt: skip
    median = times[len(times) // 2]
    spread = f"{times[0]:.0f} to {times[-1]:.0f} ms"
    case = f"first paint, {what}, median of {_TIMES}"
    yield Row(case, f"{median:.0f} ms", spread, median, "ms", "at most", 300.0)
    case = f"requests that leave the machine, {what}"
    yield Row(case, str(len(away)), "–", float(len(away)), "", "at most", 0.0)


def _painted(page: Page) -> float:
    page.browser.get("about:blank")
    page.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    page.browser.get(page.address)
    return float(page.wait(lambda: page.run(f"return {_PAINTED}")))


if __name__ == "__main__":
    print(markdown(list(first_paint_rows())))
