"""What a ledger says, as plain values: its lines, what was spent, what is left."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from leastnoise import _check
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
        "total": guarantee_facts(ledger.total),
        "spent": guarantee_facts(ledger.spent),
        "remaining": guarantee_facts(ledger.remaining),
        "seal": ledger.seal,
        "count": len(entries),
        "lines": [_line(entry) for entry in entries[-_MOST_LINES:]],
    }


def _line(entry: Entry) -> dict[str, Any]:
    event = entry.event
    line: dict[str, Any] = {"number": entry.number, "time": entry.time}
    if isinstance(event, Charge):
        price = {"cost": guarantee_facts(event.cost), "purpose": event.purpose}
        return line | price | {"labels": dict(event.labels), "digest": event.digest[:12]}
    shown = {name: str(value) for name, value in vars(event).items() if isinstance(value, str)}
    limit = getattr(event, "limit", None)
    return line | {
        "cost": None if limit is None else guarantee_facts(limit),
        "purpose": f"{type(event).__name__.lower()}: {', '.join(shown.values())}",
        "labels": {},
        "digest": "",
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


def budget(said: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """The budget view's answer."""
    del said
    return budget_facts(place)
