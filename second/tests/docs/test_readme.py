"""The README works as pasted, line by line, in an empty folder; its figures are those of the tests."""

import io
import re
import runpy
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from tests.cli.terminal import on_terminal
from tests.docs.pages import masked
from tests.house import test_house

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(sh|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_readme_works_as_pasted(tmp_path: Path) -> None:
    namespace: dict[str, Any] = {}
    printed = ""
    with chdir(tmp_path):
        for kind, body in BLOCK.findall(README):
            if kind == "sh":
                command = body.strip().removeprefix("pip install leastnoise && ")
                ran = on_terminal(command, answers=["y"] if " sql " in command else [])
                assert ran.status == 0, ran
            elif kind == "python":
                out = io.StringIO()
                with redirect_stdout(out):
                    exec(compile(body, "README", "exec"), namespace)
                printed = out.getvalue()
            else:
                assert masked(printed) == masked(body)
    assert len(namespace["ledger"].entries) == 2, "Python and the terminal share one budget"


def test_the_demo_previews_and_releases() -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        runpy.run_path(str(ROOT / "examples/demo.py"), run_name="__main__")
    assert all(word in out.getvalue() for word in ("Preview:", "with 95 % margins", "Left: "))


def test_what_the_readme_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"`make (\w+)`", README):
        assert f"\n{target}:" in makefile
    for page in re.findall(r"\]\((docs/[^)]+)\)", README):
        assert (ROOT / page).is_file()


def test_the_figure_of_trusted_lines_is_that_of_the_house() -> None:
    assert f"At most {test_house.CEILING:,} lines" in README
