"""`leastnoise schema`: the JSON Schema of plan files and dataset files, for editors."""

from enum import Enum
from typing import Annotated

from leastnoise.cli.declared import Argument, Option
from leastnoise.release.dataset.dataset_schema import schema_text as dataset_text
from leastnoise.release.file.plan_schema import schema_text as plan_text


class _File(Enum):
    """What a schema is of."""

    PLAN = "plan"
    DATASET = "dataset"


def schema(
    of: Annotated[_File, Argument(help="Of which files: plan or dataset.")] = _File.PLAN,
    as_json: Annotated[bool, Option("--json", help="As ever: the schema is JSON.")] = False,  # noqa: ARG001
) -> None:
    """Print the JSON Schema of plan files, or of dataset files."""
    print(plan_text() if of is _File.PLAN else dataset_text(), end="")
