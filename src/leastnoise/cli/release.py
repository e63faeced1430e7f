"""`leastnoise preview` and `leastnoise release`: the main job."""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from leastnoise._check import refuse
from leastnoise.cli.files import read_text, write_together
from leastnoise.engine.plan_file import PlanFile, plan_file
from leastnoise.errors import BudgetExceeded
from leastnoise.ledger.ledger import Ledger

PlanArgument = Annotated[Path, typer.Argument(help="A plan in TOML.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _read(path: Path) -> PlanFile:
    return plan_file(read_text(path), path.parent)


def preview(plan: PlanArgument, as_json: JsonOption = False) -> None:
    """Show the error of every answer, before any data is read or budget spent."""
    _print_preview(_read(plan), as_json)


def _print_preview(asked: PlanFile, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "question": one.question,
            "answers": one.answers,
            "expected_error": one.expected_error,
            "half_interval_95": float(one.interval),
            "share": float(one.share),
            "error_of": one.of,
            "mechanism": one.mechanism,
        }
        for one in asked.plan.preview(asked.spend)
    ]
    if as_json:
        print(json.dumps({"spend": repr(asked.spend), "questions": rows}, ensure_ascii=False))
        return
    print(f"{asked.spend}")
    for row in rows:
        print(
            f"  {row['question']}: {row['answers']} answers, |error| of the {row['error_of']} "
            f"about {row['expected_error']:.4g}, within ±{row['half_interval_95']:.4g} in 95 %, "
            f"{100 * row['share']:.1f} % of the budget"
        )


def release(
    plan: PlanArgument,
    as_json: JsonOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Preview only.")] = False,
) -> None:
    """Read, bound, aggregate, charge, draw, and write the tables.

    Exit status 1 if the budget does not allow it: nothing was charged or drawn then.
    """
    asked = _read(plan)
    if dry_run:
        _print_preview(asked, as_json)
        return
    ledger = Ledger(asked.ledger, total=asked.total, dataset=asked.dataset)
    _make(asked.folder)
    try:
        made = asked.plan.release(asked.spend, ledger=ledger, purpose=f"plan {plan.name}")
    except BudgetExceeded as refusal:
        print(f"leastnoise: {refusal}")
        raise typer.Exit(1) from None
    tables = {
        f"{number:02}_{_file_name(table.name)}.csv": table.to_csv()
        for number, table in enumerate(made.tables, 1)
    }
    write_together(asked.folder, "release.json", made.to_json(), tables)
    print(made.to_json() if as_json else made)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse("the output folder must be writable", reason, "Name another.") from None


def _file_name(name: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_.")
    # A file's name is limited in bytes, and a letter may have four of them.
    return plain.encode()[:100].decode(errors="ignore") or "table"
