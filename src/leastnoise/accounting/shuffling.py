"""`ShuffledBatches`: what is known of training on shuffled batches, no Poisson samples."""

import math
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import crossing
from leastnoise.numeric.normal_cdf import normal_cdf
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.sampling import Neighbours, known_neighbours

_MOST = 1 << 24  # of batches or epochs
_TRIALS = 400  # thresholds looked at
_REACH = 9.0  # standard deviations
_RELATIVE = Fraction(1, 10**6)  # of an epsilon that is a bound


@frozen
class ShuffledBatches:
    r"""Records put into random order once an epoch and cut into batches; noise on each batch's sum.

    Theorem: δ is at most that of one Gaussian release an epoch, as of a record whose batch is told;
    and for one epoch, any size of batches and any C, with B = Φ((C+1)/σ)^(T−1), at least
    1 − Φ((C−1)/σ)·B − e^ε·(1 − Φ(C/σ)·B). No law between them is known. For σ ≥ 1 they are far
    apart; for small σ they nearly meet, far above a Poisson sample of the same rate.

    Proof: docs/proofs/sampling.md, section 7.

    Args:
        noise: the noise multiplier, σ over the norm bound of one record.
        batches: T, how many batches an epoch has.
        epochs: how often all records are gone through, in a new order each time or not.
        neighbours: "zero_out", a record made to count for nothing, or "replace".

    References: ChuaGhaziKamathKumarManurangsiSinhaZhang2024, for the lower end.

    Example:
        >>> found = ShuffledBatches(noise="0.4", batches=1000).delta(epsilon=4)
        >>> round(float(found.lower), 4), round(float(found.upper), 4)
        (0.2415, 0.2438)
    """

    noise: Number = checked(_check.positive)
    batches: Whole = checked(_check.whole(1, _MOST))
    epochs: Whole = checked(_check.whole(1, _MOST), default=1)
    neighbours: Neighbours = "zero_out"

    def __post_init__(self) -> None:
        if known_neighbours(self.neighbours) == "add_remove":
            raise _check.refuse(
                "`neighbours` of shuffled batches must be 'zero_out' or 'replace'",
                "'add_remove'",
                "One record more or less would move all others to other batches.",
            )

    @property
    def told(self) -> PrivacyLoss:
        """The upper end: which batch holds the record is told, a Gaussian release an epoch."""
        twice = 2 if self.neighbours == "replace" else 1
        return PrivacyLoss.gaussian(mu=twice / self.noise).self_compose(self.epochs)

    def delta(self, epsilon: Exact) -> Interval:
        """Between what a test reaches and what is enough."""
        exact = _check.non_negative(epsilon, "epsilon")
        most = self.told.delta(exact).upper
        return Interval(min(self._reached(exact), most), most)

    def epsilon(self, delta: Exact) -> Interval:
        """The least epsilon for a delta, between both bounds."""
        exact = _check.positive_delta(delta)
        most = self.told.epsilon(exact).upper
        if self._reached(Fraction(0)) <= exact:
            return Interval(Fraction(0), most)
        low = crossing(self._reached, exact, Fraction(0), Fraction(most), relative=_RELATIVE)[0]
        return Interval(min(low, most), most)

    def _reached(self, epsilon: Fraction) -> Fraction:
        """What the best of some thresholds for the greatest batch tells, in one epoch."""
        sigma, others = float(self.noise), self.batches - 1
        rise = math.exp(min(float(epsilon), 700.0))

        def roughly(threshold: float) -> float:
            none = others * math.log(max(_below((threshold + 1) / sigma), 1e-300))
            with_record = -math.expm1(none + math.log(_below((threshold - 1) / sigma) or 1e-300))
            return with_record + rise * math.expm1(
                none + math.log(_below(threshold / sigma) or 1e-300)
            )

        places = [-1 + (2 + _REACH * sigma) * i / _TRIALS for i in range(_TRIALS + 1)]
        best = Fraction(max(places, key=roughly))
        found = balls.enclosure(lambda: self._told_by(best, epsilon))
        return max(Fraction(0), Fraction(found.lower))

    def _told_by(self, threshold: Fraction, epsilon: Fraction) -> arb:
        """P(some batch > C) − e^ε·Q(some batch > C)."""
        none = normal_cdf(balls.ball((threshold + 1) / self.noise)) ** (self.batches - 1)
        one = 1 - normal_cdf(balls.ball((threshold - 1) / self.noise)) * none
        other = 1 - normal_cdf(balls.ball(threshold / self.noise)) * none
        return one - balls.ball(epsilon).exp() * other


def _below(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2
