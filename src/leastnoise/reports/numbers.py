"""Numbers for people."""

from datetime import datetime
from fractions import Fraction


def one_in(delta: Fraction) -> str:
    """A small probability as odds.

    Example:
        >>> one_in(Fraction(1, 10**7)), one_in(Fraction(3, 1000))
        ('1 in 10,000,000', 'about 1 in 333')
    """
    odds = 1 / delta
    return f"1 in {int(odds):,}" if odds.denominator == 1 else f"about 1 in {int(odds):,}"


def moment(time: str) -> str:
    """A time of the ledger, to the minute."""
    try:
        when = datetime.fromisoformat(time)
    except ValueError:
        return time
    return f"{when:%d %B %Y, %H:%M} UTC".lstrip("0")


def day(time: str) -> str:
    """The day of a time of the ledger.

    Example:
        >>> day("2026-11-15T09:44:27.900+00:00")
        '15 November 2026'
    """
    return moment(time).partition(",")[0]


def iso_day(time: str) -> str:
    """The day of a time of the ledger, as machines write it; empty if it is none."""
    try:
        return datetime.fromisoformat(time).date().isoformat()
    except ValueError:
        return ""
