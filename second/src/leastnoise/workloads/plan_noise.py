"""`joint_noise`: one noise for all questions of a plan, and how near it is to the least.

The search is that of `joint_design`; the laws prove their own prices (docs/proofs/joint_pure.md,
docs/proofs/joint_gaussian.md). Of pure and Gaussian noise that keep the budget it takes the better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise.mechanisms.additive import promise_text
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.joint_gaussian import Ball
from leastnoise.noise.joint_pure import Block
from leastnoise.noise.joint_tables import variance
from leastnoise.noise.source import Source
from leastnoise.numbers.ball import greatest
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, positive
from leastnoise.privacy.conversion import rho_of_pure, squared_mu, squared_mu_of_pure
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.workloads import plan_maker
from leastnoise.workloads.joint_design import Group, gaussian_group, pure_groups, weighted_variance
from leastnoise.workloads.plan_checker import keeps


@dataclass(frozen=True, repr=False)
class JointNoise(Mechanism[Sequence[Any], tuple[Any, ...]]):
    """Noise for several vectors that one unit moves together: `release([...])` adds it.

    Attributes:
        reach: how far one unit moves each vector.
        budget: what all answers together promise.
        importance: what the variance of each number of a vector counts.
        groups: the laws, each with the vectors that share its draws.
    """

    reach: tuple[Block | Ball, ...]
    budget: Guarantee
    importance: tuple[Fraction, ...]
    groups: tuple[Group, ...]

    @property
    def guarantee(self) -> Guarantee:
        """What all answers together promise about one privacy unit."""
        return self.budget

    def variance(self, place: int) -> float:
        """Of the noise of each number of a vector."""
        law, at = next((g.law, g.places.index(place)) for g in self.groups if place in g.places)
        return variance(law, at)

    @property
    def total(self) -> float:
        """The sum of all variances, each times its importance."""
        return weighted_variance(self.groups, [float(each) for each in self.importance])

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The privacy loss of all answers together, for so many units."""
        first, *others = (
            PrivacyLoss.of_joint(group.law, [self.reach[place] for place in group.places])
            for group in self.groups
        )
        return first.compose(*others).for_group(distance)

    def certificate(self) -> Certificate:
        """How far the noise is from the least that anybody can have, with the proof."""
        groups = [(group.law, group.places) for group in self.groups]
        return plan_maker.certificate(self.budget, self.reach, self.importance, groups)

    def _answer(self, value: Sequence[Any], source: Source) -> tuple[Any, ...]:
        if len(value) != len(self.reach):
            raise InvalidInput(f"This noise is for {len(self.reach)} vectors. Give so many.")
        exact = [whole_numbers(each, Fraction(1), "A vector") for each in value]
        if any(each.size != block.cells for each, block in zip(exact, self.reach, strict=True)):
            raise InvalidInput("A vector is longer or shorter than its reach says. Give all of it.")
        for group in self.groups:
            for place, noise in zip(group.places, group.law.draw(source), strict=True):
                noisy = exact[place].ravel() + np.array(noise, object)
                exact[place] = noisy.reshape(exact[place].shape)
        return tuple(each if each.ndim else each.item() for each in exact)

    def __repr__(self) -> str:
        draws = f"{len(self.groups)} draw{'s' if len(self.groups) > 1 else ''}"
        numbers = sum(block.cells for block in self.reach)
        return (
            f"Noise for {numbers} numbers in {draws}, {promise_text(self.budget)}: "
            f"weighted variances add up to {self.total:.4g}"
        )


def joint_noise(
    reach: Sequence[Block | Ball], budget: Guarantee, *, importance: Sequence[Exact] | None = None
) -> JointNoise:
    """Noise for several vectors of whole numbers that one unit moves together.

    Args:
        reach: how far one unit moves each vector, whatever it does to the others: `Box(0, 1)` for a
            count, `Simplex(20, 1)` for counts by 20 groups of which a unit is in one.
        budget: what all answers together promise.
        importance: what the sum of the variances of a vector counts, in equal parts for its numbers;
            1 for every vector if None.

    >>> from leastnoise.noise import Box
    >>> joint_noise([Box(0, 1)] * 10, PureDP(epsilon=1))
    Noise for 10 numbers in 1 draw, (1, 0)-DP: weighted variances add up to 203.2
    """
    vectors, given = tuple(reach), [1] * len(reach) if importance is None else list(importance)
    if not vectors or not all(isinstance(each, Block | Ball) for each in vectors):
        raise InvalidInput("reach lists a Box, Simplex, Diamond or Ball for each vector. Give one.")
    if len(given) != len(vectors):
        raise InvalidInput(f"importance has {len(given)} numbers. Give {len(vectors)}.")
    parts = zip(given, vectors, strict=True)
    weights = tuple(positive(each, "importance") / block.cells for each, block in parts)
    epsilon, square = _amounts(budget)
    shares, found = [float(weight) for weight in weights], list[tuple[Group, ...]]()
    blocks = [replace(each, start=0) for each in vectors if not isinstance(each, Ball)]
    if epsilon and len(blocks) == len(vectors):
        found.append(pure_groups(blocks, epsilon, shares))
    if square:
        found.append((gaussian_group(vectors, square, shares),))
    if not found:
        raise InvalidInput(
            "No noise keeps this budget for this reach. A Ball needs rho, mu or delta."
        )
    groups = min(found, key=lambda each: weighted_variance(each, shares))
    priced = [(group.law, [vectors[place] for place in group.places]) for group in groups]
    assert keeps(budget, priced), "the noise costs more than the budget"
    return JointNoise(vectors, budget, weights, groups)


def _amounts(budget: Guarantee) -> tuple[Fraction, Fraction]:
    """The epsilon and the mu^2 of noise that keeps a budget; 0 where there is none."""
    match budget:
        case PureDP(epsilon=epsilon):
            return epsilon, Fraction(0)
        case ApproxDP(epsilon=epsilon, delta=delta):
            return epsilon, squared_mu(epsilon, delta)
        case ZCDP(rho=rho) if rho:
            return greatest(lambda e: rho_of_pure(e) <= rho, rho, 40), 2 * rho
        case GDP(mu=mu) if mu:
            return greatest(lambda e: squared_mu_of_pure(e) <= mu**2, mu, 40), mu**2
        case ZCDP() | GDP():
            return Fraction(0), Fraction(0)
    raise InvalidInput("budget is no guarantee. Give PureDP, ApproxDP, ZCDP or GDP.")
