"""The command `init`: a first TOML file from tables, or the example.

The example is invented visits of 20,000 patients to a clinic, the same every time. Nobody is in it,
so releases on it cost nobody anything.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from leastnoise.cli.named import unit_of
from leastnoise.cli.output import ask, bad_input, show, tell
from leastnoise.files.load import DataFile, is_toml
from leastnoise.files.write import first_file
from leastnoise.ledger.ledger import ROW
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import whole
from leastnoise.tables.schema import Table
from leastnoise.tables.sources import find_table

PATIENTS = 20_000
CITIES = ("Bergen", "Oslo", "Stavanger", "Tromsø", "Trondheim")
FIRST_DAY, DAYS = date(2025, 1, 1), 365

VISITS_TOML = """\
# Invented visits to a clinic. What the queries below would cost:
#   leastnoise preview visits.toml
# All fields, for editors:  leastnoise inspect --schema
ledger = "visits.ledger"
epsilon = 1  # what a release of all queries below costs together

[tables.visits]
path = "visits.parquet"
privacy_unit = {patient = "patient_id"}
columns.sex = {values = ["F", "M"]}
columns.city = {values = ["Bergen", "Oslo", "Stavanger", "Tromsø", "Trondheim"]}
columns.day = {range = [2025-01-01, 2025-12-31]}
columns.cost = {range = [0, 600], measured_in = "kr"}

[queries.by_city]
sql = "SELECT city, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY city"

[queries.by_month]
sql = "SELECT date_trunc('month', day) AS month, COUNT(*) AS visits FROM visits GROUP BY 1"

[queries.smokers]
sql = "SELECT sex, AVG(smoker) AS smokers FROM visits GROUP BY sex"
"""

_NEXT = """\
Next:
  leastnoise preview visits.toml
  leastnoise ledger create visits.toml --epsilon 6 --delta 1e-7
  leastnoise release visits.toml
  leastnoise sql visits.toml --epsilon 1 "SELECT COUNT(*) AS visits FROM visits"
  leastnoise ledger show visits.toml"""


_INSTEAD = "Name them:  --privacy-unit patient=patient_id"


def init(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE.toml", help="The file to write.")
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE...", help="Parquet or CSV files, or patterns in quotes."),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Write visits.parquet, invented, and visits.toml.")
    ] = False,
    unit: Annotated[
        str | None,
        typer.Option(
            "--privacy-unit",
            metavar="NAME=COLUMN",
            help="Who is protected, and the column that names them in every table. Else it asks.",
        ),
    ] = None,
    most: Annotated[
        str | None,
        typer.Option(
            "--max-contributions",
            metavar="ROWS",
            help="The most rows of one unit, if it is known without a look at the data.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files.")] = False,
) -> None:
    """Write a first .toml for your tables. Asks who is protected."""
    if example:
        if file is not None:
            raise bad_input("--example writes visits.parquet and visits.toml. Name no other file.")
        _write_example(force)
        return
    if file is not None and not is_toml(file):
        raise bad_input(
            f"First comes the .toml to write, then the tables:\n  leastnoise init clinic.toml {file}"
        )
    if file is None or not tables:
        raise bad_input(
            "Name the .toml to write and the tables, or look at the example.\n"
            "  leastnoise init clinic.toml visits.csv\n"
            "  leastnoise init --example"
        )
    path = Path(file)
    _check_free([path], force)
    paths, found = _tables(tables)
    name, places = _units(found, unit)
    if unit is None and most is None and name != ROW:
        rows = _most_rows(name)
    else:
        rows = None if most is None else whole(most, "--max-contributions")
    text = first_file(path, found, paths, name, places, rows)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise bad_input(f"{file} cannot be written: {error.strerror}.") from None
    DataFile.open(path).plan()  # what was written can be previewed
    show(f"Wrote {file}. Read it, complete it, then:\n  leastnoise preview {file}")


def _write_example(force: bool) -> None:
    data, file = Path("visits.parquet"), Path("visits.toml")
    _check_free([data, file], force)
    write_visits(data)
    file.write_text(VISITS_TOML, encoding="utf-8")
    show(f"Wrote visits.parquet ({PATIENTS:,} invented patients) and visits.toml.\n{_NEXT}")


def _check_free(paths: list[Path], force: bool) -> None:
    for path in paths:
        if path.exists() and not force:
            raise bad_input(f"{path} exists. Overwrite it with --force, or name another file.")


def _tables(given: list[str]) -> tuple[dict[str, str], dict[str, Table]]:
    """Where each table is, and the table, by name."""
    paths: dict[str, str] = {}
    found: dict[str, Table] = {}
    for path in given:
        table = _found(path)
        if table.name in found:
            raise bad_input(f"Two tables would be called {table.name}. Rename a file.")
        paths[table.name], found[table.name] = path, table
    return paths, found


def _found(path: str) -> Table:
    """A table; a text file may have semicolons, where the comma is the decimal point."""
    try:
        return find_table(path)
    except InvalidInput:
        with suppress(InvalidInput):
            return find_table(path, csv={"delimiter": ";", "decimal": ","})
        raise


def _units(tables: Mapping[str, Table], option: str | None) -> tuple[str, dict[str, str]]:
    """Who is protected, and the column that names them in each private table."""
    if option is not None:
        unit = unit_of(option)
        name, column = (unit, unit) if isinstance(unit, str) else next(iter(unit.items()))
        if unit == ROW:
            return ROW, dict.fromkeys(tables, ROW)
        for table in tables.values():
            table.schema[column]  # refuses an unknown name
        return name, dict.fromkeys(tables, column)
    places = dict[str, str]()
    for table in tables.values():
        place = _column(table)
        if place is not None:
            places[table.name] = place
    if not places:
        raise bad_input("All tables are public, so nobody is protected.")
    columns = {*places.values()}
    if ROW in columns and len(columns) > 1:
        raise bad_input("Either every row is somebody else in all tables, or in none.")
    return (ROW if columns == {ROW} else _name(next(iter(places.values())))), places


def _column(table: Table) -> str | None:
    """The column that names the protected ones; None of a public table."""
    tell(f"\n{table.name} has the columns {', '.join(table.schema)}.")
    while True:
        found = ask(
            "Which column tells the people apart who are to be protected?\n"
            "(row: every row is somebody else; public: the table is about nobody)\n>",
            instead=_INSTEAD,
        )
        if found == "public":
            return None
        if found == ROW or found in table.schema:
            return found
        hint = did_you_mean(found, [*table.schema, ROW, "public"]) if found else ""
        tell(f'There is no column "{found}".{hint}' if found else "This cannot be left out.")


def _name(column: str) -> str:
    """What a protected one is called."""
    default = column.casefold().removesuffix("_id").removesuffix("id").strip("_ ") or "person"
    return ask(
        f"What is one of them called, in the singular? [{default}]", default, instead=_INSTEAD
    )


def _most_rows(name: str) -> int | None:
    """The most rows of one unit, as far as that is known."""
    while True:
        text = ask(
            f"The most rows that one {name} can have, if a rule says so (Enter: not known):",
            instead=_INSTEAD,
        )
        if not text:
            return None
        if text.isdecimal() and int(text) > 0:
            return int(text)
        tell(f'"{text}" is no whole number from 1 on.')


def write_visits(path: Path) -> None:
    """Writes the table of invented visits: one to eleven of each patient."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(2013)
    visits = random.binomial(10, 0.77, PATIENTS) + 1
    patient = np.repeat(np.arange(PATIENTS), visits)
    woman = random.random(PATIENTS)[patient] < 0.54
    cost = np.clip(random.gamma(2.2, np.where(woman, 63, 67)), 0, 600).round(2)
    smoker = random.random(PATIENTS)[patient] < 0.18
    city = random.choice(len(CITIES), PATIENTS, p=(0.2, 0.35, 0.15, 0.1, 0.2))[patient]
    days = [FIRST_DAY + timedelta(int(each)) for each in random.integers(0, DAYS, len(patient))]
    columns = {
        "patient_id": patient,
        "sex": pa.array(np.where(woman, "F", "M").tolist()),
        "city": pa.array([CITIES[each] for each in city]),
        "day": pa.array(days, pa.date32()),
        "smoker": smoker,
        "cost": cost,
    }
    pq.write_table(pa.table(columns), path)
