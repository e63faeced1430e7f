"""The documentation site builds without a warning; links lead somewhere; no network is needed."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

from leastnoise.release.plan import Plan
from tests.web import browser

ROOT = Path(__file__).parent.parent
TOOLS = ("mkdocs", "material", "mkdocstrings", "mkdocs_gen_files", "latex2mathml")
OUTSIDE = re.compile(r"(?:https?:)?//")
LOADED = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(tool) is None for tool in TOOLS), reason="needs the extra `docs`"
)


@dataclass
class Page(HTMLParser):
    """What one page of the site refers to, and what can be referred to in it."""

    text: str
    links: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=lambda: {"", "__skip"})

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value is not None}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag != "a":
            self.assets += [found[name] for name in ("src", "href", "srcset") if name in found]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Warnings are errors."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", place],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DISABLE_MKDOCS_2_WARNING": "true",
             "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    # The page for what is not found may be shown at any address, and has links from the root.
    found = [path for path in site.rglob("*.html") if path.name != "404.html"]
    return {path.resolve(): Page(path.read_text("utf-8")) for path in found}


def test_every_page_is_there(site: Path, pages: dict[Path, Page]) -> None:
    sources = (ROOT / "docs").rglob("*.md")
    wanted = {site / path.relative_to(ROOT / "docs").with_suffix(".html") for path in sources}
    assert wanted <= set(pages)


def test_every_link_leads_to_a_page_and_to_a_place_in_it(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, anchor = urldefrag(link)
            place = (path.parent / unquote(target)).resolve() if target else path
            if place.is_dir():
                place /= "index.html"
            known = pages[place].anchors if place in pages else {"", anchor}
            if not place.exists() or unquote(anchor) not in known:
                broken.append((path.name, link))
    assert broken == []


def test_pages_load_nothing_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    assert [each for page in pages.values() for each in page.assets if OUTSIDE.match(each)] == []
    styles = [path.read_text("utf-8") for path in site.rglob("*.css")]
    texts = [*styles, *(page.text for page in pages.values())]
    assert [each for text in texts for each in LOADED.findall(text)] == []


def test_every_asset_is_there(pages: dict[Path, Page]) -> None:
    missing = [
        (path.name, asset)
        for path, page in pages.items()
        for asset in page.assets
        if not asset.startswith("data:")
        and not (path.parent / unquote(urldefrag(asset).url)).resolve().exists()
    ]
    assert missing == []


def test_no_markdown_is_left_in_the_text(pages: dict[Path, Page]) -> None:
    left = []
    for path, page in pages.items():
        prose = re.sub(r"<(pre|code|script|style)\b.*?</\1>", "", page.text, flags=re.DOTALL)
        left += [
            (path.name, found)
            for found in re.findall(r"```|\]\([\w/.#-]+\)|^\|.*\|$", prose, re.MULTILINE)
        ]
    assert left == []


def test_no_mathematics_is_taken_for_markup(site: Path) -> None:
    assert "Bad ⊆ {z ≤ −2Δ·ln(1/δ)/ε}" in (site / "errata.html").read_text("utf-8")


PROOFS = sorted(
    [*(ROOT / "docs" / "proofs").glob("*.md"), *(ROOT / "docs" / "theory").glob("*.md")]
)
TYPESET = re.compile(
    r"```.*?```|`[^`\n]*`|\$\$.+?\$\$|\$[^$\n]+\$|^#.*$|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)


@pytest.mark.parametrize("page", PROOFS, ids=lambda page: page.stem)
def test_proofs_write_mathematics_as_formulas(page: Path) -> None:
    """Each Greek letter, power, sum and root is between dollar signs, each formula typesets."""
    text = page.read_text("utf-8")
    assert re.findall(r".{0,20}[α-ωΓΔΘΛΦΨΩΣΠ√∫^²₁ᵢ].{0,20}", TYPESET.sub("", text)) == []
    assert (
        re.findall(r"^    \S.*[=≤≥]", re.sub(r"```.*?```|\$[^$\n]+\$", "", text, flags=re.DOTALL))
        == []
    )


def test_signs_and_slashes_take_no_space() -> None:
    markdown = pytest.importorskip("markdown").markdown
    told = markdown(r"$f(-x) = -a/b - \ln\thinspace c$", extensions=["docs_site.mathematics"])
    assert told.count('<mo form="prefix">−</mo>') == 2
    assert told.count("<mo>−</mo>") == 1
    assert '<mo lspace="0" rspace="0">/</mo>' in told
    assert '<mspace width="0.167em">' in told


def test_formulas_are_typeset_by_the_browser(site: Path, pages: dict[Path, Page]) -> None:
    home = (site / "index.html").read_text("utf-8")
    assert re.search(r'<math display="block">.*<mi>δ</mi>', home)
    for path, page in pages.items():
        prose = re.sub(r"<(pre|code|script|style)\b.*?</\1>", "", page.text, flags=re.DOTALL)
        assert "$" not in prose, path.name


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("choose epsilon", "choosing_epsilon.html"),
        ("glossary", "glossary.html"),
        ("contribution bounds", "choosing_bounds.html"),
    ],
)
def test_search_knows_what_people_ask_for(site: Path, asked: str, page: str) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    told = "".join(
        f"{each['title']} {each['text']} " for each in index if each["location"] == page
    ).lower()
    assert all(word in told for word in asked.split()), told


def test_the_reference_begins_with_what_everybody_needs(site: Path) -> None:
    page = (site / "reference" / "leastnoise.html").read_text("utf-8")
    first = re.findall(r'<h2 id="leastnoise\.([\w.]+)"', page)[:4]
    assert [name.rpartition(".")[2] for name in first] == ["read", "plan", "release", "Ledger"]


def test_the_reference_has_every_question_and_all_of_a_ledger(site: Path) -> None:
    plan = (site / "reference" / "release.html").read_text("utf-8")
    for name in (each for each in dir(Plan) if not each.startswith("_")):
        if not callable(getattr(Plan, name)):
            continue
        assert f'id="leastnoise.release.plan.Plan.{name}"' in plan, name
    ledger = (site / "reference" / "leastnoise.html").read_text("utf-8")
    for name in ("charge", "cap", "history", "remaining_for", "verify"):
        assert f'id="leastnoise.ledger.ledger.Ledger.{name}"' in ledger, name


def test_the_reference_knows_dataclasses_by_their_source(site: Path) -> None:
    page = (site / "reference" / "ledger.html").read_text("utf-8")
    assert page.count("doc-label-dataclass") > 3


def test_dollar_signs_in_prose_are_no_formulas() -> None:
    markdown = pytest.importorskip("markdown").markdown

    told = markdown("From $5 to $6, `$x$`, \\$x\\$.", extensions=["docs_site.mathematics"])
    assert "<math" not in told
    assert "<math" in markdown("Let $x_i$ be", extensions=["docs_site.mathematics"])


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing on the screen."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def examined(opened: Any) -> list[str]:
    """What keeps people from reading the page."""
    package = pytest.importorskip("axe_core_python")
    opened.execute_script((Path(package.__file__).parent / "axe.min.js").read_text("utf-8"))
    found = opened.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    return [each["id"] for each in found["violations"] if each["impact"] in ("serious", "critical")]


def asked_for(opened: Any) -> list[str]:
    events = [json.loads(line["message"])["message"] for line in opened.get_log("performance")]
    sent = [event for event in events if event["method"] == "Network.requestWillBeSent"]
    return [event["params"]["request"]["url"] for event in sent]


@pytest.mark.slow
@pytest.mark.skipif(browser.found() is None, reason=f"no Chromium: {browser.INSTALL}")
@pytest.mark.parametrize("dark", [False, True])
def test_pages_are_readable_by_all_and_stay_at_home(address: str, dark: bool) -> None:
    pytest.importorskip("selenium")
    with browser.opened(dark=dark) as opened:
        opened.get("about:blank")
        asked_for(opened)  # what the browser's own first page wanted does not count
        for page in (
            "index",
            "choosing_epsilon",
            "try_choosing",
            "tutorials/student",
            "reference/noise",
        ):
            opened.get(f"{address}{page}.html")
            assert examined(opened) == []
        asked = [url for url in asked_for(opened) if not url.startswith(("data:", "blob:"))]
        assert len(asked) > 4
        assert [url for url in asked if not url.startswith(address)] == []


def test_docstrings_become_markdown() -> None:
    from docs_site.as_markdown import as_markdown

    text = as_markdown(
        "Noise up to 2**62.\n\nLaw: 2*exp(-k**2)\n\nTheorem: it is `a*b*c`.\n"
        "Proof: docs/proofs/uniform.md.\n\nExample:\n    >>> 2 * 3"
    )
    assert text == (
        "Noise up to 2\\*\\*62.\n\n**Law:** \n\n```python\n2*exp(-k**2)\n```\n\n"
        "**Theorem:** it is `a*b*c`.\n\n"
        "**Proof:** [proofs/uniform](../proofs/uniform.html).\n\nExamples:\n    >>> 2 * 3"
    )
