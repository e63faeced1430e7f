"""What a ledger's lines say. All of it is public."""

from dataclasses import field
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text
from leastnoise.ledger.scope import Scope
from leastnoise.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Charge:
    """Budget that was spent, committed before any noise was drawn.

    Attributes:
        costs: guarantees of what was released; all of them hold, and the one that costs least is
            counted.
        purpose: what it was spent on, in the spender's words.
        labels: whose budgets it counts against, such as {"analyst": "ann", "month": "2026-11"}.
        digest: a fingerprint of the plan, if there was one.
        about: which data, unit and neighbours it is a promise about, if that was said.
        answers: the name under which the answers are stored before anybody sees them; "" if they
            are shown without that.
    """

    costs: tuple[Guarantee, ...]
    purpose: str
    labels: dict[str, str]
    digest: str
    about: Scope = field(default_factory=Scope)
    answers: str = ""

    @property
    def cost(self) -> Guarantee:
        """The guarantee that was named first."""
        return self.costs[0]


@dataclass(frozen=True)
class Cap:
    """A smaller budget inside the total, for all charges with one label.

    Attributes:
        label: such as "analyst".
        value: such as "ann".
        limit: the guarantee for everything charged under that label.
    """

    label: str
    value: str
    limit: Guarantee


@dataclass(frozen=True)
class Kept:
    """A release that was stored, to be served again.

    Attributes:
        name: under which it is found again.
        sha256: of its text, so that no other text is served.
    """

    name: str
    sha256: str


@dataclass(frozen=True)
class Entry:
    """One line of the ledger.

    Attributes:
        number: 1, 2, 3, … without gaps.
        time: when it was written, UTC.
        event: a charge, a cap, or a release that was stored.
        seal: the hash of the line, which is bound to all lines before it.
        totals: the fingerprint of the running totals after it; lines of earlier versions have none.
    """

    number: int
    time: str
    event: Charge | Cap | Kept
    seal: str = ""
    totals: str = field(default="", compare=False, repr=False)


def event_text(event: Charge | Cap | Kept) -> dict[str, Any]:
    """An event as plain values."""
    if isinstance(event, Kept):
        return {"event": "kept", "name": event.name, "sha256": event.sha256}
    if isinstance(event, Cap):
        limit = guarantee_text(event.limit)
        return {"event": "cap", "label": event.label, "value": event.value, "limit": limit}
    costs = [guarantee_text(cost) for cost in event.costs]
    about = {"about": event.about.said} if event.about.said else {}
    answers = {"answers": event.answers} if event.answers else {}
    return (
        about
        | answers
        | {
            "event": "charge",
            "cost": costs[0] if len(costs) == 1 else costs,
            "purpose": event.purpose,
            "labels": dict(sorted(event.labels.items())),
            "digest": event.digest,
        }
    )


def event_from_text(text: dict[str, Any]) -> Charge | Cap | Kept:
    """The event again.

    Raises:
        KeyError, ValueError, TypeError: not written by `event_text`.
    """
    if text["event"] == "cap":
        return Cap(text["label"], text["value"], guarantee_from_text(text["limit"]))
    if text["event"] == "kept":
        return Kept(str(text["name"]), str(text["sha256"]))
    if text["event"] != "charge":
        raise ValueError("unknown event")
    said = text["cost"]
    costs = tuple(
        guarantee_from_text(each) for each in (said if isinstance(said, list) else [said])
    )
    if not costs:
        raise ValueError("a charge without a cost")
    about = _scope(text["about"]) if "about" in text else Scope()
    labels, answers = dict(text["labels"]), str(text.get("answers", ""))
    return Charge(costs, text["purpose"], labels, text["digest"], about, answers)


def _scope(text: dict[str, Any]) -> Scope:
    return Scope.checked(**{"dataset": "", "unit": "", "neighbours": ""} | text)
