"""What mechanisms do where the usual way ends: they fall back on less, or refuse."""

from fractions import Fraction
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.adding.additive_noise import AdditiveNoise
from leastnoise.mechanisms.adding.additive_vector_noise import AdditiveVectorNoise
from leastnoise.mechanisms.adding.bernoulli_mean import BernoulliMean
from leastnoise.mechanisms.adding.joint_noise import JointNoise
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.adding.repeated_noise import RepeatedNoise
from leastnoise.mechanisms.partitions import keep_table as keep_tables
from leastnoise.mechanisms.partitions.coin_divergence import coins_keep
from leastnoise.mechanisms.partitions.concentrated_step import ConcentratedStep
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.secret_counts import secret_counts
from leastnoise.mechanisms.thresholds import single_use
from leastnoise.mechanisms.thresholds.above_threshold import above_threshold
from leastnoise.noise import DiscreteLaplace, NormLaplace, TableLaw
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP

# Prices


@pytest.mark.parametrize("changed", [1, 2])
def test_a_law_without_a_worst_shift_is_priced_by_what_it_proved(changed: int) -> None:
    law = TableLaw({0: 4, 1: 3, 2: 3, 3: 3, 4: 2})
    promise = ApproxDP(epsilon=1, delta="0.5")
    mechanism = AdditiveNoise(law, sensitivity=2, guarantee=promise)
    with pytest.raises(UnsupportedQuery, match="worst"):
        law.privacy(2 * changed)
    price = mechanism.privacy(changed)
    least = max(law.delta(1, distance=shift).upper for shift in range(1, 2 * changed + 1))
    assert price.delta(1).lower >= least
    assert price.delta(changed).upper >= promise.delta


def test_a_leak_alone_is_priced_as_a_leak() -> None:
    for step in (
        ApproximateStep(Fraction(0), Fraction(1, 10)),
        GaussianStep(Fraction(0), Fraction(1, 10)),
    ):
        loss = step.loss(2)
        assert loss.delta(0).lower <= Fraction(19, 100) <= loss.delta(5).upper
        assert loss.delta(5).upper < Fraction(191, 1000)


def test_laws_chosen_by_hand_claim_nothing() -> None:
    promise = PureDP(epsilon=2)
    cube = NormLaplace(2, 1, "linf")
    chosen: list[Any] = [
        AdditiveVectorNoise(cube, sensitivity=1, guarantee=promise),
        RepeatedNoise(DiscreteLaplace(scale=1), count=2, sensitivity=1, guarantee=promise),
        JointNoise(cube, sensitivity=1, guarantee=promise),
    ]
    assert [mechanism.certificate() for mechanism in chosen] == [None] * 3


# Steps of partition selection


def test_coins_too_alike_for_the_search_are_not_proved() -> None:
    """They keep the promise, by far; but no is always a safe answer."""
    half, hair = Fraction(1, 2), Fraction(1, 10**17)
    assert not coins_keep(half, half + hair, Fraction(1, 10**30))
    assert coins_keep(half, half + hair, Fraction(1, 10**6))


def test_chances_beyond_floats_take_the_gaussian_step() -> None:
    step = ConcentratedStep(Fraction(1, 100), Fraction(1, 2**2000))
    kept, bits = 1 << 1064, 2064  # a chance of 2^−1000
    assert step.after(kept, bits) == step.gaussian.after(kept, bits) > kept


def test_promises_below_the_resolution_of_floats_take_the_gaussian_step() -> None:
    step = ConcentratedStep(Fraction(1, 10**40), Fraction(1, 1000))
    bits = 64 + 10
    for kept in (part << 60 for part in range(1, 40)):  # floats err to either side
        assert step.after(kept, bits) == step.gaussian.after(kept, bits) > kept


def test_groups_that_would_have_to_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep_tables, "LONGEST", 10)
    step = ApproximateStep(Fraction(1, 10), Fraction(1, 1000))
    with pytest.raises(UnsupportedQuery, match="shown for sure"):
        keep_tables.keep_table(step)


# Data


class Unreadable:
    """Its error would quote the data."""

    def __array__(self, *_: object, **__: object) -> object:
        raise RuntimeError("secret 42")


def test_counts_that_cannot_be_read_are_refused_without_their_words() -> None:
    with pytest.raises(InvalidParameter) as refused:
        secret_counts(Unreadable())  # type: ignore[arg-type]
    assert "42" not in str(refused.value)
    assert refused.value.__suppress_context__


@pytest.mark.parametrize("value", [Fraction(2**63), -(2**70), [0.1, 1e300]])
def test_numbers_beyond_the_lattice_are_refused(value: Any) -> None:
    with pytest.raises(InvalidParameter, match="2\\^62 steps"):
        Lattice("0.3").places(value)


def test_a_switch_is_no_number() -> None:
    with pytest.raises(InvalidParameter, match="clipped"):
        BernoulliMean(epsilon=1, records=3, clipped=1)  # type: ignore[arg-type]


def test_what_a_child_does_first_closes_kept_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    monkeypatch.setattr(single_use, "_alive", WeakSet([search]))
    single_use._after_fork_in_child()
    with pytest.raises(UnsupportedQuery, match="process"):
        search.ask(3)


# Words


@pytest.mark.parametrize(
    ("promise", "choice"),
    [(PureDP(epsilon=1), "permute-and-flip"), (ZCDP(rho=1), "the exponential mechanism")],
)
def test_methods_for_quantiles_say_what_they_are(promise: PureDP | ZCDP, choice: str) -> None:
    task = QuantileTask(
        levels=["0.5"], cells=4, contribution=1, promise=promise, replace=False, grouped=False
    )
    assert str(ChosenQuantiles(task)) == f"a choice by {choice} for each of 1 quantiles"
    tree = CountedQuantiles(task, 2, 2)
    assert str(tree) == f"a tree of counts with 2 levels of 2 children each and {tree.law!r}"
    assert np.isfinite(float(tree.law.variance))
