"""Tracing by known means: the score, the threshold, and what privacy does to it."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from leastnoise.attacks import Trace, attribute_rows, auc, trace
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import Release
from leastnoise.noise import DiscreteGaussian, NormLaplace
from leastnoise.numeric.interval import Interval
from leastnoise.privacy import PureDP
from leastnoise.tabulation import marginals
from tests.attacks.seeded import SeededSource

Table = NDArray[Any]

SHARES = st.fractions(0, 1, max_denominator=20)
RELEASED = st.fractions(-3, 4, max_denominator=20)


@given(st.lists(st.tuples(SHARES, RELEASED), min_size=1, max_size=8), st.data())
def test_scores_are_the_stated_sums(
    columns: list[tuple[Fraction, Fraction]], data: st.DataObject
) -> None:
    means, release = zip(*columns, strict=True)
    rows = data.draw(
        st.lists(
            st.lists(st.integers(0, 1), min_size=len(means), max_size=len(means)),
            min_size=1,
            max_size=4,
        )
    )
    found = trace(
        list(map(float, release)), rows, list(map(float, means)), false_accusation="0.5"
    ).scores
    exact = [
        sum((m - c) * (y - c) for m, c, y in zip(release, means, row, strict=True)) for row in rows
    ]
    assert found == pytest.approx([float(score) for score in exact], abs=1e-12)


@pytest.mark.parametrize(("values", "factor"), [((0, 1), 0.5), ((-1, 1), 2.0), ((0, 3), 4.5)])
def test_threshold_has_the_constants_of_hoeffding(values: tuple[int, int], factor: float) -> None:
    release = np.array([0.2, 0.9, 0.4])
    means = np.array([0.3, 0.5, 0.5])
    found = trace(release, [[1, 0, 1]], means, false_accusation="0.001", values=values).threshold
    distance = float(((release - means) ** 2).sum())
    assert found == pytest.approx(math.sqrt(factor * distance * math.log(1000)), rel=1e-12)
    assert found > math.sqrt(factor * distance * math.log(1000))


def innocent_risk(release: list[float], means: list[float], beta: str, shrink: float = 1) -> float:
    """P(score > shrink × threshold) for a fresh person, by adding up all words."""
    words = np.array(list(product((0, 1), repeat=len(means))))
    chances = np.prod(np.where(words == 1, means, 1 - np.array(means)), axis=1)
    result = trace(release, words, means, false_accusation=beta)
    return float(chances[result.scores > shrink * result.threshold].sum())


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(-2, 3)), min_size=1, max_size=9),
    st.sampled_from(["0.5", "0.1", "0.01"]),
)
def test_no_release_accuses_the_innocent_too_often(
    columns: list[tuple[float, float]], beta: str
) -> None:
    means, release = (list(part) for part in zip(*columns, strict=True))
    assert innocent_risk(release, means, beta) <= float(beta)


def test_a_threshold_four_fifths_as_high_would_accuse_too_often() -> None:
    """The enumeration above can fail: it does at 0.79 of Hoeffding's threshold."""
    assert innocent_risk([1.0], [0.5], "0.45") <= 0.45
    assert innocent_risk([1.0], [0.5], "0.45", shrink=0.79) > 0.45


# The figures: 100 records with 20 000 attributes.

PEOPLE, ATTRIBUTES, OUTSIDERS = 100, 20_000, 400


@pytest.fixture(scope="module")
def population() -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
    generator = np.random.default_rng(20_000)
    means = generator.random(ATTRIBUTES)
    people = generator.random((PEOPLE, ATTRIBUTES)) < means
    return people, generator.random((OUTSIDERS, ATTRIBUTES)) < means, means


def areas(release: NDArray[np.float64], population: tuple[Table, Table, Table]) -> Fraction:
    people, others, means = population
    inside = trace(release, people, means, false_accusation="1e-6")
    outside = trace(release, others, means, false_accusation="1e-6")
    return auc(inside.scores, outside.scores)


def test_exact_means_betray_everybody(population: tuple[Table, Table, Table]) -> None:
    people, others, means = population
    inside = trace(people.mean(axis=0), people, means, false_accusation="1e-6")
    outside = trace(people.mean(axis=0), others, means, false_accusation="1e-6")
    assert inside.accused.all()
    assert not outside.accused.any()
    assert auc(inside.scores, outside.scores) >= Fraction(99, 100)


@pytest.mark.parametrize("clipped", [False, True])
def test_private_means_betray_nobody(population: tuple[Table, Table, Table], clipped: bool) -> None:
    """The area of one release has a standard error of about 0.035, the mean of 8 about 0.012."""
    people, _, _ = population
    counts, source = people.sum(axis=0), SeededSource(4)
    pure = NormLaplace(dimension=ATTRIBUTES, scale=1, norm="linf")
    # 4.2247²·20 000: the variance for (1, 1e-6)-DP; see discrete_gaussian_vector_variance.
    normal = DiscreteGaussian(variance=360_000)
    for draws in (pure.sample(8, source), normal.sample((8, ATTRIBUTES), source)):
        found = []
        for drawn in draws:
            release = (counts + drawn) / PEOPLE
            found.append(areas(np.clip(release, 0, 1) if clipped else release, population))
        assert max(found) <= 0.66
        assert sum(found) / len(found) <= 0.57


def test_accused_are_those_above_the_threshold() -> None:
    """Scores of 4.5 and 5 beside a threshold of √(40/4·ln(100)/2) = 4.7985."""
    rows = [[1] * ones + [0] * (40 - ones) for ones in (29, 30)]
    result = trace([1.0] * 40, rows, [0.5] * 40, false_accusation="0.01")
    assert result.scores[0] < result.threshold < result.scores[1]
    assert result.scores[0] > 0.9 * result.threshold
    assert result.accused.tolist() == [False, True]


def test_tables_in_parts_score_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).random((7, 5)) < 0.5
    whole = trace([0.1] * 5, rows, [0.5] * 5, false_accusation="0.1").scores
    monkeypatch.setattr(attribute_rows, "_CHUNK", 11)
    assert trace([0.1] * 5, rows, [0.5] * 5, false_accusation="0.1").scores.tolist() == (
        whole.tolist()
    )


def test_a_release_is_taken_as_it_comes() -> None:
    release = Release(np.array([0.5, 1.0]), PureDP(epsilon=1), "test")
    assert trace(release, [[1, 1]], [0.5, 0.5], false_accusation="0.1").scores[0] == 0.25


def test_marginals_are_taken_as_means() -> None:
    bits = np.array([[1, 0]] * 50)
    release = marginals(bits, epsilon=100)
    found = trace(release, [[1, 0]], [0.5, 0.5], false_accusation="0.1")
    by_hand = trace(release.means, [[1, 0]], [0.5, 0.5], false_accusation="0.1")
    assert found.scores[0] == by_hand.scores[0]


def test_results_are_read_only_and_say_no_data() -> None:
    result = trace([0.25, 0.75], [[1, 0], [0, 1]], [0.5, 0.5], false_accusation="0.1")
    assert repr(result) == "Trace(0 of 2 accused, an innocent one with probability at most 0.1)"
    assert isinstance(result, Trace)
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0] = 1


@pytest.mark.parametrize(
    ("release", "targets", "reference", "message"),
    [
        ([0.5], [[2]], [0.5], r"`targets` must hold values in 0..1; got something else"),
        ([0.5], [[-1]], [0.5], r"`targets` .* State the range"),
        ([0.5], [[math.nan]], [0.5], r"`targets` must hold values"),
        ([0.5], [[0.5 + 1j]], [0.5], r"`targets` must hold numbers"),
        ([0.5], [["7391"]], [0.5], r"`targets` must hold numbers"),
        ([0.5], np.ma.masked_array([[1]]), [0.5], r"`targets` must hold numbers, without masks"),
        ([0.5], [1], [0.5], r"`targets` must be a table of at least one row and 1 columns"),
        ([0.5], [[1, 1]], [0.5], r"`targets` must be a table"),
        ([0.5], np.empty((0, 1)), [0.5], r"`targets` must be a table"),
        ([0.5], [[1]], [0.5, 0.5], r"`reference` must have one number per attribute"),
        ([0.5], [[1]], [1.5], r"`reference` must hold means in 0..1"),
        ([0.5], [[1]], [math.nan], r"`reference` must be a row of finite numbers"),
        ([math.inf], [[1]], [0.5], r"`release` must be a row of finite numbers"),
        ([], np.empty((1, 0)), [], r"`release` must be a row of finite numbers"),
        ([["7391"]], [[1]], [0.5], r"`release` must be a row"),
        ("7391x", [[1]], [0.5], r"`release` must hold numbers"),
    ],
)
def test_bad_input_is_refused_without_being_shown(
    release: object, targets: object, reference: object, message: str
) -> None:
    with pytest.raises(InvalidParameter, match=message) as refusal:
        trace(release, targets, reference, false_accusation="0.1")  # type: ignore[arg-type]
    assert "7391" not in str(refusal.value)


@pytest.mark.parametrize("beta", [0, 1, -1, 2, math.nan, Interval.exactly(1)])
def test_bad_risk(beta: object) -> None:
    with pytest.raises(InvalidParameter, match="`false_accusation`"):
        trace([0.5], [[1]], [0.5], false_accusation=beta)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [(1, 0), (0, 0), [0, 1], (0,), 1, (0, math.inf)])
def test_bad_range(values: object) -> None:
    with pytest.raises(InvalidParameter, match="`values`"):
        trace([0.5], [[1]], [0.5], false_accusation="0.1", values=values)  # type: ignore[arg-type]
