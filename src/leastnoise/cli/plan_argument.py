"""Plans and datasets on the command line: all commands take them in the same way."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from leastnoise._check import refuse
from leastnoise.cli.declared import Argument, Option
from leastnoise.cli.files import read_text
from leastnoise.release.file.plan_file import PlanFile, plan_file

if TYPE_CHECKING:
    from leastnoise.release.dataset.dataset import Dataset

PlanArgument = Annotated[Path, Argument(help="A plan in TOML.", show_default=False)]
JsonOption = Annotated[bool, Option("--json", help="Print JSON.")]


def read_plan(path: Path, *, choosing: bool = False) -> PlanFile:
    """The plan in a file; one whose bounds are yet to be chosen need not say them.

    Raises:
        InvalidParameter: it cannot be read, or something in it is wrong; the message says where.
    """
    if describes_data(path):
        raise refuse(
            "a plan must be given here",
            f"{path.name}, which describes a dataset",
            f'Name it in a plan: [data] dataset = "{path.name}", and a table of it.',
        )
    return plan_file(read_text(path), path.parent, path.name, choosing=choosing)


def read_dataset(path: Path) -> "Dataset":
    """The dataset that a file describes.

    Raises:
        InvalidParameter: it cannot be read, or something in it is wrong; the message says where.
    """
    from leastnoise.release.dataset.dataset_file import dataset_file  # noqa: PLC0415

    return dataset_file(read_text(path), path.parent, path.name)


def describes_data(path: Path) -> bool:
    """Whether a file is a dataset in TOML, and no plan: what else is wrong is told by reading it.

    Raises:
        InvalidParameter: it cannot be read.
    """
    if path.suffix.lower() != ".toml":
        return False
    text = read_text(path)
    try:
        said = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return "dataset" in said and "question" not in said


def ledger_of(described: "Dataset") -> str | Path:
    """Where the budget of a dataset is kept.

    Raises:
        InvalidParameter: it does not say.
    """
    if described.ledger is not None:
        return described.ledger
    raise refuse(
        "a dataset must say where its budget is kept",
        "no `ledger` in [budget]",
        'Write ledger = "budget.db" there.',
    )
