r"""The privacy of adding normal noise, in closed form and rigorous at every scale.

Two normal laws of variance σ² whose means lie Δ apart (in the Euclidean norm, in any dimension)
are as hard to tell apart as N(0, 1) and N(μ, 1) with μ = Δ/σ. Their privacy loss is N(μ²/2, μ²).

Theorem: the least δ for which the pair is (ε, δ)-indistinguishable is
δ(ε, μ) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ). It falls strictly in ε and rises strictly in μ.
Proof: docs/proofs/gaussian.md.

References: BalleWang2018, Theorem 8; DongRothSu2022, Corollary 2.13.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse, straddle
from leastnoise.numeric.normal_cdf import (
    FARTHEST,
    mills_ratio,
    normal_cdf,
    normal_density,
    normal_quantile,
)
from leastnoise.numeric.real import Computable, Real, rational_real

Ratio = Exact | Computable | ExponentialRatio
"""μ = Δ/σ: a number, or a positive real known to any precision, such as √2."""

_GUESSING_BITS = 192  # a guess need not be rigorous: it is checked afterwards
_MOST_STEPS = 100  # Newton's method has converged long before, or never will
_NEAR = Fraction(1, 2**61)  # the guess is surely nearer, or the search starts anew


def gaussian_delta(epsilon: Exact, mu: Ratio) -> Real:
    r"""The least δ at ε: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), to any relative precision.

    Args:
        epsilon: any number; below 0 it describes the steep end of the trade-off curve.
        mu: sensitivity over standard deviation, ≥ 0.

    Example:
        >>> gaussian_delta(1, 1).interval()
        Interval(0.126936737506643, 0.126936737506644)
    """
    exact_epsilon, ratio = _check.rational(epsilon, "epsilon"), _ratio(mu)
    if ratio is None:
        return _delta_of_equals(exact_epsilon)
    return Computable(lambda: _delta(exact_epsilon, ratio()))


def gaussian_tail(epsilon: Exact, mu: Ratio) -> Real:
    r"""P(privacy loss > ε) = Φ(μ/2 − ε/μ): the bad event of the two-step recipe, never below δ.

    Example:
        >>> gaussian_tail(1, 1).interval()
        Interval(0.308537538725986, 0.308537538725987)
    """
    exact_epsilon, ratio = _check.rational(epsilon, "epsilon"), _ratio(mu)
    if ratio is None:
        return rational_real(int(exact_epsilon < 0))
    return Computable(lambda: normal_cdf(ratio() / 2 - balls.ball(exact_epsilon) / ratio()))


def gaussian_tradeoff(false_alarm: Exact, mu: Ratio) -> Interval:
    r"""The least missed-detection rate of a test with this false-alarm rate: Φ(Φ⁻¹(1 − α) − μ).

    Example:
        >>> gaussian_tradeoff("0.05", 1)
        Interval(0.740488977158555, 0.740488977158556)
    """
    alpha, ratio = _check.probability(false_alarm, "false_alarm"), _ratio(mu)
    if ratio is None or alpha in (0, 1):
        return Interval.exactly(1 - alpha)
    missed = balls.enclosure(lambda: normal_cdf(normal_quantile(balls.ball(alpha)) - ratio()))
    return Interval(max(Fraction(0), missed.lower), min(Fraction(1), missed.upper))


def gaussian_epsilon(delta: Exact, mu: Ratio) -> Interval:
    r"""The least ε ≥ 0 at which the pair is (ε, δ)-indistinguishable; the upper end is sound.

    It is infinite for δ = 0, and 0 where δ(0, μ) ≤ δ.

    Example:
        >>> gaussian_epsilon("1e-6", 1)
        Interval(4.88655411746221, 4.88655411746222)
    """
    target, ratio = _check.delta(delta), _ratio(mu)
    if ratio is None or (target and gaussian_delta(0, mu).compare(target) <= 0):
        return Interval.exactly(0)
    if not target:
        return Interval(math.inf, math.inf)
    outermost = _rational(lambda: _loss_at_tail(target, ratio()))
    guess = _newton(lambda epsilon: _epsilon_step(epsilon, ratio(), target), outermost)
    return _near(
        guess,
        lambda epsilon: -gaussian_delta(epsilon, mu).compare(target),
        lambda: (Fraction(0), outermost),
    )


def gaussian_mu(epsilon: Exact, delta: Exact) -> Interval:
    r"""The greatest μ whose pair is (ε, δ)-indistinguishable; the lower end is sound.

    Example:
        >>> gaussian_mu(1, "1e-6")
        Interval(0.236704380663435, 0.236704380663436)
    """
    exact_epsilon, target = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
    if not target:
        return Interval.exactly(0)

    def compare(mu: Fraction) -> int:
        return gaussian_delta(exact_epsilon, mu).compare(target)

    least = _rational(lambda: _small_ratio(exact_epsilon, target))
    guess = _newton(lambda mu: _mu_step(exact_epsilon, mu, target), least)
    return _near(guess, compare, lambda: straddle(compare, least))


def _ratio(mu: Ratio) -> balls.Computation | None:
    """The ratio as a computation, or None if it is 0 and the two laws are one."""
    if isinstance(mu, Computable | ExponentialRatio):
        return mu.ball
    exact = _check.non_negative(mu, "mu")
    return (lambda: balls.ball(exact)) if exact else None


def _delta_of_equals(epsilon: Fraction) -> Real:
    """max(0, 1 − e^ε)."""
    if epsilon >= 0:
        return rational_real(0)
    return ExponentialRatio(1 - ExponentialSum.exp(epsilon), ExponentialSum.of(1))


def _delta(epsilon: Fraction, mu: arb) -> arb:
    loss = balls.ball(epsilon)
    place, far = mu / 2 - loss / mu, mu / 2 + loss / mu
    bad = normal_cdf(place)
    if place < -FARTHEST:
        return bad
    if far > FARTHEST:
        # e^ε·Φ(−far) = density(place)·mills_ratio(far); the left side would be ∞·0.
        return bad - normal_density(place) * mills_ratio(far)
    return bad - loss.exp() * normal_cdf(-far)


# Guesses: plain Newton steps at one precision, trusted by nobody. log δ is concave in ε, so that
# the steps cannot leave the right of the root.


def _loss_at_tail(delta: Fraction, mu: arb) -> arb:
    """The ε with exp(−(ε/μ − μ/2)²/2) = δ, an upper bound on the answer."""
    return mu * mu / 2 + mu * (-2 * balls.ball(delta).log()).sqrt()


def _small_ratio(epsilon: Fraction, delta: Fraction) -> arb:
    """A μ with δ(ε, μ) ≤ δ: by the same tail bound, or by δ(0, μ) ≤ μ/√(2π)."""
    far, loss = -2 * balls.ball(delta).log(), 2 * balls.ball(epsilon)
    return (loss / ((far + loss).sqrt() + far.sqrt())).max(
        balls.ball(delta) * (2 * arb.pi()).sqrt()
    )


def _epsilon_step(epsilon: arb, mu: arb, target: Fraction) -> arb:
    slope = epsilon.exp() * normal_cdf(-mu / 2 - epsilon / mu)
    value = normal_cdf(mu / 2 - epsilon / mu) - slope
    return (value / balls.ball(target)).log() * value / slope


def _mu_step(epsilon: Fraction, mu: arb, target: Fraction) -> arb:
    value, slope = _delta(epsilon, mu), normal_density(mu / 2 - balls.ball(epsilon) / mu)
    return -(value / balls.ball(target)).log() * value / slope


def _newton(step: Callable[[arb], arb], start: Fraction) -> Fraction:
    with balls.precision(_GUESSING_BITS):
        place = balls.ball(start).mid()
        for _ in range(_MOST_STEPS):
            change = step(place).mid()
            if not change.is_finite():
                return start
            place = (place + change).mid()
            if abs(change) <= abs(place) * arb(2) ** -80:
                break
    return _rational(lambda: place)


def _rational(compute: balls.Computation) -> Fraction:
    with balls.precision(_GUESSING_BITS):
        return Fraction(balls.interval(compute()).upper)


def _near(
    guess: Fraction,
    compare: Callable[[Fraction], int],
    wide: Callable[[], tuple[Fraction, Fraction]],
) -> Interval:
    """The certified inverse: right beside the guess if that is good, else by bisection."""
    try:
        return monotone_inverse(compare, guess * (1 - _NEAR), guess * (1 + _NEAR))
    except ValueError:
        return monotone_inverse(compare, *wide())
