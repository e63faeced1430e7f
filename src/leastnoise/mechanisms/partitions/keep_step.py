r"""How far the chance to be shown may rise with one more unit: one step, two kinds of promise.

A *step* is the map p ↦ 1 − f(p) of a trade-off function f: the greatest chance q such that a coin
that shows heads with chance p and one with chance q keep f;
docs/proofs/partition_selection.md, section 1.

Chances are whole multiples of 2**−bits and every step is rounded down, so that the rounded rule
keeps the promise exactly.
"""

import math
from collections.abc import Hashable
from fractions import Fraction
from functools import cached_property, lru_cache
from math import floor
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

from flint import arb, ctx, fmpq

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.numeric.normal_cdf import normal_cdf, normal_quantile

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_GUARD_BITS = 64  # rounding stays far below one unit of the scale
_SLACK_BITS = 32  # of the guard bits, those that the ball may use up
_SHARP = arb(2) ** (_GUARD_BITS - _SLACK_BITS)
_VAST = 1e6  # one step is enough long before
_SLIGHT = 1e-290  # so little that no float tells it from 0
_LEAST_FLOAT = 1e-300  # the normal quantile of what is less is hardly different


class KeepStep(Hashable, Protocol):
    """A promise about one count that rises or falls by 1."""

    @property
    def delta(self) -> Fraction:
        """The chance to be shown of a group with one unit."""
        ...

    @property
    def about_half(self) -> float:
        """About how many units make it an even chance; only searches rely on it."""
        ...

    def after(self, kept: int, bits: int) -> int:
        """The greatest chance after one more unit, in multiples of 2**−bits, rounded down."""
        ...

    def loss(self, changes: int) -> "PrivacyLoss":
        """A loss that dominates what that many such counts tell together."""
        ...


@dataclass(frozen=True)
class ApproximateStep:
    r"""The step of (ε, δ)-DP: min(1, e^ε·p + δ, 1 − e^−ε·(1 − p − δ)).

    References: DesfontainesVossGipsonMandayam2022.
    """

    epsilon: Fraction
    delta: Fraction

    @property
    def about_half(self) -> float:
        """Where δ·(e^(nε) − 1)/(e^ε − 1) = 1/2."""
        rate = min(nearest_float(self.epsilon), _VAST)
        if rate < _SLIGHT:
            return nearest_float(1 / (2 * self.delta))
        # Logarithms of whole numbers: a tiny δ is no float.
        leak = math.log(2 * self.delta.numerator) - math.log(self.delta.denominator)
        power = rate + math.log(-math.expm1(-rate)) - leak
        tail = math.log1p(math.exp(-abs(power)))  # log(1 + e^power) is this or power more
        return (max(power, 0.0) + tail) / rate

    def after(self, kept: int, bits: int) -> int:
        """Two straight lines, whichever is lower."""
        one = 1 << bits
        leak, (grown, shrunk), scale = floor(self.delta * one), *_powers(self.epsilon, bits)
        missing = one - leak - kept
        if missing <= 0:
            return one
        return min((grown * kept >> scale) + leak, one + (-shrunk * missing >> scale))

    def loss(self, changes: int) -> "PrivacyLoss":
        """That of the worst (ε, δ)-DP mechanism, as often."""
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none

        if not self.epsilon:
            return _leaks(self.delta, changes)
        worst = PrivacyLoss.worst_case(epsilon=self.epsilon, delta=self.delta)
        return worst.self_compose(changes)


@lru_cache(maxsize=64)
def _powers(epsilon: Fraction, bits: int) -> tuple[tuple[int, int], int]:
    """e^ε rounded down and e^−ε rounded up, in multiples of 2**−scale."""
    # Beyond e^bits the first line reaches 1 at the first step: a smaller ε only rounds down.
    exponent, scale = min(epsilon, Fraction(bits)), bits + _GUARD_BITS
    if not exponent:
        return (1 << scale, 1 << scale), scale

    def power(sign: int) -> arb:
        return balls.ball(sign * exponent).exp() * arb(2) ** scale

    return (balls.floor(lambda: power(1)), balls.floor(lambda: power(-1)) + 1), scale


@dataclass(frozen=True)
class GaussianStep:
    r"""The step of μ-GDP with leak δ: δ + (1−δ)·Φ(Φ⁻¹(p/(1−δ)) + μ), and 1 from p = 1 − δ on.

    Its promise: with probability δ anything, else as hard to tell as N(0, 1) from N(μ, 1). This is
    δ-approximate μ²/2-zCDP.

    References: DongRothSu2022, Section 2, for Gaussian trade-off functions.
    """

    mu_squared: Fraction
    delta: Fraction

    @property
    def about_half(self) -> float:
        """Where δ's normal quantile is made up in steps of μ."""
        by_leaks, mu = nearest_float(1 / (2 * self.delta)), math.sqrt(self.mu_squared)
        if not mu:
            return by_leaks
        steps = -NormalDist().inv_cdf(max(float(self.delta), _LEAST_FLOAT))
        return min(steps / mu, by_leaks)

    @cached_property
    def rationals(self) -> tuple[fmpq, fmpq, fmpq]:
        """μ², δ and 1 − δ, made once for the many steps of a table."""
        leak = fmpq(self.delta.numerator, self.delta.denominator)
        return fmpq(self.mu_squared.numerator, self.mu_squared.denominator), leak, 1 - leak

    def after(self, kept: int, bits: int) -> int:
        """One step of length μ on the normal scale."""
        one, sound = 1 << bits, self._sound
        if not kept:
            return floor(self.delta * one)
        if kept * sound.denominator >= sound.numerator << bits:
            return one

        def chance() -> arb:
            root, leak, rest, unit = self._balls(bits)
            place = root - normal_quantile(arb(kept) * unit / rest)
            return leak + rest * normal_cdf(place)

        def decide(value: arb) -> int | None:
            scaled = value * arb(2) ** bits
            sharp = scaled.is_finite() and scaled.rad() < _SHARP
            return balls.floor_of(scaled.lower()) if sharp else None

        answer = balls.settle(chance, decide, max(bits, balls.FIRST_PRECISION))
        assert answer is not None, "a chance of a thousand bits settles at the last precision"
        return max(kept, min(answer, one))

    @cached_property
    def _sound(self) -> Fraction:
        return 1 - self.delta

    def _balls(self, bits: int) -> tuple[arb, arb, arb, arb]:
        """μ, δ, 1 − δ and 2**−bits at the working precision, made once for it."""
        place = ctx.prec, bits
        if place not in self._made:
            square, leak, sound = map(arb, self.rationals)
            self._made[place] = square.sqrt(), leak, sound, arb(2) ** -bits
        return self._made[place]

    def __getstate__(self) -> dict[str, object]:
        """What a copy has: balls cannot be copied, and are made again."""
        return {name: value for name, value in vars(self).items() if name != "_made"}

    @cached_property
    def _made(self) -> dict[tuple[int, int], tuple[arb, arb, arb, arb]]:
        return {}

    def loss(self, changes: int) -> "PrivacyLoss":
        """Gaussian, beside the leak."""
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none
        from leastnoise.privacy.variables.gaussian_variable import GaussianVariable  # noqa: PLC0415 - a forecast asks for none

        leak = _leaks(self.delta, changes)
        if not self.mu_squared:
            return leak
        return leak.compose(PrivacyLoss(GaussianVariable(self.mu_squared * changes)))


def _leaks(delta: Fraction, count: int) -> "PrivacyLoss":
    """With chance 1 − (1−δ)^count everything, else nothing."""
    from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none

    silent = (1 - delta) ** count
    one = {"nothing": silent, "one": 1 - silent}
    return PrivacyLoss.of_laws(one, {"nothing": silent, "other": 1 - silent})
