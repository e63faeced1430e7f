"""`ConcentratedCurve`: ε against δ for zero-concentrated differential privacy."""

from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric.ball import Computation, ball, enclosure, exact, precision, sign
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse
from leastnoise.privacy.curves.curve import NEVER, at_least_zero, at_most_one
from leastnoise.privacy.curves.renyi_curve import log_peak
from leastnoise.privacy.guarantee import ZCDP

_RELATIVE = Fraction(1, 2**100)  # the best order may be missed a little: the bound is flat there
_GUESS_BITS, _GUESSES = 192, 24
_NEXT_TO_ONE = Fraction(1, 2**1024)  # orders are searched from 1 + this on


@dataclass(frozen=True)
class ConcentratedCurve:
    r"""The best `RenyiCurve` over all orders, for (δ₀-approximate) ρ-zCDP.

    Theorem: if M is δ₀-approximate ρ-zCDP, then for every ε ≥ 0 and every α > 1 it is
    (ε, δ₀ + (1−δ₀)·δ)-DP with δ = e^((α−1)(ρα−ε))·(1−1/α)^(α−1)/α. The best α solves
    ρ(2α−1) + ln(1−1/α) = ε at a given ε, and ρ(α−1)² + ln α = ln(1/δ) at a given δ, where then
    ε = ρ(2α−1) + ln(1−1/α). Both left sides increase in α, so the minimum is found and enclosed.
    Proof: docs/proofs/implications.md, section 4.

    References: CanonneKamathSteinke2020, Proposition 12 and Corollary 13 (arXiv 2004.00010v4);
    BunSteinke2016, Section 8, for δ₀ > 0.

    Example:
        >>> round(float(ConcentratedCurve(ZCDP(rho="0.1")).epsilon(delta="1e-6")), 4)
        2.1419
    """

    promise: ZCDP

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε these formulas give at δ; infinite if δ leaves nothing above δ₀."""
        wanted, leak = _check.delta(delta), self.promise.delta
        if not self.promise.rho:
            return Interval.exactly(0) if wanted >= leak else NEVER
        if wanted <= leak:
            return NEVER
        above = self._order_at_delta((wanted - leak) / (1 - leak))
        return at_least_zero(enclosure(lambda: self._slope(hull(above)), relative_bits=60))

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ these formulas give at ε."""
        wanted, leak = _check.non_negative(epsilon, "epsilon"), self.promise.delta
        if not self.promise.rho:
            return Interval.exactly(leak)
        if self._derivative(_NEXT_TO_ONE, wanted) > 0:
            # The best order is 1 for all purposes and δ next to 1: no promise worth computing.
            return Interval(leak, Fraction(1))
        above = self._order_at_epsilon(wanted)

        def total() -> arb:
            return ball(leak) + ball(1 - leak) * self._log_delta(hull(above), wanted).exp()

        return at_most_one(enclosure(total, relative_bits=60))

    def _slope(self, above: arb) -> arb:
        """ρ(2α−1) + ln(1−1/α) as a function of α − 1."""
        return ball(self.promise.rho) * (1 + 2 * above) - (1 / above).log1p()

    def _log_delta(self, above: arb, epsilon: Fraction) -> arb:
        return above * (ball(self.promise.rho) * (1 + above) - ball(epsilon)) + log_peak(above)

    def _order_at_delta(self, delta: Fraction) -> Interval:
        rho = self.promise.rho

        def budget() -> arb:
            return -ball(delta).log()

        def compare(above: Fraction) -> int:
            return sign(lambda: ball(rho * above**2) + ball(above).log1p() - budget())

        # ln(1+a) ≤ a puts the root above that of ρa² + a, and ln(1+a) ≥ 0 below that of ρa².
        least = _lower(lambda: 2 * budget() / (1 + (1 + 4 * ball(rho) * budget()).sqrt()))
        most = _upper(lambda: arb.sqrt(budget() / ball(rho)))
        guess = self._about(least, most, budget)
        return monotone_inverse(compare, least, most, relative=_RELATIVE, guess=guess)

    def _about(self, least: Fraction, most: Fraction, budget: Computation) -> Fraction:
        """The root of ρa² + ln(1+a) − budget by Newton's method: a guess, proved by signs."""
        with precision(_GUESS_BITS):
            rho, wanted, low, high = ball(self.promise.rho), budget(), ball(least), ball(most)
            above = high
            for _ in range(_GUESSES):
                value = rho * above**2 + above.log1p() - wanted
                step = value / (2 * rho * above + 1 / (1 + above))
                before, above = above, (above - step).mid().max(low).min(high)
                if above.mid() == before.mid():  # from here on all would be the same
                    break
            return exact(above.mid())

    def _order_at_epsilon(self, epsilon: Fraction) -> Interval:
        rho = self.promise.rho
        # The logarithm is negative at the lower end; 2ρa − ε ≥ 1/a ≥ ln(1+1/a) at the upper end.
        least = max(_NEXT_TO_ONE, (epsilon / rho - 1) / 2)
        most = _upper(lambda: ball(epsilon / (2 * rho)) + 1 / ball(2 * rho).sqrt())
        return monotone_inverse(
            lambda above: self._derivative(above, epsilon), least, most, relative=_RELATIVE
        )

    def _derivative(self, above: Fraction, epsilon: Fraction) -> int:
        """The sign of d/dα of ln δ."""
        return sign(lambda: self._slope(ball(above)) - ball(epsilon))


def hull(bracket: Interval) -> arb:
    """The ball around a finite bracket."""
    return ball(Fraction(bracket.lower)).union(ball(Fraction(bracket.upper)))


def _lower(compute: Computation) -> Fraction:
    return Fraction(enclosure(compute).lower)


def _upper(compute: Computation) -> Fraction:
    return Fraction(enclosure(compute).upper)
