"""Guarantees as people say them: "ε = 1, δ = 10⁻⁸"; exact numbers are in `repr` and JSON."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

from leastnoise.people.digits import NEAREST, said_number
from leastnoise.people.numbers import equation
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP


def said(guarantee: Guarantee, *, rule: str = NEAREST) -> str:
    """The numbers of a guarantee, with ≈ where digits were left off; `rule` as in `equation`.

    Example:
        >>> said(ApproxDP(epsilon=1, delta="1e-8")), said(ZCDP(rho="1/60")), said(GDP(mu="0.5"))
        ('ε = 1, δ = 10⁻⁸', 'ρ ≈ 0.0167', 'μ = 0.5')
        >>> said(RDP(order=2, epsilon="0.25")), said(ZCDP(rho="0.5", delta="1e-9"))
        ('ε = 0.25 at order 2', 'ρ = 0.5, δ = 10⁻⁹')
    """
    match guarantee:
        case PureDP():
            numbers = [("ε", guarantee.epsilon)]
        case ApproxDP():
            numbers = [("ε", guarantee.epsilon), ("δ", guarantee.delta)]
        case ZCDP():
            numbers = [("ρ", guarantee.rho), *([("δ", guarantee.delta)] if guarantee.delta else [])]
        case RDP():
            found = equation("ε", guarantee.epsilon, rule=rule)
            return f"{found} at order {_order(guarantee.order)}"
        case GDP():
            numbers = [("μ", guarantee.mu)]
        case _:
            assert_never(guarantee)
    return ", ".join(equation(letter, number, rule=rule) for letter, number in numbers)


def said_any(costs: Iterable[Guarantee], *, rule: str = NEAREST) -> str:
    """Guarantees that all hold; what reads the same is said once; `rule` as in `equation`.

    Example:
        >>> said_any([PureDP(epsilon=1), ZCDP(rho="0.5")])
        'ε = 1 or ρ = 0.5'
        >>> said_any([PureDP(epsilon=1), PureDP(epsilon="0.9999999")])
        'ε = 1'
    """
    found = dict.fromkeys(said(each, rule=rule) for each in costs)
    exact = [each for each in found if "≈" not in each or each.replace("≈", "=") not in found]
    return " or ".join(exact)


def _order(order: Fraction | float) -> str:
    return "∞" if math.isinf(order) else said_number(order)
