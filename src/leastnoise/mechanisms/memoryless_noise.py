"""Squared errors of a noisy count that is cut to its possible range, in closed form."""

from fractions import Fraction

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.error_split import ErrorSplit
from leastnoise.numeric import ball as balls
from leastnoise.numeric.ball import Computation
from leastnoise.numeric.interval import Interval

_NEGLIGIBLE_BITS = 4096  # smaller probabilities are only said to be so


@dataclass(frozen=True)
class MemorylessNoise:
    r"""Symmetric noise X with P(X > m + x) = b**m·P(X > x) for all x, m ≥ 0, b = exp(−rate).

    There are two kinds: discrete Laplace on the integers and Laplace on the line.

    Args:
        rate: −log b, positive.
        variance: a computation of Var(X).
        absolute_mean: a computation of E|X|.
    """

    rate: Fraction
    variance: Computation
    absolute_mean: Computation

    def _ratio(self) -> arb:
        return (-balls.ball(self.rate)).exp()

    def _saved(self, target: Fraction, count: int, power: arb, power_above: arb) -> arb:
        r"""How much cutting S + X to [0, n] takes off E(S + X − target)².

        Theorem: (Var X/2 + t·E|X|)·E[b**S] + (Var X/2 + (n−t)·E|X|)·E[b**(n−S)] for S in 0..n,
        independent of X, and t = target in [0, n].
        Proof: if X overshoots n − S by W > 0, cutting saves (n+W−t)² − (n−t)² = W² + 2(n−t)W.
        No memory: E[(X−m)⁺] = b**m·E|X|/2 and E[((X−m)⁺)²] = b**m·Var(X)/2, here with m = n − S.
        The other end is the same with S and t in the place of n − S and n − t.
        """
        half, slope = self.variance() / 2, self.absolute_mean()
        below = (half + slope * balls.ball(target)) * power
        return below + (half + slope * balls.ball(count - target)) * power_above

    def sampled_error(self, frequency: Fraction, records: int, *, clipped: bool) -> ErrorSplit:
        """E((S + X)/n − p)² and its parts, for S binomial with parameters n and p."""
        p, q, n = frequency, 1 - frequency, records
        sampling = p * q / n

        def privacy() -> arb:
            return self.variance() / n**2

        def saved() -> arb:
            b = self._ratio()
            powers = [(balls.ball(1 - share) + balls.ball(share) * b) ** n for share in (p, q)]
            return self._saved(n * p, n, *powers) / n**2 if clipped else arb(0)

        return ErrorSplit(
            sampling=Interval.exactly(sampling),
            privacy=balls.enclosure(privacy),
            saved=_short_enclosure(saved),
            total=balls.enclosure(lambda: balls.ball(sampling) + privacy() - saved()),
        )

    def clipped_error(self, ones: int, records: int) -> Interval:
        """E((cut to 0..n of s + X)/n − s/n)² for s given ones."""

        def error() -> arb:
            powers = [self._ratio() ** ones, self._ratio() ** (records - ones)]
            saved = self._saved(Fraction(ones), records, *powers)
            return (self.variance() - saved) / records**2

        return balls.enclosure(error)


def _short_enclosure(compute: Computation) -> Interval:
    """A bracket with ends that fit into memory: bⁿ for n in the billions has a billion digits."""
    with balls.precision(balls.FIRST_PRECISION):
        negligible = 0 < compute() < arb(2) ** -_NEGLIGIBLE_BITS
    if negligible:
        return Interval(Fraction(0), Fraction(1, 2**_NEGLIGIBLE_BITS))
    return balls.enclosure(compute)


def discrete_laplace_noise(epsilon: Fraction) -> MemorylessNoise:
    """Discrete Laplace of scale 1/epsilon: Var = 2b/(1−b)², E|X| = 2b/(1−b²)."""

    def ratio() -> arb:
        return (-balls.ball(epsilon)).exp()

    return MemorylessNoise(
        rate=epsilon,
        variance=lambda: 2 * ratio() / (1 - ratio()) ** 2,
        absolute_mean=lambda: 2 * ratio() / (1 - ratio() ** 2),
    )


def laplace_noise(epsilon: Fraction) -> MemorylessNoise:
    """Laplace of scale 1/epsilon on the line: Var = 2/ε², E|X| = 1/ε. For comparison only."""
    return MemorylessNoise(
        rate=epsilon,
        variance=lambda: balls.ball(2 / epsilon**2),
        absolute_mean=lambda: balls.ball(1 / epsilon),
    )
