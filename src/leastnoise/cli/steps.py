"""`leastnoise release` of a plan with a schedule: its beginning, and its steps."""

import os
import sys
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from leastnoise._display import visible_json
from leastnoise.cli.files import Content, write_together
from leastnoise.cli.incomplete import Incomplete
from leastnoise.cli.interrupted import Interrupted
from leastnoise.cli.outputs import (
    FIRST,
    REPORT,
    WORKBOOK,
    show_answers,
    table_content,
    table_files,
)
from leastnoise.cli.preview import person_of
from leastnoise.cli.progress import progress
from leastnoise.cli.screen import show_json, show_text
from leastnoise.errors import LeastNoiseError
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.people import many
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.result.step_release import StepRelease
from leastnoise.release.result.step_series import StepSeries
from leastnoise.release.result.workbook import workbook

if TYPE_CHECKING:
    from leastnoise.release.scheduled_plan import ScheduledPlan


def released_step(
    asked: PlanFile,
    plan: "ScheduledPlan",
    ledger: Ledger,
    labels: dict[str, str],
    step: str | None,
    begin: bool,
    as_json: bool,
) -> StepRelease | None:
    """Begin the schedule if that is asked for, release a step, and write it; None: only begun.

    Raises:
        Incomplete: the step is in the ledger, and a file could not be written.
    """
    if not begin:
        return _released(asked, plan, ledger, step, as_json)
    seal, purpose = ledger.seal, f"{asked.purpose}: all {plan.schedule}"[:1000]
    entry = plan.begin(asked.spend, ledger=ledger, labels=labels, purpose=purpose)
    _show_begun(entry, plan, as_json=as_json, alone=step is None)
    if step is None:
        return None
    begun_now = ledger.seal != seal
    try:
        return _released(asked, plan, ledger, step, as_json)
    except (LeastNoiseError, Interrupted, KeyboardInterrupt) as failure:
        if not begun_now:
            raise
        raise Incomplete(
            f"line {entry.number} of the ledger was charged for all steps of the schedule, but "
            f"this one was not released: {str(failure) or 'it was interrupted.'} Steps cost "
            "nothing more: release one with --step.",
            answered=False,
        ) from None


def _released(
    asked: PlanFile, plan: "ScheduledPlan", ledger: Ledger, step: str | None, as_json: bool
) -> StepRelease:
    seal = ledger.seal
    with progress(f"reading the data: {many(len(plan.questions), 'question')}") as tick:
        made = plan.release_step(step, ledger=ledger, closed=asked.closed, progress=tick)
    missing = _written(made, asked, plan, ledger)
    if missing:
        parts = "; ".join(f"{name} ({reason})" for name, reason in missing.items())
        raise Incomplete(
            f"step {made.step} is in the ledger, but something could not be written: {parts}. Run "
            "it again: nothing will be drawn anew.",
            answered=True,
        )
    if ledger.seal == seal and not as_json:
        with suppress(Exception):
            show_text(
                f"Step {made.number} was released before: it is told again from the ledger, and "
                "rows that changed since then are not in it."
            )
    return made


def _show_begun(entry: Entry, plan: "ScheduledPlan", *, as_json: bool, alone: bool) -> None:
    """It is charged by now: whatever becomes of the terminal changes nothing."""
    with suppress(Exception):
        if not as_json:
            show_text(f"line {entry.number} of the ledger has paid for all steps of the schedule")
        elif alone:  # else the step is the one value there is
            show_json({"line": entry.number, "seal": entry.seal, "schedule": str(plan.schedule)})


def _written(
    made: StepRelease, asked: PlanFile, plan: "ScheduledPlan", ledger: Ledger
) -> dict[str, str]:
    """The step as release.json, and beside it the running totals of all steps so far."""
    others: dict[str, Content] = {}
    called, tables = table_files(asked), list(plan.released_steps(ledger=ledger))
    if "xlsx" in asked.formats:
        columns = {each.name: each.plain_columns() for each in tables}
        others[WORKBOOK] = partial(workbook, columns, [e for each in tables for e in each.about()])
    for table in tables:
        for form, name in called[table.name].items():
            others[name] = partial(table_content, table, form)
    if asked.report:
        others[REPORT] = partial(_report, made, tables)
    return write_together(asked.folder, FIRST, made.to_json(), others)


def _report(made: StepRelease, tables: list[StepSeries]) -> str:
    from leastnoise.reports.steps import steps_html  # noqa: PLC0415 - only if one is wanted

    return steps_html(made, tables)


def show_step(
    made: StepRelease | None, asked: PlanFile, missing: dict[str, str], as_json: bool
) -> int:
    """Print the step; the status to end with."""
    with suppress(Exception):
        if made is not None:
            _show(made, asked, as_json)
        sys.stdout.flush()
    for name, reason in missing.items():
        show_text(f"{name} could not be written: {reason}")
    return 3 if missing else 0


def _show(made: StepRelease, asked: PlanFile, as_json: bool) -> None:
    if as_json:
        print(visible_json(made.to_json()))
        return
    assert asked.steps is not None, "a step is of a schedule"
    last = asked.steps.schedule.first_day(made.number + 1) - timedelta(days=1)
    pairs = zip(made.to_date, made.this_step, strict=True)
    for to_date, alone in pairs:
        for table, words in ((to_date, f"to {last}"), (alone, f"this {made.every}")):
            show_answers(table, f"{table.name}, {words}", who=person_of(asked.plan))
    show_text(
        f"step {made.number}; {made.guarantee} for all steps, paid by line "
        f"{made.entry.number} of the ledger\nseal {made.seal}\n"
        f"written to {os.path.normpath(asked.folder)}"
    )
