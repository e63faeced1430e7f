"""From a table to a release: a plan of eight questions about a hundred thousand invented visits.

Every step is a command that you can run yourself; the demo says which.
"""

import contextlib
import shutil
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import duckdb

from leastnoise.cli.main import main as command
from leastnoise.release.result.plan_release import PlanRelease

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "demo"
TABLE = FOLDER / "visits.parquet"
PLAN = "examples/visits.toml"


def main() -> None:
    """Make the data, look ahead, release, look at the books, and compare with the truth."""
    begun = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)  # a demo may forget what it spent; nobody else may
    say("1. A table", "Invented visits of invented patients; one patient has many rows.")
    subprocess.run([sys.executable, ROOT / "examples" / "make_visits.py", TABLE], check=True)

    say("2. Before anything is spent", "The plan is in examples/visits.toml. How good will it be?")
    run("preview", PLAN)

    say("3. The release", "Charged first, then drawn: if the power fails now, the charge stands.")
    run("budget", "begin", PLAN)  # a step of its own, once
    run("release", PLAN)

    say("4. The books", "What was spent, on what, and what is left; each line hashed to the last.")
    run("budget", "build/demo/budget.db")

    say("5. The truth", "Only because these patients are invented may we look:")
    print(*compared(), sep="\n")

    say("What next", "")
    print(f"""\
  open build/demo/release/report.html      the page for people: answers, errors, what is promised
  edit examples/visits.toml, and preview   try other questions, bounds and budgets: it is free
  .venv/bin/leastnoise init your.parquet   a plan for your own table, from its columns' names
  docs/plans.md                            five minutes from a table to a release
  .venv/bin/python examples/least_noise.py why no noise can be smaller: one count, proved
(took {time.monotonic() - begun:.0f} seconds)""")


def say(title: str, text: str) -> None:
    """A heading and the first line below it."""
    print(f"\n{title}\n{'-' * len(title)}" + (f"\n{text}" if text else ""), flush=True)


def run(*arguments: str) -> None:
    """One command, as it would be typed in the project's folder."""
    print(f"\n$ leastnoise {' '.join(arguments)}", flush=True)
    with (
        contextlib.chdir(ROOT),
        mock.patch.object(sys, "argv", ["leastnoise", *arguments]),
    ):
        try:
            command()
        except SystemExit as end:
            if end.code:
                raise


def compared() -> list[str]:
    """Released visits by city beside the true ones; errors of bounds and of noise together."""
    release = PlanRelease.from_json((FOLDER / "release" / "release.json").read_text("utf-8"))
    table = release["visits by city"]
    with duckdb.connect() as database:
        visits = database.read_parquet(str(TABLE))
        truth = dict(visits.aggregate("city, count(*)", "city").fetchall())
    lines = [f"{'visits by city':16}{'released':>10}{'95 % interval':>18}{'true':>8}{'off by':>9}"]
    ends = zip(table.lower, table.upper, strict=True)
    inside = 0
    for (city,), value, (low, high) in zip(table.rows, table.values, ends, strict=True):
        true = truth[city]
        inside += low <= true <= high
        between = f"{low:.0f} … {high:.0f}"
        lines.append(f"{city!s:16}{value:10.0f}{between:>18}{true:8}{(value - true) / true:9.1%}")
    lines.append(
        f"{inside} of {len(table)} intervals hold the truth; 95 % of all intervals do. The plan's "
        "bounds cut nothing: nobody has"
    )
    lines.append(
        "more than twenty visits. Lower max_rows, and the release says what that left out."
    )
    return lines


if __name__ == "__main__":
    main()
