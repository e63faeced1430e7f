"""`RadiusSum`: weighted powers of the side of a cube, added up over its radius."""

from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.lerch import lerch_sum


def fall(rate: Fraction, count: int) -> arb:
    """exp(−rate·count)."""
    return (-balls.ball(rate * count)).exp()


@dataclass(frozen=True)
class RadiusSum:
    """Terms exp(−rate·k)·(2k + extra)**power for k = 0, 1, 2, …; balls of the working precision.

    Args:
        power: at least 0.
        rate: positive.
        extra: 0 or 1.

    Example:
        >>> bool(RadiusSum(power=0, rate=Fraction(1), extra=1).start_at(0) * (1 - fall(1, 1)) == 1)
        False
        >>> RadiusSum(power=2, rate=Fraction(1), extra=1).up_to(0, arb(0)).contains(1)
        True
    """

    power: int
    rate: Fraction
    extra: int

    def term(self, k: int) -> arb:
        """The term at k."""
        return fall(self.rate, k) * arb(2 * k + self.extra) ** self.power

    def start_at(self, first: int) -> arb:
        """The terms from `first` on."""
        if self.power == 0:
            return fall(self.rate, first) / (1 - fall(self.rate, 1))
        start = first + Fraction(self.extra, 2)
        factor = arb(2) ** self.power * balls.ball(self.rate * Fraction(self.extra, 2)).exp()
        return factor * lerch_sum(self.power, self.rate, start)

    def whole(self) -> arb:
        """All terms, computed once for every precision."""
        return _whole(self, ctx.prec)

    def up_to(self, last: int, negligible: arb) -> arb:
        r"""The terms up to `last`; a ball around 0 if they surely add up to less than negligible.

        Theorem: the terms are log-concave; if term(last−1)/term(last) = r < 1, the sum is at most
        term(last)/(1−r). (All terms less those beyond would cancel far below the largest term.)
        """
        top = self.term(last)
        ratio = self.term(last - 1) / top if last else arb(0)
        if ratio < 1 and top / (1 - ratio) < negligible:
            return arb(0, (top / (1 - ratio)).upper())
        return self.whole() - self.start_at(last + 1)


@lru_cache(maxsize=256)
def _whole(terms: RadiusSum, bits: int) -> arb:
    del bits  # only the cache needs it: balls of one precision are not those of another
    return terms.start_at(0)
