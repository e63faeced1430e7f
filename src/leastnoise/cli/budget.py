"""`leastnoise budget`: what was spent, by whom, on what; what is left."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from leastnoise._check import refuse
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger


def budget(
    ledger: Annotated[str, typer.Argument(help="A ledger's file or postgresql:// URL.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a ledger: every line, checked against its hash, and what is left."""
    if "://" not in ledger and not Path(ledger).exists():
        raise refuse("the ledger must exist", "no such file", "Check the path.")
    opened = Ledger(ledger)
    lines = [_line(entry) for entry in opened.history()]
    facts = {
        "dataset": opened.dataset,
        "total": repr(opened.total),
        "spent": repr(opened.spent),
        "remaining": repr(opened.remaining),
        "seal": opened.seal,
        "lines": lines,
    }
    if as_json:
        print(json.dumps(facts, ensure_ascii=False))
        return
    for line in lines:
        print(f"{line['number']:>5}  {line['time']}  {line['what']}  {line['purpose']}")
    for name in ("dataset", "total", "spent", "remaining", "seal"):
        print(f"{name:10} {facts[name]}")


def _line(entry: Entry) -> dict[str, Any]:
    event = entry.event
    line: dict[str, Any] = {"number": entry.number, "time": entry.time}
    if isinstance(event, Charge):
        return line | {
            "what": repr(event.cost),
            "purpose": event.purpose,
            "labels": event.labels,
            "digest": event.digest,
        }
    return line | {
        "what": repr(event.limit),
        "purpose": f"cap for {event.label} {event.value}",
        "labels": {event.label: event.value},
    }
