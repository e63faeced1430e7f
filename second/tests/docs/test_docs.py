"""Every page of the docs prints what it shows, up to noise and time."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, DOCS, SHOWN, make_flights, masked, outputs

PAGES = sorted(
    path.name
    for path in DOCS.glob("*.md")
    if any(kind != "text" for kind, _ in BLOCK.findall(path.read_text("utf-8")))
)


@pytest.fixture(scope="session")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("flights") / "flights.parquet"
    make_flights(path)
    return path


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_what_it_shows(name: str, flights: Path) -> None:
    page = (DOCS / name).read_text("utf-8")
    shown = [body for kind, body in BLOCK.findall(page) if kind in SHOWN]
    for expected, printed in zip(shown, outputs(page, flights), strict=True):
        assert masked(printed) == masked(expected)


def test_links_lead_to_pages() -> None:
    for path in DOCS.rglob("*.md"):
        for link in re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / link).is_file(), f"{path.name} leads to {link}"
