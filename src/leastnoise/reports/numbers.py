"""Numbers for people."""

import re
from datetime import datetime
from fractions import Fraction

_SMALL = re.compile(r"\b(\d+(?:\.\d+)?)[eE]-0?(\d+)\b")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def powers(words: str) -> str:
    """A text with small numbers written as powers of ten, and no line broken in an equation.

    Example:
        >>> powers("1E-7 or 2.5E-10")
        '10⁻⁷ or 2.5·10⁻¹⁰'
    """
    return _SMALL.sub(_power, words).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")


def _power(found: re.Match[str]) -> str:
    front = "" if found[1] == "1" else f"{found[1]}·"
    return f"{front}10⁻{found[2].translate(_RAISED)}"


def part(value: Fraction) -> str:
    """A share as a percentage."""
    return f"{float(100 * value):.3g} %"


def many(count: int, what: str) -> str:
    """So many of something, in the plural if it takes one."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


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
