"""Running totals of a schedule, as the ledger has them: nothing is read, drawn or charged."""

from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.result.step_series import StepSeries
from leastnoise.reports.steps import series_lines, series_words

_LARGEST = 1 << 20  # bytes of a plan's file


def steps_facts(place: Path) -> dict[str, Any]:
    """For each question of a plan with a schedule the lines of its first groups.

    Raises:
        InvalidParameter: no such file, or a plan without a schedule.
        LedgerError: the schedule was not begun.
    """
    try:
        text = place.read_bytes()[:_LARGEST].decode()
    except (OSError, ValueError):
        raise _check.refuse(
            "a plan must be a file that can be read", f"{place.name}", "Write plan.toml."
        ) from None
    plan = plan_file(text, place.parent, place.name)
    if plan.steps is None:
        raise _check.refuse(
            "running totals are of plans with a schedule",
            "a plan without one",
            "Write [schedule] into it.",
        )
    tables = plan.steps.released_steps(ledger=plan.opened())
    return {"questions": [_question(each) for each in tables]}


def _question(table: StepSeries) -> dict[str, Any]:
    found = series_lines(table)
    return {
        "name": table.name,
        "words": series_words(table) if found else f"{table.name}: no step was released yet.",
        "steps": [mark.label for mark in found[0].marks] if found else [],
        "lines": [
            {"name": each.name, "marks": [[mark.value, *mark.ends] for mark in each.marks]}
            for each in found
        ],
    }
