import copy
import math
import os
import pickle
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from leastnoise.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms import (
    AboveThreshold,
    HonestMachine,
    ThresholdNoise,
    ThresholdQuestion,
    above_threshold,
)
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import PureDP
from tests.mechanisms.scripted_noise import Play, geometric_chance, player
from tests.scripted import CountingSource, NoEntropy

SECRET = 987654321
FALSE_ALARM = 1e-6
GOOD: dict[str, Any] = {"threshold": 0, "epsilon": 1, "sensitivity": 1}


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    return player(monkeypatch)


# What it does with given noise


def test_above_means_value_plus_noise_reaches_threshold_plus_noise(play: Play) -> None:
    for rho, nu, value in product(range(4), range(4), range(7, 14)):
        play([rho], [nu])
        search = above_threshold(threshold=10, epsilon=1, sensitivity=1, gap=True)
        answer = search.ask(value)
        excess = value + nu - 10 - rho
        assert answer.above is bool(answer) is (excess >= 0)
        assert answer.gap == (excess if excess >= 0 else None)


def test_the_threshold_is_drawn_once_for_all_positives(play: Play) -> None:
    play([5], [0] * 6)
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, positives=3)
    assert [bool(search.ask(value)) for value in (4, 5, 4, 6, 4, 5)] == [
        False,
        True,
        False,
        True,
        False,
        True,
    ]
    assert search.is_spent


def test_with_restarts_the_threshold_is_drawn_anew_after_each_positive(play: Play) -> None:
    play([5, 0, 2], [0] * 7)
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, positives=3, restart=True)
    assert [bool(search.ask(value)) for value in (4, 5, -1, 0, 1, 0, 2)] == [
        False,
        True,
        False,
        True,
        False,
        False,
        True,
    ]
    assert search.is_spent


def test_no_gap_unless_asked_for(play: Play) -> None:
    play([0], [7])
    assert above_threshold(threshold=0, epsilon=1, sensitivity=1).ask(0).gap is None


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 4),
    st.lists(st.tuples(st.integers(-8, 3), st.integers(0, 6)), min_size=1, max_size=12),
    st.integers(1, 4),
    st.booleans(),
)
def test_asking_all_is_asking_each(
    rho: int, row: list[tuple[int, int]], positives: int, restart: bool
) -> None:
    values, draws = [value for value, _ in row], [nu for _, nu in row]
    rhos = [rho, rho // 2, 3, 0] if restart else [rho]
    with pytest.MonkeyPatch.context() as patch:
        play = player(patch)
        chosen: dict[str, Any] = {
            **GOOD,
            "positives": positives,
            "restart": restart,
            "gap": True,
        }
        play(rhos, draws)
        single = above_threshold(**chosen)
        answers = []
        for value in values:
            if single.is_spent:
                break
            answers.append(single.ask(value))
        play(rhos, draws)
        many = above_threshold(**chosen)
        together = many.ask_all(values)
    assert together.above.tolist() == [answer.above for answer in answers]
    assert list(together.gaps) == [answer.gap for answer in answers if answer.above]
    assert len(together) == len(answers)
    assert many.positives_left == single.positives_left


def test_a_long_row_is_asked_in_pieces(play: Play) -> None:
    count = (1 << 16) + 5
    play([0], [0] * (2 * count))
    values = np.full(2 * count, -1)
    values[[3, count, count + 9]] = 0
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, positives=3)
    answers = search.ask_all(values)
    assert len(answers) == count + 10
    assert np.flatnonzero(answers.above).tolist() == [3, count, count + 9]


def test_the_law_of_the_object_itself() -> None:
    """Run it on every draw of ρ and ν that matters, and add the chances up by transcript."""
    values, reach = [1, -1], 9
    noise = ThresholdNoise(epsilon=6, sensitivity=1, threshold_share="0.35")
    found: Counter[tuple[bool, ...]] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        play = player(patch)
        for rho, *nus in product(range(reach), repeat=3):
            play([rho], nus)
            search = above_threshold(threshold=0, epsilon=6, sensitivity=1, threshold_share="0.35")
            transcript = tuple(search.ask_all(values).above.tolist())
            chance = geometric_chance(noise.threshold_rate, rho)
            for nu in nus:
                chance *= geometric_chance(noise.query_rate, nu)
            found[transcript] += chance  # type: ignore[assignment]
    missing = 1 - sum(found.values())
    assert missing < 1e-6
    with balls.precision(128):
        law = HonestMachine(noise, 0).law(values)
    assert {tuple(above for above, _ in t) for t in law.chances} == set(found)
    for told, expected in law.chances.items():
        short = tuple(above for above, _ in told)
        assert found[short] <= float(expected) + 1e-15 <= found[short] + missing + 2e-15


# What it draws


def p_value(observed: Counter[Any], expected: dict[Any, float]) -> float:
    runs = sum(observed.values())
    statistic = sum(
        (observed[x] - runs * chance) ** 2 / (runs * chance) for x, chance in expected.items()
    )
    return float(chi2.sf(statistic, df=len(expected) - 1))


def transcript_chances(
    epsilon: str, values: list[int], gaps: int, *, restart: bool
) -> dict[Any, float]:
    noise = ThresholdNoise(
        epsilon=epsilon, sensitivity=1, positives=2, restart=restart, threshold_share="0.4"
    )
    with balls.precision(128):
        law = HonestMachine(noise, 0, gaps).law(values)
    pooled: Counter[Any] = Counter()
    for told, chance in law.chances.items():
        key = told if float(chance) > 4e-3 else "rare"
        pooled[key] += float(chance)  # type: ignore[assignment]
    return dict(pooled)


@pytest.mark.parametrize(("one_by_one", "restart"), [(True, False), (False, True)])
def test_answers_fit_and_wrong_scales_are_found(one_by_one: bool, restart: bool) -> None:
    values, gaps, runs = [-2, 1, 0], 4, 30_000
    observed: Counter[Any] = Counter()
    question = ThresholdQuestion(threshold=0, sensitivity=1)
    noise = ThresholdNoise(
        epsilon=2, sensitivity=1, positives=2, restart=restart, threshold_share="0.4"
    )
    for _ in range(runs):
        search = AboveThreshold(question, noise, gap=True)
        told: list[tuple[bool, object]] = []
        if one_by_one:
            for value in values:
                if search.is_spent:
                    break
                answer = search.ask(value)
                told.append((answer.above, answer.gap))
        else:
            answers = search.ask_all(values)
            each = iter(answers.gaps)
            told = [(bool(above), next(each) if above else None) for above in answers.above]
        observed[tuple((a, g if g is None or g < gaps else "more") for a, g in told)] += 1  # type: ignore[operator]

    def verdict(epsilon: str) -> float:
        expected = transcript_chances(epsilon, values, gaps, restart=restart)
        pooled: Counter[Any] = Counter()
        for told, count in observed.items():
            pooled[told if told in expected else "rare"] += count
        return p_value(pooled, expected)

    assert verdict("2") > FALSE_ALARM
    assert verdict("1.8") < FALSE_ALARM
    assert verdict("2.2") < FALSE_ALARM


def test_two_objects_draw_different_thresholds() -> None:
    searches = [
        above_threshold(threshold=0, epsilon="1e-9", sensitivity=1, gap=True) for _ in range(9)
    ]
    assert len({search.ask(10**15).gap for search in searches}) == 9


# Price


def test_price_is_known_at_once_and_never_changes() -> None:
    search = above_threshold(threshold=0, epsilon="0.5", sensitivity=2, positives=3)
    for _ in range(3):
        assert search.guarantee == PureDP(epsilon="0.5")
        assert Fraction(1, 2) in search.privacy().renyi(math.inf)
        assert search.privacy().delta("0.5").upper == 0
        assert search.ask(10**6)
    assert search.privacy(4).delta(2).upper == 0
    assert search.privacy(4).delta("1.99").lower > 0
    assert search.privacy().for_group(4).renyi(math.inf) == search.privacy(4).renyi(math.inf)


def test_restarts_are_priced_one_by_one() -> None:
    search = above_threshold(threshold=0, epsilon="0.1", sensitivity=1, positives=100, restart=True)
    assert search.guarantee == PureDP(epsilon=10)
    assert search.noise.query_rate == above_threshold(**{**GOOD, "epsilon": "0.1"}).noise.query_rate
    assert search.privacy().delta(10).upper == 0
    assert float(search.privacy().epsilon("1e-6").upper) == pytest.approx(4.7746, abs=5e-5)
    assert float(search.concentrated.rho) == pytest.approx(10 * math.tanh(0.05), rel=1e-12)
    assert search.privacy(2).renyi(math.inf).upper == 20
    once = above_threshold(threshold=0, epsilon="0.1", sensitivity=1, positives=100)
    assert once.concentrated.rho < search.concentrated.rho / 99


def test_spent_means_no_more_questions_and_no_more_noise() -> None:
    source = CountingSource()
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, source=source)
    assert search.positives_left == 1
    assert search.ask(10**6)
    drawn = source.given
    for again in (lambda: search.ask(10**6), lambda: search.ask_all([1, 2])):
        with pytest.raises(BudgetExceeded, match="positives=1") as caught:
            again()
        assert caught.value.requested == PureDP(epsilon=1)
    assert source.given == drawn
    assert search.is_spent
    assert search.positives_left == 0


def test_questions_below_are_free_without_end() -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    assert not search.ask_all(np.full(10**6, -200)).above.any()
    assert not search.is_spent
    assert search.ask(1000)


# Only in one place


def test_copies_and_pickles_are_refused() -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="AboveThreshold cannot be copied"):
            duplicate(search)


def test_a_forked_child_is_refused() -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:  # pragma: no cover - runs in the child
        try:
            search.ask(-5)
            told = b"answered"
        except UnsupportedQuery:
            told = b"refused"
        except BaseException:
            told = b"failed"
        os.write(writing, told)
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 20) == b"refused"
    os.close(reading)
    os.close(writing)
    assert not search.ask(-500)


def test_a_fork_that_python_did_not_see_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    elsewhere = os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: elsewhere)
    with pytest.raises(UnsupportedQuery, match="process"):
        search.ask_all([0])


def test_threads_take_turns() -> None:
    """Hundreds of threads with values far above: exactly `positives` of them are told so."""
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, positives=50)

    def ask(_: int) -> bool:
        try:
            return bool(search.ask(10**6))
        except BudgetExceeded:
            return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(400))) == 50


def test_nothing_shown_tells_the_noise(play: Play) -> None:
    play([123456], [0])
    search = above_threshold(threshold=10, epsilon=1, sensitivity=1)
    for text in (repr(search), str(search)):
        assert "123456" not in text
        assert "123466" not in text
    assert "threshold=10" in repr(search)
    public = {name for name in dir(search) if not name.startswith("_")}
    assert public == {
        "accuracy",
        "ask",
        "ask_all",
        "concentrated",
        "gap",
        "gap_margin",
        "guarantee",
        "is_spent",
        "noise",
        "positives_left",
        "privacy",
        "question",
    }


def test_parameters_cannot_be_changed_afterwards() -> None:
    search = above_threshold(**GOOD)
    for name in ("noise", "question", "gap", "positives_left", "another"):
        with pytest.raises(AttributeError):
            setattr(search, name, None)


# Lattices


def test_values_of_a_finer_kind_are_put_on_a_lattice(play: Play) -> None:
    play([0], [0] * 20)
    search = above_threshold(
        threshold="0.5", epsilon=1, sensitivity="0.3", granularity="0.25", positives=9, gap=True
    )
    assert search.noise.sensitivity == 2
    below = [0.3749, Fraction(3, 8) - Fraction(1, 10**30), np.float32(0.37), 0, -1, Decimal("0.3")]
    assert not any(search.ask(value) for value in below)  # type: ignore[arg-type]
    above = [0.375, Fraction(3, 8), np.float64(0.5), 1, Decimal("0.375")]
    answers = [search.ask(value) for value in above]  # type: ignore[arg-type]
    assert [answer.gap for answer in answers] == [0.0, 0.0, 0.0, 0.5, 0.0]
    together = search.ask_all([0.374, 0.375, 0.76])
    assert together.above.tolist() == [False, True, True]
    assert together.gaps == (0.0, 0.25)


@settings(deadline=None)
@given(
    st.floats(-1e6, 1e6),
    st.fractions(Fraction(1, 1000), 10, max_denominator=1000),
    st.fractions(Fraction(1, 1000), 10, max_denominator=1000),
    st.fractions(-1, 1),
)
def test_the_lattice_keeps_its_sensitivity(
    value: float, step: Fraction, sensitivity: Fraction, share: Fraction
) -> None:
    question = ThresholdQuestion(threshold=0, sensitivity=sensitivity, granularity=step)
    moved = Fraction(value) + share * sensitivity
    assert abs(question.place(value) - question.place(moved)) <= question.reach


def test_integers_of_any_size(play: Play) -> None:
    huge = 10**30
    for nu in (0, 5, 2**70):
        play([1], [nu] * 3)
        search = above_threshold(threshold=huge, epsilon=1, sensitivity=1, positives=3, gap=True)
        assert search.ask(huge + 1 - nu).gap == 0
        assert search.ask_all([huge + 1 - nu, huge + 2 - nu]).gaps == (0, 1)
    play([0], [2**62 - 1, 0])
    search = above_threshold(threshold=-5, epsilon=1, sensitivity=1, positives=3, gap=True)
    assert search.ask_all(np.array([2**62 - 1, -(2**62) + 1])).gaps == (2**63 + 3,)


def test_every_kind_of_integer_row(play: Play) -> None:
    rows: tuple[Any, ...] = (
        np.array([0, 1], dtype=np.int8),
        np.array([0, 1], dtype=np.uint64),
        [0, 1],
        (0, 1),
        np.array([0, 1], dtype=object),
        [np.int32(0), np.int64(1)],
    )
    for row in rows:
        play([1], [0, 0])
        search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
        assert search.ask_all(row).above.tolist() == [False, True]
    play([1], [])
    assert len(above_threshold(threshold=0, epsilon=1, sensitivity=1).ask_all([])) == 0


# Refusals


BAD_VALUES = [
    0.5,
    float(SECRET),
    math.nan,
    math.inf,
    str(SECRET),
    None,
    True,
    [SECRET],
    np.array([SECRET]),
    np.array([[SECRET]]),
    Fraction(SECRET, 2),
    Decimal(SECRET),
    1j * SECRET,
    {"a": SECRET},
    np.ma.masked,
]


def refused(ask: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter, match="value") as caught:
        ask()
    error: BaseException | None = caught.value
    while error is not None:
        assert str(SECRET) not in f"{error!r} {error}"
        error = error.__cause__
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("bad", BAD_VALUES, ids=lambda bad: type(bad).__name__)
def test_what_is_no_integer_is_refused_and_never_shown(bad: Any) -> None:
    search = AboveThreshold(
        ThresholdQuestion(threshold=0, sensitivity=1), ThresholdNoise(epsilon=1, sensitivity=1)
    )
    search._gate._source = NoEntropy()
    if not (isinstance(bad, np.ndarray) and bad.shape == (1,)):
        refused(lambda: search.ask(bad))
    if not (isinstance(bad, list) or (isinstance(bad, np.ndarray) and bad.ndim == 1)):
        refused(lambda: search.ask_all([bad]))
        refused(lambda: search.ask_all(bad))
    if not isinstance(bad, bool | np.ndarray | list):  # NumPy takes [0, True] for [0, 1]
        refused(lambda: search.ask_all([0, bad]))
    assert search.positives_left == 1


@pytest.mark.parametrize(
    "bad",
    [math.nan, math.inf, -math.inf, 1e300, str(SECRET), None, True, [1.5], np.array([[1.5]]), 1j],
    ids=repr,
)
def test_what_is_no_number_is_refused_on_a_lattice(bad: Any) -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, granularity="1/1024")
    search._gate._source = NoEntropy()
    refused(lambda: search.ask(bad))
    refused(lambda: search.ask_all([bad]))


class _Talkative:
    """An object whose failures quote what it holds."""

    def __array__(self, *_: object, **__: object) -> None:
        raise RuntimeError(f"the secret is {SECRET}")

    def __index__(self) -> int:
        raise RuntimeError(f"the secret is {SECRET}")


def test_failures_of_foreign_objects_do_not_speak() -> None:
    for granularity in (None, 1):
        search = above_threshold(threshold=0, epsilon=1, sensitivity=1, granularity=granularity)
        refused(lambda: search.ask(_Talkative()))  # noqa: B023
        refused(lambda: search.ask_all(_Talkative()))  # type: ignore[arg-type]  # noqa: B023


def test_masked_rows_are_refused() -> None:
    masked = np.ma.masked_array([1, 2], mask=[True, False])
    for granularity in (None, 1):
        search = above_threshold(threshold=0, epsilon=1, sensitivity=1, granularity=granularity)
        refused(lambda: search.ask_all(masked))  # noqa: B023


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"sensitivity": 0}, "sensitivity"),
        ({"sensitivity": -1}, "sensitivity"),
        ({"sensitivity": "0.5"}, "sensitivity"),
        ({"sensitivity": math.inf}, "sensitivity"),
        ({"threshold": "0.5"}, "threshold"),
        ({"threshold": math.nan}, "threshold"),
        ({"positives": 0}, "positives"),
        ({"positives": 1.0}, "positives"),
        ({"monotone": 1}, "monotone"),
        ({"gap": "yes"}, "gap"),
        ({"restart": None}, "restart"),
        ({"granularity": 0}, "granularity"),
        ({"granularity": math.nan}, "granularity"),
        ({"queries": 0}, "queries"),
        ({"queries": 2.5}, "queries"),
        ({"threshold_share": 0}, "threshold_share"),
        ({"threshold_share": 1}, "threshold_share"),
        ({"threshold_share": math.nan}, "threshold_share"),
        ({"threshold_share": "0.3", "queries": 10}, "threshold_share"),
        ({"source": 5}, "source"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(changes: dict[str, Any], name: str) -> None:
    given_source = {"source": NoEntropy()} | changes
    with pytest.raises(InvalidParameter, match=f"`{name}`"):
        above_threshold(**{**GOOD, **given_source})


def test_noise_for_another_sensitivity_is_refused() -> None:
    question = ThresholdQuestion(threshold=0, sensitivity=1, granularity="0.5")
    with pytest.raises(InvalidParameter, match="1 steps where 2"):
        AboveThreshold(question, ThresholdNoise(epsilon=1, sensitivity=1))


# What gaps are good for


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_the_margin_of_a_gap_is_least(confidence: str) -> None:
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1, gap=True, threshold_share="0.3")
    margin = int(search.gap_margin(confidence))
    first, second = (float(r) for r in (search.noise.threshold_rate, search.noise.query_rate))

    def chance(least: int) -> float:
        rho = np.arange(2000)
        weights = -np.expm1(-first) * np.exp(-first * rho)
        return float(weights @ np.exp(-second * np.maximum(0, least + 1 + rho)))

    assert chance(margin) <= 1 - float(confidence)
    assert margin == 0 or chance(margin - 1) > 1 - float(confidence)


def test_the_margin_covers_rounding() -> None:
    search = above_threshold(
        threshold="0.3", epsilon=1, sensitivity=1, gap=True, granularity="0.25"
    )
    whole = above_threshold(threshold=0, epsilon=1, sensitivity=4, gap=True)
    steps = whole.gap_margin("0.9")
    assert search.gap_margin("0.9") == steps / 4 + Fraction(1, 20) + Fraction(1, 8)
