"""`Hats`: how units spread over public knots, as noisy numbers tell it."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.joint_part import CellLaw
from leastnoise.release.spread.noise_sum import NoiseSum
from leastnoise.release.step.secret_totals import Totals

Curve = Callable[[int], float | Fraction]
"""A function of what one unit has; linear between knots."""


@dataclass(frozen=True, eq=False)
class Hats:
    r"""Noisy hats: a unit with the number v between two knots divides its weight 1 between them.

    Theorem: for every f that is linear between the knots and constant beyond them, Σ_u f(v_u) is
    Σ_j f(x_j)·H_j, H_j the weight on knot j; so `total(f)` errs by Σ_j f(x_j)·noise_j alone.
    Proof: docs/proofs/cut_intervals.md, section 2.

    Attributes:
        knots: the public numbers x_0 < … < x_J.
        values: the noisy weight on each knot, in units of 1/weight.
        law: the noise of each of these integers; they are independent.
        weight: the integer that stands for one unit.

    Example:
        >>> import numpy as np
        >>> from leastnoise.noise.laws.table_law import TableLaw
        >>> exact = Hats((0, 2, 4), np.array([0, 1, 1]), TableLaw({0: 1}), weight=2)  # one has 3
        >>> exact.total(lambda x: x), exact.cut(2)
        (3.0, 1.0)
    """

    knots: tuple[int, ...]
    values: Totals
    law: CellLaw
    weight: int

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def total(self, curve: Curve) -> float:
        """Σ_u f(v_u), with noise."""
        pairs = zip(self.knots, self.values.tolist(), strict=True)
        return float(sum(Fraction(curve(x)) * y for x, y in pairs) / self.weight)

    def cut(self, bound: int) -> float:
        """Σ_u max(v_u − bound, 0), with noise; of a bound between knots, a little more."""
        return self.total(lambda x: max(x - bound, 0))

    @property
    def units(self) -> float:
        """How many units there are, with noise."""
        return self.total(lambda _: 1)

    def noise(self, factors: Sequence[float | Fraction]) -> NoiseSum:
        """Of Σ factor·weight on the knot, in units."""
        return NoiseSum.of(factors, [self.law] * len(self.knots)).times(Fraction(1, self.weight))

    def noise_of(self, curve: Curve) -> NoiseSum:
        """Of `total(curve)`."""
        return self.noise([curve(x) for x in self.knots])

    def quantile(self, factors: Sequence[float | Fraction], risk: float) -> float:
        """What |Σ factor·noise| exceeds with at most this chance, in units."""
        return self.noise(factors).quantile(risk)

    def above(self, factors: Sequence[float | Fraction], risk: float) -> float:
        """What Σ factor·noise itself exceeds with at most this chance, in units."""
        return self.noise(factors).above(risk)
