"""`leastnoise budget`: what was spent, by whom, on what; what is left."""

from pathlib import Path
from typing import Annotated, Any

from leastnoise._display import visible
from leastnoise.cli.declared import Argument, Ended, Option
from leastnoise.cli.plan_argument import describes_data, ledger_of, read_dataset, read_plan
from leastnoise.cli.screen import bold, show_json, show_table, show_text, wrapped
from leastnoise.ledger.account import Balance
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.people import many, said_count, said_minute
from leastnoise.privacy.guarantee import GDP, Guarantee
from leastnoise.privacy.spoken import said

_SHOWN = 12  # lines of a screen, under the sums
_CHECKED = 10_000  # lines that nobody waits for; of more, the last ones


def budget(
    ledger: Annotated[
        str,
        Argument(
            help="A ledger's file or postgresql:// URL, or the plan or dataset that names it."
        ),
    ],
    label: Annotated[
        str | None, Option(help="Only charges with this label, such as analyst=ann.")
    ] = None,
    seal: Annotated[
        str | None, Option(help="Check that a seal noted earlier is in the ledger's past.")
    ] = None,
    verify: Annotated[
        bool,
        Option("--verify", help="Check every line, and the running totals against all of them."),
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a ledger: its lines, checked against their hashes, and what is left for whom.

    `budget begin` begins one. Exit status 1 if a seal is not in the ledger's past, 2 if a line or
    the running totals are not what they must be.
    """
    opened = _opened(ledger)
    if verify:
        _show_verified(opened, as_json)
    if seal is not None:
        raise Ended(0 if _show_seal(opened, seal, as_json) else 1)
    if verify:
        return
    everything = as_json or label is not None
    first = 0 if everything else max(0, opened.number - _CHECKED)
    lines = [_line(entry) for entry in opened.history(after=first)]
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
    show_json(facts) if as_json else _show(opened, facts, first)


def _opened(place: str) -> Ledger:
    """The ledger itself, or the one that a plan or a dataset's file names."""
    if Path(place).suffix.lower() != ".toml":
        return Ledger(place)
    if not describes_data(Path(place)):
        return read_plan(Path(place), choosing=True).opened()
    described = read_dataset(Path(place))
    scope: dict[str, Any] = {**described.scope.said}
    return Ledger(ledger_of(described), **scope)


def _show_verified(opened: Ledger, as_json: bool) -> None:
    """Say that lines and totals are whole; if they are not, that is an error."""
    lines = opened.verify()
    if as_json:
        show_json({"lines": lines, "verified": True, "last": opened.seal})
    else:
        print(f"{many(lines, 'line')}, checked: none was changed, and the totals are their sums")


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


def _show(opened: Ledger, facts: dict[str, Any], unchecked: int) -> None:
    lines = facts["lines"]
    count = unchecked + len(lines)
    unit = f" Protected: each {opened.about.unit} ({_relation(opened)})." if facts["unit"] else ""
    about = f"Budget of {opened.about.dataset or 'unnamed data'}"
    print(bold(wrapped(visible(about))))
    which = f"; the last {said_count(len(lines))} were" if unchecked else ","
    rest = " --verify checks all." if unchecked else ""
    show_text(f"{many(count, 'line')}{which} checked: none was changed.{rest}{unit}")
    print()
    for balance in opened.balances:
        _show_balance(balance)
    shown = lines[-_SHOWN:]
    if count > _SHOWN:
        show_text(f"… and {said_count(count - _SHOWN)} lines before these: --json has all")
    rows = [
        [str(line["number"]), said_minute(line["time"]), line["told"], line["purpose"],
         _labels(line)]
        for line in shown
    ]  # fmt: skip
    if rows:
        show_table("", ["line", "date, UTC", "spent", "for", "labels"], rows)
    show_text(f"Seal  {opened.seal}", indent="  ")


def _show_balance(balance: Balance) -> None:
    """One budget as sums, with a bar for the first."""
    if balance.name != "total":
        show_text(balance.name, indent="  ")
    for number, each in enumerate(budget_sums(balance)):
        bar = f"{each.bar(20)}  " if not number else ""
        show_text(f"{each.letter}  {bar}{each.words()}", indent="  ", hanging="   ")
    for line in held_words(balance):
        show_text(line, indent="     ")
    print()


def _relation(opened: Ledger) -> str:
    return opened.about.neighbours.replace("add_remove", "added or removed").replace(
        "replace", "replaced"
    )


def _labels(line: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in line["labels"].items())


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
            "told": said(event.cost),
            "purpose": event.purpose,
            "labels": event.labels,
            "digest": event.digest,
        }
    if isinstance(event, Cap):
        return line | {
            "what": repr(event.limit),
            "told": f"at most {said(event.limit)}",
            "purpose": f"cap for {event.label} {event.value}",
            "labels": {event.label: event.value},
        }
    return line | {
        "what": "",
        "told": "",
        "purpose": "a release stored",
        "labels": {},
        "digest": event.name,
    }
