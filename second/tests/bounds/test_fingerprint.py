"""Tracing: no innocent is accused more often than stated, and those whose data leak are."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate

from leastnoise.bounds import FingerprintingCode, trace
from leastnoise.noise import Source
from leastnoise.numbers.errors import InvalidInput

CODE: Any = {"users": 3, "false_accusation": "0.01"}


class Seeded(Source):
    """The same bytes in every run."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = np.random.default_rng(seed)

    def _bytes(self, count: int) -> bytes:
        return self.generator.bytes(count)


# Known means


@pytest.mark.parametrize("risk", ["0.3", "0.05", "0.001"])
@pytest.mark.parametrize("values", [(0, 1), (-1, 1), (0, 50)])
def test_innocents_are_accused_at_most_so_often(risk: str, values: tuple[int, int]) -> None:
    """All 2^10 targets at once, by their exact chances, for answers that lean anywhere."""
    generator = np.random.default_rng(7)
    low, high = values
    bits = np.array(list(product((0, 1), repeat=10)))
    for _ in range(20):
        chances = generator.uniform(0.05, 0.95, 10)
        means = low + (high - low) * chances
        answers = means + (high - low) * generator.normal(0, 0.5, 10)
        found = trace(
            answers, means, low + (high - low) * bits, false_accusation=risk, values=values
        )
        weights = np.prod(np.where(bits == 1, chances, 1 - chances), axis=1)
        assert weights[found.accused].sum() <= float(risk)


def test_the_threshold_is_that_of_hoeffding() -> None:
    for values, factor in (((0, 1), 1), ((-1, 1), 2)):
        found = trace(
            [0.9, 0.1, 0.5], [0.5] * 3, [1, 0, 1], false_accusation="1e-30", values=values
        )
        known = factor * math.sqrt(0.32 * 30 * math.log(10) / 2)
        assert known < found.threshold == pytest.approx(known, rel=1e-9)
        assert found.scores == pytest.approx([0.4 * 0.5 + 0.4 * 0.5])
    tiny = trace([1.0], [0.5], [1], false_accusation="1e-390")  # no float
    assert tiny.threshold == pytest.approx(math.sqrt(0.25 * 390 * math.log(10) / 2))


def test_members_of_exact_means_are_found_and_private_ones_are_not() -> None:
    """The mean score of a member is the sum of variances over n: 2000/(4*20) = 25."""
    generator = np.random.default_rng(3)
    people, others = generator.integers(0, 2, (20, 2000)), generator.integers(0, 2, (200, 2000))
    means = people.mean(axis=0)
    inside = trace(means, [0.5] * 2000, people, false_accusation="1e-6")
    assert inside.accused.all() and inside.scores.mean() == pytest.approx(25, rel=0.1)
    assert repr(inside) == "Trace(20 of 20 accused)"
    assert not trace(means, [0.5] * 2000, others, false_accusation="1e-6").accused.any()
    noisy = means + generator.laplace(0, 2000 / 20, 2000)  # epsilon 1
    assert trace(noisy, [0.5] * 2000, people, false_accusation="0.05").accused.sum() <= 4


# Tardos' code


@pytest.mark.parametrize(
    ("users", "risk", "rounds"), [(1, "0.5", 1), (3, "1e-6", 14), (20, "0.01", 5)]
)
def test_lengths_and_thresholds_are_those_of_the_paper(users: int, risk: str, rounds: int) -> None:
    code = FingerprintingCode(users=users, false_accusation=risk)
    assert math.exp(-rounds) <= float(risk) < math.exp(1 - rounds)
    assert (code.length, code.threshold) == (100 * users**2 * rounds, 20 * users * rounds)
    assert code.cutoff == Fraction(1, 300 * users)
    assert math.sin(float(code.angle)) ** 2 == pytest.approx(1 / (300 * users))


@pytest.mark.parametrize("users", [1, 2, 3, 10, 1000])
def test_an_innocent_score_is_rare_whatever_the_answer(users: int) -> None:
    """Markov's inequality for e^(a*S), a = 1/(10n), with the worst of a grid of biases and answers."""
    code = FingerprintingCode(users=users, false_accusation="0.01")
    edge, slope = float(code.cutoff), 1 / (10 * users)
    p = np.concatenate([np.geomspace(edge, 0.5, 400), 1 - np.geomspace(edge, 0.5, 400)])
    growth = [
        math.log(
            max(
                p * np.exp(slope * sign * np.sqrt((1 - p) / p))
                + (1 - p) * np.exp(-slope * sign * np.sqrt(p / (1 - p)))
            )
        )
        for sign in np.linspace(-1, 1, 21)
    ]
    assert code.length * max(growth) - slope * code.threshold <= math.log(0.01)


def test_scores_have_mean_zero_and_mean_square_one() -> None:
    code = FingerprintingCode(**CODE)
    for bias in ("1/900", "0.3", "0.5"):
        p = float(Fraction(bias))
        one, zero = float(code.score(1, bias)), float(code.score(0, bias))
        assert one == pytest.approx(math.sqrt((1 - p) / p))
        assert p * one + (1 - p) * zero == pytest.approx(0, abs=1e-12)
        assert p * one**2 + (1 - p) * zero**2 == pytest.approx(1)


def test_the_drawn_biases_and_words() -> None:
    """Kolmogorov-Smirnov and binomial limits at a false alarm of 1e-9, as the source is seeded: never."""
    drawn = FingerprintingCode(users=8, false_accusation="1e-5").draw(Seeded(1))
    code, biases = drawn.code, drawn.biases
    assert drawn.words.shape == (8, code.length)
    assert float(code.cutoff) <= biases.min() < biases.max() <= 1 - float(code.cutoff)
    assert (biases * 2**32 % 1 == 0).all()
    share = (np.arcsin(np.sqrt(biases)) - float(code.angle)) / (math.pi / 2 - 2 * float(code.angle))
    steps = np.arange(1, len(share) + 1) / len(share)
    assert np.abs(np.sort(share) - steps).max() < math.sqrt(math.log(2e9) / 2 / len(share))
    for row in drawn.words:  # sum of (bit - p)/sqrt(p(1 - p)) has variance d
        score = ((row - biases) / np.sqrt(biases * (1 - biases))).sum()
        assert abs(score) < 6.2 * math.sqrt(len(row))


def test_scores_are_the_sum_over_columns() -> None:
    drawn = FingerprintingCode(**CODE).draw(Seeded(2))
    answer = np.random.default_rng(4).uniform(0, 1, drawn.code.length)
    known = [
        sum(
            (2 * a - 1) * float(drawn.code.score(int(bit), Fraction(p)))
            for a, bit, p in zip(answer[:40], row[:40], drawn.biases[:40], strict=True)
        )
        for row in drawn.words
    ]
    answer[40:] = 0.5  # a column that leans nowhere counts nothing
    found = drawn.trace(answer)
    assert found.scores == pytest.approx(known)
    assert drawn.code.threshold < found.threshold < drawn.code.threshold + 1e-3


def majority(words: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(2 * words.sum(axis=0) > len(words))


@pytest.mark.parametrize("risk", ["0.3", "0.05"])
def test_users_whose_word_was_not_used_are_accused_at_most_so_often(risk: str) -> None:
    """300 draws. More than the stated share plus 6 standard errors would be a mistake."""
    code = FingerprintingCode(users=3, false_accusation=risk)
    source, wrong, scores = Seeded(5), 0, []
    for _ in range(300):
        drawn = code.draw(source)
        found = drawn.trace(majority(drawn.words[1:]))
        wrong += bool(found.accused[0])
        scores.append(found.scores[0] / math.sqrt(code.length))
    chance = float(risk)
    assert wrong <= 300 * chance + 6 * math.sqrt(300 * chance * (1 - chance))
    assert abs(np.mean(scores)) < 6.2 / math.sqrt(300) and 0.7 < np.std(scores) < 1.4


@pytest.mark.parametrize(
    "strategy",
    [
        majority,
        lambda words: words.any(axis=0),
        lambda words: words.all(axis=0),
        lambda words: words.mean(axis=0),
        lambda words: words[0],
    ],
)
def test_answers_that_follow_the_words_are_caught(strategy: Any) -> None:
    """An experiment: 20 of 20; the lower limit of the chance is then 0.025^(1/20)."""
    found = FingerprintingCode(**CODE).completeness(strategy, trials=20, source=Seeded(6))
    assert float(found.lower) == pytest.approx(0.025 ** (1 / 20)) and found.upper == 1


def test_noise_hides_the_words() -> None:
    code, generator = FingerprintingCode(**CODE), np.random.default_rng(8)
    found = code.completeness(
        lambda words: generator.uniform(0, 1, words.shape[1]), trials=20, source=Seeded(9)
    )
    assert found.lower == 0 and float(found.upper) == pytest.approx(1 - 0.025 ** (1 / 20))


def test_what_a_coalition_scores() -> None:
    """2/pi for each column and the whole coalition, as docs/proofs/fingerprints.md says."""
    drawn = FingerprintingCode(users=4, false_accusation="1e-9").draw(Seeded(10))
    together = drawn.trace(drawn.words.mean(axis=0)).scores.sum() / drawn.code.length
    majorities = drawn.trace(majority(drawn.words)).scores.sum() / drawn.code.length
    # Of the mean: (2*mean - 1)*sum(bit - p)/sqrt(p(1 - p)) has the mean 2*sqrt(p(1 - p)).
    by_hand = integrate.quad(lambda angle: 2 * math.sin(angle) * math.cos(angle), 0, math.pi / 2)[0]
    assert (
        together
        == pytest.approx(by_hand / (math.pi / 2), rel=0.05)
        == pytest.approx(2 / math.pi, rel=0.05)
    )
    assert majorities == pytest.approx(2 / math.pi, rel=0.05)


# Bad input


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"users": 0}, "users is 0"),
        ({"users": 1.5}, "users is 1.5"),
        ({"false_accusation": 0}, "false_accusation is 0. Give a number between 0 and 1"),
        ({"false_accusation": "nan"}, "finite number"),
    ],
)
def test_bad_codes(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        FingerprintingCode(**CODE | asked)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: FingerprintingCode(**CODE).completeness(None, trials=2),  # type: ignore[arg-type]
        lambda: FingerprintingCode(**CODE).completeness(lambda words: words[0], trials=10**12),
        lambda: FingerprintingCode(**CODE).score([1], "0.5"),  # type: ignore[arg-type]
        lambda: trace([0.5], [0.5], [1], false_accusation="0.1", values=None),  # type: ignore[arg-type]
    ],
)
def test_bad_questions(call: Callable[[], Any]) -> None:
    with pytest.raises(InvalidInput, match=r"Give|Write"):
        call()


class Secret:
    def __float__(self) -> float:
        raise TypeError("patient 4711")


@pytest.mark.parametrize(
    "target", [[[0.5, 4711]], [["x", 1]], [[math.nan, 1]], [[]], [[1, 1, 1]], [[Secret(), 1]], None]
)
def test_no_data_in_messages(target: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        trace([0.5, 0.5], [0.5, 0.5], target, false_accusation="0.1")
    assert "4711" not in str(refused.value) and "Give" in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_bad_answers() -> None:
    drawn = FingerprintingCode(users=1, false_accusation="0.5").draw()
    for answer in ([0.5] * 99, [1.5] * 100, [math.nan] * 100, [[0.5] * 100]):
        with pytest.raises(InvalidInput):
            drawn.trace(answer)
    for bit, bias in ((2, "0.5"), (1, "1/301"), (0, "0.9999")):
        with pytest.raises(InvalidInput, match="Bits are 0 and 1, biases from 1/300 on"):
            drawn.code.score(bit, bias)
    with pytest.raises(InvalidInput, match="Give fewer users"):
        FingerprintingCode(users=500, false_accusation="0.5").draw()
    with pytest.raises(InvalidInput, match="trials is 0"):
        drawn.code.completeness(majority, trials=0)
    with pytest.raises(InvalidInput, match="bias has no number"):
        trace([0.5], [2], [1], false_accusation="0.1")
