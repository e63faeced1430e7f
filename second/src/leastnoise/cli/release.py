"""The commands `release` and `sql`."""

import sys
from typing import Annotated

import typer

from leastnoise.cli.named import (
    amounts_of,
    groups_of,
    ledger_path,
    open_ledger,
    table_of,
    toml_file,
)
from leastnoise.cli.options import (
    AgainOption,
    AnalystOption,
    EpsilonOption,
    FileArgument,
    ForceOption,
    FormatOption,
    JsonOption,
    LedgerOption,
    NoiseOption,
    OutputOption,
    PeriodOption,
    RhoOption,
    VersionOption,
    YesOption,
)
from leastnoise.cli.output import bad_input
from leastnoise.cli.spend import Wish, spend
from leastnoise.files.load import DataFile, is_toml


def release(
    file: FileArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    noise: NoiseOption = "auto",
    ledger: LedgerOption = None,
    analyst: AnalystOption = None,
    data_version: VersionOption = None,
    period: PeriodOption = None,
    again: AgainOption = False,
    yes: YesOption = False,
    output: OutputOption = None,
    format: FormatOption = "csv",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Release a file's queries together. Shows the price and asks before it spends."""
    described = toml_file(file)
    if period and (epsilon or rho or noise != "auto" or analyst or again):
        raise bad_input("A schedule has its price and noise. Leave all options for them out.")
    name, _, day = (period or "").rpartition("=")
    wish = Wish(
        *((None, None) if period else amounts_of(epsilon, rho, described.amounts)),
        noise, analyst, data_version, again, yes, output, format, force, json, day,
    )  # fmt: skip
    wish.check()
    budget = open_ledger(ledger_path(described, ledger), file)
    version = data_version
    asked = described.schedule(name, budget, version) if period else described.plan(version)
    spend(asked, budget, wish)


def sql(
    source: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A .toml file, or one table: Parquet or CSV."),
    ],
    statement: Annotated[
        str, typer.Argument(metavar="SELECT", help="The statement, or - to read it from stdin.")
    ],
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--privacy-unit",
            metavar="NAME=COLUMN",
            help="Of a single table: who is protected, and the column that names them. "
            "row: every row is somebody else.",
        ),
    ] = None,
    ledger: LedgerOption = None,
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--groups",
            metavar="COLUMN=A,B,...",
            help="The groups to show, once for each column; or auto: large ones are found.",
        ),
    ] = None,
    min_units: Annotated[
        str | None,
        typer.Option(
            "--min-units", metavar="UNITS", help="With --groups auto: the fewest in a group."
        ),
    ] = None,
    max_contributions: Annotated[
        str | None,
        typer.Option(
            "--max-contributions",
            metavar="ROWS",
            help="How many rows of one unit count; auto: chosen privately.",
        ),
    ] = None,
    max_per_group: Annotated[
        str | None,
        typer.Option("--max-per-group", metavar="ROWS", help="How many of them in one group."),
    ] = None,
    noise: NoiseOption = "auto",
    analyst: AnalystOption = None,
    data_version: VersionOption = None,
    again: AgainOption = False,
    yes: YesOption = False,
    output: OutputOption = None,
    format: FormatOption = "csv",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Release the answer to one SELECT. Shows the price and asks before it spends."""
    text = sys.stdin.read() if statement == "-" else statement
    file = DataFile.open(source) if is_toml(source) else None
    if file is not None and unit is not None:
        raise bad_input(f"--privacy-unit stands in {source}. Leave it out.")
    data = table_of(source, unit, data_version) if file is None else file.data(data_version)
    path = ledger_path(file, ledger, source)
    wish = Wish(
        *amounts_of(epsilon, rho),
        noise, analyst, data_version, again, yes, output, format, force, json,
    )  # fmt: skip
    wish.check()
    given = {
        "groups": groups_of(groups or []),
        "min_units": min_units,
        "max_contributions": max_contributions,
        "max_per_group": max_per_group,
    }
    own = {name: value for name, value in given.items() if value is not None}
    query = data.sql(text, **own) if file is None else file.query(data, text, own)
    spend(query, open_ledger(path, None if file is None else source, data.unit), wish)
