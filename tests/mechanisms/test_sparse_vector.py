import copy
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy.stats import chi2

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import (
    HonestMachine,
    SparseVector,
    ThresholdNoise,
    ThresholdQuestion,
    sparse_vector,
)
from leastnoise.noise import (
    Canonical,
    DiscreteGaussian,
    DiscreteLaplace,
    MedianOfUniforms,
    Staircase,
    TableLaw,
    Uniform,
)
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import ZCDP, PureDP
from tests.mechanisms.scripted_noise import Play, player
from tests.scripted import NoEntropy

SECRET = 987654321
SILENT = TableLaw({0: 1})
"""No noise at all; priced at infinity, so it can be given to an object only by the back door."""


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    return player(monkeypatch)


def made(**changes: Any) -> SparseVector:
    settings: dict[str, Any] = {
        "threshold": 10,
        "epsilon": 1,
        "sensitivity": 1,
        "positives": 2,
        "answers": DiscreteLaplace(scale=2),
    }
    return sparse_vector(**{**settings, **changes})


def silent(**changes: Any) -> SparseVector:
    vector = made(**changes)
    vector._answers = SILENT
    return vector


# What it answers with given noise


def test_near_guesses_are_kept_and_far_ones_replaced(play: Play) -> None:
    play([1], [0] * 9)
    vector = silent(positives=3)
    asked = [(10, 0), (11, 0), (3, 4), (-11, 0), (100, 95), (100, 111)]
    assert [vector.ask(value, guess) for value, guess in asked] == [0, 11, 4, -11, 95, 100]
    assert vector.is_spent


def test_after_the_last_positive_only_guesses_and_no_more_noise(play: Play) -> None:
    play([0], [0, 0])
    vector = silent(positives=2)
    assert [vector.ask(50), vector.ask(-50)] == [50, -50]
    vector._source = NoEntropy()
    assert [vector.ask(50), vector.ask(50, 7), vector.ask(50, Fraction(3))] == [0, 7, 3]
    assert vector.ask_all([50, 60], [1, 2]).tolist() == [1, 2]
    assert vector.positives_left == 0


def test_the_noise_of_the_answers_is_added(play: Play) -> None:
    play([0], [0] * 5)
    vector = made(positives=4)
    vector._answers = TableLaw({3: 1})
    assert [vector.ask(50), vector.ask(-50, 1)] == [53, -47]
    assert vector.ask_all([60, 1, -60]).tolist() == [63, 0, -57]


def test_one_sided_distances(play: Play) -> None:
    play([0], [0] * 4)
    vector = silent(two_sided=False, monotone=True)
    assert [vector.ask(value) for value in (-100, 9, 10, 12)] == [0, 0, 10, 12]
    play([0], [0] * 4)
    vector = silent(two_sided=False)
    assert vector.ask_all([-100, 9, 10, 12]).tolist() == [0, 0, 10, 12]


@pytest.mark.parametrize("positives", [1, 2, 5])
def test_asking_all_is_asking_each(play: Play, positives: int) -> None:
    values, guesses = [3, 20, -4, -30, 7, 12, 0, 99], [0, 0, 5, -29, 30, 0, 0, 1]
    draws = [0, 1, 0, 4, 0, 2, 1, 0]
    play([2], draws)
    single = silent(positives=positives)
    each = [single.ask(value, guess) for value, guess in zip(values, guesses, strict=True)]
    play([2], draws)
    assert silent(positives=positives).ask_all(values, guesses).tolist() == each


def test_a_lattice(play: Play) -> None:
    play([0], [0] * 9)
    vector = silent(threshold="0.5", sensitivity="0.01", granularity="1/8", positives=9)
    assert [vector.ask(0.3), vector.ask(0.6), vector.ask(-0.5), vector.ask(2.06, "1.9")] == [
        0,
        0.625,
        -0.5,
        "1.9",
    ]
    assert vector.ask_all([0.3, 0.6, 2.06], [0, 0, 1.9]).tolist() == [0.0, 0.625, 1.9]


def test_answers_carry_fresh_noise_of_the_stated_law() -> None:
    """Far values: every answer is the value plus a draw of the law, all of them independent."""
    law, count = DiscreteLaplace(scale=2), 30_000
    for wrong, verdict in (
        (law, True),
        (DiscreteLaplace("1.8"), False),
        (DiscreteLaplace("2.2"), False),
    ):
        vector = made(positives=count, epsilon=1000, answers=law)
        drawn = np.asarray(vector.ask_all(np.full(count, 10**9)), dtype=np.int64) - 10**9
        cells = range(-8, 9)
        expected = np.array([float(wrong.pmf(k)) for k in cells] + [0.0])
        expected[-1] = 1 - expected.sum()
        observed = np.array([np.sum(drawn == k) for k in cells] + [np.sum(np.abs(drawn) > 8)])
        statistic = ((observed - count * expected) ** 2 / (count * expected)).sum()
        assert bool(chi2.sf(statistic, len(expected) - 1) > 1e-6) is verdict
        assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.04


# Price


def test_pure_noise_adds_up() -> None:
    assert made().guarantee == PureDP(epsilon=2)
    assert made(answers=Staircase(sensitivity=1, epsilon="0.25", width=1)).guarantee == PureDP(
        epsilon="1.5"
    )
    assert made(sensitivity=3, positives=4).guarantee == PureDP(epsilon=7)
    loss = made().privacy()
    assert loss.delta(2).upper == 0
    assert loss.delta("1.9").lower > 0


def test_restarts_cost_each(play: Play) -> None:
    vector = made(positives=3, restart=True)
    assert vector.guarantee == PureDP(epsilon="4.5")
    gaussian = made(positives=3, restart=True, answers=DiscreteGaussian(variance=8))
    assert isinstance(gaussian.guarantee, ZCDP)
    assert gaussian.guarantee.rho == 3 * ThresholdNoise(
        epsilon=1, sensitivity=1
    ).concentrated.rho + Fraction(3, 16)
    assert vector.privacy().delta("4.5").upper == 0
    play([1, 0, 2], [0] * 9)
    again = silent(positives=3, restart=True)
    assert [again.ask(value) for value in (10, 11, 9, 10, 11, 12)] == [0, 11, 0, 10, 0, 12]


def test_gaussian_noise_adds_up_as_zcdp() -> None:
    vector = made(answers=DiscreteGaussian(variance=8), sensitivity=2, positives=3)
    guarantee = vector.guarantee
    assert isinstance(guarantee, ZCDP)
    tests = 1 - math.exp(-0.5)  # two steps of rate 1/2: docs/proofs/paths.md, section 4
    assert float(guarantee.rho) == pytest.approx(tests + 0.75, rel=1e-13)
    loss = vector.privacy()
    assert loss.renyi(2).upper <= 2 * guarantee.rho
    assert loss.for_group(2).renyi(2) == vector.privacy(2).renyi(2)


@pytest.mark.parametrize(
    "law",
    [
        Canonical(epsilon=1, delta="1e-6"),
        MedianOfUniforms(order=3, radius=40),
        Uniform(sensitivity=1, delta="0.1"),
        SILENT,
    ],
    ids=repr,
)
def test_laws_that_leak_are_refused(law: Any) -> None:
    with pytest.raises(InvalidParameter, match="answers"):
        made(answers=law, source=NoEntropy())


def numeric_law(
    noise: ThresholdNoise, law: dict[int, arb], values: list[int], threshold: int
) -> dict[tuple[object, ...], arb]:
    """Transcripts of tests on |value|, each "above" followed by value + a draw of the law."""
    found: dict[tuple[object, ...], arb] = {}
    tests = HonestMachine(noise, threshold).law([abs(value) for value in values])
    for transcript, chance in tests.chances.items():
        rows: list[tuple[tuple[object, ...], arb]] = [((), chance)]
        for value, (above, _) in zip(values, transcript, strict=False):
            told = [(value + x, p) for x, p in law.items()] if above else [("guess", arb(1))]
            rows = [((*row, answer), c * p) for row, c in rows for answer, p in told]
        for row, c in rows:
            found[row] = found.get(row, arb(0)) + c
    return found


def test_the_price_holds_for_every_transcript() -> None:
    """Exact probabilities of tests and noisy answers together, for neighbours that differ."""
    noise = ThresholdNoise(epsilon=2, sensitivity=1, threshold_share="0.4")
    answers = DiscreteLaplace(scale=1)
    with balls.precision(192):
        reach = range(-40, 41)
        weights = {x: (-balls.ball(abs(x))).exp() for x in reach}
        total = sum(weights.values(), arb(0))
        law = {x: weight / total for x, weight in weights.items()}
        worst = 0.0
        for one, other in (([1, 0], [2, -1]), ([-2, 1], [-1, 0]), ([0, -1], [1, 0])):
            p = numeric_law(noise, law, one, threshold=0)
            q = numeric_law(noise, law, other, threshold=0)
            inside = [x for x in p if x in q]
            worst = max(worst, *(abs(float((p[x] / q[x]).log())) for x in inside))
    promised = made(epsilon=2, positives=1, answers=answers).guarantee
    assert promised == PureDP(epsilon=3)
    assert 2.5 < worst <= 3 + 1e-12


def test_accuracy_is_that_of_the_tests() -> None:
    vector = made(positives=1, queries=1000)
    assert int(vector.accuracy(queries=1000, confidence="0.95").gap) == 39


def test_parameters_cannot_be_changed_afterwards() -> None:
    vector = made()
    for name in ("answers", "noise", "question", "guarantee", "two_sided", "another"):
        with pytest.raises(AttributeError):
            setattr(vector, name, None)


def test_noise_for_another_sensitivity_is_refused() -> None:
    question = ThresholdQuestion(threshold=0, sensitivity=2)
    noise = ThresholdNoise(epsilon=1, sensitivity=1)
    with pytest.raises(InvalidParameter, match="1 steps where 2"):
        SparseVector(question, noise, DiscreteLaplace(scale=2), source=NoEntropy())


# Only in one place, and never shown


def test_copies_are_refused() -> None:
    vector = made()
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="SparseVector cannot be copied"):
            duplicate(vector)
    assert "threshold=10" in repr(vector)


def refused(ask: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        ask()
    error: BaseException | None = caught.value
    while error is not None:
        assert str(SECRET) not in f"{error!r} {error}"
        error = error.__cause__
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("bad", [SECRET / 2, math.nan, str(SECRET), None, [SECRET], True], ids=repr)
def test_bad_values_are_refused_and_never_shown(bad: Any) -> None:
    vector = made()
    vector._source = vector._gate._source = NoEntropy()
    refused(lambda: vector.ask(bad))
    refused(lambda: vector.ask_all([bad]))
    assert vector.positives_left == 2


@pytest.mark.parametrize("bad", ["0.5", 0.5, math.nan, None, "x"], ids=repr)
def test_bad_hypotheses_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidParameter, match="hypothesis"):
        made().ask(SECRET, bad)
    with pytest.raises(InvalidParameter):
        made().ask_all([SECRET, SECRET], bad)


def test_hypotheses_are_as_many_as_values() -> None:
    with pytest.raises(InvalidParameter, match="hypotheses"):
        made().ask_all([1, 2, 3], [0, 0])


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"positives": 0}, "positives"),
        ({"epsilon": 0}, "epsilon"),
        ({"sensitivity": 0}, "sensitivity"),
        ({"answers": 3}, "answers"),
        ({"answers": None}, "answers"),
        ({"two_sided": 1}, "two_sided"),
        ({"monotone": True}, "monotone"),
        ({"granularity": -1}, "granularity"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(changes: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidParameter, match=f"`{name}`"):
        made(source=NoEntropy(), **changes)
