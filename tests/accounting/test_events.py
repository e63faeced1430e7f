"""DpEvents read in: each kind against the loss it stands for, and refusals by place and reason."""

import json
import math
from collections import namedtuple
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.accounting.events import loss_of_event
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteLaplace
from leastnoise.privacy.loss import PrivacyLoss

GAUSSIAN = {"event": "Gaussian", "noise_multiplier": "2"}
LAPLACE = {"event": "Laplace", "noise_multiplier": 4}


def priced(event: Any, neighbours: str = "add_remove") -> PrivacyLoss:
    return loss_of_event(event, neighbours=neighbours)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "neighbours", "loss"),
    [
        (GAUSSIAN, "add_remove", PrivacyLoss.gaussian(mu="1/2")),
        (GAUSSIAN, "zero_out", PrivacyLoss.gaussian(mu="1/2")),
        (GAUSSIAN, "replace", PrivacyLoss.gaussian(mu=1)),
        (LAPLACE, "add_remove", PrivacyLoss.laplace(epsilon="1/4")),
        (LAPLACE, "replace", PrivacyLoss.laplace(epsilon="1/2")),
        (
            {"event": "DiscreteLaplace", "noise_parameter": "1/10", "sensitivity": 2},
            "replace",
            DiscreteLaplace(scale=10).privacy(4),
        ),
        (
            {"event": "EpsilonDelta", "epsilon": "0.5", "delta": "1e-4"},
            "replace",
            PrivacyLoss.worst_case(epsilon="0.5", delta="1e-4"),
        ),
        (
            {"event": "PermuteAndFlip", "epsilon": 1},
            "replace",
            PrivacyLoss.laplace(epsilon=1),
        ),
        (
            {"event": "RandomizedResponse", "noise_parameter": "1/2", "num_buckets": 4},
            "replace",
            PrivacyLoss.of_laws({0: 5, 1: 1, 2: 2}, {0: 1, 1: 5, 2: 2}),
        ),
        (
            {"event": "Composed", "events": [GAUSSIAN, {"event": "NoOp"}, LAPLACE]},
            "add_remove",
            PrivacyLoss.gaussian(mu="1/2").compose(PrivacyLoss.laplace(epsilon="1/4")),
        ),
        (
            {"event": "SelfComposed", "count": 9, "of": GAUSSIAN},
            "add_remove",
            PrivacyLoss.gaussian(mu="3/2"),
        ),
        (
            {"event": "PoissonSampled", "sampling_probability": "0.1", "of": GAUSSIAN},
            "replace",
            PrivacyLoss.gaussian(mu="1/2").poisson_sampled("0.1", "replace"),
        ),
        (
            {
                "event": "SampledWithoutReplacement",
                "source_dataset_size": 10,
                "sample_size": 3,
                "of": LAPLACE,
            },
            "replace",
            PrivacyLoss.laplace(epsilon="1/2").sampled_without_replacement(10, 3),
        ),
        (
            {
                "event": "MixtureOfGaussians",
                "standard_deviation": 2,
                "sensitivities": [0, 1],
                "sampling_probs": ["0.9", "0.1"],
            },
            "add_remove",
            PrivacyLoss.gaussian(mu="1/2").poisson_sampled("0.1"),
        ),
        (
            {"event": "SingleEpochTreeAggregation", "noise_multiplier": 2, "step_counts": [3, 5]},
            "zero_out",
            PrivacyLoss.gaussian(mu=1),  # four levels
        ),
    ],
    ids=lambda value: value["event"] if isinstance(value, dict) else "",
)
def test_an_event_costs_what_its_loss_costs(
    event: dict[str, Any], neighbours: str, loss: PrivacyLoss
) -> None:
    found = priced(event, neighbours)
    for epsilon in ("0.1", "0.7"):
        assert found.delta(epsilon) == loss.delta(epsilon)
    assert priced(json.dumps(event), neighbours).delta("0.1") == loss.delta("0.1")


def test_both_directions_of_a_sample_are_kept() -> None:
    event = {"event": "PoissonSampled", "sampling_probability": "0.1", "of": GAUSSIAN}
    found, loss = priced(event), PrivacyLoss.gaussian(mu="1/2").poisson_sampled("0.1")
    assert (found.forward, found.backward) == (loss.forward, loss.backward)
    twice = priced({"event": "PoissonSampled", "sampling_probability": "0.5", "of": event})
    assert twice.delta("0.01").upper == pytest.approx(
        float(PrivacyLoss.gaussian(mu="1/2").poisson_sampled("0.05").delta("0.01")), rel=1e-9
    )


@pytest.mark.parametrize(
    ("event", "neighbours"),
    [
        ({"event": "NoOp"}, "add_remove"),
        ({"event": "Composed", "events": []}, "add_remove"),
        ({"event": "SelfComposed", "count": 0, "of": GAUSSIAN}, "add_remove"),
        ({"event": "PoissonSampled", "sampling_probability": 0, "of": GAUSSIAN}, "add_remove"),
        ({"event": "RandomizedResponse", "noise_parameter": 0, "num_buckets": 1}, "replace"),
    ],
    ids=["NoOp", "no events", "no times", "no sample", "one bucket"],
)
def test_what_tells_nothing_costs_nothing(event: dict[str, Any], neighbours: str) -> None:
    assert priced(event, neighbours).epsilon(0).upper == 0


@pytest.mark.parametrize("name", ["Gaussian", "Laplace", "NonPrivate"])
def test_no_noise_hides_nothing(name: str) -> None:
    event = {"event": "Composed", "events": [GAUSSIAN, {"event": name, "noise_multiplier": 0}]}
    assert priced(event).epsilon("0.1").upper == math.inf
    alone = priced({"event": name, "noise_multiplier": 0})
    assert alone.epsilon("0.1").lower == math.inf
    assert alone.delta(5).lower == 1


@pytest.mark.parametrize(
    ("event", "neighbours", "words"),
    [
        ({"event": "Unsupported"}, "add_remove", "says of itself"),
        ({"event": "ZCDpEvent", "rho": 1}, "add_remove", "no law of a loss"),
        ({"event": "RepeatAndSelect"}, "add_remove", "best of many"),
        ({"event": "TruncatedSubsampledGaussian"}, "add_remove", "no Poisson samples"),
        ({"event": "SampledWithReplacement"}, "replace", "more than once"),
        ({"event": "SampledWithoutReplacement"}, "add_remove", "neighbours='replace'"),
        ({"event": "RandomizedResponse"}, "zero_out", "without a record"),
        ({"event": "SingleEpochTreeAggregation"}, "add_remove", "zero_out"),
        ({"event": "MixtureOfGaussians"}, "replace", "there or not"),
        ({"event": "Shuffled"}, "add_remove", "not known. Known are NoOp"),
        (
            {"event": "Composed", "events": [GAUSSIAN, {"event": "Unsupported"}]},
            "add_remove",
            r"number 1 of the event \(Composed\)",
        ),
    ],
    ids=lambda value: str(value["event"]) if isinstance(value, dict) else "",
)
def test_what_has_no_price_is_refused_in_words(
    event: dict[str, Any], neighbours: str, words: str
) -> None:
    with pytest.raises(UnsupportedQuery, match=words):
        priced(event, neighbours)


def test_what_is_no_event_is_refused() -> None:
    for event, words in (
        ({"noise": 1}, "must have a name"),
        ({"event": "Gaussian"}, "'noise_multiplier'"),
        ({"event": "Composed", "events": "two"}, "list of events"),
        ("{", "JSON"),
        ({"event": "Gaussian", "noise_multiplier": -1}, "noise_multiplier"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            priced(event)
    with pytest.raises(InvalidParameter, match="neighbours"):
        priced(GAUSSIAN, "shuffle")
    deep: dict[str, Any] = GAUSSIAN
    for _ in range(64):
        deep = {"event": "SelfComposed", "count": 1, "of": deep}
    assert priced(deep).epsilon("1e-5") == priced(GAUSSIAN).epsilon("1e-5")
    with pytest.raises(InvalidParameter, match="deeper than 64"):
        priced({"event": "SelfComposed", "count": 1, "of": deep})


@dataclass
class GaussianDpEvent:
    noise_multiplier: float


def test_classes_and_named_tuples_are_known_by_name_and_fields() -> None:
    told = namedtuple("told", ["module_name", "class_name", "count", "event"])
    inner = namedtuple("inner", ["module_name", "class_name", "noise_multiplier"])
    loss = PrivacyLoss.gaussian(mu=1)
    assert priced(GaussianDpEvent(1.0)).delta(1) == loss.delta(1)
    event = told("any", b"SelfComposedDpEvent", 4, inner("any", "GaussianDpEvent", 2.0))
    assert priced(event).delta(1) == loss.delta(1)
    mapping = {
        "class_name": "SelfComposedDpEvent",
        "count": 4,
        "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2.0},
    }
    assert priced(mapping).delta(1) == loss.delta(1)


def test_events_of_the_other_package_and_its_own_answer() -> None:
    dp_event = pytest.importorskip("dp_accounting.dp_event")
    accountant = pytest.importorskip("dp_accounting.pld.pld_privacy_accountant")
    step = dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(2.0))
    event = dp_event.ComposedDpEvent(
        [dp_event.SelfComposedDpEvent(step, 20), dp_event.LaplaceDpEvent(5.0)]
    )
    theirs = accountant.PLDAccountant().compose(event).get_epsilon(1e-5)
    ours = priced(event).epsilon("1e-5")
    assert float(ours.lower) <= theirs + 1e-9
    assert float(ours.upper) == pytest.approx(theirs, rel=1e-2)
    assert priced(event.to_named_tuple()).epsilon("1e-5").upper == ours.upper
    assert ours.upper >= Fraction(theirs) * Fraction(98, 100)


@pytest.mark.parametrize(
    ("moves", "shares"), [([0, 1], [1, 1]), ([0, 1], [0, 0]), ([0, 1], [1]), (1, [1]), ([1], 1)]
)
def test_mixtures_that_are_none_are_refused(moves: object, shares: object) -> None:
    event = {"event": "MixtureOfGaussians", "standard_deviation": 1}
    with pytest.raises(UnsupportedQuery):
        loss_of_event(
            event | {"sensitivities": moves, "sampling_probs": shares}, neighbours="add_remove"
        )


def test_text_that_is_too_deep_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        loss_of_event("[" * 100_000, neighbours="add_remove")
