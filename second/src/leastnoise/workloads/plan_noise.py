"""`joint_noise`: one noise for all questions of a plan, and how near it is to the least.

The search is that of `joint_design`; of pure and Gaussian noise it takes the better. Laws prove their
own prices (docs/proofs/joint_pure.md, docs/proofs/rounded_gaussian.md). What a certificate proves
depends on chances and weights, which are searched here (docs/proofs/plan_bound.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import exp, isqrt
from types import NoneType
from typing import Any

import numpy as np

from leastnoise.mechanisms.additive import promise_text
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.joint_gaussian import Ball
from leastnoise.noise.joint_pure import Box, ends
from leastnoise.noise.joint_tables import variance
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, positive
from leastnoise.privacy.guarantee import Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.workloads.joint_design import Group, gaussian_group, pure_groups, weighted_variance
from leastnoise.workloads.plan_bound import Dual, Move, Reach, amounts, root_trace_squared
from leastnoise.workloads.plan_checker import KIND, UNIT, claim_of, encoded, keeps

_MOST_KINDS = 12  # vectors that differ, for which the best chances are searched
_STEPS = [2**n for n in range(2, 9) for _ in (0, 1)]  # a chance moves by 1 part of so many
_RADIUS = {2: 12, 3: 5}  # how far from 0 the linear program looks, by the number of counts


@dataclass(frozen=True, repr=False)
class JointNoise(Mechanism[Sequence[Any], tuple[Any, ...]]):
    """Noise for several vectors that one unit moves together: `release([...])` adds it.

    Attributes:
        reach: how far one unit moves each vector.
        budget: what all answers together promise.
        importance: what the variance of each number of a vector counts.
        groups: the laws, each with the vectors that share its draws.
    """

    reach: tuple[Reach, ...]
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
        parts = self.budget, self.reach, self.importance
        groups = [(group.law, group.places) for group in self.groups]
        chances, dual = _chances(self.reach, self.importance), _dual(*parts)
        claim = claim_of(*parts, groups, chances, dual)
        rows = [[v, [[x, int(y / UNIT)] for x, y in values.items()]] for v, values in dual.items()]
        return Certificate(KIND, claim, {"chances": encoded(chances), "dual": encoded(rows)})

    def _answer(self, value: Sequence[Any], source: Source) -> tuple[Any, ...]:
        exact = [whole_numbers(each, Fraction(1), "A vector") for each in value]
        if [each.size for each in exact] != [block.cells for block in self.reach]:
            raise InvalidInput("The vectors are not as many or as long as reach says. Give all.")
        for group in self.groups:
            for place, noise in zip(group.places, group.law.draw(source), strict=True):
                noisy = exact[place].ravel() + np.array(noise, object)
                exact[place] = noisy.reshape(exact[place].shape)
        return tuple(each if each.ndim else each.item() for each in exact)

    def __repr__(self) -> str:
        numbers, draws = sum(block.cells for block in self.reach), len(self.groups)
        return (
            f"Noise for {numbers} number{'s' * (numbers > 1)} in {draws} draw{'s' * (draws > 1)}, "
            f"{promise_text(self.budget)}: weighted variances add up to {self.total:.4g}"
        )


def joint_noise(
    reach: Sequence[Reach], budget: Guarantee, *, importance: Sequence[Exact] | None = None
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
    if not all(isinstance(each, Sequence | NoneType) for each in (reach, importance)) or not reach:
        raise InvalidInput("reach and importance are no lists. Give one part for each vector.")
    vectors, given = tuple(reach), [1] * len(reach) if importance is None else [*importance]
    if not all(isinstance(each, Reach) for each in vectors):
        raise InvalidInput("reach lists a Box, Simplex, Diamond or Ball for each vector. Give one.")
    blocks = [replace(each, start=0) for each in vectors if not isinstance(each, Ball)]
    moves = {abs(end) for block in blocks for end in ends(block)}
    moves |= {isqrt(each.square) for each in vectors if isinstance(each, Ball)}
    if not 0 < max(moves) <= 2**62:
        raise InvalidInput("reach moves no number, or one by more than 2^62. Count in other steps.")
    if len(given) != len(vectors):
        raise InvalidInput(f"importance has {len(given)} numbers. Give {len(vectors)}.")
    parts = [positive(each, "importance") for each in given]
    if max(parts) > 10**30 or min(parts) < Fraction(1, 10**30):
        raise InvalidInput("importance is not within 1e-30 .. 1e30. Divide it by a number.")
    weights = tuple(each / block.cells for each, block in zip(parts, vectors, strict=True))
    shares, found = [float(weight) for weight in weights], list[tuple[Group, ...]]()
    epsilon, square = amounts(budget)
    if epsilon and len(blocks) == len(vectors):
        found.append(pure_groups(blocks, epsilon, shares))
    if square:
        found.append((gaussian_group(vectors, square, shares),))
    if not found:
        raise InvalidInput("No noise keeps this budget. A Ball needs rho, mu or delta.")
    groups = min(found, key=lambda each: weighted_variance(each, shares))
    priced = [(group.law, [vectors[place] for place in group.places]) for group in groups]
    assert keeps(budget, priced), "the noise costs more than the budget"
    return JointNoise(vectors, budget, weights, groups)


def _chances(reach: Sequence[Reach], weights: Sequence[Fraction]) -> list[Fraction]:
    """How likely a random unit moves each vector: the best of a search from 1/2, kind by kind."""
    kinds: list[object] = list(zip(reach, weights, strict=True))
    few = len(set(kinds)) <= _MOST_KINDS
    kinds = kinds if few else [type(block) for block in reach]
    chance = dict.fromkeys(kinds, Fraction(1, 2))

    def proved() -> Fraction:
        return root_trace_squared(reach, weights, [chance[kind] for kind in kinds])

    best = proved()
    for size, kind, sign in product(_STEPS[:: 1 if few else 4], chance, (1, -1)):
        before = chance[kind]
        chance[kind] = min(max(before + Fraction(sign, size), Fraction(0)), Fraction(1))
        now = proved()
        best, chance[kind] = (now, chance[kind]) if now > best else (best, before)
    return [chance[kind] for kind in kinds]


def _dual(budget: Guarantee, reach: Sequence[Reach], weights: Sequence[Fraction]) -> Dual:
    """y_v(x) of Theorem 3 for 2 or 3 counts, from a linear program over all noise near 0."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    boxes = [box for box in reach if isinstance(box, Box) and box.cells == 1]
    limits = [(box.low, box.high) for box in boxes if box.low >= -1 and box.high <= 1]
    radius = _RADIUS.get(len(limits), 0) if len(limits) == len(reach) else 0
    if not (isinstance(budget, PureDP) and 4 <= radius * budget.epsilon <= 256):
        return {}
    every = product(*(range(low, high + 1) for low, high in limits))
    moves = sorted({tuple(s * a for a in move) for move in every for s in (1, -1) if any(move)})
    place = {x: i for i, x in enumerate(product(range(-radius, radius + 1), repeat=len(limits)))}
    rows = [(v, x, place[x], place[y]) for v in moves for x in place
            if (y := tuple(a + b for a, b in zip(x, v, strict=True))) in place]  # fmt: skip
    columns, count = [row[2] for row in rows] + [row[3] for row in rows], len(rows)
    values = [1.0] * count + [-exp(budget.epsilon)] * count
    found = linprog(
        [float(sum(w * a * a for w, a in zip(weights, x, strict=True))) for x in place],
        A_ub=coo_array((values, ([*range(count)] * 2, columns)), shape=(count, len(place))).tocsr(),
        b_ub=[0.0] * count, A_eq=[[1.0] * len(place)], b_eq=[1.0], method="highs",
    )  # fmt: skip
    dual: dict[Move, dict[Move, Fraction]] = {}
    slopes = [] if found.x is None else found.ineqlin.marginals.tolist()
    for (v, x, _, _), slope in zip(rows, slopes, strict=False):
        if (weight := int(-slope / UNIT)) > 0:
            dual.setdefault(v, {})[x] = weight * UNIT
    return dual
