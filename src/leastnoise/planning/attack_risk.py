"""`attack_risk`: what a promise means for someone who is being looked for, in percentages."""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import PrivacyCurve, at_least_zero, at_most_one
from leastnoise.privacy.guarantee import RDP, Guarantee, PureDP
from leastnoise.privacy.to_approx import curve_of

_MOST_DIGITS = 12  # nearer to 100 % than that is shown as 100 %
_LEVELS = [Fraction(n, 8) for n in range(97)]  # ε = 0, 1/8, …, 12; the best bound of these is taken


@dataclass(frozen=True, repr=False)
class AttackRisk:
    r"""How well anyone can tell two neighbouring data sets apart by what was released.

    The attacker knows the mechanism, everything about everyone else, and has all the time in the
    world. Every number is an upper bound; the upper end of a bracket is the sound one.

    Attributes:
        promise: the guarantee.

    Example:
        >>> from leastnoise.privacy import PureDP
        >>> print(attack_risk(PureDP(epsilon=1)))
        Someone who thinks it as likely as not that a given person is in the data, and sees all that
        was released, can become at most 73.2 % sure. An attacker who accepts 1 % false alarms
        catches at most 2.72 % of those who are in the data.
    """

    promise: Guarantee
    curve: PrivacyCurve

    def caught(self, false_alarm: Exact) -> Interval:
        r"""The most detections of any test with at most this rate of false alarms.

        Theorem: if a mechanism is (ε, δ)-DP then every test with P_FA ≤ x detects with probability
        at most min(1, e^ε·x + δ, 1 − e^−ε·(1 − δ − x)).
        Proof: the definition on the event "accuse", and on "acquit" with the neighbours swapped.
        Each pair (ε, δ) of the promise's curve gives a bound; the best of several is taken.
        """
        alarm = _check.probability(false_alarm, "false_alarm")
        bounds = [_detections(level, leak, alarm) for level, leak in self._pairs]
        best = min(bounds, key=lambda bound: bound.upper)
        return at_most_one(at_least_zero(best))

    @cached_property
    def _pairs(self) -> list[tuple[Fraction, Fraction]]:
        """Some of the pairs (ε, δ) that the promise implies, its own among them."""
        own = getattr(self.promise, "epsilon", None)
        levels = _LEVELS if own is None else [*_LEVELS, own]
        return [(level, Fraction(self.curve.delta(level).upper)) for level in levels]

    def right(self, prior: Exact = Fraction(1, 2)) -> Interval:
        r"""How often the best guess whether a person is in the data is right.

        Theorem: if a person is in the data with probability p ≤ 1/2, a guess from the release is
        right with probability at most 1 − p + p·sup(y − x·(1 − p)/p) over all tests, x being their
        false alarms and y their detections; for p ≥ 1/2 the same with 1 − p for p.
        Proof: such a guess is right with probability (1 − p)(1 − x) + p·y.
        """
        chance = _check.probability(prior, "prior")
        rare = min(chance, 1 - chance)
        if not rare:
            return Interval.exactly(1)
        return Interval(1 - rare, 1 - rare + rare * self._leak((1 - rare) / rare))

    def _leak(self, odds: Fraction) -> Fraction:
        r"""An upper bound on y − odds·x over all tests with false alarms x and detections y.

        Every pair (ε, δ) of the curve gives one: the corner of its trade-off line, where
        y = 1 − x = (e^ε + δ)/(e^ε + 1), or its start, (0, δ).
        """
        bounds = [_advantage(level, leak, odds) for level, leak in self._pairs]
        return min(*bounds, Fraction(1))

    def sure(self, prior: Exact = Fraction(1, 2)) -> Interval | None:
        r"""How sure one can become that a person is in the data, whatever is released.

        Theorem: under ε-DP, for every prior p and every release, the posterior probability is at
        most p·e^ε/(1 − p + p·e^ε). With δ > 0 there may be unlucky releases that give more away,
        so there is no such bound, and the answer is None.
        Proof: Bayes' rule; the ratio of likelihoods is at most e^ε.
        """
        chance, level = _check.probability(prior, "prior"), _pure_level(self.promise)
        if level is None:
            return None

        def posterior() -> arb:
            yes = balls.ball(chance) * balls.ball(level).exp()
            return yes / (yes + balls.ball(1 - chance))

        return at_most_one(balls.enclosure(posterior))

    def words(
        self,
        *,
        suspicion: str = "a given person is in the data",
        right: str = "those who are in the data",
    ) -> tuple[str, str]:
        """Two plain sentences: what can be known, and how many could be caught."""
        caught = percent(self.caught(Fraction(1, 100)))
        return (
            f"Someone who thinks it as likely as not that {suspicion}, and sees all that was "
            f"released, {self._knowledge()}.",
            f"An attacker who accepts 1 % false alarms catches at most {caught} of {right}.",
        )

    def _knowledge(self) -> str:
        sure = self.sure()
        if sure is not None:
            return f"can become at most {percent(sure)} sure"
        return f"guesses right with a probability of at most {percent(self.right())}"

    def __str__(self) -> str:
        return " ".join(self.words())

    def __repr__(self) -> str:
        return f"AttackRisk({self.promise!r})"


def attack_risk(promise: Guarantee) -> AttackRisk:
    """What a promise means, in percentages.

    Args:
        promise: a guarantee, such as `PureDP(epsilon=1)`.

    Example:
        >>> from leastnoise.privacy import ApproxDP
        >>> risk = attack_risk(ApproxDP(epsilon=1, delta="1e-8"))
        >>> round(float(risk.caught("0.01")), 4)  # with 1 % false alarms
        0.0272
    """
    return AttackRisk(promise, curve_of(promise))


def _detections(level: Fraction, leak: Fraction, alarm: Fraction) -> Interval:
    if not level:
        return Interval.exactly(alarm + leak)

    def least() -> arb:
        up, leaked = balls.ball(level).exp(), balls.ball(leak)
        accuse = up * balls.ball(alarm) + leaked
        return accuse.min(1 - (1 - leaked - balls.ball(alarm)) / up)

    return balls.enclosure(least)


def _advantage(level: Fraction, leak: Fraction, odds: Fraction) -> Fraction:
    if not level:
        return leak
    top = balls.enclosure(lambda: balls.ball(level).exp() / (1 + balls.ball(level).exp())).upper
    corner = Fraction(top) + (1 - Fraction(top)) * leak
    return max(leak, corner - odds * (1 - corner))


def _pure_level(promise: Guarantee) -> Fraction | None:
    """The ε of a promise without δ."""
    if isinstance(promise, PureDP) or (isinstance(promise, RDP) and promise.order == math.inf):
        return promise.epsilon
    if getattr(promise, "delta", 1) == 0 and hasattr(promise, "epsilon"):
        return promise.epsilon
    return None


def percent(value: Interval) -> str:
    """The sound, upper end of a probability as a percentage, rounded up to three digits.

    Example:
        >>> percent(Interval.exactly(Fraction(2, 3))), percent(Interval.exactly(1))
        ('66.7 %', '100 %')
    """
    exact = Fraction(value.upper) * 100
    for digits in range(3, _MOST_DIGITS):
        context = Context(prec=digits, rounding=ROUND_CEILING)
        rounded = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
        if rounded < 100:
            return f"{rounded.normalize():f} %"
    return "100 %"
