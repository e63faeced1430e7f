r"""Numbers in SQL: tame ones to compute with, and functions of such.

Proof: docs/proofs/sensitivity.md, section 4.
"""

from fractions import Fraction

from leastnoise.release.ask.terms import Called
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.reader import Reader, Spellings

_MOST, _LEAST = 2.0**200, 2.0**-200


def tame(number: Fragment, present: Fragment, dialect: Dialect) -> Fragment:
    """A double of any size as one of moderate size; NULL where it is not present."""
    least, most, minus, zero = (
        dialect.value(each, dialect.number) for each in (_LEAST, _MOST, -_MOST, 0.0)
    )
    return fill(
        "CASE WHEN NOT {} THEN NULL WHEN abs({}) < {} THEN {} ELSE GREATEST({}, LEAST({}, {})) END",
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


NUMBERS: Spellings = {"abs": _abs}
WILD = {"divide"}
"""Functions whose results must be tamed before anything is computed from them."""
