"""The site's read-only build of the first view: the explorer's own answers and scripts, stored."""

import re
from pathlib import Path

import pytest

from docs_site import choosing
from leastnoise.web.ask import Ask
from leastnoise.web.sketch import sketch
from tests.web import browser
from tests.web.pages import Page

FEW = ["0.1", "0.5", "1", "2", "8"]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "epsilons", lambda: FEW)


@pytest.mark.usefixtures("few")
def test_what_is_stored_is_what_the_explorer_answers() -> None:
    told = choosing.stored()
    assert len(told["errors"]) == len(choosing.SENSITIVITIES) + len(choosing.DELTAS) - 1
    for name, delta, size in (("0 10", "0", 10), ("1e-6 1", "1e-6", 1)):
        for place, epsilon in enumerate(FEW):
            said = {"epsilon": epsilon, "delta": delta, "sensitivity": size, "queries": 1}
            answer = sketch(Ask.read(said))
            assert told["errors"][name][place] == answer["noise"]["error95"]
            assert told["right"][delta][place] == answer["risk"]["right"]
            assert answer["final"]  # no search would find less


def test_epsilons_are_numbers_that_people_say() -> None:
    found = choosing.epsilons()
    assert found == sorted(found, key=float)
    assert {"0.1", "0.5", "1", "2", "5", "10"} <= set(found)
    assert all(len(each) <= 4 for each in found)


@pytest.mark.usefixtures("few")
def test_the_script_needs_no_other() -> None:
    text = choosing.script()
    assert not re.search(r"^\s*(?:import|export)\b", text, re.MULTILINE)
    for name in choosing.MODULES:
        wanted = (choosing.PAGE / f"{name}.js").read_text("utf-8")
        own = set(re.findall(r'from "\./(\w+)\.js"', wanted))
        assert own <= set(choosing.MODULES)


def test_only_the_marked_page_gets_the_view() -> None:
    assert choosing.on_page_markdown("# Other") == "# Other"
    made = choosing.on_page_markdown(Path("docs/try_choosing.md").read_text("utf-8"))
    assert choosing.MARK not in made
    assert 'id="choose-epsilon"' in made


@pytest.mark.skipif(browser.found() is None, reason=f"no Chromium: {browser.INSTALL}")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
@pytest.mark.usefixtures("few")
def test_sliders_move_from_a_folder_without_a_server(
    tmp_path: Path, width: int, dark: bool
) -> None:
    pytest.importorskip("selenium")
    (tmp_path / "javascripts").mkdir()
    (tmp_path / "javascripts" / "choose.js").write_text(choosing.script(), "utf-8")
    (tmp_path / "stylesheets").mkdir()
    style = (choosing.HERE / "choose.css").read_text("utf-8")
    (tmp_path / "stylesheets" / "choose.css").write_text(style, "utf-8")
    scheme = "slate" if dark else "default"
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Try it</title>'
        '<meta name="viewport" content="width=device-width"><style>[data-md-color-scheme=slate]'
        "{background:#10161d;color:#e8edf2}</style></head>"
    )
    body = f'<body data-md-color-scheme="{scheme}"><main><h1>Try it</h1>'
    view = (choosing.HERE / "view.html").read_text("utf-8")
    (tmp_path / "page.html").write_text(f"{head}{body}{view}</main></body></html>", "utf-8")
    with browser.opened(width=width, dark=dark) as opened:
        page = Page(opened, (tmp_path / "page.html").as_uri())
        opened.get(page.address)
        there = "return document.getElementById('choose-error') !== null"
        page.wait(lambda: page.run(there) or None)
        page.wait_for("choose-error", "your count of about 1,000 by at most ±3 (0.3 %)")
        assert "right at most 74 times" in page.text("choose-right")
        move = "const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('input'))"
        page.run(move, page.find("choose-epsilon"), 4)
        page.wait_for("choose-epsilon-said", "8")
        assert "This is weak" in page.text("choose-weak")
        assert "±0 at ε = 8" in page.text("choose-curve")
        page.choose("choose-delta", "1e-6")
        sizes = (
            "return [...document.getElementById('choose-sensitivity').options].map(o => o.value)"
        )
        assert page.run(sizes) == ["1"]
        assert page.run("return document.documentElement.scrollWidth") <= width
        assert "arXiv 2405.00267" in page.text("choose-sources")
        assert page.complaints() == []
        package = pytest.importorskip("axe_core_python")
        page.run((Path(package.__file__).parent / "axe.min.js").read_text("utf-8"))
        found = opened.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        assert [each["id"] for each in found["violations"]] == []
