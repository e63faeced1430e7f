"""From a table to a release: a plan of eight questions about a hundred thousand invented visits.

Every step is a command that you can run yourself; the demo says which.
"""

import contextlib
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from unittest import mock

import duckdb

from leastnoise.cli.main import main as command
from leastnoise.people.numbers import said_duration
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "demo"
TABLE = FOLDER / "visits.parquet"
PLAN = "examples/visits.toml"


def main() -> None:
    """Make the data, look ahead, release, look at the ledger, and compare with the truth."""
    begun = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)  # a demo may forget what it spent; nobody else may
    say("1. A table", "Invented visits of invented patients; one patient may have many.")
    subprocess.run([sys.executable, ROOT / "examples" / "make_visits.py", TABLE], check=True)

    say("2. Before anything is spent", "How good will the plan in examples/visits.toml be?")
    run("preview", PLAN)

    say("3. The release", "Charged first, then drawn: if the power fails now, the charge stands.")
    run("budget", "begin", PLAN)  # a step of its own, once
    run("release", PLAN, "--yes")

    say("4. The ledger", "What was spent, on what, and what is left; each line hashed to the last.")
    run("budget", "build/demo/budget.db")

    say("5. The truth", "Only because these patients are invented may we look:")
    print(*compared(), sep="\n")

    say("What next", "")
    print(f"""\
  Read the report   build/demo/release/report.html, in a browser
  Change the plan   examples/visits.toml, then preview it again: that is free
  Use your table    .venv/bin/leastnoise init your.parquet
  Learn more        docs/plans.md, from a table to a release in five minutes
  See why           .venv/bin/python examples/least_noise.py
(took {said_duration(time.monotonic() - begun)})""")


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
            command(to_the_end=False)
        except SystemExit as end:
            if end.code:
                raise


TRUTHS = {
    "patients": "SELECT count(DISTINCT patient_id)",
    "visits by city": "SELECT city, count(*) GROUP BY ALL",
    "mean cost by insurance": "SELECT insured, avg(cost) GROUP BY ALL",
    "cost of older patients": "SELECT sum(cost) WHERE age >= 67",
    "visits by age": "SELECT 10.0 * (age // 10) AS low, low + 10, count(*) GROUP BY ALL",
    "age of patients at their visits": "SELECT unnest([0.25, 0.5, 0.75]), "
    "unnest(quantile_disc(age, [0.25, 0.5, 0.75]))",
    "risks together": "SELECT smoker, diabetic, insured, count(*) GROUP BY GROUPING SETS "
    "((smoker, diabetic), (smoker, insured), (diabetic, insured))",
    "patients by complaint": "SELECT complaint, count(DISTINCT patient_id) GROUP BY ALL",
}
_WIDE = 80
_FAR = 4  # half-widths: noise alone is hardly ever off by more, a cut may always be


def compared() -> list[str]:
    """Released visits by city beside the true ones, and for each table how many intervals hold."""
    release = PlanRelease.from_json((FOLDER / "release" / "release.json").read_text("utf-8"))
    truths = {}
    with duckdb.connect() as database:
        database.sql(f"CREATE VIEW visits AS FROM '{TABLE}'")
        for name, asked in TRUTHS.items():
            found = database.sql(f"FROM visits {asked}").fetchall()
            truths[name] = {_key(row[:-1]): float(row[-1]) for row in found}
    lines = [f"{'visits by city':16}{'released':>10}{'95 % interval':>18}{'true':>9}  holds it"]
    cities = release["visits by city"]
    for place, row in enumerate(cities.shown(len(cities))):
        true = truths[cities.name][_key(cities.rows[place])]
        yes = "yes" if _holds(cities, place, true) else "no"
        lines.append(f"{row.key[0]:16}{row.value:>10}{row.interval:>18}{true:9,.0f}  {yes}")
    lines += ["", "Intervals that hold the true number:"]
    all_held = 0
    for table in release.tables:
        known = truths[table.name]
        held = sum(_holds(table, i, known[_key(key)]) for i, key in enumerate(table.rows))
        all_held += held
        lines.append(f"  {table.name:32}{held:>3} of {len(table)}")
    whole = sum(map(len, release.tables))
    lines.append(f"  {'together':32}{all_held:>3} of {whole}")
    lines += ["", *textwrap.wrap(_verdict(all_held, whole), _WIDE)]
    return lines


def _verdict(held: int, whole: int) -> str:
    missed = "All intervals hold" if held == whole else f"{held} of {whole} intervals hold"
    return (
        f"{missed} the true number. They are intervals of 95 %, so about {round(whole / 20)} of "
        f"{whole} miss it by a little in a usual release, others in every release: that is the "
        "noise, and nobody can say which. The plan's limits cut nothing, so nothing is missed by "
        "more: nobody has more than twenty visits, and no visit costs more than 600. Lower "
        "max_rows in the plan, and the release says what that cut."
    )


def _key(parts: Iterable[object]) -> tuple[object, ...]:
    return tuple(float(each) if isinstance(each, int | float | Decimal)
                 and not isinstance(each, bool) else each for each in parts)  # fmt: skip


def _holds(table: ReleasedTable, place: int, true: float) -> bool:
    low, high = table.lower[place].item(), table.upper[place].item()
    off = abs(table.values[place].item() - true)
    assert off <= _FAR * (high - low) / 2, f"{table.name}: something was cut"
    return bool(low <= true <= high)


if __name__ == "__main__":
    main()
