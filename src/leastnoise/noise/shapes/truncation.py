r"""Cutting stairs off so that the leak is exactly delta.

Theorem: let w be the weights of stairs without a radius whose noise is ε-DP at sensitivity Δ, cut
off at radius M with the share t ∈ (0, 1] of weight kept at ±M, and 2M ≥ Δ. The hockey-stick
divergence at ε and shift Δ is leak(t)/Z(t) with

    Z(t)    = Z₀ + 2·t·w(M),                        Z₀ the sum of w over |k| < M,
    leak(t) = A + t·w(M) + max(0, c − e^ε·t·w(M)),

where A is the sum of w(|k|) over M−Δ < k < M, and c = w(|M−Δ|) (but c = 0 if 2M = Δ).
Proof: docs/proofs/truncation.md.

Both are piecewise linear in t, so the share at which leak = δ·Z is found by division, exactly.
"""

from fractions import Fraction
from math import expm1, log1p

from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.inverse import least_integer


def truncated_stairs(
    endless: Stairs, *, sensitivity: int, epsilon: Fraction, delta: Fraction
) -> Stairs:
    """The stairs cut off at the least radius, and there with the least share, that leak delta.

    `endless` must be epsilon-DP at the sensitivity: rate·(sensitivity/period) = epsilon.
    """
    parts = _Parts(endless, sensitivity, delta)
    radius = least_integer(
        lambda m: parts.excess(m).sign() <= 0,
        (sensitivity + 1) // 2,
        _continuous_radius(sensitivity, epsilon, delta),
    )
    return Stairs(
        period=endless.period,
        width=endless.width,
        rate=endless.rate,
        radius=radius,
        edge=parts.share(radius, ExponentialSum.exp(epsilon)),
    )


def _continuous_radius(sensitivity: int, epsilon: Fraction, delta: Fraction) -> int | None:
    """Where the truncated Laplace density on the real line ends: a guess, by floats."""
    try:
        if not epsilon:
            return int(sensitivity / (2 * delta))
        return int(sensitivity / epsilon * Fraction(log1p(expm1(epsilon) / (2 * delta))))
    except (OverflowError, ZeroDivisionError):
        return None


class _Parts:
    """The constants of the theorem for one family of radii, all scaled by one positive number."""

    def __init__(self, endless: Stairs, sensitivity: int, delta: Fraction) -> None:
        self._stairs, self._sensitivity, self._delta = endless, sensitivity, delta

    def _constant(self, radius: int) -> ExponentialSum:
        """A − δ·Z₀."""
        upto, shift = self._stairs.sum_below, self._sensitivity
        z = upto(radius) * 2 - upto(1)
        if radius >= shift:
            return upto(radius) - upto(radius - shift + 1) - z * self._delta
        return upto(radius) + upto(shift - radius) - upto(1) - z * self._delta

    def _partner(self, radius: int) -> ExponentialSum:
        """c: the weight that meets the outermost one after the shift."""
        if 2 * radius == self._sensitivity:
            return ExponentialSum.of(0)
        return self._stairs.scaled_weight(abs(radius - self._sensitivity))

    def excess(self, radius: int) -> ExponentialSum:
        """leak(1) − δ·Z(1): at most 0 if this radius suffices with nothing taken off."""
        outermost = self._stairs.scaled_weight(radius)
        return self._constant(radius) + outermost * (1 - 2 * self._delta)

    def share(self, radius: int, factor: ExponentialSum) -> ExponentialRatio:
        """The least t with leak(t) ≤ δ·Z(t)."""
        outermost, partner = self._stairs.scaled_weight(radius), self._partner(radius)
        over = self._constant(radius) + partner
        under = outermost * (factor - 1 + 2 * self._delta)
        # This solves the piece with t ≤ c/(e^ε·w(M)); beyond it the maximum in `leak` is 0.
        if (over * factor * outermost - partner * under).sign() <= 0:
            return ExponentialRatio(over, under)
        return ExponentialRatio(self._constant(radius), outermost * (2 * self._delta - 1))
