"""What a release leaves behind: files in a folder, tables on the screen."""

import math
import os
import re
import tempfile
from functools import partial
from pathlib import Path

from leastnoise.cli.files import Content, write_together
from leastnoise.cli.screen import show_table
from leastnoise.engine.plan_file import PlanFile
from leastnoise.engine.plan_release import PlanRelease
from leastnoise.engine.released_table import ReleasedTable
from leastnoise.numeric.nearest_float import nearest_float

_SHOWN = 20


def write_release(made: PlanRelease, asked: PlanFile) -> None:
    """Write release.json, which has everything, and then what is made from it.

    Raises:
        InvalidParameter: the folder cannot be written.
    """
    others: dict[str, Content] = {}
    for number, table in enumerate(made.tables, 1):
        stem = f"{number:02}_{_file_name(table.name)}"
        for form in asked.formats:
            others[f"{stem}.{form}"] = partial(_content, table, form)
    for name, proof in made.certificates.items():
        others[f"certificate_{name[:12]}.json"] = partial(str, proof)
    if asked.report:
        others["report.html"] = partial(_report, made)
    write_together(asked.folder, "release.json", made.to_json(), others)


def _content(table: ReleasedTable, form: str) -> str | bytes:
    match form:
        case "csv":
            return table.to_csv()
        case "json":
            return table.to_json()
        case _:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "table.parquet"
                table.to_parquet(path)
                return path.read_bytes()


def _report(made: PlanRelease) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        made.report(path)
        return path.read_bytes()


def _file_name(name: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_.")
    # A file's name is limited in bytes, and a letter may have four of them.
    return plain.encode()[:100].decode(errors="ignore") or "table"


def show_release(made: PlanRelease, folder: Path, as_json: bool) -> None:
    """Print the answers, the promise and where everything was written."""
    if as_json:
        print(made.to_json())
        return
    for table in made.tables:
        show_table(table.name, [*table.columns, "value", "95 % interval"], _rows(table))
        if len(table) > _SHOWN:
            print(f"  … and {len(table) - _SHOWN} more, in the files")
        if table.ratio is not None:
            print(f"  noise proved to be at most {nearest_float(table.ratio):.6g} × the least\n")
    print(f"{made.guarantee}; line {made.entry.number} of the ledger, which has {made.left!r} left")
    print(f"seal {made.entry.seal}")
    print(f"written to {os.path.normpath(folder)}")


def _rows(table: ReleasedTable) -> list[list[str]]:
    shown = zip(table.rows[:_SHOWN], table.values, table.lower, table.upper, strict=False)
    return [
        [*map(_cell, row), _number(value), _interval(low, high)] for row, value, low, high in shown
    ]


def _interval(low: float, high: float) -> str:
    return "not known" if math.isnan(low) else f"{_number(low)} … {_number(high)}"


def _number(value: float) -> str:
    """Six digits, and never fewer than the whole part has."""
    return f"{value:.6g}" if abs(value) < 10**6 else f"{value:.0f}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "all" if value is None else str(value)
