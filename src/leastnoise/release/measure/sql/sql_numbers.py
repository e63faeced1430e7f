r"""Numbers in SQL: tame ones to compute with, and functions of such.

A tame double is 0 or 2^−200..2^200 in magnitude, never NaN and never −0.0, so that nothing here can
fail: engines raise errors for what is too large, too small or no number, and disagree on the rest.
Proof: docs/proofs/sensitivity.md, section 4.
"""

from fractions import Fraction

from leastnoise.release.ask.terms import Called, Constant
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.reader import Reader, Spelling, Spellings

_MOST, _LEAST = 2.0**200, 2.0**-200
_SHORT = 200  # letters: what is longer would be written out once more in each of many layers
_WHOLE = 2.0**52  # doubles from here on are whole


def tame(number: Fragment, present: Fragment, dialect: Dialect) -> Fragment:
    """A double of any size as a tame one; NULL where it is not present.

    GREATEST and LEAST leave out what is NULL, so its turn comes only for what is present. What is
    tame already, as nearly all numbers are, is found by one test first: NaN is above all numbers.
    """
    least, most, minus, zero = (
        dialect.value(each, dialect.number) for each in (_LEAST, _MOST, -_MOST, 0.0)
    )
    quick = fill("WHEN abs({}) BETWEEN {} AND {} THEN {} ", number, least, most, number)
    return fill(
        "CASE {}WHEN NOT {} THEN NULL WHEN abs({}) < {} THEN {} "
        "ELSE GREATEST({}, LEAST({}, {})) END",
        quick if len(number.text) < _SHORT else Fragment(""),
        present,
        number,
        least,
        zero,
        minus,
        most,
        number,
    )


def tamed(value: int | Fraction) -> float:
    """A constant, likewise."""
    inside = min(max(Fraction(value), Fraction(-(2**200))), Fraction(2**200))
    return float(inside) if abs(inside) >= Fraction(1, 2**200) else 0.0


def _abs(term: Called, reader: Reader) -> Fragment:
    return fill("abs({})", reader.number(term.arguments[0]))


def _divide(term: Called, reader: Reader) -> Fragment:
    """At most 2^400, and 0 or at least 2^−400, in magnitude."""
    one, other = map(reader.number, term.arguments)
    zero = reader.dialect.value(0.0, reader.dialect.number)
    return fill("({} / NULLIF({}, {}))", one, other, zero)


def _mod(term: Called, reader: Reader) -> Fragment:
    divisor = term.arguments[1]
    assert isinstance(divisor, Constant)
    by = reader.dialect.value(divisor.value, reader.dialect.integer)
    return fill("mod({}, {})", reader.integer(term.arguments[0]), by)


def _floor(term: Called, reader: Reader) -> Fragment:
    number = reader.number(term.arguments[0])
    return _below(number, number, number, reader.dialect)


def _ceil(term: Called, reader: Reader) -> Fragment:
    """The last sum makes −0.0 to 0.0."""
    number = reader.number(term.arguments[0])
    minus = fill("(- {})", number)
    zero = reader.dialect.value(0.0, reader.dialect.number)
    return fill("(- ({}) + {})", _below(number, minus, minus, reader.dialect), zero)


def _below(number: Fragment, whole: Fragment, other: Fragment, dialect: Dialect) -> Fragment:
    """The floor of what is whole else; FLOOR of what is beyond 64 bits can be an error."""
    return fill(
        "CASE WHEN abs({}) < {} THEN {} ELSE {} END",
        number,
        dialect.value(_WHOLE, dialect.number),
        dialect.cast(fill("FLOOR({})", whole), dialect.number),
        other,
    )


def _round(term: Called, reader: Reader) -> Fragment:
    """Powers of ten up to 10^15 are doubles: one rounding to scale, one for the half, one back."""
    digits = term.arguments[1].value if len(term.arguments) > 1 else 0  # type: ignore[attr-defined]
    dialect, number = reader.dialect, reader.number(term.arguments[0])
    up, down = ("*", "/") if digits >= 0 else ("/", "*")
    power = dialect.value(10.0 ** abs(digits), dialect.number)
    scaled = fill("({} " + up + " {})", number, power)
    half = fill("({} + {})", scaled, dialect.value(0.5, dialect.number))
    return fill(
        "CASE WHEN abs({}) < {} THEN {} " + down + " {} ELSE {} END",
        scaled,
        dialect.value(_WHOLE, dialect.number),
        dialect.cast(fill("FLOOR({})", half), dialect.number),
        power,
        number,
    )


def _extreme(word: str) -> Spelling:
    def spelled(term: Called, reader: Reader) -> Fragment:
        return fill(word + "({})", joined(", ", map(reader.number, term.arguments)))

    return spelled


NUMBERS: Spellings = {
    "abs": _abs,
    "divide": _divide,
    "mod": _mod,
    "floor": _floor,
    "ceil": _ceil,
    "round": _round,
    "least": _extreme("LEAST"),
    "greatest": _extreme("GREATEST"),
}
WILD = {"divide"}
"""Functions whose results must be tamed before anything is computed from them."""
