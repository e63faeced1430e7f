"""Totals as text that is exact when read back, and by whose fingerprint a line vouches for them.

One text for one value, because lines hold its hash. How prices are computed is a part of the
format: a version that prices otherwise takes another number, adds the lines up anew, and believes
no totals of other numbers.
"""

import hashlib
import json
from fractions import Fraction
from typing import Any

from leastnoise.errors import LedgerError
from leastnoise.ledger.account import Account
from leastnoise.ledger.chain import canonical
from leastnoise.ledger.entry import Cap, event_from_text, event_text
from leastnoise.ledger.guarantee_text import guarantee_from_text, guarantee_text
from leastnoise.ledger.header import Header
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.tally import Sum, Tally
from leastnoise.ledger.totals import Capped, Totals, cap_account

_FORMAT = "1 "
"""Before each text and each fingerprint."""


def totals_text(totals: Totals) -> str:
    """The totals, and which ledger's they are: the header says what may be spent."""
    body = {
        "ledger": totals.header.hash,
        "scope": totals.scope.said,
        "tallies": [_tally_text(each) for each in totals.tallies],
        "caps": [event_text(each.cap) | _tally_text(each.tally) for each in totals.caps],
    }
    return _FORMAT + canonical(body)


def fingerprint(text: str) -> str:
    """What a line holds of the totals after it."""
    return _FORMAT + hashlib.sha256(text.encode()).hexdigest()


def is_ours(text: str) -> bool:
    """Whether totals or a fingerprint are of this format."""
    return text.startswith(_FORMAT)


def totals_from_text(text: str, header: Header) -> Totals:
    """The totals again.

    Raises:
        LedgerError: not written by `totals_text` for a ledger with this header.
    """
    try:
        body = json.loads(text.removeprefix(_FORMAT))
        scope = Scope.checked(**{"dataset": "", "unit": "", "neighbours": ""} | body["scope"])
        pairs = zip(header.accounts, body["tallies"], strict=True)
        tallies = tuple(_tally(each, account) for account, each in pairs)
        found = Totals(
            header, scope, tallies, tuple(_capped(each, header) for each in body["caps"])
        )
    except (KeyError, ValueError, TypeError, RecursionError, ZeroDivisionError):
        raise other_totals() from None
    if totals_text(found) != text:
        raise other_totals()
    return found


def other_totals() -> LedgerError:
    """The refusal to go on from totals that the lines do not vouch for."""
    return LedgerError(
        "a ledger's running totals must be what its lines add up to; these are not. They were "
        "changed by another hand, or a line was: restore a backup, and count everything since as "
        "spent. To see which: leastnoise budget LEDGER --verify."
    )


def _tally_text(tally: Tally) -> dict[str, Any]:
    if tally.first is None:
        return {"first": [], "sums": []}
    return {
        "first": [guarantee_text(cost) for cost in tally.first],
        "sums": [each and [_hexadecimal(number) for number in each] for each in tally.sums],
    }


def _tally(text: dict[str, Any], account: Account) -> Tally:
    first = tuple(map(guarantee_from_text, text["first"])) or None
    begun = Tally.begun(account, first)
    if first is None:
        return begun
    sums = zip(text["sums"], begun.sums, strict=True)
    return Tally(account, first, begun.ways, tuple(_sum(each, like) for each, like in sums))


def _sum(text: list[str] | None, like: Sum) -> Sum:
    if text is None or like is None:
        return None
    return tuple(_number(each) for each, _ in zip(text, like, strict=True))


def _capped(text: dict[str, Any], header: Header) -> Capped:
    cap = event_from_text(text)
    if not isinstance(cap, Cap):
        raise ValueError("not a cap")
    return Capped(cap, _tally(text, cap_account(cap, header)))


def _hexadecimal(number: Fraction) -> str:
    """Sums may have more decimal digits than Python turns into a number."""
    return f"{number.numerator:x}/{number.denominator:x}"


def _number(text: str) -> Fraction:
    over, under = text.split("/")
    return Fraction(int(over, 16), int(under, 16))
