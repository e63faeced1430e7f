r"""Which groups may be shown at all, when that they exist is a secret: the greatest rule, as a noise.

What is promised about the count of one group is a trade-off function f: whoever guesses whether a
privacy unit is in the group, and is wrong about absent units with chance x, misses present ones with
chance f(x) at least. Write g(x) = 1 - f(x). A rule shows a group of n units with chance p(n), and
p(0) = 0.

Theorem. Let f be symmetric with f(0) < 1. The rule p(n) = g(p(n - 1)) keeps f for any two tables whose
counts differ by 1 in one group, and no rule that does has a greater chance for any n. It is a noise:
draw W with P(W <= n) = p(n), show the group if W <= n, and then with n + t - W units, for a public t.
All that is shown, numbers included, keeps f. So counts come for nothing.

Two functions compose in closed form over the k groups of a unit: (epsilon, delta), and a Gaussian with a
leak, which is better for many groups. For k = 1 no mechanism shows small groups more often
(Desfontaines, Voss, Gipson and Mandayam 2022).

Proof page: docs/proofs/partition.md.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil
from typing import Any

from flint import arb

from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.laws import TableLaw
from leastnoise.noise.source import Source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import Checked, Exact, inside, positive, whole
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.curve import Gaussian
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss

_LONGEST = 1 << 13  # units: a table of some seconds
_BITS = 128  # of a chance, beyond twice those of delta
_HAIR = Fraction(1, 1 << 40)  # the part of delta that pays for rounding
_HALF, _SURE = Fraction(1, 2), Fraction(95, 100)


@dataclass(frozen=True)
class Approximate:
    """g(x) = min(1, delta + e^epsilon*x, 1 - e^-epsilon*(1 - delta - x)), of (epsilon, delta)-DP."""

    epsilon: Fraction
    delta: Fraction

    def power(self, alarm: Fraction) -> arb:
        """g(alarm), as a ball."""
        factor, lost = balls.ball(self.epsilon).exp(), balls.ball(self.delta)
        high = 1 - balls.ball(1 - self.delta - alarm) / factor
        return (lost + factor * balls.ball(alarm)).min(high)

    def loss(self, count: int) -> PrivacyLoss:
        """The worst loss of so many counts."""
        return PrivacyLoss.worst_case(epsilon=self.epsilon, delta=self.delta).self_compose(count)


@dataclass(frozen=True)
class LeakyGaussian:
    """g(x) = delta + (1 - delta)*Phi(Phi^-1(x/(1 - delta)) + mu), mu^2 = square."""

    square: Fraction
    delta: Fraction

    def power(self, alarm: Fraction) -> arb:
        """g(alarm), as a ball."""
        lost, rest = balls.ball(self.delta), balls.ball(1 - self.delta)
        if not alarm:
            return lost
        place = (balls.ball(2 * alarm) / rest).erfcinv() - (balls.ball(self.square / 2)).sqrt()
        return lost + rest * place.erfc() / 2

    def loss(self, count: int) -> PrivacyLoss:
        """The worst loss of so many counts."""
        leak = PrivacyLoss.worst_case(epsilon=0, delta=self.delta)
        return leak.self_compose(count).compose(PrivacyLoss(((Gaussian(self.square), count),)))


TradeOff = Approximate | LeakyGaussian


@dataclass(frozen=True)
class Table:
    """P(W <= n) for n = 0, 1, 2, ..., in multiples of 2^-bits; the last one is 1."""

    promise: TradeOff
    chances: tuple[int, ...]
    bits: int

    def units(self, chance: Fraction) -> int:
        """The least n with P(W <= n) >= chance."""
        return bisect_left(self.chances, chance * (1 << self.bits))

    @property
    def weights(self) -> list[int]:
        """P(W = n) for n = 1, 2, ..."""
        return [after - before for before, after in pairwise(self.chances)]


def greatest_rule(promise: TradeOff) -> Table:
    """p(n) = g(p(n - 1)), rounded down, and proved to keep the promise as it was rounded."""
    bits = _BITS + 2 * ceil(1 / promise.delta).bit_length()
    slightly_less = replace(promise, delta=promise.delta * (1 - _HAIR))
    chances, one = [0], 1 << bits
    while chances[-1] < one:
        if len(chances) > _LONGEST:
            problem = f"Groups of {_LONGEST} units would not be shown for sure"
            raise InvalidInput(f"{problem}. Raise epsilon or delta, or lower max_groups.")
        chances.append(_rounded_down(slightly_less, Fraction(chances[-1], one), bits))
    found = Table(promise, tuple(chances), bits)
    if not keeps(found):
        raise Undecided("Rounding takes too much here. Change epsilon or delta a little.")
    return found


def _rounded_down(promise: TradeOff, chance: Fraction, bits: int) -> int:
    """The next chance, in multiples of 2^-bits."""
    if chance >= 1 - promise.delta:
        return 1 << bits
    with balls.precision(bits + balls.FIRST_BITS):
        lower = balls.exact_value((promise.power(chance) * arb(2) ** bits).lower())
    return min(lower.__floor__(), 1 << bits)


def keeps(table: Table) -> bool:
    """Whether -W and 1 - W keep the promise, decided for every best test of one against the other.

    The best tests call the alarm where the likelihood ratio is above a bound (Neyman and Pearson), and
    g is concave: so their corners suffice. The other order follows, for f is symmetric.
    """
    weights = [0, *table.weights, 0]
    points = sorted(pairwise(weights), key=lambda pair: Fraction(-pair[1], pair[0] + pair[1]))
    alarms, powers = (accumulate(each) for each in zip(*points, strict=True))
    corners = [
        (Fraction(alarm, 1 << table.bits), Fraction(power, 1 << table.bits))
        for alarm, power in zip(alarms, powers, strict=True)
    ]
    return all(
        balls.sign(lambda a=a, b=b: table.promise.power(a) - balls.ball(b)) >= 0  # type: ignore[misc]
        for a, b in corners
        if a < 1 - table.promise.delta  # beyond, all power is allowed
    )


def _root(chance: Fraction, count: int) -> Fraction:
    """The d with 1 - (1 - d)^count = chance, rounded down."""
    if count == 1:
        return chance
    return balls.lower_end(lambda: -((-balls.ball(chance)).log1p() / count).expm1())


_MOST_EPSILON = 1 << 12


def _epsilon(value: Exact, name: str) -> Fraction:
    if (found := positive(value, name)) > _MOST_EPSILON:
        raise InvalidInput(f"{name} is above {_MOST_EPSILON}, which promises nothing.")
    return found


@dataclass(frozen=True, kw_only=True, repr=False)
class PartitionRule(Mechanism[Mapping[Any, int], dict[Any, int]]):
    """Shows groups of enough units, each with its noisy number of units.

    The secret is a mapping from groups to numbers of units; groups without units need not be in it.
    Neighbours are tables with one unit more or less.

    Attributes:
        epsilon: of all that is shown.
        delta: of all that is shown.
        max_groups: in how many groups one unit is at most.
        min_units: no group of fewer units is ever shown.

    >>> rule = partition_rule(epsilon=1, delta="1e-6")
    >>> rule
    PartitionRule: half of the groups of 14 units are shown, 95 % of those of 16
    >>> shown = rule.release({"Oslo": 5000, "Vik": 1}).value
    >>> list(shown), abs(shown["Oslo"] - 5000) < 15
    (['Oslo'], True)
    """

    epsilon: Checked[Exact, Fraction] = Checked(_epsilon)
    delta: Checked[Exact, Fraction] = Checked(inside)
    max_groups: Checked[int, int] = Checked(whole, default=1)
    min_units: Checked[int, int] = Checked(whole, default=1)

    @property
    def guarantee(self) -> ApproxDP:
        """The promise about one privacy unit."""
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The worst loss of the groups of one unit; for more units, that of the promise."""
        if whole(distance, "distance") == 1:
            return self.table.promise.loss(self.max_groups)
        worst = PrivacyLoss.worst_case(epsilon=self.epsilon, delta=self.delta)
        return worst.for_group(distance)

    @cached_property
    def table(self) -> Table:
        """The law of W: of both functions the one that shows smaller groups 95 times in 100."""
        count = self.max_groups
        plain = greatest_rule(Approximate(self.epsilon / count, _root(self.delta, count)))
        if count == 1:
            return plain
        # Half of delta is for the leak, the rest for the Gaussian; the best part is near that.
        leak = self.delta / 2
        square = squared_mu(self.epsilon, (self.delta - leak) / (1 - leak)) / count
        gaussian = greatest_rule(LeakyGaussian(square, _root(leak, count)))
        return min(plain, gaussian, key=lambda table: table.units(_SURE))

    @cached_property
    def noise(self) -> TableLaw:
        """What is added to the number of units of a group that is shown: t - W, t the median of W."""
        middle = self.table.units(_HALF)
        return TableLaw({middle - n: weight for n, weight in enumerate(self.table.weights, 1)})

    def chance(self, units: int) -> Fraction:
        """The exact chance that a group of so many units is shown."""
        beyond = max(0, whole(units, "units", least=0) - self.min_units + 1)
        return Fraction(self.table.chances[: beyond + 1][-1], 1 << self.table.bits)

    def units(self, chance: Exact) -> int:
        """The fewest units of a group that is shown with at least this chance."""
        return self.table.units(inside(chance, "chance")) + self.min_units - 1

    def _answer(self, value: Mapping[Any, int], source: Source) -> dict[Any, int]:
        if not isinstance(value, Mapping):
            raise InvalidInput("The secret is no mapping. Give the number of units of each group.")
        counts = whole_numbers(list(value.values()), Fraction(1), "The mapping to numbers of units")
        if any(each < 0 for each in counts):
            raise InvalidInput("A group has fewer than 0 units. Count the units in each group.")
        noisy = counts + self.noise.sample(counts.size, source)
        least = self.table.units(_HALF) + self.min_units - 1
        pairs = zip(value, map(int, noisy), strict=True)
        shown = [pair for pair in pairs if pair[1] >= least]  # that is, W <= units - min_units + 1
        return dict(sorted(shown, key=lambda pair: repr(pair[0])))

    def __repr__(self) -> str:
        half = f"half of the groups of {self.units(_HALF)} units are shown"
        return f"PartitionRule: {half}, 95 % of those of {self.units(_SURE)}"


partition_rule = PartitionRule
