"""Mechanisms whose ε add up: each demand with noise of its own, or several with one draw."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from leastnoise.mechanisms.joint.best_starts import best_starts
from leastnoise.mechanisms.joint.joint_mechanism import MOST_SIMPLEX_CELLS
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import PureDP
from leastnoise.release.price.dividing import (
    divided,
    of_epsilon,
    shares,
    thresholds,
    weighed,
)
from leastnoise.release.price.joint_blocks import Block, box_of, part_of
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.sensitivity import Sensitivity

if TYPE_CHECKING:
    from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise

_LARGE = 700.0  # of ε: e^ε is no double beyond
_ROUNDS = 2  # of dividing among draws: the second knows what the first one's errors are


def adding_epsilon(demands: Sequence[Demand], epsilon: Fraction, delta: Fraction) -> list[Grant]:
    """Each demand with noise of its own."""
    wishes = [math.sqrt(float(demand.weight) * demand.pure) for demand in demands]
    parts = shares(wishes, of_epsilon(demands))
    return divided(demands, parts, delta, lambda reach, share: paid(reach, epsilon * share))


def error_apart(demands: Sequence[Demand], epsilon: Fraction) -> float:
    """About the weighted error of noise apart; a little less than it is."""
    wishes = [math.sqrt(float(demand.weight) * demand.pure) for demand in demands]
    whole = math.fsum(wishes) or 1.0
    rates = [float(epsilon) * wish / whole for wish in wishes]
    pairs = zip(demands, rates, strict=True)
    return math.fsum(float(each.weight) * _about(each, rate) for each, rate in pairs if rate)


def _about(demand: Demand, epsilon: float) -> float:
    """The mean error at a price: of a staircase, of Laplace's law, or in proportion."""
    reach = demand.reach
    if reach is None or epsilon > _LARGE:
        return demand.pure / epsilon
    if reach.cells == 1 and reach.cell > 1:
        return reach.cell / (2 * math.sinh(epsilon / 2))
    return 1 / math.sinh(epsilon / reach.total)


def sharing_draws(
    demands: Sequence[Demand], blocks: Sequence[Block], epsilon: Fraction, delta: Fraction
) -> list[Grant]:
    """Blocks of demands with one draw each; prices of draws add up.

    The first shares are a guess from the blocks' sizes; what each draw's errors are at its share
    says how to divide better.
    """
    costs = [block.cost for block in blocks]
    stated = of_epsilon(demands[block.places[0]] for block in blocks)  # these are alone
    parts: list[Fraction] = []
    for _ in range(_ROUNDS):
        before, parts = parts, shares([math.sqrt(cost) for cost in costs], stated)
        if parts == before:  # as with a single block
            break
        pairs = list(zip(blocks, parts, strict=True))
        drawn = [_drawn(demands, block, epsilon * share) for block, share in pairs]
        costs = [
            float(share * epsilon) * weighed([demands[i] for i in block.places], given)
            for (block, share), given in zip(pairs, drawn, strict=True)
        ]
    leak = delta / max(thresholds(demands), 1)
    found: dict[int, Grant] = {}
    for block, share, given in zip(blocks, parts, drawn, strict=True):
        for place, one in zip(block.places, given, strict=True):
            own = share / len(block.places)
            found[place] = replace(
                one, share=own, delta=leak if demands[place].threshold else Fraction(0)
            )
    return [found[place] for place in range(len(demands))]


def _drawn(demands: Sequence[Demand], block: Block, epsilon: Fraction) -> list[Grant]:
    """One draw for all demands of a block."""
    own = [demands[place] for place in block.places]
    if block.alone:
        return [paid(own[0].reach, epsilon)]
    parts = _parts(own)
    whole: OneCounterNoise | TwoCounterNoise
    if own[0].replaced or all(isinstance(part, Box) and part.low == -part.high for part in parts):
        whole = OneCounterNoise(epsilon, parts)
    else:
        whole = TwoCounterNoise(epsilon, best_starts(epsilon, parts))
    price = PureDP(epsilon=epsilon)
    return [
        Grant(price, Fraction(0), noise=whole.cell(place), joint=JointPart(whole, place))
        for place in range(len(parts))
    ]


def _parts(demands: Sequence[Demand]) -> list[Part]:
    """Boxes in place of simplices where these are too many to be drawn: a little more noise."""
    parts: list[Part] = [part_of(demand) for demand in demands]
    wide = sum(part.cells for part in parts if isinstance(part, Simplex))
    return parts if wide <= MOST_SIMPLEX_CELLS else [box_of(demand) for demand in demands]


def paid(reach: Sensitivity | None, epsilon: Fraction) -> Grant:
    """What a part of ε pays for."""
    price = PureDP(epsilon=epsilon)
    if reach is None:
        return Grant(price, Fraction(0))
    if reach.cells == 1:
        best = least_noise(reach.cell, epsilon, Fraction(0))
        return Grant(price, Fraction(0), noise=best.law, best=best)
    return Grant(price, Fraction(0), noise=DiscreteLaplace(scale=reach.total / epsilon))


@lru_cache(maxsize=1024)
def least_noise(sensitivity: int, epsilon: Fraction, delta: Fraction) -> "OptimalNoise":
    """Searched for once: the preview, its advice and the release all ask for the same."""
    from leastnoise.least_noise.optimal import optimal_scalar  # noqa: PLC0415 - loads much

    return optimal_scalar(sensitivity=sensitivity, epsilon=epsilon, delta=delta, cost="absolute")
