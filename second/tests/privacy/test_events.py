"""Events of dp-accounting, as its classes and as mappings, priced or refused with a reason."""

import pytest
from dp_accounting import dp_event as dp

from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.loss import PrivacyLoss


def test_a_training_run() -> None:
    step = dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0))
    found = PrivacyLoss.from_events(dp.SelfComposedDpEvent(step, 1000))
    assert found == PrivacyLoss.gaussian(mu=1).poisson_sampled("0.01").self_compose(1000)


def test_mappings_say_the_same() -> None:
    event = {"event": "SelfComposed", "count": 5, "of": {"event": "Laplace", "noise_multiplier": 2}}
    assert PrivacyLoss.from_events(event) == PrivacyLoss.laplace(epsilon="0.5").self_compose(5)


def test_a_replaced_record_moves_twice_as_far() -> None:
    event = dp.GaussianDpEvent(2.0)
    assert PrivacyLoss.from_events(event, neighbours="replace") == PrivacyLoss.gaussian(mu=1)
    assert PrivacyLoss.from_events(event) == PrivacyLoss.gaussian(mu="0.5")


@pytest.mark.parametrize(
    ("event", "loss"),
    [
        (dp.NoOpDpEvent(), PrivacyLoss(())),
        ({"event": "EpsilonDelta", "epsilon": 1.0, "delta": 0.1}, PrivacyLoss.worst_case(epsilon=1, delta="0.1")),
        (dp.ComposedDpEvent([dp.GaussianDpEvent(1.0), dp.LaplaceDpEvent(1.0)]),
         PrivacyLoss.gaussian(mu=1).compose(PrivacyLoss.laplace(epsilon=1))),
        (dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 0), PrivacyLoss(())),
        ({"event": "PermuteAndFlip", "epsilon": 1}, PrivacyLoss.laplace(epsilon=1)),
        (dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0], [0.9, 0.1]),
         PrivacyLoss.gaussian(mu="0.5").poisson_sampled("0.1")),
    ],
)  # fmt: skip
def test_prices(event: object, loss: PrivacyLoss) -> None:
    assert PrivacyLoss.from_events(event) == loss


def test_randomized_response_is_about_a_replaced_record() -> None:
    event = {"event": "RandomizedResponse", "noise_parameter": "0.5", "num_buckets": 2}
    found = PrivacyLoss.from_events(event, neighbours="replace")
    assert float(found.delta(0)) == pytest.approx(0.5)
    with pytest.raises(InvalidInput, match="replace"):
        PrivacyLoss.from_events(event)


def test_the_non_private_event_tells_all() -> None:
    assert float(PrivacyLoss.from_events(dp.NonPrivateDpEvent()).delta(5)) == 1


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (dp.ZCDpEvent(1.0), "no law of a loss"),
        (dp.SampledWithReplacementDpEvent(10, 2, dp.GaussianDpEvent(1.0)), "drawn twice"),
        (dp.ComposedDpEvent([dp.GaussianDpEvent(1.0), dp.ZCDpEvent(1.0)]), "number 1 of the event"),
        ({"noise": 1}, "no name"),
        ({"event": "Gaussian"}, "no noise_multiplier"),
        ({"event": "Strange"}, "not known"),
    ],
)
def test_refusals_say_where_and_why(event: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        PrivacyLoss.from_events(event)
