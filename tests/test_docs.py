"""What the prose promises: every cited key is in the bibliography, every linked file exists."""

import re
from doctest import DocTestParser
from pathlib import Path

import pytest

from tests.layers import modules

ROOT = Path(__file__).parent.parent
BIBLIOGRAPHY = (ROOT / "docs" / "references.bib").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("benchmarks/*.md")])

KEY = re.compile(r"\b(?:[A-Z][a-z]+)+(?:19|20)\d\d[a-z]?\b")
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
ANCHOR = re.compile(r"\]\((?!https?:)([^)#]*)#([^)]+)\)")
FILE = re.compile(r"\b(docs/[\w/.-]+\.(?:md|bib))")
SECTION = re.compile(r"\b(docs/proofs/\w+\.md),\s+section\s+(\d+)")
PLACE = re.compile(r"`((?:[a-z_]{2,}/)+(?:[a-z_]{2,}(?:\.(?:py|md))?)?)`")
PLANNED = re.compile(r"`[^`]+` \(planned\)")


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


def anchors(page: Path) -> set[str]:
    """The headings of a page as links spell them: lower case, hyphens, no punctuation."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_link_into_a_page_meets_a_heading(path: Path) -> None:
    links = ANCHOR.findall(path.read_text("utf-8"))
    pages = [(path.parent / page if page else path, anchor) for page, anchor in links]
    assert [anchor for page, anchor in pages if anchor not in anchors(page)] == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_file_a_page_names_exists(path: Path) -> None:
    text = "\n".join(
        line for line in path.read_text("utf-8").splitlines() if not PLANNED.search(line)
    )
    roots = (ROOT, ROOT / "src", ROOT / "src" / "leastnoise", ROOT / "docs")
    places = PLACE.findall(text)
    assert [place for place in places if not any((root / place).exists() for root in roots)] == []


def test_every_proof_is_listed_and_used() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    sources = "".join(path.read_text("utf-8") for path in modules().values())
    for page in sorted((ROOT / "docs" / "proofs").glob("*.md")):
        assert f"(proofs/{page.name})" in index
        assert name(page) in sources


@pytest.mark.parametrize("path", modules().values(), ids=name)
def test_every_section_a_docstring_points_to_exists(path: Path) -> None:
    for page, number in SECTION.findall(path.read_text("utf-8")):
        assert re.search(rf"^##+ {number}\b", (ROOT / page).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", modules().values(), ids=name)
def test_every_page_a_docstring_points_to_exists(path: Path) -> None:
    pages = FILE.findall(path.read_text("utf-8"))
    assert [page for page in pages if not (ROOT / page).exists()] == []


TERMINAL = re.compile(r"^```(?:console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NO_STACK = re.compile(r"Traceback \(most recent call last\):\n\s*\.\.\.")


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_readers_see_whole_output(path: Path) -> None:
    """No `...` stands for what was printed; pytest compares without ELLIPSIS."""
    text = path.read_text("utf-8")
    shown = [example.want for example in DocTestParser().get_examples(text)]
    assert [each for each in (*shown, *TERMINAL.findall(text)) if "..." in each] == []


def test_docstrings_show_whole_output() -> None:
    """Of output, pytest tells; of an error, doctest ignores what stands above its message."""
    assert [name(p) for p in modules().values() if NO_STACK.search(p.read_text("utf-8"))] == []
    assert "ELLIPSIS" not in (ROOT / "pyproject.toml").read_text("utf-8").replace("no ELLIPSIS", "")
