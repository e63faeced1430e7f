"""`leastnoise release`: the main job."""

import os
import sys
import time
from contextlib import suppress
from dataclasses import replace as changed
from pathlib import Path
from typing import Annotated

from leastnoise._check import refuse, shown
from leastnoise.cli.beside import next_folder, used_folders
from leastnoise.cli.budget_begin import begun_words
from leastnoise.cli.charging import Charging
from leastnoise.cli.confirm import YesOption, confirm
from leastnoise.cli.declared import Ended, Option
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
from leastnoise.cli.preview import show_preview, weak_words
from leastnoise.cli.progress import progress
from leastnoise.cli.screen import show_text
from leastnoise.cli.steps import released_step, show_step
from leastnoise.cli.streams import complain
from leastnoise.errors import InvalidParameter, LeastNoiseError, LedgerMissing
from leastnoise.ledger.ahead import ahead, ahead_of_beginning, earlier_line, earlier_words
from leastnoise.people import many, said_minute
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.spoken import said
from leastnoise.release.file.anchor import ANCHOR, anchor_text, refuse_another, refuse_new
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.result.plan_release import PlanRelease


def release(
    plan: PlanArgument,
    as_json: JsonOption = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Preview, and say whether the budget allows it.")
    ] = False,
    label: Annotated[
        list[str] | None,
        Option(help="Whose budget it counts against, such as analyst=ann; may be repeated."),
    ] = None,
    replace: Annotated[
        bool, Option("--replace", help="Lose the release that is in the output folder.")
    ] = False,
    again: Annotated[
        bool,
        Option("--again", help="Keep the release that is there, and write beside it."),
    ] = False,
    begin: Annotated[
        bool, Option("--begin", help="Begin the ledger, which must not be there yet.")
    ] = False,
    step: Annotated[
        str | None,
        Option(
            help="Of a plan with a schedule: a day of the step to release, such as 2026-03-07; the "
            "last one that is over if left out."
        ),
    ] = None,
    begin_schedule: Annotated[
        bool,
        Option("--begin-schedule", help="Charge all steps of the plan's schedule, once."),
    ] = False,
    yes: YesOption = False,
) -> None:
    """Read, bound, aggregate, charge, draw, and write tables and report.

    It says what it would spend and asks first, unless --yes is given. Exit status: 0 charged and
    everything written. 1 refused by the budget or by your answer, 2 by anything else, 130
    interrupted: nothing was charged then. 3 charged, and something is missing: the message says
    what.
    """
    asked = read_plan(plan)
    _refuse_both(asked, again=again, replace=replace)
    before = used_folders(asked.folder, plan, asked.ledger)
    if again:
        asked = changed(asked, folder=next_folder(asked.folder, plan, FIRST))
    labels = asked.labels | _labels(label or [])
    _refuse_no_schedule(asked, step, begin_schedule)
    refuse_unwritable(asked)
    if dry_run:
        fits = show_preview(asked, labels, as_json)
        if earlier_release(asked.folder, FIRST) and asked.steps is None and not as_json:
            show_text(
                f"{asked.folder} holds a release: another one there needs --replace, and one "
                "beside it --again"
            )
        raise Ended(0 if fits else 1)
    with alone_in(asked.folder):
        if asked.steps is not None:
            raise Ended(
                _step(asked, before, labels, (step, begin, begin_schedule), as_json, yes=yes)
            )
        ledger = None if begin and _is_missing(asked) else _opened(asked, before, begin)
        if ledger is not None and not replace:
            refuse_overwriting(asked, ledger)
        _confirm(asked, before, ledger, labels, yes=yes)
        ledger = ledger or _opened(asked, before, begin)
        if not replace:
            refuse_overwriting(asked, ledger)
        started = time.monotonic()
        made = _released(asked, ledger, labels)
        missing = _written(made, asked, ledger)
    _show(made, asked, ledger, as_json, seconds=time.monotonic() - started)
    _tell(made, asked, missing)


def _refuse_both(asked: PlanFile, *, again: bool, replace: bool) -> None:
    if again and (replace or asked.steps is not None):
        finding = "--replace beside it" if replace else "a plan with a schedule"
        raise refuse(
            "`--again` keeps the release that is there, of a plan without a schedule",
            finding,
            "Leave it out." if not replace else "Give one of them.",
        )


def _step(
    asked: PlanFile,
    before: list[Path],
    labels: dict[str, str],
    said_: tuple[str | None, bool, bool],
    as_json: bool,
    *,
    yes: bool,
) -> int:
    """Begin a plan's schedule, or release a step of it, which costs nothing more."""
    steps, (step, begin, begin_schedule) = asked.steps, said_
    assert steps is not None  # looked at by the caller
    if begin_schedule:
        known = None if begin and _is_missing(asked) else _opened(asked, before, begin)
        costs = steps.preview(asked.spend).costs
        spending = f"Begin the schedule of {asked.dataset or 'this plan'}, {steps.schedule}, and "
        spending += f"spend {said(asked.spend)} on all its steps?"
        _ask(asked, before, known, labels, (costs, spending, "Begin?"), yes=yes)
        ledger = known or _opened(asked, before, begin)
    else:
        ledger = _opened(asked, before, begin)
    told = released_step(asked, steps, ledger, labels, step, begin_schedule, as_json)
    missing = {} if told is None else _anchored(asked, ledger)
    return show_step(told, asked, missing, as_json)


def _is_missing(asked: PlanFile) -> bool:
    """Whether there is no ledger; any other trouble is told when it is begun."""
    try:
        asked.opened()
    except LedgerMissing:
        return True
    except LeastNoiseError:
        return False
    return False


def _confirm(
    asked: PlanFile,
    before: list[Path],
    ledger: Charging | None,
    labels: dict[str, str],
    *,
    yes: bool,
) -> None:
    """Say what would be spent, and ask; not if nothing would be."""
    if ledger is not None and asked.store:
        if asked.plan.stored(asked.spend, ledger=ledger):
            return
        owed = asked.plan.owed(asked.spend, ledger=ledger, labels=labels)
        if owed is not None:
            complain(
                f"leastnoise: line {owed.number} of {ledger.name} paid for these answers, and they "
                "were not stored. They are drawn now; nothing more is charged."
            )
            return
    about = f" about {asked.dataset}" if asked.dataset else ""
    place = os.path.normpath(asked.folder)
    spending = (
        f"Publish {many(len(asked.plan.questions), 'table')}{about} in {place} and spend "
        f"{said(asked.spend)}?"
    )
    costs = asked.plan.admitted(asked.spend).costs
    _ask(asked, before, ledger, labels, (costs, spending, "Release?"), yes=yes)


def _ask(
    asked: PlanFile,
    before: list[Path],
    ledger: Charging | None,
    labels: dict[str, str],
    what: tuple[tuple[Guarantee, ...], str, str],
    *,
    yes: bool,
) -> None:
    if yes:
        return
    costs, spending, prompt = what
    if ledger is None:
        _refuse_new(before)
        found = ahead_of_beginning(asked.total, asked.mode, costs)
        facts = [f"A new ledger, {Path(str(asked.ledger)).name}, is begun."]
    else:
        found = ahead(ledger, costs, labels, **asked.plan.table.scope.said)
        earlier = earlier_line(ledger, asked.plan.digest)
        facts = [] if earlier is None else [f"{earlier_words(earlier, ledger)} This is a new draw."]
    if not found.fits:
        return  # refused below, with a status of its own
    facts += [*weak_words(asked.spend), *found.lines("now"), "What is spent stays spent."]
    confirm(spending, facts, prompt, yes=yes)


def _refuse_no_schedule(asked: PlanFile, step: str | None, begin: bool) -> None:
    if asked.steps is None and (step is not None or begin):
        raise refuse(
            "`--step` and `--begin-schedule` are for plans with a schedule",
            "a plan without one",
            "Leave them out, or write [schedule] into the plan.",
        )


def _refuse_new(folders: list[Path]) -> None:
    for each in folders:
        refuse_new(each)


def _opened(asked: PlanFile, before: list[Path], begin: bool) -> Charging:
    """The ledger; the one that earlier releases, in the folders before, were charged to."""
    if begin:
        _refuse_new(before)
        ledger = asked.opened_as(Charging, begin=True)
        complain(f"leastnoise: {begun_words(ledger)}")
        return ledger
    try:
        ledger = asked.opened_as(Charging)
    except LedgerMissing:
        _refuse_new(before)
        raise
    for each in before:
        refuse_another(each, ledger)
    return ledger


def _released(asked: PlanFile, ledger: Charging, labels: dict[str, str]) -> PlanRelease:
    digest, nothing = asked.plan.digest, " Nothing was written."
    if asked.store:
        nothing += " Release the same plan again: it is drawn then, and nothing more is charged."
    with (
        ledger.answering(digest, "the release", told=nothing),
        progress(f"reading the data: {many(len(asked.plan.questions), 'question')}") as tick,
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


def _show(
    made: PlanRelease, asked: PlanFile, ledger: Charging, as_json: bool, *, seconds: float
) -> None:
    """Everything is in files by now: whatever becomes of the terminal changes nothing."""
    with suppress(Exception):
        show_release(made, asked, ledger, as_json, seconds=seconds)
        if not ledger.tried and not as_json:
            show_text(
                f"The ledger had this release in store, from {said_minute(made.entry.time)} UTC: "
                "nothing was charged or drawn, and rows that changed since then are not in it. "
                "For a new draw, at its price, write store = false in the plan's [output]."
            )
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
