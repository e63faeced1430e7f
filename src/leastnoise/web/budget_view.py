"""What a ledger says, as plain values: its lines, what was spent, what is left."""

from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from leastnoise import _check
from leastnoise.ledger.account import Balance
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

_MOST_LINES = 500


def opened_ledger(place: Path) -> Ledger:
    """A ledger that exists; looking at one must not begin it.

    Raises:
        InvalidParameter: there is no such file.
    """
    if not place.is_file():
        raise _check.refuse("the ledger must exist", "no such file", "Check the path.")
    return Ledger(place)


def budget_facts(place: Path) -> dict[str, Any]:
    """A ledger's history and remainder, every line checked against its hash."""
    ledger = opened_ledger(place)
    entries = ledger.history()
    return {
        "dataset": ledger.dataset,
        "mode": str(ledger.mode),
        "total": guarantee_facts(ledger.total),
        "spent": guarantee_facts(ledger.spent),
        "remaining": guarantee_facts(ledger.remaining),
        "balances": [_balance(each) for each in ledger.balances],
        "seal": ledger.seal,
        "count": len(entries),
        "lines": [_line(entry) for entry in entries[-_MOST_LINES:]],
    }


def _balance(balance: Balance) -> dict[str, Any]:
    return {
        "name": balance.name,
        "promise": str(balance.promise),
        "spent": " or ".join(map(str, balance.spent)),
        "remaining": " or ".join(map(str, balance.remaining)),
    }


def _line(entry: Entry) -> dict[str, Any]:
    event = entry.event
    line: dict[str, Any] = {"number": entry.number, "time": entry.time}
    if isinstance(event, Charge):
        price = " and ".join(map(str, event.costs))
        return line | {"price": price, "purpose": event.purpose, "labels": dict(event.labels)}
    return line | {
        "price": str(event.limit),
        "purpose": "a cap inside the total",
        "labels": {event.label: event.value},
    }


def guarantee_facts(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee in symbols, and its main number to draw with."""
    main: Fraction | float
    match guarantee:
        case PureDP() | ApproxDP() | RDP():
            main = guarantee.epsilon
        case ZCDP():
            main = guarantee.rho
        case GDP():
            main = guarantee.mu
        case _:
            assert_never(guarantee)
    return {"text": str(guarantee), "main": float(main)}
