"""What the prose promises: every cited key is in the bibliography, every linked file exists."""

import re
from collections.abc import Callable, Collection, Iterable
from doctest import DocTestParser
from functools import cache
from pathlib import Path

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


def faults(
    paths: Iterable[Path], found: Callable[[Path, str], Collection[str]]
) -> dict[str, list[str]]:
    """By the file's name, what is wrong in it: one test for a thousand files."""
    wrong = {name(path): list(found(path, path.read_text("utf-8"))) for path in paths}
    assert wrong
    return {file: what for file, what in wrong.items() if what}


def test_bibliography_keys_are_unique_and_cited_entries_complete() -> None:
    keys = re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE)
    assert len(keys) == len(set(keys)) > 0
    entries = re.split(r"^@", BIBLIOGRAPHY, flags=re.MULTILINE)[1:]
    for entry in entries:
        assert {"author", "title", "year"} <= set(re.findall(r"^\s*(\w+)\s*=", entry, re.MULTILINE))


def test_every_cited_key_is_in_the_bibliography() -> None:
    known = set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE))
    assert (
        faults([*modules().values(), *PAGES], lambda _, text: set(KEY.findall(text)) - known) == {}
    )


def test_every_local_link_leads_somewhere() -> None:
    def lost(page: Path, text: str) -> list[str]:
        return [link for link in LINK.findall(text) if not (page.parent / link).exists()]

    assert faults(PAGES, lost) == {}


@cache
def anchors(page: Path) -> set[str]:
    """The headings of a page as links spell them: lower case, hyphens, no punctuation."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_link_into_a_page_meets_a_heading() -> None:
    def lost(page: Path, text: str) -> list[str]:
        links = [(page.parent / to if to else page, anchor) for to, anchor in ANCHOR.findall(text)]
        return [anchor for to, anchor in links if anchor not in anchors(to)]

    assert faults(PAGES, lost) == {}


def test_every_file_a_page_names_exists() -> None:
    roots = (ROOT, ROOT / "src", ROOT / "src" / "leastnoise", ROOT / "docs")

    def lost(_: Path, text: str) -> list[str]:
        here = "\n".join(line for line in text.splitlines() if not PLANNED.search(line))
        places = PLACE.findall(here)
        return [place for place in places if not any((root / place).exists() for root in roots)]

    assert faults(PAGES, lost) == {}


def test_every_proof_is_listed_and_used() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    sources = "".join(path.read_text("utf-8") for path in modules().values())
    for page in sorted((ROOT / "docs" / "proofs").glob("*.md")):
        assert f"(proofs/{page.name})" in index
        assert name(page) in sources


def test_every_section_a_docstring_points_to_exists() -> None:
    def lost(_: Path, text: str) -> list[str]:
        return [
            f"{page}, section {number}"
            for page, number in SECTION.findall(text)
            if not re.search(rf"^##+ {number}\b", (ROOT / page).read_text("utf-8"), re.MULTILINE)
        ]

    assert faults(modules().values(), lost) == {}


def test_every_page_a_docstring_points_to_exists() -> None:
    def lost(_: Path, text: str) -> list[str]:
        return [page for page in FILE.findall(text) if not (ROOT / page).exists()]

    assert faults(modules().values(), lost) == {}


TERMINAL = re.compile(r"^```(?:console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NO_STACK = re.compile(r"Traceback \(most recent call last\):\n\s*\.\.\.")


def test_readers_see_whole_output() -> None:
    """No `...` stands for what was printed; pytest compares without ELLIPSIS."""

    def cut_short(_: Path, text: str) -> list[str]:
        shown = [example.want for example in DocTestParser().get_examples(text)]
        return [each for each in (*shown, *TERMINAL.findall(text)) if "..." in each]

    assert faults(PAGES, cut_short) == {}


def test_docstrings_show_whole_output() -> None:
    """Of output, pytest tells; of an error, doctest ignores what stands above its message."""
    assert [name(p) for p in modules().values() if NO_STACK.search(p.read_text("utf-8"))] == []
    assert "ELLIPSIS" not in (ROOT / "pyproject.toml").read_text("utf-8").replace("no ELLIPSIS", "")
