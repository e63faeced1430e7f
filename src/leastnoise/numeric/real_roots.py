r"""All zeros in (0, 1) of a polynomial whose coefficients are known as balls.

Theorem (Descartes, Bernstein): write the polynomial on [u, v] in the Bernstein basis. The number of
its zeros in (u, v) is at most the number of sign changes among the coefficients, and differs from
it by an even number. So no change proves that there is no zero, one change that there is one.

A piece that shows more changes is cut. Where a ball does not tell its sign, all signs it allows are
considered; if they leave the answer open, the computation starts again at a higher precision.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import Undecided
from leastnoise.numeric import ball as balls

Coefficients = Callable[[], Sequence[arb]]
"""The coefficients of 1, x, x², … as balls at the working precision."""

_MOST_PIECES = 4096  # some seconds of bisection


@dataclass(frozen=True)
class Crossing:
    """An interval with exactly one zero, and whether the polynomial rises through it."""

    lower: Fraction
    upper: Fraction
    rises: bool


def crossings(coefficients: Coefficients) -> list[Crossing]:
    r"""Every zero in (0, 1), each alone in an interval with positive ends, from left to right.

    Raises:
        Undecided: a multiple zero, or one where a piece begins, kept the search from ending.

    Example:
        >>> [(float(c.lower), c.rises) for c in crossings(lambda: [arb(2), arb(-10), arb(11)])]
        [(0.125, False), (0.5, True)]
    """
    bits = balls.FIRST_PRECISION
    while bits <= balls.LAST_PRECISION:
        with balls.precision(bits):
            found = _crossings(coefficients())
        if found is not None:
            return found
        bits *= 2
    raise _undecided(f"they agree to {balls.LAST_PRECISION} bits")


def _crossings(coefficients: Sequence[arb]) -> list[Crossing] | None:
    """The crossings, or None if this precision does not settle them."""
    found: list[Crossing] = []
    pieces = [(Fraction(0), Fraction(1))]
    for _ in range(_MOST_PIECES):
        if not pieces:
            return found
        low, high = pieces.pop()
        signs = [_sign(value) for value in bernstein(coefficients, low, high)]
        fewest, most = sign_changes(signs)
        if most == 0:
            continue
        if fewest <= 1 and fewest != most:
            return None
        if most == 1 and low > 0:
            found.append(Crossing(low, high, rises=signs[-1] == 1))
        else:
            middle = _between(low, high)
            pieces += [(middle, high), (low, middle)]
    raise _undecided(f"{_MOST_PIECES} pieces did not part them")


def _undecided(finding: str) -> Undecided:
    return Undecided(
        f"the zeros of a polynomial must be simple to be told apart; {finding}. "
        "Move one of the parameters a little."
    )


def _sign(value: arb) -> int | None:
    return 1 if value > 0 else -1 if value < 0 else None


def sign_changes(signs: Sequence[int | None]) -> tuple[int, int]:
    """The fewest and the most sign changes, where None may be either sign.

    Example:
        >>> sign_changes([1, None, -1]), sign_changes([1, None, 1])
        ((1, 1), (0, 2))
    """
    ends = {sign: (0, 0) for sign in (1, -1) if signs[0] in (sign, None)}
    for sign in signs[1:]:
        ends = {new: _counts(ends, new) for new in (1, -1) if sign in (new, None)}
    return min(low for low, _ in ends.values()), max(high for _, high in ends.values())


def _counts(ends: dict[int, tuple[int, int]], new: int) -> tuple[int, int]:
    """The counts after a coefficient of this sign, whichever sign came before it."""
    fewest = min(pair[0] + (old != new) for old, pair in ends.items())
    return fewest, max(pair[1] + (old != new) for old, pair in ends.items())


def bernstein(coefficients: Sequence[arb], low: Fraction, high: Fraction) -> list[arb]:
    r"""The Bernstein coefficients on [low, high]: Σ C(i,k)/C(n,k)·(high−low)^k·p^(k)(low)/k!.

    They start from the power basis for every piece: cutting pieces in two repeatedly would round
    small coefficients as coarsely as the large ones beside them.

    Example:
        >>> square = [arb(0), arb(0), arb(1)]
        >>> [float(value) for value in bernstein(square, Fraction(1), Fraction(3))]
        [1.0, 3.0, 9.0]
    """
    degree = len(coefficients) - 1
    shifted = _taylor(coefficients, balls.ball(low))
    scale, width = arb(1), balls.ball(high - low)
    for k in range(degree + 1):
        shifted[k] = shifted[k] * scale / comb(degree, k)
        scale *= width
    # Running sums: i times the step "each entry plus its right neighbour" gives Σ C(i,k)·s_k.
    found = []
    for i in range(degree + 1):
        found.append(shifted[0])
        shifted = [shifted[k] + shifted[k + 1] for k in range(degree - i)]
    return found


def _taylor(coefficients: Sequence[arb], place: arb) -> list[arb]:
    """The coefficients of p(place + x), by repeated synthetic division."""
    shifted = list(coefficients)
    if place == 0:
        return shifted
    for start in range(len(shifted) - 1):
        for k in range(len(shifted) - 2, start - 1, -1):
            shifted[k] += place * shifted[k + 1]
    return shifted


def _between(low: Fraction, high: Fraction) -> Fraction:
    """Where to cut: in the middle, or far towards 0 if the ends are of different magnitude."""
    if low == 0:
        return high * high / 2
    if high <= 4 * low:
        return (low + high) / 2
    ratio = high / low
    return low * (1 << ((ratio.numerator // ratio.denominator).bit_length() // 2))
