"""The report and the page of a picture in a real browser: readable by all, and harmless."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reports.releases import release, single, table
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
    release([shown, table("count by municipality", keys), single()]).report(made / "report.html")
    shown.plot().save(made / "picture.html")
    return made


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
        wait = "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 300))"
        opened.execute_async_script(wait)
        assert opened.execute_script("return document.querySelectorAll('#picture svg').length") == 1
    else:
        wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert opened.execute_script(wide) <= 0  # wide tables scroll in their own frames
    assert not [line for line in opened.get_log("browser") if line["level"] == "SEVERE"]
    opened.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})  # for the examiner's own script
    opened.get(address)
    assert faults(opened) == []
