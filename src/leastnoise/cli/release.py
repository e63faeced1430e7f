"""`leastnoise release`: the main job."""

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from leastnoise._check import refuse, shown
from leastnoise.cli.budget_begin import begun_words
from leastnoise.cli.charging import Charging
from leastnoise.cli.files import alone_in, earlier_release, write_text
from leastnoise.cli.incomplete import Incomplete
from leastnoise.cli.interrupted import SIGNALS
from leastnoise.cli.outputs import (
    FIRST,
    refuse_overwriting,
    refuse_unwritable,
    show_release,
    write_release,
)
from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.preview import show_preview
from leastnoise.cli.screen import progress, show_text
from leastnoise.cli.steps import released_step, show_step
from leastnoise.cli.streams import complain
from leastnoise.errors import InvalidParameter, LeastNoiseError, LedgerMissing
from leastnoise.release.file.anchor import ANCHOR, anchor_text, refuse_another, refuse_new
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.result.plan_release import PlanRelease


def release(
    plan: PlanArgument,
    as_json: JsonOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Preview, and say whether the budget allows it.")
    ] = False,
    label: Annotated[
        list[str] | None,
        typer.Option(help="Whose budget it counts against, such as analyst=ann; may be repeated."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Lose the release that is in the output folder.")
    ] = False,
    begin: Annotated[
        bool, typer.Option("--begin", help="Begin the ledger, which must not be there yet.")
    ] = False,
    step: Annotated[
        str | None,
        typer.Option(
            help="Of a plan with a schedule: a day of the step to release, such as 2026-03-07; the "
            "last one that is over if left out."
        ),
    ] = None,
    begin_schedule: Annotated[
        bool,
        typer.Option("--begin-schedule", help="Charge all steps of the plan's schedule, once."),
    ] = False,
) -> None:
    """Read, bound, aggregate, charge, draw, and write tables and report.

    Exit status: 0 charged and everything written. 1 refused by the budget, 2 by anything else, 130
    interrupted: nothing was charged then. 3 charged, and something is missing: the message says
    what.
    """
    asked = read_plan(plan)
    labels = asked.labels | _labels(label or [])
    _refuse_no_schedule(asked, step, begin_schedule)
    refuse_unwritable(asked)
    if dry_run:
        fits = show_preview(asked, labels, as_json)
        if earlier_release(asked.folder, FIRST) and not as_json:
            show_text(f"{asked.folder} holds a release: another one there needs --replace")
        raise typer.Exit(0 if fits else 1)
    with alone_in(asked.folder):
        ledger = _opened(asked, begin)
        if asked.steps is not None:
            told = released_step(asked, asked.steps, ledger, labels, step, begin_schedule)
            missing = {} if told is None else _anchored(asked, ledger)
            raise typer.Exit(show_step(told, asked, missing, as_json))
        if not replace:
            refuse_overwriting(asked, ledger)
        made = _released(asked, ledger, labels)
        missing = _written(made, asked, ledger)
    _show(made, asked, as_json, charged=ledger.tried)
    _tell(made, asked, missing)


def _refuse_no_schedule(asked: PlanFile, step: str | None, begin: bool) -> None:
    if asked.steps is None and (step is not None or begin):
        raise refuse(
            "`--step` and `--begin-schedule` are for plans with a schedule",
            "a plan without one",
            "Leave them out, or write [schedule] into the plan.",
        )


def _opened(asked: PlanFile, begin: bool) -> Charging:
    """The ledger; the one that earlier releases beside this one were charged to."""
    if begin:
        refuse_new(asked.folder)
        ledger = asked.opened_as(Charging, begin=True)
        complain(f"leastnoise: {begun_words(ledger)}")
        return ledger
    try:
        ledger = asked.opened_as(Charging)
    except LedgerMissing:
        refuse_new(asked.folder)
        raise
    refuse_another(asked.folder, ledger)
    return ledger


def _released(asked: PlanFile, ledger: Charging, labels: dict[str, str]) -> PlanRelease:
    digest, nothing = asked.plan.digest, " Nothing was written."
    with (
        ledger.answering(digest, "the release", told=nothing),
        progress("reading the data") as tick,
    ):
        return asked.plan.release(
            asked.spend,
            ledger=ledger,
            labels=labels,
            purpose=asked.purpose,
            store=asked.store,
            progress=tick,
        )


def _written(made: PlanRelease, asked: PlanFile, ledger: Charging) -> dict[str, str]:
    """Write the files; if even the first fails, what was paid for must not be lost."""
    SIGNALS.hold()  # for a release from the store, too: files come together
    try:
        return write_release(made, asked) | _anchored(asked, ledger)
    except InvalidParameter as failure:
        with suppress(OSError, ValueError):
            print(made.to_json(), flush=True)
        raise Incomplete(
            f"line {made.entry.number} of the ledger was charged, but {failure} The answers were "
            "printed instead: keep them.",
            answered=True,
        ) from None


def _anchored(asked: PlanFile, ledger: Charging) -> dict[str, str]:
    """What is missing, if the note of where the ledger stands could not be written."""
    try:
        write_text(asked.folder / ANCHOR, anchor_text(ledger))
    except LeastNoiseError as failure:
        return {ANCHOR: str(failure)}
    return {}


def _show(made: PlanRelease, asked: PlanFile, as_json: bool, *, charged: bool) -> None:
    """Everything is in files by now: whatever becomes of the terminal changes nothing."""
    with suppress(Exception):
        show_release(made, asked.folder, as_json)
        if not charged and not as_json:
            print("The ledger had this release in store: nothing was charged or drawn.")
        sys.stdout.flush()


def _tell(made: PlanRelease, asked: PlanFile, missing: dict[str, str]) -> None:
    folder = os.path.normpath(asked.folder)
    line = f"line {made.entry.number} of the ledger was charged"
    if missing:
        parts = "; ".join(f"{name} ({reason})" for name, reason in missing.items())
        raise Incomplete(
            f"{line}, and all answers are in {folder}/release.json, but something is missing: "
            f"{parts}",
            answered=True,
        )
    if SIGNALS.came:
        told = f"interrupted, but {line} by then, and all answers were written to {folder}."
        complain(f"leastnoise: {told}")


def _labels(said: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in said]
    if all(name and mark for name, mark, _ in pairs):
        return {name: value for name, _, value in pairs}
    raise refuse("`--label` must be a name and a value", shown(said), "Write --label analyst=ann.")
