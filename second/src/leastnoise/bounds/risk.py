"""How small delta must be, and what a promise means for somebody who is looked for.

Proof page: docs/proofs/fingerprints.md, section 5.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from leastnoise.bounds.question import rounded
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, inside, probability, whole
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.conversion import convert
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss

_DELTAS = [Fraction(1, 2**bits) for bits in range(1, 41)]  # at which a promise of zCDP is read


def suggest_delta(*, records: int, exposure: Exact = "1e-6") -> Fraction:
    """The largest power of ten with records*delta <= exposure.

    Theorem: an (epsilon, delta)-DP mechanism shows something about any of n records that it could not
    show without that record with a chance of at most n*delta. `NameAndShame` comes within (n*delta)^2/2
    of that. The rule n^-1.1 allows a chance of 0.27 for 100,000 records.

    Args:
        records: how many are protected.
        exposure: how often anybody at all may be exposed.

    >>> suggest_delta(records=100_000)
    Fraction(1, 100000000000)
    """
    people, accepted = whole(records, "records"), inside(exposure, "exposure")
    return Fraction(1, 10 ** least_integer(lambda digits: people <= accepted * 10**digits, 1))


@dataclass(frozen=True, repr=False)
class AttackRisk:
    """How well anybody can tell whether one unit is in the data; print it.

    The attacker knows the mechanism and everything about everybody else. Every answer is a bound: its
    upper end holds for all mechanisms that keep the promise.
    """

    losses: tuple[PrivacyLoss, ...]

    def caught(self, false_alarm: Exact) -> Interval:
        """How often a test with this chance of false alarms finds a unit that is in the data."""
        missed = [loss.tradeoff(false_alarm) for loss in self.losses]
        most = max((each.upper for each in missed), default=0)
        return Interval(1 - most, 1 - max((each.lower for each in missed), default=0))

    def right(self, prior: Exact = "0.5") -> Interval:
        """How often the best guess is right if a unit is in the data with the chance p.

        It is 1 - p + p*delta(log((1 - p)/p)) for p <= 1/2, and for others the same with 1 - p.
        """
        chance = probability(prior, "prior")
        rare = min(chance, 1 - chance)
        if not rare:
            return Interval.exactly(1)
        odds = balls.enclosure(lambda: balls.ball((1 - rare) / rare).log())
        low = min((loss.delta(odds.upper).lower for loss in self.losses), default=1)
        high = min((loss.delta(odds.lower).upper for loss in self.losses), default=1)
        return Interval(1 - rare + rare * low, 1 - rare + rare * high)

    def __repr__(self) -> str:
        found = (self.right(), self.caught("0.01"))
        right, caught = (rounded(100 * Fraction(each.upper), ROUND_CEILING) for each in found)
        return (
            "Whoever thinks it as likely as not that one unit is in the data guesses right\n"
            f"with a chance of at most {right} %. A test with 1 % of false alarms finds\n"
            f"at most {caught} % of those who are in the data."
        )


def attack_risk(promise: Guarantee | PrivacyLoss) -> AttackRisk:
    """What a promise means, in percentages.

    >>> attack_risk(PureDP(epsilon=1))
    Whoever thinks it as likely as not that one unit is in the data guesses right
    with a chance of at most 73.11 %. A test with 1 % of false alarms finds
    at most 2.719 % of those who are in the data.
    """
    match promise:
        case PrivacyLoss():
            return AttackRisk((promise,))
        case PureDP(epsilon=epsilon):
            return AttackRisk((PrivacyLoss.worst_case(epsilon=epsilon),))
        case ApproxDP(epsilon=epsilon, delta=delta):
            worst = (PrivacyLoss.worst_case(epsilon=epsilon, delta=delta),)
            return AttackRisk(worst if delta < 1 else ())
        case GDP(mu=mu):
            return AttackRisk((PrivacyLoss.gaussian(mu=mu),))
        case ZCDP():
            read = [attack_risk(convert(promise, ApproxDP, delta=delta)) for delta in _DELTAS]
            return AttackRisk(tuple(loss for each in read for loss in each.losses))
    raise InvalidInput(
        f"The promise is a {type(promise).__name__}. Give a guarantee or a PrivacyLoss."
    )
