"""Basic composition: parameters of one kind add up."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER, sound_end
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

Kind = TypeVar("Kind", PureDP, ApproxDP, ZCDP, RDP, GDP)


def basic(guarantees: Iterable[Guarantee]) -> Guarantee:
    r"""The promise of several releases about the same data together.

    Theorem: for mechanisms chosen adaptively, each with a promise fixed beforehand: pure ε add up;
    (ε, δ) add up; ρ and δ add up; Rényi ε of one common order add up; μ² add up. Optimal for PureDP
    if the answer must be pure again, and for GDP and ZCDP always; for ApproxDP far from optimal
    (errata A10), see `OptimalComposition`.
    Proof: docs/proofs/composition.md, section 1.

    Args:
        guarantees: all of one kind, save that PureDP counts as ApproxDP where both occur.

    Raises:
        UnsupportedQuery: the kinds or the orders differ, or the δ add up to 1 or more.

    References: DworkRoth2014, Theorem 3.16; BunSteinke2016, Lemma 2.3; Mironov2017, Proposition 1;
    DongRothSu2022, Corollary 3.3.

    Example:
        >>> basic([PureDP(epsilon=1), ApproxDP(epsilon="0.5", delta="1e-6")])
        ApproxDP(epsilon='1.5', delta='0.000001')
        >>> basic([GDP(mu=3), GDP(mu=4)])
        GDP(mu=5)
    """
    parts = tuple(guarantees)
    pure, zcdp, gdp = _all(parts, PureDP), _all(parts, ZCDP), _all(parts, GDP)
    renyi = _all(parts, RDP)
    if pure:
        return PureDP(epsilon=sum(part.epsilon for part in pure))
    if zcdp:
        total = _promised(sum((part.delta for part in zcdp), Fraction(0)))
        return ZCDP(rho=sum(part.rho for part in zcdp), delta=total)
    if gdp:
        return GDP(mu=_root(sum((part.mu**2 for part in gdp), Fraction(0))))
    if renyi and len({part.order for part in renyi}) == 1:
        return RDP(order=renyi[0].order, epsilon=sum(part.epsilon for part in renyi))
    return _basic_approx(parts)


def _all(parts: tuple[Guarantee, ...], kind: type[Kind]) -> tuple[Kind, ...]:
    """The parts, if all of them are of one kind, else nothing."""
    chosen = tuple(part for part in parts if isinstance(part, kind))
    return chosen if len(chosen) == len(parts) else ()


def _basic_approx(parts: tuple[Guarantee, ...]) -> ApproxDP:
    chosen = tuple(part for part in parts if isinstance(part, PureDP | ApproxDP))
    if not parts or len(chosen) < len(parts):
        raise UnsupportedQuery(
            "basic composition needs one or more guarantees of one kind, Rényi ones of one order; "
            f"got {_check.shown(parts)}. Convert them to a common kind first."
        )
    leaks = (part.delta for part in chosen if isinstance(part, ApproxDP))
    total = _promised(sum(leaks, Fraction(0)))
    return ApproxDP(epsilon=sum(part.epsilon for part in chosen), delta=total)


def _promised(delta: Fraction) -> Fraction:
    if delta < 1:
        return delta
    raise UnsupportedQuery(
        f"the deltas must add up to less than 1; got {float(delta):.6g}. Together these releases "
        "promise nothing: use fewer, or smaller deltas."
    )


def _root(square: Fraction) -> Fraction:
    exact = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if exact**2 == square:
        return exact
    return sound_end(enclosure(lambda: ball(square).sqrt()))


@frozen
class BasicComposition:
    r"""Basic composition of k mechanisms that are each (ε₀, δ₀)-DP: one point, (kε₀, kδ₀).

    Example:
        >>> BasicComposition(ApproxDP(epsilon="0.1", delta=0), 100).epsilon(delta="1e-6")
        Interval(1E+1)
    """

    promise: ApproxDP
    count: Whole = checked(_check.whole(1))

    def epsilon(self, delta: Exact) -> Interval:
        """kε₀ if δ is at least kδ₀, else infinite."""
        enough = _check.delta(delta) >= self.count * self.promise.delta
        return Interval.exactly(self.count * self.promise.epsilon) if enough else NEVER

    def delta(self, epsilon: Exact) -> Interval:
        """kδ₀ if ε is at least kε₀, else 1: the theorem says nothing there."""
        enough = _check.non_negative(epsilon, "epsilon") >= self.count * self.promise.epsilon
        return Interval.exactly(min(self.count * self.promise.delta, Fraction(1)) if enough else 1)
