"""Mechanisms that are there to be understood: name and shame, and the mean of bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Table
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import (
    Checked,
    Exact,
    inside,
    positive,
    probability,
    truth_value,
    whole,
)
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.privacy.loss import PrivacyLoss


@dataclass(frozen=True, kw_only=True, repr=False)
class NameAndShame(Mechanism[Sequence[Any], dict[int, Any]]):
    """Publishes each record in full with probability delta. It shows why delta must be small.

    Theorem: it is (0, delta)-DP where one record is replaced, and no smaller delta will do. Proof: with
    the same coins for both tables, the answers differ only if the replaced record is published; and
    "the old record is published" has chance delta for one table and 0 for the other.

    >>> NameAndShame(delta="1e-5").exposure(records=100_000)
    0.632122398233427...
    """

    delta: Checked[Exact, Fraction] = Checked(inside)

    @property
    def guarantee(self) -> ApproxDP:
        """(0, delta)-DP where one record is replaced."""
        return ApproxDP(epsilon=0, delta=self.delta)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """An infinite loss with chance delta for each of `distance` records, else none."""
        one = PrivacyLoss.worst_case(epsilon=0, delta=self.delta)
        return one.self_compose(whole(distance, "distance"))

    def exposure(self, *, records: int) -> Interval:
        """1 - (1 - delta)^records: the chance that somebody's record is published."""
        count = whole(records, "records", least=0)
        return balls.enclosure(lambda: 1 - balls.ball(1 - self.delta) ** count)

    def _answer(self, value: Sequence[Any], source: Source) -> dict[int, Any]:
        if not hasattr(value, "__len__"):
            raise InvalidInput("The secret is no list. Give one entry for each record.")
        records = list(value)
        coin = Table(lambda _, bits: int(self.delta * (1 << bits)), 2)
        shamed = np.flatnonzero(coin.sample(len(records), source)).tolist()
        return {place: records[place] for place in shamed}


@dataclass(frozen=True)
class MeanError:
    """The mean squared error of a noisy mean of bits, in parts.

    Attributes:
        sampling: what a finite sample costs; it would remain without privacy.
        privacy: what the noise costs.
        saved: what clipping to 0 .. 1 gives back.
        total: sampling + privacy - saved.
    """

    sampling: Interval
    privacy: Interval
    saved: Interval
    total: Interval


def mean_error(
    *, frequency: Exact, records: int, epsilon: Exact, clipped: bool = False
) -> MeanError:
    """The error of (number of ones + Laplace noise of scale 1/epsilon) / n, clipped to 0 .. 1 or not.

    The bits are independent and 1 with probability p. With b = e^-epsilon, v = 2/epsilon^2,
    a = 1/epsilon and q = 1 - p, clipping saves
    (v/2 + n*p*a) * (q + p*b)^n + (v/2 + n*q*a) * (p + q*b)^n over n^2, for Laplace noise has no
    memory: the part that overshoots an end has the law of the noise itself. The answer is
    epsilon-DP either way.

    >>> error = mean_error(frequency="0.3", records=10, epsilon="0.1", clipped=True)
    >>> round(float(error.privacy), 3), round(float(error.total), 4)
    (2.0, 0.1947)
    """
    p, n = probability(frequency, "frequency"), whole(records, "records")
    amount, cuts = positive(epsilon, "epsilon"), truth_value(clipped, "clipped")
    sampling, privacy = p * (1 - p) / n, 2 / (amount * n) ** 2

    def saved() -> arb:
        if not cuts:
            return arb(0)
        fall, total = (-balls.ball(amount)).exp(), arb(0)
        for share in (p, 1 - p):
            reached = (balls.ball(1 - share) + balls.ball(share) * fall) ** n
            total += balls.ball((1 / amount + n * share) / amount) * reached
        return total / n**2

    return MeanError(
        Interval.exactly(sampling),
        Interval.exactly(privacy),
        balls.enclosure(saved),
        balls.enclosure(lambda: balls.ball(sampling + privacy) - saved()),
    )
