"""`ChordCost`: a cost on a coarse lattice whose chords lie below a given cost."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Cost, Moment
from leastnoise.numeric.interval import Interval


@dataclass(frozen=True)
class ChordCost:
    r"""c̃ with (1−t)·c̃(kh) + t·c̃((k+1)h) ≤ c((k+t)·h) for all integers k ≥ 0 and 0 ≤ t ≤ 1.

    Proof: a chord of |x|^p over a cell of length h rises above the curve by at most h²/8 times the
    greatest second derivative there, and over [0, h] by at most h^p·(1 − 1/p); lowering c at both
    ends by the larger excess of the two cells around them lowers the chord by at least its own.
    For any other non-decreasing c take c̃(kh) = c((k−1)h), and c̃(0) = c(0): a chord never exceeds
    its right end, which is c at the cell's left end.

    Attributes:
        cost: c.
        step: h.
    """

    cost: Cost
    step: Fraction

    @property
    def name(self) -> str:
        """What is minimised."""
        return self.cost.name

    @property
    def growth(self) -> Fraction:
        """That of the cost."""
        return self.cost.growth

    def at(self, error: Fraction) -> Interval:
        """The lowered cost at a multiple of the step; only its lower end means anything."""
        if not isinstance(self.cost, Moment):
            return self.cost.at(max(Fraction(0), error - self.step))
        price = self.cost.at(error)
        excess = self._excess(self.cost.order, error)
        return Interval(price.lower - excess, price.upper)

    def _excess(self, order: Fraction, error: Fraction) -> Fraction:
        if order == 1:
            return Fraction(0)
        # The second derivative p(p−1)x^(p−2) is greatest at the outer end of the two cells for
        # p ≥ 2, and at their inner end below that.
        end = error + self.step if order >= 2 else error - self.step
        if end <= 0:
            return Fraction(Moment(order).at(self.step).upper) * (1 - 1 / order)
        power = _power(end, order - 2)
        return self.step**2 / 8 * order * (order - 1) * power


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """An upper bound on base^exponent."""
    return Fraction(balls.enclosure(lambda: balls.ball(base) ** balls.ball(exponent)).upper)
