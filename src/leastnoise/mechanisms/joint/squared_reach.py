"""`squared_reach`: how far one unit moves the measured numbers of a plan, in squares."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision

_MOST_CORNERS = 1 << 12


def squared_reach(
    parts: Sequence[Part], precisions: Sequence[Precision], common: int, steps: int
) -> int:
    r"""S: the most that one unit moves the measured vector, in squares.

    Theorem: let the vector be common·n′ and, for each part, the numbers of `Precision`. For every
    contribution that the parts allow there is an integer c, which is `steps` if a part is Everyone,
    such that a unit that adds c to n′ moves the vector by at most S in squares.
    Proof: docs/proofs/joint_gaussian.md, section 2.

    Example:
        >>> squared_reach([Box(0, 1)], [Precision(own=3, centre=1, scale=2)], common=5, steps=1)
        34
    """
    pairs = list(zip(parts, precisions, strict=True))
    for_all = common**2 * steps**2 + sum(_block(part, fine, steps) for part, fine in pairs)
    apart = greatest_distance(parts, precisions, common)
    if apart is None:
        return for_all
    square = common**2 + sum(_centring(part, fine) for part, fine in pairs)
    return min(for_all, math.floor(apart + Fraction(square, 4)))


def _block(part: Part, fine: Precision, steps: int) -> int:
    """The most that a part's own numbers move if n′ moves by `steps`."""
    centre = fine.centre * steps
    match part:
        case Everyone():
            return 0
        case Box():
            ends = (fine.scale * part.low - centre, fine.scale * part.high - centre)
            return int(part.cells * fine.own**2 * max(end**2 for end in ends))
        case Simplex():
            return _simplex(part, fine, centre)
        case Diamond():
            raise TypeError("a Diamond has no centre: centred noise is not for it")


def _simplex(part: Simplex, fine: Precision, centre: int) -> int:
    r"""The greatest φ(τ) over totals τ = 0 … min(total, d·R), with at most R in one number.

    φ(τ) = own²·(scale·τ − centre)² + residual²·d·(d·Q(τ) − τ²), where Q(τ) = ⌊τ/R⌋·R² + (τ mod R)²
    is the greatest Σv². Between multiples of R it is convex, and at τ = q·R quadratic in q.
    """
    cells, most = part.cells, part.cell or part.total
    last = min(part.total, cells * most)

    def price(total: int) -> int:
        squares = total // most * most**2 + (total % most) ** 2
        spread = cells * (cells * squares - total**2)
        return int(fine.own**2 * (fine.scale * total - centre) ** 2 + fine.residual**2 * spread)

    groups = last // most
    places = {0, groups}
    if groups > 1:  # where the parabola through φ(0), φ(R), φ(2R) is highest
        zero, one, two = (price(q * most) for q in range(3))
        bend = two - 2 * one + zero
        if bend < 0:
            top = (one - zero - Fraction(bend, 2)) / -bend
            places |= {min(max(q, 0), groups) for q in (math.floor(top), math.ceil(top))}
    return max(price(last), *(price(q * most) for q in places))


def _centring(part: Part, fine: Precision) -> int:
    """What moving n′ by one step moves of the part's own numbers, in squares."""
    return 0 if isinstance(part, Everyone) else int(part.cells * (fine.own * fine.centre) ** 2)


def greatest_distance(
    parts: Sequence[Part], precisions: Sequence[Precision], common: int
) -> Fraction | None:
    r"""The greatest squared distance of boxes if n′ is not shown; None if that is not computed.

    A contribution v and a real c move the vector by Q·c² − 2·L·c + K with
    Q = common² + Σ own²·centre², L = Σ own²·centre·scale·v and K = Σ own²·scale²·v², at least by
    K − L²/Q. That is convex in v, so that the corners of the boxes suffice.
    """
    kinds: Counter[tuple[int, int, int, int, int]] = Counter()
    for part, fine in zip(parts, precisions, strict=True):
        if not isinstance(part, Box):
            return None
        kinds[part.low, part.high, fine.own, fine.centre, fine.scale] += part.cells
    if math.prod(count + 1 for count in kinds.values()) > _MOST_CORNERS:
        return None
    square = common**2 + sum(n * (own * at) ** 2 for (_, _, own, at, _), n in kinds.items())
    whole = square or 1  # without a centre L is 0
    return Fraction(max(whole * norm - along**2 for norm, along in _corners(kinds)), whole)


def _corners(kinds: Counter[tuple[int, int, int, int, int]]) -> list[tuple[int, int]]:
    """K and L of every corner, up to the order of equal numbers."""
    found = [(0, 0)]
    for (low, high, own, centre, scale), count in kinds.items():
        square, slope = (own * scale) ** 2, own**2 * centre * scale
        choices = [
            (
                square * (above * high**2 + (count - above) * low**2),
                slope * (above * high + (count - above) * low),
            )
            for above in range(count + 1)
        ]
        found = [(one + norm, two + along) for one, two in found for norm, along in choices]
    return found
