r"""What no Gaussian noise for a plan can fall below, from a law of what one unit adds.

Nothing here trusts whoever chose the law: every law of contributions proves a bound.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.rank_one import eigenvalues_below

_BITS = 128


@dataclass(frozen=True)
class ActiveBlock:
    r"""What a random unit adds to d numbers: `high` to K of them, chosen evenly, `low` to the rest.

    Attributes:
        cells: d.
        low: what it adds to the others.
        high: what it adds to the chosen ones.
        weight: of each number's variance.
        law: pairs of a value of K and its chance, which add up to 1.

    Raises:
        InvalidParameter: it is no law of 0 … d, or the weight is negative.
    """

    cells: int
    low: int
    high: int
    weight: Fraction
    law: tuple[tuple[int, Fraction], ...]

    def __post_init__(self) -> None:
        chances = [chance for _, chance in self.law]
        fair = sum(chances) == 1 and all(chance >= 0 for chance in chances)
        inside = all(0 <= active <= self.cells for active, _ in self.law)
        if not (fair and inside and self.cells >= 1 and self.weight >= 0):
            raise _check.refuse(
                "`law` must be a law of 0 … cells, and `weight` not negative",
                _check.shown(self),
                "Give chances as fractions that add up to 1.",
            )

    def _mean(self, power: int) -> Fraction:
        return sum((active**power * chance for active, chance in self.law), Fraction(0))

    @property
    def spread(self) -> Fraction:
        """The eigenvalue, d − 1 times, of what the numbers differ from their mean by."""
        if self.cells == 1:
            return Fraction(0)
        step, cells = self.high - self.low, self.cells
        return self.weight * step**2 * (self._mean(1) - self._mean(2) / cells) / (cells - 1)

    @property
    def scatter(self) -> Fraction:
        """The weighted variance of the total over √d."""
        step = self.high - self.low
        return self.weight * step**2 * (self._mean(2) - self._mean(1) ** 2) / self.cells

    @property
    def square(self) -> Fraction:
        """The weighted square of the mean total over √d."""
        mean = self.cells * self.low + (self.high - self.low) * self._mean(1)
        return self.weight * mean**2 / self.cells


def gaussian_plan_bound(blocks: Sequence[ActiveBlock]) -> Fraction:
    r"""A lower bound on Σ weight·variance of every Gaussian noise with vᵀΣ⁻¹v ≤ 1 for all v.

    Theorem: let v be a random contribution, of independent blocks. Every Σ with vᵀΣ⁻¹v ≤ 1 for all
    contributions has Σ weight·Σ_jj ≥ (tr (W^½·E[vvᵀ]·W^½)^½)².
    The eigenvalues inside are each block's `spread`, and those of diag(scatter) + u·uᵀ with
    u² = `square`.
    Proof: docs/proofs/joint_gaussian.md, section 5.

    Args:
        blocks: a law of contributions: every v that it gives must be one that a unit may make.

    Example:
        >>> mostly = ((1, Fraction(3, 4)), (0, Fraction(1, 4)))
        >>> round(float(gaussian_plan_bound([ActiveBlock(1, 0, 1, Fraction(1), mostly)] * 4)), 4)
        8.1812
    """
    with balls.precision(_BITS):
        roots = arb(0)
        for block, number in Counter(blocks).items():
            roots += number * (block.cells - 1) * balls.ball(block.spread).sqrt()
        for value, number in _eigenvalues(blocks):
            roots += number * balls.ball(value).sqrt()
        least = balls.interval(roots * roots).lower
    return max(Fraction(0), Fraction(least))


def _eigenvalues(blocks: Sequence[ActiveBlock]) -> list[tuple[Fraction, int]]:
    """Lower bounds on the eigenvalues of diag(scatter) + u·uᵀ, with how often each is there.

    Entries of equal scatter s, n of them, have the eigenvalue s at least n − 1 times. What is left
    has one eigenvalue above each different s and below the next: `numeric/rank_one.py`.
    """
    squares: dict[Fraction, Fraction] = defaultdict(Fraction)
    number: dict[Fraction, int] = defaultdict(int)
    for block in blocks:
        squares[block.scatter] += block.square
        number[block.scatter] += 1
    found = [(place, times - 1) for place, times in number.items()]
    rows = [(place, square) for place, square in squares.items() if square]
    flat = [(place, 1) for place, square in squares.items() if not square]
    return [*found, *flat, *((root, 1) for root in eigenvalues_below(rows))]
