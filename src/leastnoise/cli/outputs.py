"""What a release leaves behind: files in a folder, tables on the screen."""

import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from importlib.util import find_spec

from leastnoise._check import refuse
from leastnoise._display import visible_json
from leastnoise.cli.files import Content, earlier_release, read_text, write_together
from leastnoise.cli.manifest import listed
from leastnoise.cli.screen import show_table, show_text, show_warning
from leastnoise.ledger.ahead import earlier_line, earlier_words
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.people import GRADES, many, said_count, said_duration, said_number, said_share_range
from leastnoise.people.persons import called
from leastnoise.release.ask.publication import NOTHING_SAID, Publication
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
    earlier = earlier_line(ledger, asked.plan.digest)
    before = "" if earlier is None else f"{earlier_words(earlier, ledger)} "
    raise refuse(
        f"the output folder {os.path.normpath(asked.folder)} must hold no other release",
        f"{found} there; nothing was charged",
        f"{before}Keep it, and write beside it: --again. Or lose it: --replace.",
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


def show_release(
    made: PlanRelease, asked: PlanFile, ledger: Ledger, as_json: bool, *, seconds: float
) -> None:
    """Print the answers, how reliable they are, what is left and where everything was written."""
    if as_json:
        print(visible_json(made.to_json()))
        return
    for table in made.tables:
        show_answers(table, words=made.facts.publication, who=made.facts.person)
    show_text(f"Done in {said_duration(seconds)}: {graded_words(made)}.")
    for warning in _warnings(made):
        show_warning(warning)
    for flag in made.flags:
        show_text(flag.words)
    print()
    folder = os.path.normpath(asked.folder)
    if asked.report:
        show_text(f"Read    {folder}/{REPORT}", indent="  ")
    show_text(f"Use     {_files(asked, folder)}", indent="  ")
    show_text(f"Promise {made.guarantee}", indent="  ", hanging=" " * 8)
    show_left(made, ledger)
    show_text(f"Seal    {made.entry.seal}", indent="  ")


def show_left(made: PlanRelease, ledger: Ledger) -> None:
    """What the ledger has left, as a sum, and the line that was written."""
    balance = next((b for a, b in zip(ledger.accounts, ledger.balances, strict=False)
                    if a.concerns(labels_of(made.entry))), ledger.balances[0])  # fmt: skip
    for number, each in enumerate(budget_sums(balance)):
        head = "Budget  " if not number else " " * 8
        show_text(f"{each.letter}: {each.words()}", indent=f"  {head}", hanging="   ")
    for line in held_words(balance):
        show_text(line, indent=" " * 10)
    show_text(f"Ledger  line {made.entry.number} of the ledger {ledger.name}", indent="  ")


def labels_of(entry: Entry) -> dict[str, str]:
    """Whose budget a line counts against."""
    return entry.event.labels if isinstance(entry.event, Charge) else {}


def show_answers(
    table: ReleasedTable, title: str = "", words: Publication = NOTHING_SAID, who: str = "unit"
) -> None:
    """The first answers to a question, and what must be known of them."""
    head, *rows = table.lines(_SHOWN)
    named = len(table.columns)
    labels = [words.label(name) or name for name in head[:named]]
    show_table(title or table.name, [*labels, *head[named:]], rows)
    more = [f"… and {said_count(len(table) - _SHOWN)} more, in the files"]
    for line in (*(more if len(table) > _SHOWN else []), *table.below):
        show_text(called(line, who), indent="  ", hanging="  ")
    if table.ratio is not None:
        ratio = said_number(Fraction(math.ceil(table.ratio * 1000), 1000), 6)
        show_text(f"noise proved to be at most {ratio} × the least", indent="  ")
    if len(table) > _SHOWN or table.below or table.ratio is not None:
        print()


def graded_words(made: PlanRelease) -> str:
    """How many numbers there are, and how reliable they are."""
    grades = Counter(each for table in made.tables for each in table.grades if each)
    told = ", ".join(f"{grade} {said_count(grades[grade])}" for grade in GRADES if grades[grade])
    numbers = many(sum(map(len, made.tables)), "number")
    return f"{numbers}. By reliability: {told}" if told else numbers


def _warnings(made: PlanRelease) -> Iterator[str]:
    """Tables of which surely more was cut than the noise is off."""
    for table in made.tables:
        if table.cut is not None and table.cut.surely_more and len(table):
            kept = "" if table.cut.kept is None else f": kept {said_share_range(*table.cut.kept)}"
            yield f"{table.name}: the limits cut more than the noise is off{kept}."


def _files(asked: PlanFile, folder: str) -> str:
    tables = [name for each in table_files(asked).values() for name in each.values()]
    others = [f"{many(len(tables), 'file')} of tables"] if tables else []
    others += [WORKBOOK] if "xlsx" in asked.formats else []
    return ", ".join([f"{folder}/{FIRST}", *others])
