"""The five promises this library can make, as values: exact, checked, and never changed.

`repr` has all digits and reads back; `str` has the digits that people read.
"""

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, checked, frozen
from leastnoise._show import Shown
from leastnoise.people.digits import said_number
from leastnoise.people.numbers import equation

Order: TypeAlias = Fraction | float
"""The order of a Rényi divergence: a rational above 1, or `math.inf`."""

_MOST_DIGITS = 20  # what people type; longer decimals are shown as quotients


def checked_order(value: Exact, name: str = "order") -> Order:
    """A Rényi order: a number above 1, or infinity."""
    if value == math.inf:
        return math.inf
    order = _check.rational(value, name)
    if order > 1:
        return order
    raise _check.refuse(
        f"`{name}` must be above 1",
        f"{name}={_check.shown(value)}",
        "Choose one such as 2, or math.inf.",
    )


@frozen(kw_only=True)
class PureDP(Shown):
    r"""ε-differential privacy.

    Definition: for all ordered pairs of neighbours D, D′ and all events S,
    P(M(D) ∈ S) ≤ e^ε·P(M(D′) ∈ S).

    Example:
        >>> PureDP(epsilon="0.1")
        PureDP(epsilon='0.1')
        >>> print(PureDP(epsilon=1))
        pure differential privacy with ε = 1
    """

    epsilon: Number = checked(_check.non_negative)

    def __repr__(self) -> str:
        return f"PureDP(epsilon={typed_text(self.epsilon)})"

    def __str__(self) -> str:
        return f"pure differential privacy with {equation('ε', self.epsilon)}"


@frozen(kw_only=True)
class ApproxDP(Shown):
    r"""(ε, δ)-differential privacy.

    Definition: for all ordered pairs of neighbours D, D′ and all events S,
    P(M(D) ∈ S) ≤ e^ε·P(M(D′) ∈ S) + δ.

    Example:
        >>> ApproxDP(epsilon=1, delta="1e-6")
        ApproxDP(epsilon=1, delta='0.000001')
    """

    epsilon: Number = checked(_check.non_negative)
    delta: Number = checked(_check.delta)

    def __repr__(self) -> str:
        return f"ApproxDP(epsilon={typed_text(self.epsilon)}, delta={typed_text(self.delta)})"

    def __str__(self) -> str:
        numbers = f"{equation('ε', self.epsilon)}, {equation('δ', self.delta)}"
        return f"approximate differential privacy with {numbers}"


@frozen(kw_only=True)
class ZCDP(Shown):
    r"""Zero-concentrated differential privacy, δ-approximate if δ > 0.

    Definition: for all neighbours D, D′ there are events E, E′ (that may use extra coins), each of
    probability at least 1 − δ under its own law, such that given them the Rényi divergence of every
    order α > 1 is at most ρ·α, both ways round. With δ = 0 no events are needed.

    References: BunSteinke2016, Definitions 1.1 and 8.1 (arXiv 1605.02065v1).

    Example:
        >>> print(ZCDP(rho="0.5"))
        zero-concentrated differential privacy with ρ = 0.5
        >>> ZCDP(rho="1/3", delta="1e-9")
        ZCDP(rho='1/3', delta='1E-9')
    """

    rho: Number = checked(_check.non_negative)
    delta: Number = checked(_check.delta, default=0)

    def __repr__(self) -> str:
        approximate = f", delta={typed_text(self.delta)}" if self.delta else ""
        return f"ZCDP(rho={typed_text(self.rho)}{approximate})"

    def __str__(self) -> str:
        delta = f", {equation('δ', self.delta)}" if self.delta else ""
        return f"zero-concentrated differential privacy with {equation('ρ', self.rho)}{delta}"


@frozen(kw_only=True)
class RDP(Shown):
    r"""Rényi differential privacy at one order.

    Definition: for all ordered pairs of neighbours, the Rényi divergence of the given order is at
    most ε. Order ∞ is ε-differential privacy.

    References: Mironov2017, Definition 4.

    Example:
        >>> RDP(order=2, epsilon="0.25")
        RDP(order=2, epsilon='0.25')
    """

    order: Checked[Exact, Order] = checked(checked_order)
    epsilon: Number = checked(_check.non_negative)

    def __repr__(self) -> str:
        order = typed_text(self.order) if isinstance(self.order, Fraction) else "math.inf"
        return f"RDP(order={order}, epsilon={typed_text(self.epsilon)})"

    def __str__(self) -> str:
        order = said_number(self.order)
        return f"Rényi differential privacy of order {order} with {equation('ε', self.epsilon)}"


@frozen(kw_only=True)
class GDP(Shown):
    r"""Gaussian differential privacy.

    Definition: for all ordered pairs of neighbours, telling them apart from the release is at least
    as hard as telling N(0, 1) from N(μ, 1) from one draw.

    References: DongRothSu2022, Definition 2.6 (arXiv 1905.02383v3).

    Example:
        >>> print(GDP(mu=1))
        Gaussian differential privacy with μ = 1
    """

    mu: Number = checked(_check.non_negative)

    def __repr__(self) -> str:
        return f"GDP(mu={typed_text(self.mu)})"

    def __str__(self) -> str:
        return f"Gaussian differential privacy with {equation('μ', self.mu)}"


Guarantee: TypeAlias = PureDP | ApproxDP | ZCDP | RDP | GDP


def checked_guarantee(value: Guarantee, name: str) -> Guarantee:
    """The guarantee itself; anything else is refused."""
    rule = f"`{name}` must be a guarantee"
    return _check.kind(value, Guarantee, rule, "Write for example ZCDP(rho='0.5').")


def about(promise: Guarantee) -> str:
    """Its numbers for the eye; shares of a budget have twenty digits.

    Example:
        >>> about(ApproxDP(epsilon=0.0638272762298584, delta="1e-8")), about(ZCDP(rho="1/3"))
        ('ε ≈ 0.0638, δ = 10⁻⁸', 'ρ ≈ 0.333')
    """
    letters = {"order": "α", "epsilon": "ε", "delta": "δ", "rho": "ρ", "mu": "μ"}
    numbers = {letter: getattr(promise, name, 0) for name, letter in letters.items()}
    shown = [equation(letter, x) for letter, x in numbers.items() if x]
    return ", ".join(shown) or str(promise)


def exact_text(value: Fraction) -> str:
    """A rational as people write it: a short decimal if it is one, else a quotient."""
    context = Context(prec=_MOST_DIGITS, Emin=-(10**9), Emax=10**9)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if value.denominator != 1 and Fraction(decimal) == value:
        return str(decimal)
    if _is_float(value):
        return repr(float(value))
    try:
        return str(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits
        return f"about {decimal:.15g}"


def typed_text(value: Fraction) -> str:
    """A rational as a constructor takes it, exact when read back."""
    text = exact_text(value)
    return text if value.denominator == 1 or _is_float(value) else repr(text)


def _is_float(value: Fraction) -> bool:
    """Whether a float was typed that is no short decimal, such as 0.1."""
    try:
        return Fraction(float(value)) == value != Fraction(repr(float(value)))
    except OverflowError:
        return False
