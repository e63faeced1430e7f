"""Gaussian noise: mechanisms whose ρ add up, or whose μ² do."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.release.price.dividing import divided, of_rho, shares
from leastnoise.release.price.gaussian_price import GaussianPrice, gaussian_prices, shortened_up
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.sensitivity import Sensitivity


def adding_rho(demands: Sequence[Demand], rho: Fraction, delta: Fraction) -> list[Grant]:
    """Fixed prices first; the others share what is left."""
    left = rho - fixed_price(demands)
    free = [demand for demand in demands if demand.fixed is None]
    if left < 0 or (free and not left):
        raise UnsupportedQuery(
            f"the errors asked for cost rho={float(fixed_price(demands)):.4g}, and the budget is "
            f"worth {float(rho):.4g}. Allow larger errors or a larger smallest group."
        )
    parts = shares([wish(demand) for demand in free], of_rho(free))
    shared = iter(divided(free, parts, delta, lambda reach, share: smoothed(reach, left * share)))
    return [
        replace(given, share=given.price.rho / rho) if isinstance(given.price, ZCDP) else given
        for given in (
            next(shared) if demand.fixed is None else Grant(ZCDP(rho=demand.fixed), Fraction(0))
            for demand in demands
        )
    ]


def smoothed(reach: Sensitivity | None, rho: Fraction) -> Grant:
    """What a part of ρ pays for."""
    if reach is None:
        return Grant(ZCDP(rho=1 / shortened_up(1 / rho)), Fraction(0))
    noise = DiscreteGaussian(shortened_up(reach.square / (2 * rho)))
    return Grant(ZCDP(rho=rho), Fraction(0), noise=noise)


def line_prices(demands: Sequence[Demand], budget: ApproxDP) -> Sequence[GaussianPrice]:
    """Prices as on the line, of plans that are Gaussian noise on integers and nothing else."""
    changed = [demand.reach.cells if demand.reach else demand.smooth for demand in demands]
    touched = [count for count in changed if count is not None]
    if len(touched) < len(demands) or not budget.delta or not budget.epsilon:
        return []
    return gaussian_prices(budget.epsilon, budget.delta, sum(touched))


def adding_squares(demands: Sequence[Demand], price: GaussianPrice) -> list[Grant]:
    """Gaussian noise for everything, at one of the prices as on the line."""
    parts = shares([wish(demand) for demand in demands], of_rho(demands))
    pairs = zip(demands, parts, strict=True)
    return [smooth(demand, price, share) for demand, share in pairs]


def error_at_one(demands: Sequence[Demand]) -> float:
    """About the weighted error of Gaussian noise at ρ = 1, each demand with its own."""
    return math.pow(math.fsum(wish(each) for each in demands if each.fixed is None), 1.5)


def wish(demand: Demand) -> float:
    """To what its share of ρ or μ² should be in proportion."""
    return math.pow(float(demand.weight) * demand.concentrated, 2 / 3)


def smooth(demand: Demand, price: GaussianPrice, share: Fraction) -> Grant:
    """What a part of μ² pays for."""
    if demand.reach is None:
        return Grant(ZCDP(rho=price.fine(share)), share)
    law = DiscreteGaussian(price.parameter(demand.reach.square, share))
    return Grant(ZCDP(rho=demand.reach.square / (2 * law.sigma_squared)), share, noise=law)


def fixed_price(demands: Sequence[Demand]) -> Fraction:
    """The ρ of demands whose price follows from the question."""
    return sum((demand.fixed for demand in demands if demand.fixed is not None), Fraction(0))
