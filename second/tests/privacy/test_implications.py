"""The bad-event recipe's converse (errata A1), and mechanisms that show it."""

from fractions import Fraction
from math import exp

import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.divergence import tail_bound
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss


def test_the_recipe_is_sufficient_and_not_necessary() -> None:
    """Errata A1: sigma = 1, epsilon = 1: delta .12694, P(Z > 1) = .30854, P(|Z| > 1) = .37534."""
    loss = PrivacyLoss.gaussian(mu=1)
    found = loss.delta(1), loss.tail(1), loss.tail(1, two_sided=True)
    assert [round(float(each), 5) for each in found] == [0.12694, 0.30854, 0.37534]


@pytest.mark.parametrize("two_sided", [False, True])
def test_the_converse_is_attained(two_sided: bool) -> None:
    """An outcome of loss exactly 2 uses up all of delta at epsilon = 1, in both directions."""
    delta = 0.01
    seen = delta / (1 - exp(-1))  # P of loss 2
    law = [(seen, seen * exp(-2)), (seen * exp(-2), seen), (1 - seen * (1 + exp(-2)),) * 2]
    assert sum(max(0, p - exp(1) * q) for p, q in law) == pytest.approx(delta)
    truth = seen + (seen * exp(-2) if two_sided else 0)
    promise = ApproxDP(epsilon=1, delta="0.01")
    assert float(tail_bound(promise, 2, two_sided=two_sided)) == pytest.approx(truth, rel=1e-12)


def test_the_ends_of_the_range() -> None:
    assert tail_bound(PureDP(epsilon=1), 1) == Interval.exactly(0)
    assert tail_bound(ApproxDP(epsilon=1, delta="0.9"), "1.1").upper == Fraction(1)
    with pytest.raises(InvalidInput, match="not above"):
        tail_bound(ApproxDP(epsilon=1, delta="1e-6"), 1)
