"""Guarantees as people say them: "ε = 1, δ = 10⁻⁸"; exact numbers are in `repr` and JSON."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

from leastnoise.people.digits import said_number
from leastnoise.people.numbers import equation
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP


def said(guarantee: Guarantee) -> str:
    """The numbers of a guarantee, with ≈ where digits were left off.

    Example:
        >>> said(ApproxDP(epsilon=1, delta="1e-8")), said(ZCDP(rho="1/60")), said(GDP(mu="0.5"))
        ('ε = 1, δ = 10⁻⁸', 'ρ ≈ 0.0167', 'μ = 0.5')
        >>> said(RDP(order=2, epsilon="0.25")), said(ZCDP(rho="0.5", delta="1e-9"))
        ('ε = 0.25 at order 2', 'ρ = 0.5, δ = 10⁻⁹')
    """
    match guarantee:
        case PureDP():
            return equation("ε", guarantee.epsilon)
        case ApproxDP():
            return f"{equation('ε', guarantee.epsilon)}, {equation('δ', guarantee.delta)}"
        case ZCDP():
            delta = f", {equation('δ', guarantee.delta)}" if guarantee.delta else ""
            return f"{equation('ρ', guarantee.rho)}{delta}"
        case RDP():
            return f"{equation('ε', guarantee.epsilon)} at order {_order(guarantee.order)}"
        case GDP():
            return equation("μ", guarantee.mu)
        case _:
            assert_never(guarantee)


def said_any(costs: Iterable[Guarantee]) -> str:
    """Guarantees that all hold; what reads the same is said once.

    Example:
        >>> said_any([PureDP(epsilon=1), ZCDP(rho="0.5")])
        'ε = 1 or ρ = 0.5'
        >>> said_any([PureDP(epsilon=1), PureDP(epsilon="0.9999999")])
        'ε = 1'
    """
    found = dict.fromkeys(said(each) for each in costs)
    exact = [each for each in found if "≈" not in each or each.replace("≈", "=") not in found]
    return " or ".join(exact)


def said_kind(guarantee: Guarantee) -> str:
    """The kind of promise and its numbers, as one would look it up.

    Example:
        >>> said_kind(ApproxDP(epsilon=1, delta="1e-8"))
        'approximate differential privacy with ε = 1, δ = 10⁻⁸'
    """
    kinds = {
        PureDP: "pure differential privacy",
        ApproxDP: "approximate differential privacy",
        ZCDP: "zero-concentrated differential privacy",
        RDP: "Rényi differential privacy",
        GDP: "Gaussian differential privacy",
    }
    return f"{kinds[type(guarantee)]} with {said(guarantee)}"


def _order(order: Fraction | float) -> str:
    return "∞" if math.isinf(order) else said_number(order)
