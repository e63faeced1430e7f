"""`leastnoise sql`: a statement, previewed or released."""

import sys
from pathlib import Path
from typing import Annotated, Any

from leastnoise._check import refuse, shown
from leastnoise._display import visible_json
from leastnoise.cli.charging import Charging
from leastnoise.cli.confirm import YesOption, confirm
from leastnoise.cli.declared import Argument, Ended, Option
from leastnoise.cli.files import refuse_unwritable, write_text
from leastnoise.cli.incomplete import Incomplete
from leastnoise.cli.interrupted import SIGNALS
from leastnoise.cli.looked_at import looked_at
from leastnoise.cli.outputs import show_left
from leastnoise.cli.plan_argument import JsonOption, read_dataset
from leastnoise.cli.preview import person_of, shown_preview, weak_words
from leastnoise.cli.progress import progress
from leastnoise.cli.screen import show_table, show_text
from leastnoise.errors import LedgerMissing
from leastnoise.ledger.ahead import Ahead, ahead, earlier_line, earlier_words
from leastnoise.ledger.ledger import Ledger
from leastnoise.people import said_count
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.privacy.spoken import said
from leastnoise.release.ask.named_bounds import AUTO
from leastnoise.release.read import read
from leastnoise.release.sql.single import SingleTable
from leastnoise.release.sql.sql_plan import SqlPlan, sql_plan
from leastnoise.release.sql.sql_release import SqlRelease

_SHOWN = 40
_DIGITS = 18


def sql(
    data: Annotated[
        str, Argument(help="A dataset in TOML, or one file of data.", show_default=False)
    ],
    statement: Annotated[str, Argument(help="A SELECT, or - to read it.", show_default=False)],
    unit: Annotated[str, Option(help="Of one file: whose row it is, a column or row.")] = "",
    delimiter: Annotated[
        str | None, Option(help="Of one CSV file: what separates fields, if not commas.")
    ] = None,
    epsilon: Annotated[str | None, Option(help="ε to spend.")] = None,
    delta: Annotated[str | None, Option(help="δ to spend, beside ε.")] = None,
    max_groups: Annotated[
        str | None, Option(help="Groups of one unit that count, or auto.")
    ] = None,
    max_rows: Annotated[
        str | None, Option(help="Rows of one unit that count in each group, or auto.")
    ] = None,
    release: Annotated[
        bool, Option("--release", help="Spend the budget, and print the result.")
    ] = False,
    ledger: Annotated[
        str, Option(help="Where the budget is kept: a file or a postgresql:// URL.")
    ] = "",
    label: Annotated[
        list[str] | None,
        Option(help="Whose budget it counts against, such as analyst=ann; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None,
        Option(help="Write the result to this new file, .csv or .json, with 95 % intervals."),
    ] = None,
    as_json: JsonOption = False,
    yes: YesOption = False,
) -> None:
    """Show the error of every number in a statement's result; with --release, the result.

    Exit status: 0 previewed, or charged and shown. 1 refused by the budget, 2 by anything else:
    nothing was charged then. 3 charged, and the result is not where it should be: the message says
    where it is.
    """
    tables = _tables(data, unit, delimiter)
    bounds = {"max_groups": max_groups, "max_rows": max_rows}
    given = {name: _bound(name, value) for name, value in bounds.items() if value is not None}
    plan = sql_plan(_text(statement), tables, bounds=given)
    spend = _spend(plan, epsilon, delta)
    labels = _labels(label or [])
    place = ledger or tables.ledger
    if not release:
        fits = _previewed(plan, spend, place, labels, as_json)
        raise Ended(0 if fits else 1)
    opened = _opened(plan, place)
    if output is not None:
        _refuse_unfit(output)
    _confirm(plan, spend, opened, labels, yes=yes)
    _released(plan, spend, opened, labels, output, as_json)


def _bound(name: str, value: str) -> int | str:
    if value == AUTO:
        return value
    if value.isdecimal() and len(value) <= _DIGITS:
        return int(value)
    raise refuse(
        f"--{name.replace('_', '-')} must be a whole number of at most {_DIGITS} digits, or {AUTO}",
        shown(value),
        "Say how much of one unit counts, or have it chosen for a part of the budget.",
    )


def _text(statement: str) -> str:
    return sys.stdin.read() if statement == "-" else statement


def _tables(data: str, unit: str, delimiter: str | None) -> Any:
    """A dataset that is described, or one file as it is."""
    if data.lower().endswith(".toml"):
        if unit or delimiter is not None:
            raise refuse(
                "a dataset says itself whose rows they are, and how its files are written",
                f"--unit {unit}" if unit else f"--delimiter {delimiter}",
                "Leave it out.",
            )
        return read_dataset(Path(data))
    if not unit:
        raise refuse(
            "--unit must say whose rows a file holds",
            "none",
            "Give --unit patient_id, or --unit row if every row is a unit.",
        )
    looked_at(data, None, delimiter)
    own = None if unit == "row" else unit
    table = read(data, unit=own, dataset=data, delimiter=delimiter)
    return SingleTable(Path(data).name.partition(".")[0], table)


def _spend(plan: SqlPlan, epsilon: str | None, delta: str | None) -> Guarantee:
    if epsilon is None:
        if delta is not None:
            raise refuse("--delta stands beside --epsilon", "it alone", "Give both.")
        if plan.budget is not None:
            return plan.budget
        raise refuse(
            "a budget must be given", "none", "Give --epsilon 1, and --delta 1e-8 beside it."
        )
    found: Guarantee = (
        PureDP(epsilon=epsilon) if delta is None else ApproxDP(epsilon=epsilon, delta=delta)
    )
    if plan.said is not None and plan.said != found:
        raise refuse(
            "a budget must be said once",
            f"{said(found)} beside {said(plan.said)} in the statement",
            "Leave one of them out.",
        )
    return found


def _labels(pairs: list[str]) -> dict[str, str]:
    parts = [each.partition("=") for each in pairs]
    found = {name: value for name, _, value in parts}
    if all(mark and name and value for name, mark, value in parts) and len(found) == len(pairs):
        return found
    raise refuse(
        "a label must be a name and a value, each name once",
        ", ".join(pairs),
        "Write --label analyst=ann.",
    )


def _previewed(
    plan: SqlPlan, spend: Guarantee, place: Any, labels: dict[str, str], as_json: bool
) -> bool:
    found = _ahead(plan, spend, place, labels)
    told, who = plan.preview(spend), person_of(plan.plan)
    return shown_preview(told, spend, found, as_json, notes=plan.notes, who=who)


def _ahead(plan: SqlPlan, spend: Guarantee, place: Any, labels: dict[str, str]) -> Ahead:
    costs = plan.plan.admitted(spend).costs
    if not place:
        reason = "No ledger is named: --ledger budget.db says where the budget is kept."
        return Ahead(costs, None, None, reason, unknown=True)
    scope: dict[str, Any] = {**plan.plan.table.scope.said}
    try:
        ledger = Ledger(place, **scope)
    except LedgerMissing:
        reason = "The ledger is yet to be begun: leastnoise budget begin, with the dataset's file."
        return Ahead(costs, None, None, reason, unknown=True)
    return ahead(ledger, costs, labels, **scope)


def _confirm(
    plan: SqlPlan, spend: Guarantee, ledger: Charging, labels: dict[str, str], *, yes: bool
) -> None:
    """Say what would be spent, and ask."""
    if yes:
        return
    costs, scope = plan.plan.admitted(spend).costs, plan.plan.table.scope.said
    found = ahead(ledger, costs, labels, **scope)
    if found.fits:
        question = f"Release the result of this statement and spend {said(spend)}?"
        earlier = earlier_line(ledger, plan.plan.digest)
        facts = [] if earlier is None else [f"{earlier_words(earlier, ledger)} This is a new draw."]
        facts += [*weak_words(spend), *found.lines("now"), "What is spent stays spent."]
        confirm(question, facts, "Release?", yes=yes)


def _opened(plan: SqlPlan, place: Any) -> Charging:
    if place:
        return Charging(place, **plan.plan.table.scope.said)
    raise refuse(
        "a release must be charged to a ledger",
        "none",
        "Give --ledger budget.db, begun with leastnoise budget begin.",
    )


def _refuse_unfit(output: Path) -> None:
    """Whatever is wrong with the file is said before anything is charged."""
    if output.suffix.lower() not in {".csv", ".json", ""}:
        raise refuse(
            "a result is written as CSV or as JSON; nothing was charged",
            f"--output {output}",
            "Name a file that ends in .csv or .json.",
        )
    refuse_unwritable(output)


def _released(
    plan: SqlPlan,
    spend: Guarantee,
    ledger: Charging,
    labels: dict[str, str],
    output: Path | None,
    as_json: bool,
) -> None:
    try:
        with progress("reading the data") as tick:
            made = plan.release(spend, ledger=ledger, labels=labels, progress=tick)
    except BaseException as failure:
        found = ledger.what_was_charged(plan.plan.digest)
        if found is None:
            raise
        raise Incomplete(
            f"{found}, and then the release failed ({type(failure).__name__}). The charge stands, "
            "because noise may have been drawn. Nothing was shown.",
            answered=False,
        ) from None
    SIGNALS.hold()
    written = _written(made, output)
    _shown(made, ledger, as_json)
    if written is not None:
        raise Incomplete(
            f"line {made.release.entry.number} of the ledger was charged, but {written} The result "
            "was printed instead: keep it.",
            answered=True,
        )


def _written(made: SqlRelease, output: Path | None) -> str | None:
    """Why the result could not be written, if so."""
    if output is None:
        return None
    try:
        write_text(output, made.to_csv() if output.suffix.lower() == ".csv" else made.to_json())
    except (OSError, ValueError) as failure:
        return str(failure)
    return None


def _shown(made: SqlRelease, ledger: Ledger, as_json: bool) -> None:
    if as_json:
        print(visible_json(made.to_json()), flush=True)
        return
    head, *rows = made.lines(_SHOWN)
    show_table(str(made.release.guarantee), head, rows)
    if len(made) > _SHOWN:
        show_text(f"… and {said_count(len(made) - _SHOWN)} more: --output result.csv has all")
    for note in made.notes:
        show_text(note, hanging="  ")
    show_left(made.release, ledger)
