"""`leastnoise`: the command and its sub-commands.

Exit status: 0 done, 1 refused (budget, certificate, verification), 2 bad input.
"""

import sys

import typer

from leastnoise.cli.budget import budget
from leastnoise.cli.check import check
from leastnoise.cli.optimal import optimal
from leastnoise.cli.release import preview, release
from leastnoise.errors import LeastNoiseError
from leastnoise.version import __version__

app = typer.Typer(
    name="leastnoise",
    help="Differential privacy with the least noise there is.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (release, preview, budget, optimal, check):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"leastnoise {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Differential privacy with the least noise there is."""


def main() -> None:
    """Run the command; what the library refuses on purpose becomes one line and status 2."""
    try:
        app()
    except LeastNoiseError as refusal:
        print(f"leastnoise: {refusal}", file=sys.stderr)
        sys.exit(2)
