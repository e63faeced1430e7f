"""`leastnoise schema`: the JSON Schema of plan files, for editors."""

from typing import Annotated

import typer

from leastnoise.release.file.plan_schema import schema_text


def schema(
    as_json: Annotated[bool, typer.Option("--json", help="As ever: the schema is JSON.")] = False,  # noqa: ARG001
) -> None:
    """Print the JSON Schema of plan files."""
    print(schema_text(), end="")
