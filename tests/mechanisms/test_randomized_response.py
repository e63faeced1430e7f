import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import RandomizedResponse, randomized_response
from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.randomness import Source
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import NoEntropy, ScriptedSource, script, words

TOP = 2**64 - 1
SECRET = 987654321

mechanisms = st.builds(
    RandomizedResponse,
    epsilon=st.fractions(Fraction(1, 1000), 20),
    categories=st.integers(2, 9),
)


# The law


@settings(deadline=None)
@given(mechanisms)
def test_output_laws_are_probabilities(mechanism: RandomizedResponse) -> None:
    for category in range(mechanism.categories):
        law = mechanism.output_law(category)
        assert set(law) == set(range(mechanism.categories))
        total = sum((chance.over for chance in law.values()), ExponentialSum.of(0))
        assert (total - mechanism.truth.under).sign() == 0


@settings(deadline=None)
@given(mechanisms)
def test_likelihood_ratios_are_exactly_the_odds_or_one(mechanism: RandomizedResponse) -> None:
    odds = ExponentialSum.exp(mechanism.epsilon)
    for a, b in product(range(mechanism.categories), repeat=2):
        one, other = mechanism.output_law(a), mechanism.output_law(b)
        for answer in range(mechanism.categories):
            ratio = odds if answer == a else ExponentialSum.of(1)
            back = odds if answer == b else ExponentialSum.of(1)
            assert (one[answer].over * back - other[answer].over * ratio).sign() == 0


def test_known_probabilities() -> None:
    assert float(RandomizedResponse(epsilon=1).truth.interval()) == pytest.approx(
        math.e / (math.e + 1), rel=1e-15
    )
    many = RandomizedResponse(epsilon="0.5", categories=11)
    assert float(many.lie.interval()) == pytest.approx(1 / (math.exp(0.5) + 10), rel=1e-15)
    assert float(many.expected_cost()) == pytest.approx(10 / (math.exp(0.5) + 10), rel=1e-15)


@settings(deadline=None, max_examples=30)
@given(mechanisms)
def test_loss_agrees_with_the_output_laws(mechanism: RandomizedResponse) -> None:
    loss = mechanism.privacy()
    one, other = mechanism.output_law(0), mechanism.output_law(1)
    for epsilon in (Fraction(0), mechanism.epsilon / 3, mechanism.epsilon):
        factor = ExponentialSum.exp(epsilon)
        leaks = [one[a].over - factor * other[a].over for a in one]
        expected = sum((x for x in leaks if x.sign() > 0), ExponentialSum.of(0))
        under = mechanism.truth.under
        delta = loss.delta(epsilon)
        assert (under * Fraction(delta.lower) - expected).sign() <= 0
        assert (under * Fraction(delta.upper) - expected).sign() >= 0
        assert delta.width < Fraction(1, 2**60)
    assert loss.delta(mechanism.epsilon).upper == 0
    assert mechanism.epsilon in loss.epsilon(0)
    assert mechanism.epsilon in loss.renyi(math.inf)


def test_hundredfold_binary_response() -> None:
    loss = RandomizedResponse(epsilon="0.1").privacy(distance=100)
    assert float(loss.epsilon("1e-6").upper) == pytest.approx(4.7746, abs=5e-5)


# The sampler


def answer_of(mechanism: RandomizedResponse, category: int, played: bytes) -> int:
    source = ScriptedSource(played)
    answer = mechanism.release(category, source).value
    assert source.left == 0
    return answer


@pytest.mark.parametrize("category", [0, 1])
def test_the_measure_of_binary_truth_is_exact(category: int) -> None:
    """Below the threshold the truth, above it the lie, and no further draw."""
    mechanism = RandomizedResponse(epsilon="0.7")
    threshold = mechanism.truth.floor(2**64)
    for word, told in [(0, category), (threshold - 1, category), (TOP, 1 - category)]:
        assert answer_of(mechanism, category, words(word)) == told
    assert answer_of(mechanism, category, words(threshold + 1)) == 1 - category
    deeper = mechanism.truth.floor(2**128) % 2**64
    assert answer_of(mechanism, category, words(threshold, deeper - 1)) == category
    assert answer_of(mechanism, category, words(threshold, deeper + 1)) == 1 - category


@pytest.mark.parametrize("category", range(4))
def test_lies_are_uniform_over_the_other_categories(category: int) -> None:
    """Enumerate the words of the second draw: three lies, equally many words each."""
    mechanism = RandomizedResponse(epsilon=1, categories=4)
    lies = [answer_of(mechanism, category, words(TOP) + script([word], 4)) for word in range(9)]
    assert sorted(lies) == sorted(3 * [x for x in range(4) if x != category])
    # The one 32-bit word of the incomplete last round is drawn again.
    assert answer_of(mechanism, category, words(TOP) + script([2**32 - 1, 0], 4)) == lies[0]


def test_lies_of_many_answers_fall_on_the_liars() -> None:
    mechanism = RandomizedResponse(epsilon=1, categories=4)
    source = ScriptedSource(words(TOP, 0, TOP) + script([0, 2], 4))
    assert mechanism.release([3, 3, 3], source).value.tolist() == [0, 3, 2]
    assert source.left == 0


@pytest.mark.parametrize("categories", [2, 5])
@pytest.mark.parametrize("category", [0, 1])
def test_samples_fit_and_wrong_scales_are_found(categories: int, category: int) -> None:
    drawn = (
        RandomizedResponse(epsilon=1, categories=categories)
        .release(np.full(1 << 18, category))
        .value
    )

    def law(epsilon: str) -> list[float]:
        told = RandomizedResponse(epsilon=epsilon, categories=categories).output_law(category)
        return [float(chance.interval()) for chance in told.values()]

    assert not rejects(drawn, law("1"))
    assert rejects(drawn, law("0.9"))
    assert rejects(drawn, law("1.1"))
    moved = np.roll(law("1"), 1)
    assert rejects(drawn, list(moved))


def test_answers_of_neighbouring_entries_are_independent() -> None:
    mechanism = RandomizedResponse(epsilon=1)
    drawn = mechanism.release(np.zeros(1 << 18, dtype=int)).value.reshape(-1, 2)
    truth = float(mechanism.truth.interval())
    law = [truth * truth, truth * (1 - truth), (1 - truth) * truth, (1 - truth) ** 2]
    assert not rejects(drawn[:, 0] * 2 + drawn[:, 1], law)
    assert rejects(drawn[:, 0] * 3, law)


def test_shapes_and_kinds() -> None:
    mechanism = RandomizedResponse(epsilon=1, categories=3)
    assert isinstance(mechanism.release(2).value, int)
    assert isinstance(mechanism.release(np.int8(2)).value, int)
    assert mechanism.release(np.zeros((2, 3), dtype=np.uint8)).value.shape == (2, 3)
    assert mechanism.release([]).value.shape == (0,)
    assert mechanism.release([True, False]).value.shape == (2,)


def test_the_widest_categories_do_not_overflow() -> None:
    mechanism = RandomizedResponse(epsilon=1, categories=2**62)
    answers = mechanism.release(np.full(1000, 2**62 - 1)).value
    assert answers.min() >= 0
    assert answers.max() < 2**62


# Refusals


@pytest.mark.parametrize(
    "bad",
    [
        SECRET,
        -SECRET,
        [0, SECRET],
        [0, -SECRET],
        [0.5, SECRET],
        float(SECRET),
        str(SECRET),
        [str(SECRET)],
        [0, None],
        [[0], [1, SECRET]],
        np.array([SECRET], dtype=np.uint64),
        np.array([2**64 - 1], dtype=np.uint64),
        [2**70, SECRET],
        {"a": SECRET},
        np.array([math.nan, SECRET]),
        np.array([0, SECRET], dtype=object),
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_bad_data_is_refused_and_never_shown(bad: object) -> None:
    mechanism = RandomizedResponse(epsilon=1, categories=3)
    with pytest.raises(InvalidParameter, match=r"integers in 0\.\.2;") as caught:
        mechanism.release(bad, NoEntropy())  # type: ignore[call-overload]
    error: BaseException | None = caught.value
    while error is not None:
        assert str(SECRET) not in f"{error!r} {error}"
        error = error.__cause__
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomizedResponse(epsilon=0),
        lambda: RandomizedResponse(epsilon=-1),
        lambda: RandomizedResponse(epsilon=math.nan),
        lambda: RandomizedResponse(epsilon=math.inf),
        lambda: RandomizedResponse(epsilon=1, categories=1),
        lambda: RandomizedResponse(epsilon=1, categories=2**62 + 1),
        lambda: RandomizedResponse(epsilon=1, categories=2.0),  # type: ignore[arg-type]
        lambda: RandomizedResponse(epsilon=1).output_law(2),
        lambda: RandomizedResponse(epsilon=1).squared_error(frequency="1.1", records=1),
        lambda: RandomizedResponse(epsilon=1).squared_error(frequency="0.1", records=0),
    ],
)
def test_bad_parameters_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter):
        make()


def test_constructor_function() -> None:
    made = randomized_response(epsilon="0.1", categories=7)
    assert made == RandomizedResponse(epsilon=Fraction(1, 10), categories=7)
    assert isinstance(made.release(3, Source()).value, int)


class _Talkative:
    """An object whose failure quotes what it holds."""

    def __array__(self, *_: object, **__: object) -> None:
        raise RuntimeError("the secret is 41")


def test_failures_of_foreign_objects_do_not_speak() -> None:
    with pytest.raises(InvalidParameter) as caught:
        RandomizedResponse(epsilon=1).release(_Talkative())  # type: ignore[call-overload]
    assert "41" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.masked_array([0, 1, 1], mask=[False, True, False])
    with pytest.raises(InvalidParameter, match="masked"):
        RandomizedResponse(epsilon=1).release(masked)
