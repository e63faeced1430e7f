"""`leastnoise budget`: what was spent, by whom, on what; what is left."""

from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from leastnoise.cli.plan_argument import read_plan
from leastnoise.cli.screen import show_json, show_table
from leastnoise.ledger.account import Balance
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import GDP, Guarantee


def budget(
    ledger: Annotated[
        str, typer.Argument(help="A ledger's file or postgresql:// URL, or the plan that names it.")
    ],
    label: Annotated[
        str | None, typer.Option(help="Only charges with this label, such as analyst=ann.")
    ] = None,
    seal: Annotated[
        str | None, typer.Option(help="Check that a seal noted earlier is in the ledger's past.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a ledger: every line, checked against its hash, and what is left for whom.

    `budget begin` begins one. Exit status 1 if a seal is not in the ledger's past.
    """
    is_plan = Path(ledger).suffix.lower() == ".toml"
    opened = read_plan(Path(ledger), choosing=True).opened() if is_plan else Ledger(ledger)
    if seal is not None:
        raise typer.Exit(0 if _show_seal(opened, seal, as_json) else 1)
    lines = [_line(entry) for entry in opened.history()]
    if label is not None:
        name, _, value = label.partition("=")
        lines = [line for line in lines if line["labels"].get(name) == value]
    facts = {
        "dataset": opened.about.dataset,
        "unit": opened.about.unit,
        "neighbours": opened.about.neighbours,
        "mode": str(opened.mode),
        "total": repr(opened.total),
        "limit": repr(opened.limit),
        "spent": repr(opened.spent),
        "remaining": repr(opened.remaining),
        "seal": opened.seal,
        "balances": [_balance(each) for each in opened.balances],
        "lines": lines,
    }
    show_json(facts) if as_json else _show(facts)


def _show_seal(opened: Ledger, seal: str, as_json: bool) -> bool:
    """Print whether the past up to a seal is what it was; that is also the result."""
    found = opened.contains(seal)
    if as_json:
        show_json({"seal": seal, "contained": found, "last": opened.seal})
    elif found:
        print("the seal is in the ledger's past: nothing before it has changed")
    else:
        print("the seal is NOT in the ledger's past: it was replaced or shortened, or is another")
    return found


def _show(facts: dict[str, Any]) -> None:
    rows = [
        [str(line["number"]), line["time"][:19], line["what"], line["purpose"], _labels(line)]
        for line in facts["lines"]
    ]
    head = ["line", "time (UTC)", "charge", "purpose", "labels"]
    unit = f", unit {facts['unit']} ({facts['neighbours']})" if facts["unit"] else ""
    show_table(f"ledger of {facts['dataset'] or 'unnamed data'}{unit}", head, rows)
    balances = [row for each in facts["balances"] for row in _ways(each)]
    head = ["budget", "promise", "limit", "spent", "left"]
    show_table(f"mode {facts['mode']}", head, balances)
    print(f"seal {facts['seal']}")


def _labels(line: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in line["labels"].items())


def _ways(balance: dict[str, Any]) -> list[list[str]]:
    """A row for each way of adding up that is still open: limit less spent is left."""
    ways = zip(balance["limits"], balance["spent"], balance["remaining"], strict=True)
    named = [[balance["name"], balance["promise"]]]
    return [[*first, *way] for first, way in zip_longest(named, ways, fillvalue=("or", ""))]


def _balance(balance: Balance) -> dict[str, Any]:
    return {
        "name": balance.name,
        "promise": repr(balance.promise),
        "limits": [_sum(each) for each in balance.limits],
        "spent": [_sum(each) for each in balance.spent],
        "remaining": [_sum(each) for each in balance.remaining],
    }


def _sum(guarantee: Guarantee) -> str:
    """What adds up: of μ, its square."""
    if isinstance(guarantee, GDP):
        return f"GDP(mu²={float(guarantee.mu**2):.12g})"
    return repr(guarantee)


def _line(entry: Entry) -> dict[str, Any]:
    event = entry.event
    line: dict[str, Any] = {"number": entry.number, "time": entry.time, "seal": entry.seal}
    if isinstance(event, Charge):
        return line | {
            "what": " and ".join(map(repr, event.costs)),
            "purpose": event.purpose,
            "labels": event.labels,
            "digest": event.digest,
        }
    if isinstance(event, Cap):
        return line | {
            "what": repr(event.limit),
            "purpose": f"cap for {event.label} {event.value}",
            "labels": {event.label: event.value},
        }
    return line | {"what": "", "purpose": "a release stored", "labels": {}, "digest": event.name}
