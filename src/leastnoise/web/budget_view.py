"""What a ledger says, as plain values: its lines, what was spent, what is left."""

from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.accounting.pricing import as_amounts
from leastnoise.ledger.account import Balance
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.people import equation
from leastnoise.privacy.guarantee import GDP, Guarantee
from leastnoise.privacy.spoken import said

_MOST_LINES = 500  # on a page; the ledger has all


def opened_ledger(place: Path) -> Ledger:
    """A ledger that exists; looking at one must not begin it.

    Raises:
        InvalidParameter: there is no such file.
    """
    if not place.is_file():
        raise _check.refuse("the ledger must exist", f"no file {place.name!r}", "Check the path.")
    return Ledger(place)


def budget_facts(place: Path) -> dict[str, Any]:
    """A ledger's latest lines, checked against their hashes, and its remainder."""
    ledger = opened_ledger(place)
    count = ledger.number
    entries = ledger.history(after=max(0, count - _MOST_LINES))
    return {
        "dataset": ledger.dataset,
        "mode": str(ledger.mode),
        "total": guarantee_facts(ledger.total),
        "limit": _sum_facts(ledger.limit),
        "spent": _sum_facts(ledger.spent),
        "remaining": _sum_facts(ledger.remaining),
        "sums": [f"{each.letter}: {each.words()}" for each in budget_sums(ledger.balances[0])],
        "held": held_words(ledger.balances[0]),
        "balances": [_balance(each) for each in ledger.balances],
        "seal": ledger.seal,
        "count": count,
        "lines": [_line(entry) for entry in entries],
    }


def _balance(balance: Balance) -> dict[str, Any]:
    return {
        "name": balance.name,
        "promise": _text(balance.promise),
        "limits": " or ".join(map(_sum, balance.limits)),
        "spent": " or ".join(map(_sum, balance.spent)),
        "remaining": " or ".join(map(_sum, balance.remaining)),
    }


def _line(entry: Entry) -> dict[str, Any]:
    event = entry.event
    line: dict[str, Any] = {"number": entry.number, "time": entry.time}
    if isinstance(event, Charge):
        price = " and ".join(map(_text, event.costs))
        return line | {"price": price, "purpose": event.purpose, "labels": dict(event.labels)}
    if isinstance(event, Cap):
        return line | {
            "price": _text(event.limit),
            "purpose": "a cap inside the total",
            "labels": {event.label: event.value},
        }
    return line | {"price": "", "purpose": "a release stored", "labels": {}}


def _text(guarantee: Guarantee) -> str:
    return str(guarantee_facts(guarantee)["text"])


def _sum(guarantee: Guarantee) -> str:
    """What adds up: of μ, its square."""
    if isinstance(guarantee, GDP):
        return equation("μ²", guarantee.mu**2)
    return _text(guarantee)


def _sum_facts(guarantee: Guarantee) -> dict[str, Any]:
    return {"text": _sum(guarantee), "main": float(as_amounts(guarantee)[0])}


def guarantee_facts(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as people say it."""
    return {"text": said(guarantee)}
