"""`leastnoise release`: the main job."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from leastnoise._check import refuse
from leastnoise.cli.anchor import anchor, refuse_another, refuse_new
from leastnoise.cli.budget_begin import begun_words
from leastnoise.cli.interrupted import Interrupted, undisturbed
from leastnoise.cli.outputs import show_release, write_release
from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.preview import show_preview
from leastnoise.cli.screen import progress
from leastnoise.engine.plan_file import PlanFile
from leastnoise.engine.plan_release import PlanRelease
from leastnoise.errors import InvalidParameter, LedgerMissing
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.ledger import Ledger


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
    begin: Annotated[
        bool, typer.Option("--begin", help="Begin the ledger, which must not be there yet.")
    ] = False,
) -> None:
    """Read, bound, aggregate, charge, draw, and write tables and report.

    Exit status 1 if the budget does not allow it: nothing was charged or drawn then.
    """
    asked = read_plan(plan)
    labels = asked.labels | _labels(label or [])
    if dry_run:
        raise typer.Exit(0 if show_preview(asked, labels, as_json) else 1)
    _make(asked.folder)
    ledger = _opened(asked, begin)
    before = len(ledger.history())
    made = _released(asked, ledger, labels, before)
    with _finished(made, asked.folder), undisturbed():
        _write(made, asked, ledger)
        show_release(made, asked.folder, as_json)
        if made.entry.number <= before and not as_json:
            print("The ledger had this release in store: nothing was charged or drawn.")


@contextmanager
def _finished(made: PlanRelease, folder: Path) -> Iterator[None]:
    """An interruption that came while files were written has been kept waiting until now."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted, but line {made.entry.number} of the ledger was charged by then, and all "
            f"answers were written to {folder}."
        ) from None


def _released(asked: PlanFile, ledger: Ledger, labels: dict[str, str], before: int) -> PlanRelease:
    try:
        with progress("reading the data") as tick:
            return asked.plan.release(
                asked.spend,
                ledger=ledger,
                labels=labels,
                purpose=asked.purpose,
                store=asked.store,
                progress=tick,
            )
    except KeyboardInterrupt:
        raise Interrupted(_what_was_done(ledger, before, asked.plan.digest)) from None


def _what_was_done(ledger: Ledger, before: int, digest: str) -> str:
    for entry in ledger.history()[before:]:
        if isinstance(entry.event, Charge) and entry.event.digest == digest:
            return (
                f"interrupted after line {entry.number} of the ledger was charged; the charge "
                "stands, because noise may have been drawn. Nothing was written."
            )
    return "interrupted; nothing was charged or written."


def _opened(asked: PlanFile, begin: bool) -> Ledger:
    """The ledger; the one that earlier releases beside this one were charged to."""
    if begin:
        refuse_new(asked.folder)
        ledger = asked.opened(begin=True)
        print(f"leastnoise: {begun_words(ledger)}", file=sys.stderr)
        return ledger
    try:
        ledger = asked.opened()
    except LedgerMissing:
        refuse_new(asked.folder)
        raise
    refuse_another(asked.folder, ledger)
    return ledger


def _write(made: PlanRelease, asked: PlanFile, ledger: Ledger) -> None:
    """Write the files; if that fails, what was paid for must not be lost."""
    try:
        write_release(made, asked)
        anchor(asked.folder, ledger)
    except InvalidParameter:
        print(made.to_json())
        raise


def _labels(said: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in said]
    if all(name and mark for name, mark, _ in pairs):
        return {name: value for name, _, value in pairs}
    raise refuse("`--label` must be a name and a value", "another", "Write --label analyst=ann.")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse("the output folder must be writable", reason, "Name another.") from None
