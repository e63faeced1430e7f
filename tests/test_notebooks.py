"""The example notebooks run from beginning to end, and say what they claim."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parent.parent / "examples" / "notebooks"

pytest.importorskip("marimo")


def notebook(name: str) -> tuple[Any, Any]:
    """What its cells show, and what they define."""
    spec = importlib.util.spec_from_file_location(name, NOTEBOOKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.app.run()  # type: ignore[no-any-return]


def test_every_notebook_is_tested() -> None:
    assert {path.stem for path in NOTEBOOKS.glob("*.py")} == {"choose_epsilon", "first_release"}


def test_choosing_epsilon_shows_errors_risks_and_a_checked_certificate() -> None:
    shown, found = notebook("choose_epsilon")
    words = " ".join(str(getattr(each, "text", "")) for each in shown)
    assert "can become at most 73.2 % sure" in words
    assert "±3" in words
    assert found["verdict"].accepted
    errors = list(found["errors"].values())
    assert errors == sorted(errors, reverse=True)


def test_the_first_release_is_charged_and_reported() -> None:
    _, found = notebook("first_release")
    assert [told["question"] for told in found["preview"]] == ["people", "age"]
    assert len(found["ledger"].history()) == 1
    assert len(found["release"]["people"]) == 3
    assert "<script" not in found["report"].read_text("utf-8")


def test_a_notebook_is_a_plain_script() -> None:
    script = NOTEBOOKS / "first_release.py"
    done = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, check=True)
    assert done.stderr == b""
