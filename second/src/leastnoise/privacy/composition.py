r"""What several guarantees give together: basic, advanced and optimal composition.

Each mechanism may be chosen in view of the answers before it; its guarantee is fixed beforehand.
Basic composition adds up. It is optimal only if the result must be pure: 100 mechanisms that are
0.1-DP cost 10 by adding up, and 4.7746 at delta = 1e-6. Proof page: docs/proofs/composition.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import ceil, inf, isqrt

from flint import arb

from leastnoise.numbers.ball import ball, enclosure, interval, precision, upper_end
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import (
    Exact,
    inside,
    non_negative,
    positive,
    probability,
    truth_value,
    whole,
)
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss


def basic_composition(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Epsilons and deltas, rhos, or squares of mu add up.

    >>> basic_composition([ApproxDP(epsilon=1, delta="1e-6"), PureDP(epsilon="0.5")])
    ApproxDP(epsilon=1.5, delta=1e-06)
    >>> basic_composition([GDP(mu=3), GDP(mu=4)])
    GDP(mu=5)
    """
    parts = _listed(guarantees)
    if all(isinstance(each, PureDP) for each in parts):
        return PureDP(epsilon=sum(each.epsilon for each in parts if isinstance(each, PureDP)))
    if all(isinstance(each, ZCDP) for each in parts):
        return ZCDP(rho=sum(each.rho for each in parts if isinstance(each, ZCDP)))
    if all(isinstance(each, GDP) for each in parts):
        return GDP(
            mu=_root(sum((each.mu**2 for each in parts if isinstance(each, GDP)), Fraction(0)))
        )
    pairs = [_pair(each) for each in parts]
    delta = sum((lost for _, lost in pairs), Fraction(0))
    return ApproxDP(epsilon=sum(size for size, _ in pairs), delta=min(delta, Fraction(1)))


def _listed(guarantees: Sequence[Guarantee]) -> list[Guarantee]:
    if not isinstance(guarantees, Sequence) or not guarantees:
        raise InvalidInput("guarantees is no list of guarantees. Write [PureDP(epsilon=1)] * 3.")
    return list(guarantees)


def _pair(given: Guarantee) -> tuple[Fraction, Fraction]:
    match given:
        case PureDP():
            return given.epsilon, Fraction(0)
        case ApproxDP():
            return given.epsilon, given.delta
    raise InvalidInput("The guarantees are of different kinds. Convert them to one kind first.")


def _root(square: Fraction) -> Fraction:
    """Rounded up, unless it is a fraction."""
    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return root if root**2 == square else upper_end(lambda: ball(square).sqrt())


_MOST_EPSILON = 1 << 12


def advanced_composition(
    *, epsilon: Exact, delta: Exact = 0, count: int, slack: Exact, sharp: bool = False
) -> ApproxDP:
    r"""`count` (epsilon, delta)-DP mechanisms by the theorem of Dwork, Rothblum and Vadhan 2010.

    epsilon*sqrt(2*count*log(1/slack)) + count*epsilon*(e^epsilon - 1) at count*delta + slack. With
    `sharp` the last factor is tanh(epsilon/2), the mean loss of randomized response over epsilon
    (Kairouz, Oh and Viswanath 2017). `optimal_composition` is never larger than either.

    >>> advanced_composition(epsilon="0.1", count=100, slack="1e-6")
    ApproxDP(epsilon=6.30823095051341, delta=1e-06)
    >>> advanced_composition(epsilon="0.1", count=100, slack="1e-6", sharp=True)
    ApproxDP(epsilon=5.75610551933574, delta=1e-06)
    """
    size, lost = non_negative(epsilon, "epsilon"), probability(delta, "delta")
    if size > _MOST_EPSILON:
        raise InvalidInput(f"epsilon is above {_MOST_EPSILON}, which promises nothing.")
    is_sharp = truth_value(sharp, "sharp")
    times, spare = whole(count, "count"), inside(slack, "slack")

    def compute() -> arb:
        each = ball(size)
        mean = each * ((each / 2).tanh() if is_sharp else each.expm1())
        return each * (-2 * times * ball(spare).log()).sqrt() + times * mean

    total = upper_end(compute) if size else size
    return ApproxDP(epsilon=total, delta=min(times * lost + spare, Fraction(1)))


@dataclass(frozen=True)
class OptimalComposition:
    """The least (epsilon, delta) of every adaptive composition of mechanisms with these guarantees.

    Equal guarantees: exact sums, Kairouz, Oh and Viswanath 2017, Theorem 3.3. Others: the losses of
    the worst mechanisms on a grid.
    """

    parts: tuple[tuple[Fraction, Fraction, int], ...]

    def epsilon(self, delta: Exact, *, within: Exact = "1e-3") -> Interval:
        """The least epsilon at delta; infinite if too much is given away."""
        wanted = probability(delta, "delta")
        width = positive(within, "within")
        if len(self.parts) == 1 and 0 < wanted < 1:
            return _Equal(*self.parts[0]).epsilon(wanted)
        return self._loss().epsilon(wanted, within=width)

    def delta(self, epsilon: Exact, *, within: Exact = "1e-3") -> Interval:
        """The least delta at epsilon."""
        wanted, width = non_negative(epsilon, "epsilon"), positive(within, "within")
        if len(self.parts) == 1:
            return _Equal(*self.parts[0]).delta(wanted)
        return self._loss().delta(wanted, within=width)

    def _loss(self) -> PrivacyLoss:
        every = [
            PrivacyLoss.worst_case(epsilon=size, delta=lost).self_compose(count)
            for size, lost, count in self.parts
        ]
        return every[0].compose(*every[1:])


def optimal_composition(guarantees: Sequence[PureDP | ApproxDP]) -> OptimalComposition:
    """The least that holds for every composition of mechanisms with these guarantees.

    >>> optimal_composition([PureDP(epsilon="0.1")] * 100).epsilon(delta="1e-6")
    4.77456758810798...
    """
    counts: dict[tuple[Fraction, Fraction], int] = {}
    for pair in map(_pair, _listed(guarantees)):
        counts[pair] = counts.get(pair, 0) + 1
    return OptimalComposition(tuple((*pair, count) for pair, count in counts.items()))


@dataclass(frozen=True)
class _Equal:
    """`count` mechanisms that are each (size, lost)-DP.

    delta = 1 - (1-lost)^count * (1 - E), where E is what `count` randomized responses leave above
    epsilon.
    """

    size: Fraction
    lost: Fraction
    count: int

    def delta(self, epsilon: Fraction) -> Interval:
        if self.lost == 1 or not self.size or epsilon >= self.count * self.size:
            return enclosure(self._given_away)
        terms = ceil((self.count - epsilon / self.size) / 2)

        def compute() -> arb:
            excess, factor = arb(0), ball(epsilon).exp()
            for likely, unlikely in islice(self._outcomes(), terms):
                excess += likely - factor * unlikely
            away = self._given_away()
            return away + (1 - away) * excess

        return enclosure(compute)

    def epsilon(self, delta: Fraction) -> Interval:
        """log of the greatest (A - t)/B over first sums A, B of the outcomes, t the room for E."""
        if self.lost == 1:
            return Interval.exactly(inf)
        if not self.size or not self.lost:
            kept = self.lost == 0
            if not self.size:
                return _at_zero(enclosure(self._given_away), delta)
            assert kept
        with precision(256 + delta.denominator.bit_length()):
            room = self._room(delta)
            if room < 0:
                return Interval.exactly(inf)
            if not room > 0:  # too close to tell from what is given away
                return Interval(Fraction(0), inf)
            best, above, below = arb(1), -room, arb(0)
            for likely, unlikely in islice(self._outcomes(), (self.count + 1) // 2):
                above, below = above + likely, below + unlikely
                slope = above / below
                if slope < best and best > 1:
                    break  # it rises, then falls
                best = best.max(slope)
            return interval(best.log())

    def _room(self, delta: Fraction) -> arb:
        kept = self.count * ball(-self.lost).log1p()
        return -(ball(-delta).log1p() - kept).expm1()

    def _given_away(self) -> arb:
        if self.lost == 1:
            return arb(1)
        return -(self.count * ball(-self.lost).log1p()).expm1() if self.lost else arb(0)

    def _outcomes(self) -> Iterator[tuple[arb, arb]]:
        """Chances under the two laws of 0, 1, 2 .. lies among `count` answers."""
        factor = ball(self.size).exp()
        likely, unlikely = (1 + 1 / factor) ** -self.count, (1 + factor) ** -self.count
        for lies in range(self.count + 1):
            yield likely, unlikely
            ratio = ball(Fraction(self.count - lies, lies + 1))
            likely, unlikely = likely * ratio / factor, unlikely * ratio * factor


def _at_zero(needed: Interval, delta: Fraction) -> Interval:
    """Epsilon of mechanisms that are (0, lost)-DP."""
    if delta >= needed.upper:
        return Interval.exactly(0)
    return Interval.exactly(inf) if delta < needed.lower else Interval(Fraction(0), inf)
