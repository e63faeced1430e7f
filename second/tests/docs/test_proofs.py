"""Every proof page is named by the code that relies on it, and names code that exists."""

import ast
import re
from pathlib import Path

import leastnoise

SRC = Path(leastnoise.__file__).parent
PROJECT = Path(__file__).parents[2]
PAGES = {path.name: path.read_text("utf-8") for path in (PROJECT / "docs/proofs").glob("*.md")}
NAMED = re.compile(r"docs/proofs/(\w+\.md)")
CODE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.py)`")


def docstrings() -> str:
    found = []
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                found.append(ast.get_docstring(node) or "")
    return "\n".join(found)


IN_CODE = set(NAMED.findall(docstrings()))


def test_every_page_that_is_named_exists() -> None:
    for text in (docstrings(), *PAGES.values()):
        missing = set(NAMED.findall(text)) - PAGES.keys()
        assert not missing


def test_every_page_is_named_by_the_code_that_relies_on_it_or_by_another_page() -> None:
    by_pages = {
        name for page, text in PAGES.items() for name in NAMED.findall(text) if name != page
    }
    assert not PAGES.keys() - IN_CODE - by_pages


def test_the_code_that_a_page_names_exists() -> None:
    for name, page in PAGES.items():
        paths = CODE.findall(page)
        assert paths, f"{name} names no code"
        for path in paths:
            assert (SRC / path).is_file() or (PROJECT / path).is_file(), f"{name} names {path}"


def test_a_page_says_what_it_is_a_proof_of() -> None:
    for name, page in PAGES.items():
        assert page.startswith("# ") and "\nCode: " in page, name
