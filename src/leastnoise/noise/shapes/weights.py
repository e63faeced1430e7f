"""`Weights`: the mathematics of a finite law with integer weights."""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.numeric.real import rational_real
from leastnoise.randomness.source import Source
from leastnoise.randomness.table import LookUpTable
from leastnoise.randomness.uniform import uniform_integer

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True)
class Weights:
    """A shape given by value ↦ positive integer weight, values increasing."""

    by_value: dict[int, int]

    @cached_property
    def _values(self) -> list[int]:
        return list(self.by_value)

    @cached_property
    def _from(self) -> list[int]:
        """Sums of weights from each place to the end."""
        return list(accumulate(reversed(self.by_value.values()), initial=0))[::-1]

    @property
    def _total(self) -> int:
        return self._from[0]

    @property
    def support(self) -> tuple[int, int]:
        """The least and greatest value."""
        return self._values[0], self._values[-1]

    @cached_property
    def symmetric_unimodal(self) -> bool:
        """Whether the weights are even and do not increase with the magnitude."""
        high = self._values[-1]
        if self._values[0] != -high or len(self._values) != 2 * high + 1:
            return False
        weights = list(self.by_value.values())
        upper = weights[high:]
        falling = all(a >= b for a, b in pairwise(upper))
        return falling and weights == weights[::-1]

    def pmf(self, k: int) -> ExponentialRatio:
        """P(X = k)."""
        return rational_real(Fraction(self.by_value.get(k, 0), self._total))

    def tail(self, k: int) -> ExponentialRatio:
        """P(X ≥ k)."""
        return rational_real(self._tail(k))

    def _tail(self, k: int) -> Fraction:
        return Fraction(self._from[bisect_left(self._values, k)], self._total)

    def outside(self, magnitude: int) -> ExponentialRatio:
        """P(|X| > magnitude)."""
        return rational_real(self._tail(magnitude + 1) + 1 - self._tail(-magnitude))

    def moment(self, order: int) -> ExponentialRatio:
        """E|X|**order."""
        over = sum(abs(value) ** order * weight for value, weight in self.by_value.items())
        return rational_real(Fraction(over, self._total))

    def hockey_stick(self, epsilon: Fraction, shift: int) -> ExponentialRatio:
        """Σₖ max(0, P(X = k) − e^epsilon·P(X + shift = k)), exactly."""
        here, there = self._where_loss_exceeds(epsilon, shift)
        leak = ExponentialSum.exp(epsilon) * -there + here
        return ExponentialRatio(leak, ExponentialSum.of(self._total))

    def exceedance(self, epsilon: Fraction, shift: int) -> ExponentialRatio:
        """P(loss > epsilon), exactly."""
        return rational_real(Fraction(self._where_loss_exceeds(epsilon, shift)[0], self._total))

    def _where_loss_exceeds(self, epsilon: Fraction, shift: int) -> tuple[int, int]:
        """Weights, of X and of X + shift, of {k : P(X = k) > e^epsilon·P(X + shift = k)}."""
        factor = ExponentialSum.exp(epsilon)
        least, most, unit = _integer_bracket(factor)
        here = there = 0
        for value, weight in self.by_value.items():
            other = self.by_value.get(value - shift, 0)
            above = weight * unit > other * most
            if not above and weight * unit > other * least:
                above = (factor * other - weight).sign() < 0
            if above:
                here, there = here + weight, there + other
        return here, there

    def log_pmf(self, low: int, high: int) -> NDArray[np.float64]:
        """Log P(X = k) for low ≤ k ≤ high."""
        logs = np.full(high - low + 1, -np.inf)
        with balls.precision(balls.FIRST_PRECISION):
            for value, weight in self.by_value.items():
                if low <= value <= high:
                    logs[value - low] = float((balls.ball(weight) / self._total).log())
        return logs

    def log_pmf_error(self, low: int, high: int) -> float:
        """Of logarithms rounded from balls."""
        del low, high
        return 8 * UNIT * math.log(self._total + 2)

    @cached_property
    def _table(self) -> LookUpTable:
        values = self._values
        return LookUpTable(
            lambda n, bits: (self._from[n] << bits) // self._total, values.__getitem__, len(values)
        )

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws."""
        low, high = self.support
        if _INT64.min < low and high <= _INT64.max:
            return self._table.sample(count, source)
        places = [uniform_integer(self._total, source) for _ in range(count)]
        drawn = [self._values[bisect_left(self._upto, place + 1)] for place in places]
        return np.array(drawn, dtype=np.object_)

    @cached_property
    def _upto(self) -> list[int]:
        """Sums of weights from the start to each place."""
        return list(accumulate(self.by_value.values()))


def _integer_bracket(number: ExponentialSum) -> tuple[int, int, int]:
    """(low, high, unit) with low/unit ≤ number ≤ high/unit."""
    bracket = balls.enclosure(number.ball)
    low, high = Fraction(bracket.lower), Fraction(bracket.upper)
    unit = max(low.denominator, high.denominator)  # both are powers of two
    return int(low * unit), int(high * unit), unit
