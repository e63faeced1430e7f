"""The options that several commands have."""

from typing import Annotated, Literal

import typer

Noise = Literal["auto", "laplace", "gaussian"]

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE.toml", help="Data, ledger and queries.", show_default=False)
]
EpsilonOption = Annotated[
    str | None, typer.Option("--epsilon", metavar="NUMBER", help="How much of the ledger it costs.")
]
RhoOption = Annotated[
    str | None, typer.Option("--rho", metavar="NUMBER", help="The same on a ledger in rho.")
]
NoiseOption = Annotated[Noise, typer.Option("--noise", help="Insist on a law of the noise.")]
LedgerOption = Annotated[
    str | None,
    typer.Option("--ledger", metavar="FILE", help="The budget, if not the one in the .toml."),
]
AnalystOption = Annotated[
    str | None, typer.Option("--analyst", metavar="NAME", help="Who asks, for the ledger.")
]
VersionOption = Annotated[
    str | None,
    typer.Option(
        "--data-version",
        metavar="NAME",
        help="A name for these data: the same release for the same name is shown again, free.",
    ),
]
PeriodOption = Annotated[
    str | None,
    typer.Option("--period", metavar="QUERY=DAY", help="Of a schedule: the first day of a period."),
]
AgainOption = Annotated[
    bool, typer.Option("--again", help="New noise at the full price, even if it was answered.")
]
YesOption = Annotated[
    bool,
    typer.Option("--yes", help="Do not ask. Needs --data-version or --again."),
]
OutputOption = Annotated[
    str | None, typer.Option("--output", metavar="FOLDER", help="Write the answers to files too.")
]
FormatOption = Annotated[
    Literal["csv", "parquet"], typer.Option("--format", help="Of the files in --output.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite files of the same names in --output.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
