r"""Σ √λ over the eigenvalues of W^½·E[v·vᵀ]·W^½, from below: closed forms and one secular equation.

v is what a random unit does to all numbers of a plan; parts are drawn independently. In each part
the matrix has eigenvalues of its own, and one direction, that of the part's total, in which parts
meet: there it is diagonal plus rank one. Proof: docs/proofs/plan_bound.md, sections 3 and 4.
"""

from collections.abc import Iterable
from dataclasses import field
from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.numeric import ball as balls
from leastnoise.numeric.rank_one import eigenvalues_below

_BITS = 128
_SHORT = 96


@dataclass
class Spectrum:
    """The eigenvalues found so far.

    Attributes:
        own: eigenvalues with how often each is there.
        shared: by the diagonal entry of a direction in which parts meet, the sum of the squares of
            the vector's entries there; equal diagonal entries make one such direction.
    """

    own: dict[Fraction, int] = field(default_factory=dict)
    shared: dict[Fraction, Fraction] = field(default_factory=dict)

    def add(self, value: Fraction, times: int) -> None:
        """An eigenvalue of one part alone."""
        if times:
            short = shortened_down(value)
            self.own[short] = self.own.get(short, 0) + times

    def meet(self, spread: Fraction, mean_square: Fraction) -> None:
        """A direction in which the parts meet: variance and squared mean of the unit there."""
        short, more = shortened_down(spread), shortened_down(mean_square)
        if not more or short in self.shared:
            self.add(short, 1)
        if more:
            self.shared[short] = self.shared.get(short, Fraction(0)) + more

    def root_sum_below(self) -> Fraction:
        """Σ √λ, rounded down."""
        met = eigenvalues_below(list(self.shared.items()))
        values = [*self.own.items(), *((each, 1) for each in met)]
        with balls.precision(_BITS):
            total = sum((balls.ball(value).sqrt() * times for value, times in values), arb(0))
            return max(Fraction(0), Fraction(balls.interval(total).lower))


def shortened_down(number: Fraction) -> Fraction:
    """A number ≥ 0 with 96 bits, no greater: a smaller matrix has smaller eigenvalues."""
    length = number.numerator.bit_length() - number.denominator.bit_length()
    step = Fraction(2) ** (length - _SHORT)
    return number // step * step


def root_sum_below(parts: Iterable[PlanPart | TablesPart], *, replaced: bool) -> Fraction:
    """Σ √λ for the random unit that the parts describe, rounded down.

    Args:
        parts: whose units are possible.
        replaced: whether neighbours differ by replacing one unit.
    """
    found = Spectrum()
    for part in parts:
        if isinstance(part, TablesPart):
            _tables(part, found, replaced=replaced)
        else:
            (_replaced if replaced else _box if part.is_box else _few)(part, found)
    return found.root_sum_below()


def _rows_moved(part: PlanPart) -> tuple[Fraction, Fraction]:
    """E[τ] and E[τ·(τ − 1)] for the number τ of rows that the random unit takes."""
    likely, else_ = part.chance, 1 - part.chance
    pairs = likely * part.more * (part.more - 1) + else_ * part.fewer * (part.fewer - 1)
    return likely * part.more + else_ * part.fewer, pairs


def _numbers_raised(part: PlanPart) -> tuple[Fraction, Fraction]:
    """The same of the numbers of a box that get `high`."""
    if not part.alone:
        return _rows_moved(part)
    return part.cells * part.chance, part.cells * (part.cells - 1) * part.chance**2


def _box(part: PlanPart, found: Spectrum) -> None:
    cells, low, width = part.cells, part.low, part.high - part.low
    count, pairs = _numbers_raised(part)
    if cells > 1:
        apart = count / cells - pairs / (cells * (cells - 1))
        found.add(part.weight * width**2 * apart, cells - 1)
    spread = width**2 * (pairs + count - count**2) / cells
    mean_square = (cells * low + count * width) ** 2 / cells
    found.meet(part.weight * spread, part.weight * mean_square)


def _few(part: PlanPart, found: Spectrum) -> None:
    up, down = part.upper, 1 - part.upper
    mean, square = up * part.high + down * part.low, up * part.high**2 + down * part.low**2
    rows, weight = part.rows, part.weight / part.either
    count, pairs = _rows_moved(part)
    found.add(weight * count * square / rows, part.cells - rows)
    if rows > 1:
        apart = count * square - pairs * mean**2 / (rows - 1)
        found.add(weight * apart / rows, rows - 1)
    total = weight * (count * square + pairs * mean**2) / rows
    mean_square = weight * (count * mean) ** 2 / rows
    found.meet(total - mean_square, mean_square)


def _tables(part: TablesPart, found: Spectrum, *, replaced: bool) -> None:
    size, chance = part.weight * part.high**2, part.chance
    for columns, share in part.shares().items():
        if columns:
            often = 1 + chance if replaced else chance
            found.add(often * size * share, part.directions(columns))
        elif replaced:
            found.add((1 - chance) * size * share, 1)
        else:
            found.meet(chance * (1 - chance) * size * share, chance**2 * size * share)


def _replaced(part: PlanPart, found: Spectrum) -> None:
    """With the stated chance some rows rise and as many others fall; else some do either."""
    width, rows = part.high - part.low, part.rows
    rest = Fraction(1) if part.is_box else 1 - part.chance
    same = rest * part.weight * width**2 * part.moved / part.cells
    pairs = 0 if part.is_box else min(part.moved, rows // 2)
    apart = part.chance * part.weight * 2 * pairs * max(part.high, -part.low) ** 2 / part.either
    found.add(same, 1)
    found.add(same + apart / rows, part.cells - rows)
    if rows > 1:
        found.add(same + apart / (rows - 1), rows - 1)
