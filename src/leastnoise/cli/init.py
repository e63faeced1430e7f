"""`leastnoise init`: a plan or a dataset to begin with, from names and types of columns."""

import os
from pathlib import Path
from typing import Annotated

from leastnoise._check import refuse
from leastnoise.cli.declared import Argument, Option
from leastnoise.cli.files import write_new_text
from leastnoise.cli.init_dataset import CSV_HINT, init_dataset
from leastnoise.cli.looked_at import looked_at
from leastnoise.cli.screen import show_json, show_text
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema
from leastnoise.release.file.column_guesses import guessed_type, guessed_unit
from leastnoise.web.plan_text import toml_key, toml_text

_KEYS = 'all there can be, known without the rows; or "private"'
_CSV = (".csv", ".csv.gz", ".tsv", ".txt")


def init(
    data: Annotated[list[str], Argument(help="Parquet or CSV files, folders, or a database.")],
    plan: Annotated[Path, Option(help="Where to write the plan.")] = Path("plan.toml"),
    dataset: Annotated[
        Path | None, Option(help="Describe the data there instead: needed for several.")
    ] = None,
    unit: Annotated[
        str | None,
        Option(help="The column that says whose row it is, or row; patients.id for several."),
    ] = None,
    table: Annotated[list[str] | None, Option(help="For a database: the table.")] = None,
    delimiter: Annotated[
        str | None, Option(help="For CSV: what separates fields, if not commas.")
    ] = None,
    max_groups: Annotated[
        int | None, Option(help="How many groups of one person count.", min=1)
    ] = None,
    max_rows: Annotated[
        int | None, Option(help="How many rows of one person count in each group.", min=1)
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a plan, or a dataset's file, to begin with.

    Only names and types of columns are looked at, never values.
    """
    if dataset is not None:
        init_dataset(data, dataset, unit, table or [], delimiter, as_json)
        return
    if len(data) == 2 and data[1].endswith(".toml"):
        raise refuse(
            "all that is named without an option is data",
            data[1],
            f"Write --plan {data[1]} if the plan shall be there.",
        )
    if len(data) > 1 or len(table or []) > 1:
        raise refuse(
            "a plan is about one table",
            f"{max(len(data), len(table or []))} of them",
            "Describe them in a dataset: --dataset clinic.toml.",
        )
    _init_plan(
        data[0],
        plan,
        (unit, next(iter(table or []), None), delimiter),
        (max_groups, max_rows),
        as_json,
    )


def _init_plan(
    data: str,
    plan: Path,
    said: tuple[str | None, str | None, str | None],
    bounds: tuple[int | None, int | None],
    as_json: bool,
) -> None:
    (unit, table, delimiter), (max_groups, max_rows) = said, bounds
    schema = looked_at(data, table, delimiter)
    whose = guessed_unit(schema) if unit is None else unit
    if whose is not None and whose not in ("row", *schema.names):
        raise refuse(
            "`--unit` must be a column, or row",
            repr(whose),
            f"There are: {', '.join(schema.names)}.",
        )
    own = [*_unit_lines(whose, guessed=unit is None), *_type_lines(data, schema)]
    own += _bound_lines(whose, max_groups, max_rows)
    write_new_text(plan, _starter(_relative(data, plan), schema, whose, table, delimiter, own))
    if as_json:
        columns = {name: kind.value for name, kind in schema.columns}
        show_json({"plan": str(plan), "unit": whose, "columns": columns})
        return
    show_text(f"wrote {plan}: fill in what only you know, then run leastnoise preview {plan}")
    if unit is None:
        show_text(_told_unit(whose))


def _told_unit(guessed: str | None) -> str:
    if guessed is None:
        return "Whose rows they are does not follow from the columns' names: write `unit` there."
    return f"Whose rows they are is guessed by a column's name: {guessed}. Check it."


def _relative(data: str, plan: Path) -> str:
    """Paths in a plan are relative to it."""
    if "://" in data or Path(data).is_absolute():
        return data
    return os.path.relpath(data, plan.parent)


_HEAD = """\
# A plan of leastnoise. All of it is public: write nothing here that you took from the rows.
# See what it would give:  leastnoise preview <this file>
# Begin its budget, once:  leastnoise budget begin <this file>
# Make the release:        leastnoise release <this file>
#
# Columns of the data:
"""
_MIDDLE = """
[budget]
ledger = "budget.db"                   # keep it with the data, and never lose it
total = {epsilon = 3, delta = "1e-7"}  # for everything that will ever be released
spend = {epsilon = 1, delta = "1e-8"}  # for this plan

[output]
folder = "release"
store = true                           # this plan again: the same answers, at no cost

[[question]]
ask = "count"
"""


def _starter(
    path: str,
    schema: Schema,
    unit: str | None,
    table: str | None,
    delimiter: str | None,
    own: list[str],
) -> str:
    columns = [f"#   {toml_text(name)}: {kind.value}" for name, kind in schema.columns]
    data = ["", "[data]", f"path = {toml_text(path)}"]
    data += [f"table = {toml_text(table)}"] if table else []
    data += [f"delimiter = {toml_text(delimiter)}"] if delimiter not in {None, ","} else []
    lines = [*columns, *data, *own]
    return "\n".join([_HEAD + "\n".join(lines), _MIDDLE + "\n".join(_questions(schema, unit)), ""])


def _unit_lines(unit: str | None, *, guessed: bool) -> list[str]:
    """Nothing is taken for granted: a wrong answer would protect rows instead of persons."""
    if unit is None:
        return [
            "# Whose row it is: all rows of one person are protected together. Name the column",
            '# that says it, or write "row" if nobody has more than one row.',
            "# unit =",
        ]
    if unit == "row":
        return [
            "# Every row is a person of its own; else name the column that says whose it is.",
            'unit = "row"',
        ]
    how = ": guessed by its name" if guessed else ""
    return [
        f'# Whose row it is{how}. Write "row" if every row is its own person.',
        f"unit = {toml_text(unit)}",
    ]


def _bound_lines(unit: str | None, max_groups: int | None, max_rows: int | None) -> list[str]:
    """What one person may have is for a person to say: without it, questions are refused."""
    if unit == "row":
        return []
    return [
        "",
        "[bounds]",
        "# How much of one person counts, at most. More keeps more of the data, and needs more",
        "# noise; what is beyond is cut. Nobody but you can say how much a person has: write it,",
        '# or "auto" to have it chosen from the data, for a part of the budget.',
        _bound_line("max_groups", max_groups, "in how many groups"),
        _bound_line("max_rows", max_rows, "with how many rows in each group"),
        "# If you know how many rows anybody can have at most, say it: intervals then hold what",
        "# the bounds leave out. Privacy does not rely on it.",
        _bound_line("most_rows", None, "nobody has more rows in the whole table"),
    ]


def _bound_line(name: str, said: int | None, meaning: str) -> str:
    return f"# {name} =   # {meaning}" if said is None else f"{name} = {said}  # {meaning}"


def _type_lines(path: str, schema: Schema) -> list[str]:
    if not path.lower().endswith(_CSV):
        return []
    guesses = {name: guessed_type(name) for name in schema.names}
    told = [f'{toml_key(n)} = "{k.value}"' for n, k in guesses.items() if k is not ColumnType.TEXT]
    types = ", ".join(told) or f'{toml_key(schema.names[0])} = "integer"'
    return [
        "# Columns of a CSV file are text unless you say integer, number, truth, date or moment.",
        "# These are guessed by their names, if any are: check them, and take the # away.",
        f"# types = {{{types}}}",
        '# Fields that are not what you say are missing; the question "unparsed" counts them.',
        CSV_HINT,
    ]


def _questions(schema: Schema, unit: str | None) -> list[str]:
    lines: list[str] = []
    if unit not in {None, "row"}:
        lines += ["", "[[question]]", 'ask = "units"  # how many people']
    for name, kind in schema.columns:
        if name != unit:
            lines += _question(name, kind)
    return lines


def _question(name: str, kind: ColumnType) -> list[str]:
    """A question to think about; one that needs nothing but the type is asked at once."""
    column, by = f"column = {toml_text(name)}", f"by = {toml_text(name)}"
    if kind is ColumnType.TRUTH:
        return ["", "[[question]]", 'ask = "count"', by, "keys = [true, false]"]
    if kind is ColumnType.TEXT:
        body = ['ask = "count"', by, f'keys = ["…", "…"]  # {_KEYS}']
    elif kind.is_numeric:
        body = ['ask = "mean"', column, "lower = 0    # the range values can have", "upper = 100"]
    else:
        return []
    return ["", *(f"# {line}" for line in ["[[question]]", *body])]
