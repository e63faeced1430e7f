"""Refusals show what was found, and say what to do: checked in the source, call by call."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "leastnoise"
PACKAGES = ("cli", "ledger", "pictures", "release", "reports", "web")
VAGUE = {"another", "another one", "others", "something else", "more", "one", "several", "other"}
HELPLESS = {"Mend it.", "Repair it.", "Fix it."}

# What is found may be a row, or bytes that nobody can read.
EXCEPTIONS = {"a stored release must be text written by this library"}


def refusals(tree: ast.Module) -> Iterator[tuple[int, list[str | None]]]:
    """The line of each refusal, with rule, finding and remedy where they are plain text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) >= 3:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in {"refuse", "refusal"}:
                texts = [each.value if isinstance(each, ast.Constant) else None
                         for each in node.args[-3:]]  # fmt: skip
                yield node.lineno, [text if isinstance(text, str) else None for text in texts]


def poor(tree: ast.Module) -> list[int]:
    return [
        line
        for line, (rule, finding, remedy) in refusals(tree)
        if rule not in EXCEPTIONS and (finding in VAGUE or remedy in HELPLESS)
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_refusals_show_what_was_found(package: str) -> None:
    files = sorted((SOURCE / package).rglob("*.py"))
    found = {str(file): poor(ast.parse(file.read_text("utf-8"))) for file in files}
    assert files
    assert {file: lines for file, lines in found.items() if lines} == {}


@pytest.mark.parametrize("call", ["refuse('r', 'another', 'Do so.')", "refuse('r', f, 'Mend it.')"])
def test_a_poor_refusal_is_seen(call: str) -> None:
    assert poor(ast.parse(call)) == [1]
