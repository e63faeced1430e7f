"""What a ledger says, as plain values: its lines, what was spent, what is left."""

from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from leastnoise import _check
from leastnoise.accounting.pricing import as_amounts
from leastnoise.ledger.account import Balance
from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

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
    """A ledger's history and remainder, every line checked against its hash."""
    ledger = opened_ledger(place)
    entries = ledger.history()
    return {
        "dataset": ledger.dataset,
        "mode": str(ledger.mode),
        "total": guarantee_facts(ledger.total),
        "limit": _sum_facts(ledger.limit),
        "spent": _sum_facts(ledger.spent),
        "remaining": _sum_facts(ledger.remaining),
        "balances": [_balance(each) for each in ledger.balances],
        "seal": ledger.seal,
        "count": len(entries),
        "lines": [_line(entry) for entry in entries[-_MOST_LINES:]],
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
        return f"μ² {_short(guarantee.mu**2)}"
    return _text(guarantee)


def _sum_facts(guarantee: Guarantee) -> dict[str, Any]:
    return {"text": _sum(guarantee), "main": float(as_amounts(guarantee)[0])}


def guarantee_facts(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee in symbols, and its main number to draw with."""
    numbers = _numbers(guarantee)
    return {
        "text": ", ".join(f"{symbol} {_short(value)}" for symbol, value in numbers),
        "main": float(numbers[0][1]),
    }


def _numbers(guarantee: Guarantee) -> list[tuple[str, Fraction | float]]:
    match guarantee:
        case PureDP():
            return [("ε", guarantee.epsilon)]
        case ApproxDP():
            return [("ε", guarantee.epsilon), ("δ", guarantee.delta)]
        case ZCDP():
            slack: list[tuple[str, Fraction | float]] = [("δ", guarantee.delta)]
            return [("ρ", guarantee.rho), *(slack if guarantee.delta else [])]
        case RDP():
            return [("ε", guarantee.epsilon), ("order", guarantee.order)]
        case GDP():
            return [("μ", guarantee.mu)]
        case _:
            assert_never(guarantee)


def _short(value: Fraction | float) -> str:
    """Six digits, and whether that is all of it."""
    text = f"{float(value):.6g}"
    return f"= {text}" if text != "inf" and Fraction(text) == value else f"≈ {text}"
