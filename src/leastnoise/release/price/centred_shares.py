"""Gaussian noise that questions share: one centred draw for all that can be in it."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.part import Part
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.release.price.centred_search import Target, best_centred
from leastnoise.release.price.dividing import of_rho, shares, thresholds, weighed
from leastnoise.release.price.gaussian_price import GaussianPrice, gaussian_prices, shortened_up
from leastnoise.release.price.gaussian_shares import smooth, smoothed, wish
from leastnoise.release.price.joint_blocks import part_of
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant


class Together(NamedTuple):
    """Which demands are in the draw.

    Attributes:
        places: of the demands.
        parts: what one unit adds to each.
        weights: of each number.
    """

    places: tuple[int, ...]
    parts: tuple[Part, ...]
    weights: tuple[Fraction, ...]

    @classmethod
    def of(cls, demands: Sequence[Demand]) -> "Together | None":
        """All demands of noise for public cells, if there are several; else None."""
        places = tuple(place for place, each in enumerate(demands) if _is_open(each))
        if len(places) < 2:
            return None
        parts = tuple(part_of(demands[place]) for place in places)
        sizes = zip(places, parts, strict=True)
        weights = tuple(demands[place].weight / part.cells for place, part in sizes)
        return cls(places, parts, weights)

    def grants(self, target: Target) -> list[Grant]:
        """One draw at a price."""
        whole = best_centred(self.parts, self.weights, target, objective="deviation")
        own = whole.guarantee.rho
        price = ZCDP(rho=target if isinstance(target, Fraction) else shortened_up(own))
        return [
            Grant(price, Fraction(0), noise=whole.cell(place), joint=JointPart(whole, place))
            for place in range(len(self.parts))
        ]

    @property
    def coordinates(self) -> int:
        """How many numbers are measured, at most."""
        return 1 + sum(part.cells + 1 for part in self.parts)


def _is_open(demand: Demand) -> bool:
    adds = demand.adds
    return adds is not None and bool(adds.cells) and not demand.replaced


def centred_rho(
    demands: Sequence[Demand], together: Together, rho: Fraction, delta: Fraction
) -> list[Grant]:
    """One draw for all that can share it, beside the others; ρ add up."""
    fixed = sum((each.fixed for each in demands if each.fixed is not None), Fraction(0))
    left = rho - fixed
    own, rest = _divided(demands, together)
    leak = delta / max(thresholds(demands), 1)
    found = dict(zip(together.places, together.grants(left * own), strict=True))
    for place, share in rest.items():
        given = smoothed(demands[place].reach, left * share)
        found[place] = replace(given, delta=leak if demands[place].threshold else Fraction(0))
    for place, demand in enumerate(demands):
        if demand.fixed is not None:
            found[place] = Grant(ZCDP(rho=demand.fixed), Fraction(0))
    return _with_shares(demands, together, found, own, rest)


def centred_squares(
    demands: Sequence[Demand], together: Together, price: GaussianPrice
) -> list[Grant]:
    """One draw for all that can share it, beside the others; priced as on the line."""
    own, rest = _divided(demands, together)
    target = GaussianPrice(price.smoothing, price.square * own)
    found = dict(zip(together.places, together.grants(target), strict=True))
    for place, share in rest.items():
        found[place] = smooth(demands[place], price, share)
    return _with_shares(demands, together, found, own, rest)


def centred_prices(
    demands: Sequence[Demand], together: Together, budget: ApproxDP
) -> Sequence[GaussianPrice]:
    """Prices as on the line, of plans that are Gaussian noise on integers and nothing else."""
    others = [each for place, each in enumerate(demands) if place not in together.places]
    changed = [each.reach.cells if each.reach else each.smooth for each in others]
    touched = [count for count in changed if count is not None]
    if len(touched) < len(changed) or not budget.delta or not budget.epsilon:
        return []
    return gaussian_prices(budget.epsilon, budget.delta, together.coordinates + sum(touched))


def _divided(demands: Sequence[Demand], together: Together) -> tuple[Fraction, dict[int, Fraction]]:
    """Of the price: the part of the draw, and those of the others."""
    inside = set(together.places)
    others = [
        place for place, each in enumerate(demands) if place not in inside and each.fixed is None
    ]
    if not others:
        return Fraction(1), {}
    drawn = together.grants(Fraction(1))
    error = weighed([demands[place] for place in together.places], drawn)
    wishes = [error ** (2 / 3), *(wish(demands[place]) for place in others)]
    own, *rest = shares(wishes, [None, *of_rho(demands[place] for place in others)])
    return own, dict(zip(others, rest, strict=True))


def _with_shares(
    demands: Sequence[Demand],
    together: Together,
    found: dict[int, Grant],
    own: Fraction,
    rest: dict[int, Fraction],
) -> list[Grant]:
    each = own / len(together.places)
    inside = set(together.places)
    return [
        replace(found[place], share=each if place in inside else rest.get(place, Fraction(0)))
        for place in range(len(demands))
    ]
