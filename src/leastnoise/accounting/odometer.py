"""Odometers: running totals that hold at every moment, for analysts who set no limit."""

from dataclasses import field
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._frozen import Number, checked, frozen, keep
from leastnoise.accounting.pricing import price
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.guarantee import ZCDP, Guarantee, PureDP

_SLOPE_SCALE = 1 << 16  # slopes are rounded up to short rationals


@frozen
class PureOdometer:
    r"""Σε, which bounds the privacy loss of everything so far, at every moment and with certainty.

    Theorem: for any adaptive analyst, neighbours and t, the privacy loss of the first t answers is
    at most ε₁ + … + εₜ. Nothing is lost against a filter.
    Proof: given the earlier answers, each factor of the likelihood ratio is at most e^εᵢ.

    Example:
        >>> PureOdometer().record(PureDP(epsilon="0.1")).record(PureDP(epsilon="0.2")).spent
        PureDP(epsilon='0.3')
    """

    spent: PureDP = field(default=PureDP(epsilon=0), init=False)

    def record(self, cost: Guarantee) -> "PureOdometer":
        """The odometer after one more release."""
        (amount,) = price(cost, self.spent)
        following = PureOdometer()
        keep(following, spent=PureDP(epsilon=self.spent.epsilon + amount))
        return following


@frozen(kw_only=True)
class ZCDPOdometer:
    r"""A bound on the privacy loss of everything so far, at all moments at once, save chance δ.

    Theorem: let Rₜ = ρ₁ + … + ρₜ for mechanisms that are ρᵢ-zCDP, chosen adaptively. For slopes
    a₀, a₁, … > 1 fixed in advance and weights wⱼ = 1/((j+1)(j+2)), which add up to 1,
    P(for some t the loss of the first t answers exceeds minⱼ aⱼ·Rₜ + log(1/(wⱼδ))/(aⱼ−1)) ≤ δ.
    Proof: Σⱼ wⱼ·exp((aⱼ−1)(Lₜ − aⱼRₜ)) is a supermartingale that starts at 1; Ville's inequality.
    See docs/proofs/filters.md, "Odometers".

    aⱼ is the best slope for R = first·2**j. Against a filter that knows its ρ, two things are lost:
    about 1.5 % because R lies between two powers (for R ≥ first), and log(1/wⱼ), about
    2·log log(R/first), added to log(1/δ). Costs with a δ of their own are refused: the sum of
    adaptively chosen δ's has no such bound without a limit.

    Args:
        delta: the probability with which the bound may fail, ever; in (0, 1).
        first: the ρ from which on the bound is to be tight.

    References: RogersRothUllmanVadhan2016; WhitehouseRamdasRogersWu2023.

    Example:
        >>> odometer = ZCDPOdometer(delta="1e-6", first="0.01")
        >>> for _ in range(100):
        ...     odometer = odometer.record(PureDP(epsilon="0.1"))
        >>> odometer.spent, round(float(odometer.epsilon), 2)
        (ZCDP(rho='0.4995837495788'), 6.52)
    """

    delta: Number = checked(_check.positive_delta)
    first: Number = checked(_check.positive)
    rho: Fraction = field(default=Fraction(0), init=False)

    def record(self, cost: Guarantee) -> "ZCDPOdometer":
        """The odometer after one more release."""
        amount, own_delta = price(cost, self.spent)
        if own_delta:
            raise UnsupportedQuery(
                f"an odometer without a limit takes costs without delta; got {cost!r}. "
                "Use a PrivacyFilter, which bounds the sum of the deltas in advance."
            )
        following = ZCDPOdometer(delta=self.delta, first=self.first)
        keep(following, rho=self.rho + amount)
        return following

    @property
    def spent(self) -> ZCDP:
        """Σρ. If it was fixed in advance it is a guarantee; else `epsilon` is what is proved."""
        return ZCDP(rho=self.rho)

    @property
    def epsilon(self) -> Fraction:
        """What the privacy loss exceeds with probability at most δ, ever; rounded up."""
        enough = least_integer(lambda j: self.first * 2**j >= self.rho, 0)
        return min(self._line(j) for j in range(enough + 1))

    def _line(self, j: int) -> Fraction:
        slope = self._slope(j)
        reach = balls.enclosure(lambda: self._log_risk(j) / balls.ball(slope - 1))
        return slope * self.rho + Fraction(reach.upper)

    def _slope(self, j: int) -> Fraction:
        """1 + √(log(1/(wⱼδ))/(first·2**j)) on a grid: any number fixed in advance will do."""
        root = balls.floor(
            lambda: (self._log_risk(j) / balls.ball(self.first * 2**j)).sqrt() * _SLOPE_SCALE
        )
        return 1 + Fraction(root + 1, _SLOPE_SCALE)

    def _log_risk(self, j: int) -> arb:
        return balls.ball((j + 1) * (j + 2) / self.delta).log()
