"""What a release leaves behind: files in a folder, tables on the screen."""

import os
import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from leastnoise._check import refuse
from leastnoise._display import visible_json
from leastnoise.cli.files import Content, earlier_release, read_text, write_together
from leastnoise.cli.manifest import listed
from leastnoise.cli.screen import show_table, show_text
from leastnoise.ledger.ledger import Ledger
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable

FIRST = "release.json"
REPORT = "report.html"
_DESCRIPTIONS = ("dataset.json", "csv-metadata.json", "registry.yaml")
"""The release for machines: schema.org, CSV on the Web, and the registry of deployments."""
WORKBOOK = "release.xlsx"
_SHOWN = 20  # the files have all


def refuse_unwritable(asked: PlanFile) -> None:
    """What stands in the way of the files is found before anything is charged.

    Raises:
        InvalidParameter: a package is missing, or a file that no release wrote would be lost.
    """
    if "parquet" in asked.formats and find_spec("pyarrow") is None:
        raise refuse("tables in Parquet need pyarrow", "none", "pip install pyarrow.")
    if "xlsx" in asked.formats and find_spec("xlsxwriter") is None:
        remedy = "pip install 'leastnoise[excel]'."
        raise refuse("Excel workbooks need the package xlsxwriter", "none", remedy)
    names = {name for each in table_files(asked).values() for name in each.values()}
    names |= {REPORT, *_DESCRIPTIONS} if asked.report else set()
    names |= {WORKBOOK} if "xlsx" in asked.formats else set()
    for name in sorted(names.difference(listed(asked.folder))):
        if os.path.lexists(asked.folder / name):  # it may be the data
            raise refuse(
                "a release must not take the place of other files",
                f"{name} in {os.path.normpath(asked.folder)}, which none wrote",
                "Move it away, or name another folder in the plan.",
            )


def table_files(asked: PlanFile) -> dict[str, dict[str, str]]:
    """For each question, by its name, what its files are called, by their form."""
    forms = [form for form in asked.formats if form != "xlsx"]  # one workbook holds all
    return {
        question.name: {f: f"{number:02}_{_file_name(question.name)}.{f}" for f in forms}
        for number, question in enumerate(asked.plan.questions, 1)
    }


def refuse_overwriting(asked: PlanFile, ledger: Ledger) -> None:
    """Answers that were paid for stay, unless the very same ones are written again.

    Raises:
        InvalidParameter: the output folder holds another release.
    """
    found = earlier_release(asked.folder, FIRST)
    if found is None:
        return
    stored = asked.plan.stored(asked.spend, ledger=ledger) if asked.store else None
    place = asked.folder / FIRST
    if stored is not None and place.is_file() and read_text(place) == stored.to_json():
        return
    raise refuse(
        f"the output folder {os.path.normpath(asked.folder)} must hold no other release",
        f"{found} there; nothing was charged",
        "Name another folder in the plan, move the files away, or lose them: --replace.",
    )


def write_release(made: PlanRelease, asked: PlanFile) -> dict[str, str]:
    """Write release.json, which has everything, and then what is made from it.

    Returns:
        The files that are missing, each with the reason.

    Raises:
        InvalidParameter: release.json cannot be written.
    """
    others: dict[str, Content] = {}
    called = table_files(asked)
    for table in made.tables:
        for form, name in called[table.name].items():
            others[name] = partial(table_content, table, form)
    for name, proof in made.certificates.items():
        others[f"certificate_{name[:12]}.json"] = partial(str, proof)
    if "xlsx" in asked.formats:
        others[WORKBOOK] = made.excel_bytes
    if asked.report:
        others[REPORT] = partial(_report, made, called)
        for name in _DESCRIPTIONS:
            others[name] = partial(_description, name, made, called)
    return write_together(asked.folder, FIRST, made.to_json(), others)


def table_content(table: ReleasedTable, form: str) -> str | bytes:
    """A table in one of the forms that plans may ask for."""
    match form:
        case "csv":
            return table.to_csv()
        case "json":
            return table.to_json()
        case _:
            return table.parquet_bytes()


def _report(made: PlanRelease, files: dict[str, dict[str, str]]) -> str:
    from leastnoise.reports.report import report_html  # noqa: PLC0415 - only if one is wanted

    return report_html(made, files)


def _description(name: str, made: PlanRelease, files: dict[str, dict[str, str]]) -> str:
    from leastnoise.reports.described import described  # noqa: PLC0415 - together with the report

    return described(name, made, files)


def _file_name(name: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_.")
    # A file's name is limited in bytes, and a letter may have four of them.
    return plain.encode()[:100].decode(errors="ignore") or "table"


def show_release(made: PlanRelease, folder: Path, as_json: bool) -> None:
    """Print the answers, the promise and where everything was written."""
    if as_json:
        print(visible_json(made.to_json()))
        return
    for table in made.tables:
        head, *rows = table.lines(_SHOWN)
        show_table(table.name, head, rows)
        if len(table) > _SHOWN:
            print(f"  … and {len(table) - _SHOWN} more, in the files")
        if table.below:
            show_text("".join(f"  {line}\n" for line in table.below))
        if table.ratio is not None:
            print(f"  noise proved to be at most {nearest_float(table.ratio):.6g} × the least\n")
    for flag in made.flags:
        show_text(flag.words)
    show_text(
        f"{made.guarantee}; line {made.entry.number} of the ledger, which has {made.left!r} left\n"
        f"seal {made.entry.seal}\n"
        f"written to {os.path.normpath(folder)}"
    )
