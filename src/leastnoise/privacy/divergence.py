r"""Divergences between two laws of one kind, each a bracket around the true value.

With densities (or weights) p of P and q of Q, all ends possibly infinite:

- hockey-stick  E_ε(P‖Q) = ∫ max(0, p − e^ε·q): the least δ with P(A) ≤ e^ε·Q(A) + δ for all A;
- Rényi         D_α(P‖Q) = ln(∫ p^α·q^(1−α))/(α − 1) for α > 0, α ≠ 1; at 1 the limit, the
  Kullback–Leibler divergence; at ∞ the limit, the logarithm of the greatest p/q;
- total variation = E_0, the greatest P(A) − Q(A).

The kinds: `FiniteLaw` (or a plain mapping outcome ↦ weight), `Normal`, `Laplace`,
`ContinuousStaircase` in closed form, and `Density` by rigorous quadrature.

Rényi divergence of order ≥ 1 is infinite where P gives weight to what Q excludes; of order below 1
only where the two laws have nothing in common. Points with p = q = 0 count for nothing.

References: VanErvenHarremoes2014 for all facts about Rényi divergence used here.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.continuous_staircase import ContinuousStaircase
from leastnoise.privacy.laws.density import Density
from leastnoise.privacy.laws.finite_law import FiniteLaw
from leastnoise.privacy.laws.laplace import Laplace
from leastnoise.privacy.laws.loss_between import loss_between
from leastnoise.privacy.laws.normal import Normal

Law = (
    Mapping[Any, Exact | ExponentialSum]
    | FiniteLaw
    | Normal
    | Laplace
    | ContinuousStaircase
    | Density
)
"""What can be compared: two of one kind."""


class _Comparable(Protocol):
    """What each kind knows: its divergences from another of its own."""

    def hockey_stick(self, other: Any, epsilon: Exact) -> Interval:
        """∫ max(0, p − e^ε·q) for any real ε."""

    def renyi(self, other: Any, order: Exact) -> Interval:
        """The Rényi divergence of a positive order, 1 and ∞ included."""


def hockey_stick(p: Law, q: Law, epsilon: Exact) -> Interval:
    r"""E_ε(P‖Q) = ∫ max(0, p − e^ε·q): the least δ for this ordered pair at ε.

    Args:
        p: the law P.
        q: the law Q, of the same kind.
        epsilon: any number; for ε < 0 the integral is at least 1 − e^ε.

    Example:
        >>> hockey_stick({"yes": 3, "no": 1}, {"yes": 1, "no": 3}, 0)
        Interval(0.5)
    """
    first, second = _pair(p, q)
    return first.hockey_stick(second, epsilon)


def total_variation(p: Law, q: Law) -> Interval:
    r"""The greatest P(A) − Q(A) over all events A.

    Example:
        >>> total_variation({0: 1}, {0: 1, 1: 2})
        Interval(0.666666666666666, 0.666666666666667)
    """
    return hockey_stick(p, q, 0)


def renyi(p: Law, q: Law, order: Exact) -> Interval:
    r"""D_α(P‖Q) for any order α > 0: 1 gives Kullback–Leibler, math.inf the max divergence.

    Example:
        >>> renyi({0: 3, 1: 1}, {0: 1, 1: 1}, 2)
        Interval(0.223143551314209, 0.22314355131421)
        >>> import math
        >>> renyi({0: 1, 1: 1}, {0: 1}, math.inf)
        Interval(inf)
    """
    first, second = _pair(p, q)
    return first.renyi(second, order)


def kl(p: Law, q: Law) -> Interval:
    r"""The Kullback–Leibler divergence ∫ p·ln(p/q).

    Example:
        >>> kl({0: 1}, {0: 1, 1: 1})
        Interval(0.693147180559945, 0.693147180559946)
    """
    return renyi(p, q, 1)


def loss_at(p: Law, q: Law, output: Any) -> Interval:
    r"""L(y) = ln(p(y)/q(y)): what one output says for P against Q; ∞ or −∞ where one excludes it.

    At a jump of a staircase its density is the lower one.

    Example:
        >>> loss_at(Normal(0, 1), Normal(1, 1), "-0.5"), loss_at(Laplace(0, 1), Laplace(1, 1), 2)
        (Interval(1), Interval(-1))
        >>> loss_at({"yes": 3, "no": 1}, {"yes": 1, "no": 3}, "yes")
        Interval(1.0986122886681, 1.09861228866811)
        >>> loss_at({0: 1}, {0: 1, 1: 1}, 1)
        Interval(-inf)
    """
    first, second = _pair(p, q)
    return loss_between(first, second, output)


def _pair(p: Law, q: Law) -> tuple[_Comparable, _Comparable]:
    first, second = (FiniteLaw(law) if isinstance(law, Mapping) else law for law in (p, q))
    kinds = FiniteLaw | Normal | Laplace | ContinuousStaircase | Density
    if type(first) is type(second) and isinstance(first, kinds):
        return first, second
    raise _check.refuse(
        "`p` and `q` must be laws of one kind",
        f"{_check.shown(p)} and {_check.shown(q)}",
        "Give two mappings, two Normal, two Laplace, two ContinuousStaircase or two Density.",
    )
