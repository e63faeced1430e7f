"""What the prose promises: every cited key is in the bibliography, every linked file exists."""

import re
from pathlib import Path

import pytest

from tests.layers import modules

ROOT = Path(__file__).parent.parent
BIBLIOGRAPHY = (ROOT / "docs" / "references.bib").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("benchmarks/*.md")])

KEY = re.compile(r"\b(?:[A-Z][a-z]+)+(?:19|20)\d\d[a-z]?\b")
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
FILE = re.compile(r"\b(docs/[\w/.-]+\.(?:md|bib))")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_bibliography_keys_are_unique_and_cited_entries_complete() -> None:
    keys = re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE)
    assert len(keys) == len(set(keys)) > 0
    entries = re.split(r"^@", BIBLIOGRAPHY, flags=re.MULTILINE)[1:]
    for entry in entries:
        assert {"author", "title", "year"} <= set(re.findall(r"^\s*(\w+)\s*=", entry, re.MULTILINE))


@pytest.mark.parametrize("path", [*modules().values(), *PAGES], ids=name)
def test_every_cited_key_is_in_the_bibliography(path: Path) -> None:
    cited = set(KEY.findall(path.read_text("utf-8")))
    assert cited - set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE)) == set()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_local_link_leads_somewhere(path: Path) -> None:
    links = LINK.findall(path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", modules().values(), ids=name)
def test_every_page_a_docstring_points_to_exists(path: Path) -> None:
    pages = FILE.findall(path.read_text("utf-8"))
    assert [page for page in pages if not (ROOT / page).exists()] == []
