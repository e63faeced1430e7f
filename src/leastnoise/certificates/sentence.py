"""What a certificate claims, in one sentence that is made of numbers alone."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from leastnoise.certificates.problem import Problem
from leastnoise.numeric.cost import Cost, TabulatedCost

_DIGITS = 12


def sentence(problem: Problem, achieved: Fraction, bound: Fraction, scope: str) -> str:
    """The claim for people: what is achieved is rounded up, and the bound down."""
    most, least = _rounded(achieved, ROUND_CEILING), _rounded(bound, ROUND_FLOOR)
    return (
        f"{cost_name(problem.cost)} ≤ {most} for sensitivity {problem.sensitivity * problem.step} "
        f"at ε = {problem.epsilon} and δ = {problem.delta}, and no less than {least} is possible "
        f"among {scope}"
    )


def cost_name(cost: Cost) -> str:
    """The cost's name; a table, which has none, is told by its ends."""
    if isinstance(cost, TabulatedCost):
        first, last = cost.values[0], cost.values[-1]
        return f"E[cost by a table of {len(cost.values)} values, {first} to {last}]"
    return cost.name


def _rounded(value: Fraction, rounding: str) -> str:
    context = Context(prec=_DIGITS, rounding=rounding)
    shown = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{shown.normalize(context):f}" if abs(shown.adjusted()) <= _DIGITS else str(shown)
