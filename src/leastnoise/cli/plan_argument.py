"""The plan on the command line: every command that takes one takes it in the same way."""

from pathlib import Path
from typing import Annotated

import typer

from leastnoise.cli.files import read_text
from leastnoise.release.file.plan_file import PlanFile, plan_file

PlanArgument = Annotated[Path, typer.Argument(help="A plan in TOML.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def read_plan(path: Path, *, choosing: bool = False) -> PlanFile:
    """The plan in a file; one whose bounds are yet to be chosen need not say them.

    Raises:
        InvalidParameter: it cannot be read, or something in it is wrong; the message says where.
    """
    return plan_file(read_text(path), path.parent, path.name, choosing=choosing)
