r"""Arithmetic of ranges of numbers: where a result lies if its operands lie in theirs.

Proof: docs/proofs/sensitivity.md, section 4.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import floor, inf
from typing import TypeAlias

Bound: TypeAlias = Fraction | float
"""The end of a range of numbers; only ±∞ is a float, where nothing is known."""
Ends: TypeAlias = tuple[Bound, Bound]
"""The lower and the upper one."""
UNKNOWN: Ends = (-inf, inf)
_MOST, _LEAST = Fraction(2**200), Fraction(1, 2**200)


def tame(ends: Ends) -> Ends:
    """As numbers are before anything is computed from them."""
    lower, upper = (end if isinstance(end, float) else max(-_MOST, min(_MOST, end)) for end in ends)
    return (Fraction(0) if 0 < lower < _LEAST else lower), (
        Fraction(0) if -_LEAST < upper < 0 else upper
    )


def hull(ends: Sequence[Ends]) -> Ends:
    """Of what is one of several."""
    return min(low for low, _ in ends), max(high for _, high in ends)


def plus(one: Ends, other: Ends) -> Ends:
    """Of a sum."""
    return one[0] + other[0], one[1] + other[1]


def minus(one: Ends, other: Ends) -> Ends:
    """Of a difference."""
    return one[0] - other[1], one[1] - other[0]


def times(one: Ends, other: Ends) -> Ends:
    """Of a product."""
    products = [_product(a, b) for a in one for b in other]
    return min(products), max(products)


def square(ends: Ends) -> Ends:
    """Of a number times itself, which is never below 0."""
    squares = [_product(end, end) for end in ends]
    return (Fraction(0) if ends[0] <= 0 <= ends[1] else min(squares)), max(squares)


def quotient(one: Ends, other: Ends) -> Ends:
    """Of a quotient; nothing is known where the divisor may be 0, or next to it."""
    if other[0] <= 0 <= other[1]:
        return UNKNOWN
    inverses = [Fraction(0) if isinstance(end, float) else 1 / end for end in other]
    quotients = [_product(a, b) for a in one for b in inverses]
    return min(quotients), max(quotients)


def _product(one: Bound, other: Bound) -> Bound:
    if one == 0 or other == 0:
        return Fraction(0)
    if isinstance(one, float) or isinstance(other, float):
        return inf if (one > 0) is (other > 0) else -inf
    return one * other


def absolute(ends: Ends) -> Ends:
    """Of a number without its sign."""
    lower, upper = ends
    return max(lower, -upper, Fraction(0)), max(-lower, upper)


def each_end(ends: Ends, way: Callable[[Fraction], Fraction]) -> Ends:
    """Of what grows with a number."""
    lower, upper = (end if isinstance(end, float) else way(end) for end in ends)
    return lower, upper


def rounded(ends: Ends, digits: int) -> Ends:
    """Of a number rounded to so many decimals, halves up."""
    power = Fraction(10) ** digits
    return each_end(ends, lambda end: floor(end * power + Fraction(1, 2)) / power)


def remainder(ends: Ends, divisor: int) -> Ends:
    """Of what is left of a division, which has the sign of the number and is no farther from 0."""
    most, zero = Fraction(divisor - 1), Fraction(0)
    return max(-most, min(ends[0], zero)), min(most, max(ends[1], zero))


def least_of(operands: Sequence[Ends], never_missing: Iterable[bool]) -> Ends:
    """What is missing is left out, so that only an operand that never is bounds from above."""
    lower, upper = hull(operands)
    return lower, min([upper, *(e[1] for e, sure in _both(operands, never_missing) if sure)])


def greatest_of(operands: Sequence[Ends], never_missing: Iterable[bool]) -> Ends:
    """Likewise, from below."""
    lower, upper = hull(operands)
    return max([lower, *(e[0] for e, sure in _both(operands, never_missing) if sure)]), upper


def _both(operands: Sequence[Ends], never_missing: Iterable[bool]) -> Iterable[tuple[Ends, bool]]:
    return zip(operands, never_missing, strict=True)
