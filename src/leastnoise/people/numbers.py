"""Numbers as people read them: one formatter for terminal, report, pages, notebooks and pictures.

The rule: let w be half the width of the 95 % interval of the noise. It is told with two digits, the
answer is rounded to the same place, ends of intervals are rounded outward to it, and thousands are
set apart. Counts have no decimals. Exact numbers stay in JSON, CSV and `repr`.

Everything here is text from public numbers. How guarantees and budgets are said is in
`privacy/spoken.py` and `ledger/sums.py`, how a law is said in `laws.py`; grades are in `grades.py`.
Text from the data goes through `_display.visible` first.
"""

import math
from decimal import Decimal
from fractions import Fraction

from leastnoise.people.digits import (
    DOWN,
    FEW_DIGITS,
    MILLION,
    NEAREST,
    UNKNOWN,
    UP,
    Real,
    after,
    decimal,
    endless,
    placed,
    placed_ends,
    rounded,
    said_count,
    said_number,
    trimmed,
    written,
)


def many(count: int, what: str, plural: str = "") -> str:
    """So many of something.

    Example:
        >>> many(1, "table"), many(1200, "patient"), many(2, "query", "queries")
        ('1 table', '1,200 patients', '2 queries')
    """
    return f"{said_count(count)} {what if count == 1 else plural or what + 's'}"


def last_place(error: Real | None, *, whole: bool = False) -> int | None:
    """The power of ten of an error's second digit, to which answers are rounded.

    Args:
        error: half the width of the noise's 95 % interval; None, nan or infinite if not known.
        whole: whether the answer is a whole number, which has no decimals.

    Example:
        >>> last_place(355.05), last_place(2.8), last_place(2.8, whole=True), last_place(None)
        (1, -1, 0, None)
    """
    if error is None or not math.isfinite(error) or not error:
        return None
    size = abs(decimal(error))
    place = rounded(size, size.adjusted() - 1).adjusted() - 1
    return max(place, 0) if whole else place


def said_error(error: Real | None, unit: str = "", *, whole: bool = False) -> str:
    """Half the width of an interval, with two digits and in its own unit.

    Example:
        >>> said_error(355.05), said_error(169_100, "kr"), said_error(2.8), said_error(math.nan)
        ('±360', '±170,000 kr', '±2.8', 'not known')
    """
    if error is None or math.isnan(error):
        return UNKNOWN
    if math.isinf(error):
        return "no limit"
    return f"±{said_value(error, error, whole=whole)}{after(unit)}"


def said_value(
    value: Real, error: Real | None = None, unit: str = "", *, whole: bool | None = None
) -> str:
    """An answer, rounded to the place of its error.

    Args:
        value: the answer.
        error: half the width of the noise's 95 % interval; None if it is not known.
        unit: what it is counted in.
        whole: whether it counts something; by default, if it is an integer.

    Example:
        >>> said_value(42232, 355.05), said_value(140.32, 2.81), said_value(3.44e7, 1.7e6)
        ('42,230', '140.3', '34.4 million')
        >>> said_value(1234, 3.2), said_value(0.25), said_value(-12.0, 3), said_value(1 / 3)
        ('1,234', '0.25', '−12.0', '0.333')
    """
    if not math.isfinite(value):
        return endless(value)
    is_whole = isinstance(value, int) if whole is None else whole
    place = last_place(error, whole=is_whole)
    return f"{placed(value, place, is_whole, NEAREST)}{after(unit)}"


def said_answer(
    value: Real, error: Real | None, unit: str = "", *, whole: bool | None = None
) -> str:
    """An answer and its error.

    Example:
        >>> said_answer(42232, 355.05), said_answer(140.32, 2.81, "kr"), said_answer(1234, 3.4)
        ('42,230 ± 360', '140.3 ± 2.8 kr', '1,234 ± 3')
    """
    is_whole = isinstance(value, int) if whole is None else whole
    told = said_value(value, error, whole=is_whole)
    if error is None or math.isnan(error):
        return f"{told}{after(unit)}"
    if told.endswith(MILLION):
        return f"{told} ± {said_value(error / 10**6, error / 10**6)}{MILLION}{after(unit)}"
    return f"{told} ± {said_error(error, whole=is_whole).removeprefix('±')}{after(unit)}"


def said_interval(
    low: Real, high: Real, error: Real | None = None, *, whole: bool = False, sentence: bool = False
) -> str:
    """Both ends, rounded outward to the place of the error.

    Args:
        low: the lower end; minus infinity or nan if there is none.
        high: the upper end.
        error: half the width of the noise's interval; by default of this one.
        whole: whether something is counted.
        sentence: whether it stands in a sentence, where a dash would be misread.

    Example:
        >>> said_interval(41872.9, 43728.1, 355), said_interval(-120.5, 340, 90)
        ('41,870 – 43,730', '−121 to 340')
        >>> said_interval(5287.3, math.inf, 89), said_interval(0.25, 1.0)
        ('at least 5,287', '0.25 – 1.00')
        >>> said_interval(9_864_000.0, 12_210_000.0, 450_000)
        '9.86 – 12.21 million'
    """
    ends = math.isfinite(low), math.isfinite(high)
    if ends == (False, False):
        return UNKNOWN
    if error is None and all(ends):
        error = float(high) / 2 - float(low) / 2
    place = last_place(error, whole=whole)
    if not ends[1]:
        return f"at least {placed(low, place, whole, DOWN)}"
    if not ends[0]:
        return f"at most {placed(high, place, whole, UP)}"
    below, above = placed_ends(low, high, place, whole)
    if above.endswith(MILLION):
        below = below.removesuffix(MILLION)
    return f"{below} to {above}" if sentence or low < 0 else f"{below} – {above}"


def said_share(share: Real, *, digits: int = 2) -> str:
    """A part of a whole as a percentage; 100 % only if it is all, 0 % only if it is nothing.

    Example:
        >>> said_share(0.0481), said_share(0.981, digits=3), said_share(0.99999), said_share(1)
        ('4.8 %', '98.1 %', '> 99.9 %', '100 %')
    """
    part = 100 * decimal(share)
    if Decimal("99.9") < part < 100:
        return "> 99.9 %"
    if 0 < part < Decimal("0.1"):
        return "< 0.1 %"
    place = max(part.adjusted() - digits + 1, -2) if part else 0
    if part < 100 <= rounded(part, place):
        place = -1
    return f"{trimmed(written(rounded(part, place)))} %"


def said_share_range(low: Real, high: Real) -> str:
    """Two percentages with one sign.

    Example:
        >>> said_share_range(0.981, 0.9854), said_share_range(1, 1)
        ('98.1 – 98.5 %', '100 %')
    """
    ends = said_share(low, digits=3), said_share(high, digits=3)
    return ends[0] if ends[0] == ends[1] else f"{ends[0].removesuffix(' %')} – {ends[1]}"


def equation(letter: str, number: Real, *, rule: str = NEAREST) -> str:
    """A letter and its number, ≈ if digits were left off.

    Args:
        letter: its name.
        number: its value.
        rule: how to round: `DOWN` what may still be spent, so that it may.

    Example:
        >>> equation("ε", 1), equation("ε", Fraction(2, 3)), equation("δ", Fraction(1, 10**8))
        ('ε = 1', 'ε ≈ 0.667', 'δ = 10⁻⁸')
        >>> equation("ε", Fraction(2, 3), rule=DOWN)
        'ε ≈ 0.666'
    """
    if not number or (isinstance(number, float) and not math.isfinite(number)):
        return f"{letter} = {said_number(number)}"
    value = decimal(number)
    few = Fraction(rounded(value, value.adjusted() - FEW_DIGITS + 1, rule))
    return f"{letter} {'=' if few == number else '≈'} {said_number(few)}"


def said_hash(text: str) -> str:
    """The first and the last eight digits.

    Example:
        >>> said_hash("0361f5d6" + 48 * "7" + "abd1a207")
        '0361f5d6 … abd1a207'
    """
    return text if len(text) <= 20 else f"{text[:8]} … {text[-8:]}"


def said_duration(seconds: float) -> str:
    """How long, in one or two units.

    Example:
        >>> said_duration(0.4), said_duration(9.2), said_duration(185), said_duration(7500)
        ('under 1 s', '9 s', '3 min', '2 h 5 min')
    """
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60:,} h" + (f" {minutes % 60} min" if minutes % 60 else "")


def said_minute(time: str) -> str:
    """A time of the ledger, for tables.

    Example:
        >>> said_minute("2026-11-15T12:30:11.123456+00:00")
        '2026-11-15 12:30'
    """
    return time[:16].replace("T", " ")
