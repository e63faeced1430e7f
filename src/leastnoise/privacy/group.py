"""Group privacy: what a promise about one person says about several at once."""

from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex, assert_never

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import rational_real
from leastnoise.privacy.curves.curve import NEVER, PrivacyCurve, sound_end
from leastnoise.privacy.curves.tradeoff_curve import PiecewiseLinearTradeoff
from leastnoise.privacy.guarantee import (
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    Guarantee,
    PureDP,
    checked_guarantee,
)
from leastnoise.privacy.to_approx import curve_of


def group_privacy(*, epsilon: Exact, delta: Exact, size: SupportsIndex) -> Interval:
    r"""The least δ′ such that every (ε, δ)-DP mechanism is (kε, δ′)-DP for groups of k.

    Theorem: δ′ is the k-th iterate at 0 of p ↦ min(1, e^ε·p + δ, 1 − e^−ε·(1−δ−p)), exactly: some
    mechanism attains it. As long as the first branch rules, that is while
    δ·(e^((k−1)ε)−1)/(e^ε−1) ≤ (1−δ)/(1+e^ε), it equals δ·(e^(kε)−1)/(e^ε−1).
    Proof: docs/proofs/group_privacy.md, sections 1 and 2.

    Args:
        epsilon: ε ≥ 0 of the promise about one person.
        delta: δ in [0, 1) of the same.
        size: the number k of people in whom the inputs differ.

    References: SteinkeUllman2016, Fact 2.2, for the first branch; DongRothSu2022, Theorem 2.14.

    Example:
        >>> round(float(group_privacy(epsilon=1, delta="1e-6", size=5)), 8)
        8.579e-05
    """
    return _sharp(*checked(epsilon, delta, size)).interval()


def checked(epsilon: Exact, delta: Exact, size: SupportsIndex) -> tuple[Fraction, Fraction, int]:
    """The three arguments of a question about groups, in exact form."""
    loss, leak = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
    return loss, leak, _check.integer_between(size, "size", 1)


def _sharp(loss: Fraction, leak: Fraction, size: int) -> ExponentialRatio:
    if not loss or not leak:
        return rational_real(min(size * leak, Fraction(1)))
    rising = min(size, rising_steps(loss, leak))
    span = ExponentialSum.exp(loss) - 1
    reached = (ExponentialSum.exp(rising * loss) - 1) * leak
    # From there 1 − p shrinks: u ↦ e^−ε·(u − δ), n times, here multiplied by e^ε − 1.
    shrink = ExponentialSum.exp((rising - size) * loss)
    left = shrink * (span - reached) - (1 - shrink) * leak
    return ExponentialRatio(span - left, span) if left.sign() > 0 else rational_real(1)


def rising_steps(loss: Fraction, leak: Fraction) -> int:
    """How many iterations from 0 follow the branch e^ε·p + δ, for ε, δ > 0."""
    top = ExponentialSum.exp(loss)

    def beyond(steps: int) -> bool:
        reached = (ExponentialSum.exp(steps * loss) - 1) * leak
        return (reached * (1 + top) - (top - 1) * (1 - leak)).sign() > 0

    return least_integer(beyond, 1)


@dataclass(frozen=True)
class ApproxGroupCurve:
    r"""All (ε′, δ′) that hold for groups of `size` if all one knows is (ε, δ)-DP.

    Theorem: the hockey-stick curve of the iterated trade-off function of (ε, δ)-DP; exact, for at
    every ε′ some mechanism attains it.
    Proof: docs/proofs/group_privacy.md, sections 1 to 3.

    Example:
        >>> curve = ApproxGroupCurve(ApproxDP(epsilon="0.1", delta="1e-3"), 10)
        >>> round(float(curve.delta(epsilon=1)), 5)
        0.01634
    """

    promise: ApproxDP
    size: int

    def __post_init__(self) -> None:
        _check.integer_between(self.size, "size", 1)

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ′ at ε′."""
        if _check.non_negative(epsilon, "epsilon") >= self.size * self.promise.epsilon:
            return self._given_away.interval()
        return self._tradeoff.delta(epsilon)

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε′ at δ′, infinite if δ′ is below what is given away."""
        side = self._given_away.compare(_check.delta(delta))
        if side > 0:
            return NEVER
        total = self.size * self.promise.epsilon
        return Interval.exactly(total) if side == 0 else self._tradeoff.epsilon(delta)

    @cached_property
    def _given_away(self) -> ExponentialRatio:
        return _sharp(self.promise.epsilon, self.promise.delta, self.size)

    @cached_property
    def _tradeoff(self) -> PiecewiseLinearTradeoff:
        one = PiecewiseLinearTradeoff.of_approx(
            epsilon=self.promise.epsilon, delta=self.promise.delta
        )
        return one.iterate(self.size)


def group_curve(promise: Guarantee, *, size: SupportsIndex) -> PrivacyCurve:
    """The (ε, δ) curve for groups: sharp for PureDP, ApproxDP and GDP, else through `group`.

    Example:
        >>> round(float(group_curve(PureDP(epsilon=1), size=2).delta(epsilon=1)), 4)
        0.4621
    """
    people = _check.integer_between(size, "size", 1)
    checked_guarantee(promise, "promise")
    match promise:
        case PureDP():
            return ApproxGroupCurve(ApproxDP(epsilon=promise.epsilon, delta=0), people)
        case ApproxDP():
            return ApproxGroupCurve(promise, people)
        case _:
            return curve_of(group(promise, size=people))


def group(promise: Guarantee, *, size: SupportsIndex) -> Guarantee:
    r"""The promise of the same kind for inputs that differ in up to k = `size` people.

    Theorem: for all mechanisms with the promise, ε-DP gives kε; (ε, δ)-DP gives (kε, δ′) with δ′
    from `group_privacy`; ρ-zCDP gives k²ρ; μ-GDP gives kμ; and (α, R)-RDP gives, with
    r = (α/(α−1))^k, the order r/(r−1) and the bound (α−1)·(r−1)·R. All but the last are
    sharp.
    Proof: docs/proofs/group_privacy.md, sections 2 and 4.

    Raises:
        UnsupportedQuery: δ-approximate zCDP, for which no such theorem is known, or a δ′ of 1.

    References: BunSteinke2016, Proposition 1.9 and Lemma 5.2; DongRothSu2022, Theorem 2.14;
    Mironov2017, Proposition 2, for RDP at powers of two.

    Example:
        >>> group(ZCDP(rho="0.5"), size=3), group(GDP(mu=1), size=3)
        (ZCDP(rho='4.5'), GDP(mu=3))
    """
    people = _check.integer_between(size, "size", 1)
    match promise:
        case PureDP():
            return PureDP(epsilon=people * promise.epsilon)
        case ApproxDP():
            return _group_of_approx(promise, people)
        case ZCDP():
            return _group_of_concentrated(promise, people)
        case RDP():
            return _group_of_renyi(promise, people)
        case GDP():
            return GDP(mu=people * promise.mu)
        case _:
            assert_never(promise)


def _group_of_approx(promise: ApproxDP, size: int) -> ApproxDP:
    leak = sound_end(_sharp(promise.epsilon, promise.delta, size).interval())
    if leak < 1:
        return ApproxDP(epsilon=size * promise.epsilon, delta=leak)
    raise UnsupportedQuery(
        f"a promise needs a delta below 1; got 1 for groups of {size} from {promise!r}. "
        "Such a group has no protection: use a smaller delta or a smaller group."
    )


def _group_of_concentrated(promise: ZCDP, size: int) -> ZCDP:
    if size == 1 or not promise.delta:
        return ZCDP(rho=size**2 * promise.rho, delta=promise.delta)
    raise UnsupportedQuery(
        f"group privacy of zCDP is proved for delta=0 only; got {promise!r}. The events set aside "
        "differ from pair to pair: convert to ApproxDP first, then take the group."
    )


def _group_of_renyi(promise: RDP, size: int) -> RDP:
    if not isinstance(promise.order, Fraction):
        return RDP(order=promise.order, epsilon=size * promise.epsilon)
    above = promise.order - 1
    growth = (promise.order / above) ** size
    return RDP(order=growth / (growth - 1), epsilon=above * (growth - 1) * promise.epsilon)
