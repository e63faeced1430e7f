"""`leastnoise prepare`: a copy of a table for many releases."""

from pathlib import Path
from typing import Annotated

from leastnoise._check import refuse
from leastnoise.cli.declared import Argument, Option
from leastnoise.cli.plan_argument import describes_data, read_dataset, read_plan
from leastnoise.cli.progress import progress
from leastnoise.cli.screen import show_text
from leastnoise.release.ask.table import Table
from leastnoise.release.prepare import prepare as prepared
from leastnoise.web.plan_text import toml_text


def prepare(
    plan: Annotated[Path, Argument(help="A plan or a dataset in TOML.", show_default=False)],
    folder: Annotated[Path, Argument(help="A new folder.", show_default=False)],
    table: Annotated[
        str | None, Option(help="Which table of a dataset; needed if several are private.")
    ] = None,
    replace: Annotated[bool, Option("--replace", help="Replace an earlier copy.")] = False,
) -> None:
    """Copy a table into a folder from which many releases take less time.

    The folder holds the data themselves, for their owner alone. Nothing is released or spent.
    """
    copied = _table(plan, table)
    with progress("copying the data"):
        prepared(copied, folder, replace_existing=replace)
    known = ""
    if copied.dataset and not describes_data(plan):  # a dataset names its data itself
        known = f", and name = {toml_text(copied.dataset)}, by which the ledger knows them"
    show_text(
        f"Prepared: {folder} holds a copy of the data, as secret as they are. Name it in plans in "
        f"their place: path = {toml_text(str(folder))}{known}."
    )


def _table(path: Path, name: str | None) -> Table:
    if describes_data(path):
        described = read_dataset(path)
        private = described.private
        if name is None and len(private) != 1:
            raise refuse(
                "one table is prepared at a time",
                f"{len(private)} private ones",
                f"Name it: --table {next(iter(private), 'visits')}.",
            )
        return described.table(name or private[0])
    if name is not None:
        raise refuse(
            "--table must be left out beside a plan", name, "A plan is about one table already."
        )
    return read_plan(path, choosing=True).plan.table
