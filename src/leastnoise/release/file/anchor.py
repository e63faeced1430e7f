"""The anchor: a note beside a release of the ledger it was charged to, and of the ledger's past.

If the ledger is gone, is another one or has a shorter past when the next release comes, that one
is refused: budget that was spent must not come back by losing a file.
"""

import json
from pathlib import Path
from typing import Any

from leastnoise.errors import LedgerError
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.store import Noted

ANCHOR = "ledger.anchor.json"
_FORMAT = "leastnoise anchor 1"
_LONGEST = 2**24  # many times what is ever written: totals of a thousand caps


def anchor_text(ledger: Ledger) -> str:
    """Where the ledger stands, for the anchor; all of it is public."""
    noted, seal = ledger.noted
    said = {
        "format": _FORMAT,
        "ledger": ledger.id,
        "place": ledger.name,
        "line": noted.number,
        "seal": seal,
        "totals": noted.text,
    }
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"


def refuse_new(folder: Path) -> None:
    """Refuses to begin a ledger where a release was charged to one before.

    Raises:
        LedgerError: there is an anchor.
    """
    if (folder / ANCHOR).exists():
        said = _read(folder)
        raise _refusal("none", f"has line {said['line']} of {said['place']!r:.100}", folder)


def noted_ledger(folder: Path) -> tuple[str, ...]:
    """The ledger that a release there was charged to: its id and name; nothing if none was.

    Raises:
        LedgerError: the anchor is not what a release wrote.
    """
    if not (folder / ANCHOR).exists():
        return ()
    said = _read(folder)
    return said["ledger"], said["place"]


def refuse_another(folder: Path, ledger: Ledger) -> None:
    """Refuses a ledger that is not the one of earlier releases, or has lost a part of its past.

    Raises:
        LedgerError: it is another one, or the line that was noted is not there.
    """
    if not (folder / ANCHOR).exists():
        return
    said = _read(folder)
    if said["ledger"] != ledger.id:
        raise _refusal("another one", f"was charged to {said['place']!r:.100}", folder)
    if not _goes_on(ledger, said):
        raise _refusal("one without it", f"has line {said['line']}", folder)


def _goes_on(ledger: Ledger, said: dict[str, Any]) -> bool:
    """Whether the past is what it was: by the lines since, or by all if no totals were noted."""
    if "totals" in said:
        return ledger.goes_on_from(Noted(said["line"], said["totals"]), said["seal"])
    return ledger.contains(said["seal"])


def _read(folder: Path) -> dict[str, Any]:
    try:
        with (folder / ANCHOR).open(encoding="utf-8") as file:
            said = json.loads(file.read(_LONGEST))
        if (
            said["format"] == _FORMAT
            and all(
                isinstance(said[name], kind)
                for name, kind in (("ledger", str), ("place", str), ("line", int), ("seal", str))
            )
            and isinstance(said.get("totals", ""), str)
        ):
            return dict(said)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise LedgerError(
        f"{ANCHOR} in {folder} must be what a release wrote; it is something else. Restore it, or "
        "write to another folder."
    )


def _refusal(finding: str, noted: str, folder: Path) -> LedgerError:
    return LedgerError(
        f"the ledger must be the one that earlier releases in {folder} were charged to; got "
        f"{finding}, and {ANCHOR} {noted}. Restore that ledger, and count what is lost as spent; "
        "for other data write to another folder."
    )
