"""All figures: `python -m benchmarks.run [--rows 1000000] [--write] [module ...]`.

With --write each module that is run writes its table into README.md, with the command, date and load.
"""

import argparse
import os
import platform
import re
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks import FULL, Row

PAGE = Path(__file__).with_name("README.md")


def modules() -> list[str]:
    """The modules that measure something, found without importing the others."""
    paths = sorted(PAGE.parent.glob("*.py"))
    return [path.stem for path in paths if "\ndef rows(" in path.read_text(encoding="utf-8")]


def section(name: str, found: list[Row], size: int) -> str:
    """The results of a module as Markdown."""
    when, load = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", os.getloadavg()[1]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load:.1f}"
    lines = [
        f"## {name}", "",
        f"`python -m benchmarks.run --rows {size} --write {name}`, {when}: {machine}.", "",
        "| figure | measured | target | |", "|---|---|---|---|",
        *(f"| {' | '.join(row.cells)} |" for row in found),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def write(name: str, text: str) -> None:
    """Puts the section of a module in place of its last one."""
    first, *rest = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    kept = [each for each in rest if not each.startswith(f"## {name}\n")]
    sections = sorted(each.rstrip() + "\n" for each in [*kept, text])
    PAGE.write_text("\n".join([first.rstrip() + "\n", *sections]), encoding="utf-8")


def main() -> None:
    """Takes the figures."""
    known = modules()
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=FULL, help="rows of the large tables")
    arguments.add_argument("--write", action="store_true", help="write the tables of README.md")
    arguments.add_argument("modules", nargs="*", metavar="module", help=", ".join(known))
    options = arguments.parse_args()
    if unknown := set(options.modules) - set(known):
        arguments.error(f"no module {min(unknown)}; there are {', '.join(known)}")
    missed = 0
    for name in options.modules or known:
        found = []
        for row in import_module(f"benchmarks.{name}").rows(options.rows):
            print(" | ".join(row.cells), flush=True)
            found.append(row)
            if options.write:  # after each, so that a long run may be stopped
                write(name, section(name, found, options.rows))
        missed += sum(not row.met for row in found)
    print(f"{missed} targets missed.")


if __name__ == "__main__":
    main()
