r"""Two meters: what all releases from one ledger have spent, and whether one more fits.

A ledger of (E, D) has two meters. A: the sum of epsilon of pure releases, at most E. B: the sum of
mu^2 of all releases, at most the greatest mu^2 for which mu-GDP implies (E, D - D/10), while groups
found privately spend at most D/10 of delta. A charge is granted if A or B holds after it.

Theorem. Everything that is granted is (E, D)-DP together, however adaptively it is asked. Proof
page: docs/proofs/two_meters.md. Idea: a transcript that ends within A was within A all along, and
likewise for B; over the transcripts of the first kind basic composition holds with delta 0, over the
others the squares of mu add up (Smith and Thakurta 2022), so deltas need not be halved.

A ledger of rho has one meter: the sum of rho of zero-concentrated DP.

All sums are exact fractions.

Trusted.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.conversion import (
    rho_of_pure,
    squared_mu,
    squared_mu_of_pure,
)
from leastnoise.privacy.guarantee import ZCDP, ApproxDP

Family = Literal["laplace", "gaussian"]
"""The two families of noise. One release uses one of them for all its numbers."""


@dataclass(frozen=True)
class Price:
    """What a release costs, in every currency that a ledger may count in.

    Attributes:
        epsilon: of a pure release; None if it is not pure.
        squared_mu: the mu^2 of Gaussian DP that it has.
        rho: the rho of zero-concentrated DP that it has.
        delta: the chance, at most, that a group of one unit alone is shown.
    """

    epsilon: Fraction | None
    squared_mu: Fraction
    rho: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        numbers = (self.epsilon or self.rho, self.squared_mu, self.rho, self.delta)
        if any(number.numerator < 0 for number in numbers):
            raise InvalidInput("A price is never below 0.")

    @classmethod
    def pure(cls, epsilon: Fraction) -> "Price":
        """That of an epsilon-DP release."""
        return cls(epsilon, squared_mu_of_pure(epsilon), rho_of_pure(epsilon))

    @classmethod
    def gaussian(cls, square: Fraction) -> "Price":
        """That of a release that is mu-GDP."""
        return cls(None, square, square / 2)

    def __add__(self, other: "Price") -> "Price":
        """That of both."""
        pure = (
            None if self.epsilon is None or other.epsilon is None else self.epsilon + other.epsilon
        )
        return Price(
            pure,
            self.squared_mu + other.squared_mu,
            self.rho + other.rho,
            self.delta + other.delta,
        )

    def covers(self, other: "Price") -> bool:
        """Whether a release of the other price may be charged this one."""
        pure = self.epsilon is None or (other.epsilon is not None and self.epsilon >= other.epsilon)
        return (
            pure
            and self.squared_mu >= other.squared_mu
            and self.rho >= other.rho
            and self.delta >= other.delta
        )


@dataclass(frozen=True)
class Total:
    """What a ledger promises for everything: (epsilon, delta), or rho with delta for groups."""

    guarantee: ApproxDP | ZCDP
    delta_of_groups: Fraction

    @classmethod
    def of(cls, epsilon: Fraction, delta: Fraction) -> "Total":
        """Of a ledger in epsilon: a tenth of delta is for groups found privately."""
        return cls(ApproxDP(epsilon=epsilon, delta=delta), delta / 10)

    @classmethod
    def of_rho(cls, rho: Fraction, delta: Fraction) -> "Total":
        """Of a ledger in rho: all of delta is for groups."""
        return cls(ZCDP(rho=rho), delta)

    @property
    def epsilon(self) -> Fraction:
        """Of a ledger in epsilon."""
        assert isinstance(self.guarantee, ApproxDP)
        return self.guarantee.epsilon

    @property
    def squared_mu(self) -> Fraction:
        """The end of meter B."""
        return self.squared_mu_at(self.epsilon)

    def squared_mu_at(self, epsilon: Fraction) -> Fraction:
        """What a Gaussian release at this epsilon may spend of meter B."""
        assert isinstance(self.guarantee, ApproxDP)
        return squared_mu(epsilon, self.guarantee.delta - self.delta_of_groups)


@dataclass(frozen=True)
class Meters:
    """What was spent of a total so far.

    Attributes:
        total: what is promised for everything.
        epsilon: of a ledger in epsilon, the sum of epsilon; None once a release was not pure.
        squared_mu: of a ledger in epsilon, the sum of mu^2.
        rho: of a ledger in rho, the sum of rho.
        delta: the sum of delta of groups.
    """

    total: Total
    epsilon: Fraction | None = Fraction(0)
    squared_mu: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def after(self, price: Price) -> "Meters":
        """The same after one more charge."""
        delta = (
            self.delta + price.delta if price.delta else self.delta
        )  # opening adds up every line
        if isinstance(self.total.guarantee, ZCDP):
            return Meters(self.total, rho=self.rho + price.rho, delta=delta)
        pure = None
        if self.epsilon is not None and price.epsilon is not None:
            pure = self.epsilon + price.epsilon
        return Meters(self.total, pure, self.squared_mu + price.squared_mu, delta=delta)

    @property
    def a_holds(self) -> bool:
        """Whether all releases were pure and their epsilons are within the total."""
        return self.epsilon is not None and self.epsilon <= self.total.epsilon

    @property
    def b_holds(self) -> bool:
        """Whether the squares of mu, and the deltas of groups, are within the total."""
        return self.squared_mu <= self.total.squared_mu and self.delta <= self.total.delta_of_groups

    @property
    def holds(self) -> bool:
        """Whether the total's promise holds for everything that was charged."""
        if isinstance(self.total.guarantee, ZCDP):
            return self.rho <= self.total.guarantee.rho and self.delta <= self.total.delta_of_groups
        return self.a_holds or self.b_holds

    def fits(self, price: Price) -> bool:
        """Whether one more charge would be granted."""
        return self.after(price).holds

    @property
    def spent(self) -> Fraction:
        """The part of the total that is spent, from 0 to 1, on the meter with most left."""
        if isinstance(self.total.guarantee, ZCDP):
            return self.rho / self.total.guarantee.rho
        shares = []
        if self.epsilon is not None and self.a_holds:
            shares.append(self.epsilon / self.total.epsilon)
        if self.b_holds and self.total.squared_mu:
            shares.append(self.squared_mu / self.total.squared_mu)
        return min(shares, default=Fraction(1))
