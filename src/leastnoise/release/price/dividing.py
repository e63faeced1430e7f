"""Parts of a budget for demands: positive, exact, and never more than the whole."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise.privacy.guarantee import ZCDP
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.sensitivity import Sensitivity

_PARTS = 2**24  # shares are that fine: what rounding loses is far below a millionth


def thresholds(demands: Sequence[Demand]) -> int:
    """How many demands need a part of δ."""
    return sum(demand.threshold for demand in demands)


def weighed(demands: Sequence[Demand], choice: Sequence[Grant]) -> float:
    """The weighted sum of the mean errors."""
    return sum(
        float(demand.weight) * expected_error(demand, given)
        for demand, given in zip(demands, choice, strict=True)
    )


def expected_error(demand: Demand, given: Grant) -> float:
    """The mean error of one number, in the engine's integers."""
    if given.noise is not None or given.counts is not None:
        return float(given.law.moment(1))
    if isinstance(given.price, ZCDP):
        return demand.concentrated / math.sqrt(given.price.rho)
    return demand.pure / float(given.price.epsilon)


def divided(
    demands: Sequence[Demand],
    parts: Sequence[Fraction],
    delta: Fraction,
    grant: Callable[[Sensitivity | None, Fraction], Grant],
) -> list[Grant]:
    """A grant for each demand, with these shares, and a part of δ where one is needed."""
    leak = delta / max(thresholds(demands), 1)
    pairs = zip(demands, parts, strict=True)
    return [
        replace(
            grant(demand.reach, share), share=share, delta=leak if demand.threshold else Fraction(0)
        )
        for demand, share in pairs
    ]


def of_epsilon(demands: Iterable[Demand]) -> list[Fraction | None]:
    """The parts of ε that are stated."""
    return [None if each.stated is None else each.stated.pure for each in demands]


def of_rho(demands: Iterable[Demand]) -> list[Fraction | None]:
    """The parts of ρ that are stated."""
    return [None if each.stated is None else each.stated.concentrated for each in demands]


def shares(wishes: Sequence[float], stated: Sequence[Fraction | None]) -> list[Fraction]:
    """Parts of 1, at most 1 in all: those that are stated, and the rest of it near the wishes."""
    left = 1 - sum((each for each in stated if each is not None), Fraction(0))
    pairs = list(zip(wishes, stated, strict=True))
    free = iter(_shares([wish for wish, each in pairs if each is None]))
    return [left * next(free) if each is None else each for _, each in pairs]


def _shares(wishes: Sequence[float]) -> list[Fraction]:
    """Positive parts of 1, near the wishes, that add up to at most 1 exactly."""
    total = math.fsum(wishes) or 1.0  # questions without error wish for nothing
    parts = [max(1, math.floor(wish / total * _PARTS)) for wish in wishes]
    whole = max(_PARTS, sum(parts))
    return [Fraction(part, whole) for part in parts]
