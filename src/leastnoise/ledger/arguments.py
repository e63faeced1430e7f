"""What people hand to a ledger, checked: all of it is public, and all of it is kept for ever."""

from collections.abc import Iterable, Mapping

from leastnoise import _check
from leastnoise.accounting.pricing import checked_price
from leastnoise.privacy.guarantee import Guarantee

_MOST_TEXT = 1000  # a note, not a document
_MOST_COSTS = 16  # a release has one or two
Costs = Guarantee | Iterable[Guarantee]


def needed_total(total: Guarantee | None) -> Guarantee:
    """The total of a new ledger."""
    if total is not None:
        return total
    raise _check.refuse(
        "`total` must be given for a new ledger",
        "none",
        "Write Ledger(path, total=ApproxDP(epsilon=3, delta='1e-7'), begin=True).",
    )


def checked_costs(cost: Costs) -> tuple[Guarantee, ...]:
    """One guarantee, or several that all hold."""
    if not isinstance(cost, list | tuple | set | frozenset):
        return (checked_price(cost, "cost"),)  # type: ignore[arg-type]
    found = tuple(dict.fromkeys(checked_price(each, "cost") for each in cost))
    if 1 <= len(found) <= _MOST_COSTS:
        return found
    raise _check.refuse(
        f"`cost` must be a guarantee, or 1 to {_MOST_COSTS} that all hold",
        f"{len(found)}",
        "Name what the release keeps.",
    )


def checked_envelopes(envelopes: Mapping[str, Guarantee] | None) -> dict[str, Guarantee] | None:
    """Promises by name."""
    if envelopes is None:
        return None
    if not isinstance(envelopes, Mapping):
        raise _check.refuse(
            "`envelopes` must be names and guarantees",
            f"a {type(envelopes).__name__}",
            "Give a dict: {'spring': ApproxDP(…), 'autumn': ApproxDP(…)}.",
        )
    return {
        checked_text(name, "an envelope's name"): checked_price(promise, "an envelope")
        for name, promise in envelopes.items()
    }


def checked_content(content: str) -> str:
    """Text that every store can hold: no NUL, no half of a surrogate pair."""
    known: object = content
    if isinstance(known, str) and "\x00" not in known:
        try:
            known.encode()
        except UnicodeEncodeError:
            pass
        else:
            return content
    raise _check.refuse(
        "`content` must be Unicode text without NUL",
        f"a {type(known).__name__}",
        "Give a release as JSON.",
    )


def checked_labels(labels: Mapping[str, str] | None) -> dict[str, str]:
    """Names and values."""
    given = {} if labels is None else labels
    if not isinstance(given, Mapping):
        raise _check.refuse(
            "`labels` must be names and values", f"a {type(labels).__name__}", "Give a dict."
        )
    return {
        checked_text(k, "a label"): checked_text(v, "a label's value") for k, v in given.items()
    }


def checked_text(value: str, name: str) -> str:
    """A few printable words."""
    known: object = value
    if isinstance(known, str) and len(known) <= _MOST_TEXT and known.isprintable():
        return value
    raise _check.refuse(
        f"`{name}` must be printable text of at most {_MOST_TEXT} characters",
        _check.shown(known),
        "It is public: a few words.",
    )
