"""Rounding, non-negativity and consistency move answers: intervals hold what they held before."""

import json

import numpy as np
import pytest
from scipy.stats import binom

from leastnoise.release.result.consistent_totals import consistent
from leastnoise.release.result.released_table import ReleasedTable

TIMES = 2000


def table(values: np.ndarray, half: float, error: float) -> ReleasedTable:
    return ReleasedTable(
        name="t",
        columns=("k",),
        rows=tuple((i,) for i in range(len(values))),
        values=values,
        standard_error=np.full(len(values), error),
        lower=values - half,
        upper=values + half,
        mechanism="",
    )


def noisy(truth: np.ndarray, scale: float, seed: int) -> list[ReleasedTable]:
    """Laplace noise and its 95 % intervals."""
    noise = np.random.default_rng(seed).laplace(0, scale, (TIMES, len(truth)))
    half, error = scale * np.log(20), scale * np.sqrt(2)
    return [table(truth + each, half, error) for each in noise]


def missed(tables: list[ReleasedTable], truth: np.ndarray) -> int:
    held = [(each.lower <= truth) & (truth <= each.upper) for each in tables]
    return int((~np.array(held)).sum())


@pytest.mark.parametrize("scale", [0.05, 0.3, 4.0])
def test_rounded_answers_lie_in_intervals_that_miss_no_more(scale: float) -> None:
    truth = np.array([0.2, 3.5, 17.0])
    before = noisy(truth, scale, 1)
    after = [each.rounded() for each in before]
    assert missed(after, truth) <= missed(before, truth)
    assert all(((t.lower <= t.values) & (t.values <= t.upper)).all() for t in after)
    if scale > 1:  # then an interval holds a whole number anyway
        pairs = zip(before, after, strict=True)
        assert all((one.lower == other.lower).all() for one, other in pairs)


def test_unknown_intervals_stay_unknown() -> None:
    one = table(np.array([2.4]), np.nan, np.nan).rounded()
    assert one.values.tolist() == [2]
    assert np.isnan(one.lower).all()
    assert np.isnan(one.upper).all()


def test_unknown_answers_stay_unknown() -> None:
    one = table(np.array([2.4, np.nan, 1e30]), 1.0, 1.0).rounded()
    assert np.isnan(one.values[1])
    assert one.values[[0, 2]].tolist() == [2, 1e30]


def test_unknown_answers_are_text_in_json_that_has_no_word_for_them() -> None:
    text = table(np.array([2.4, np.nan, np.inf]), 1.0, 1.0).to_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    assert [each["value"] for each in json.loads(text)["answers"]] == [2.4, "nan", "inf"]


def test_answers_put_at_0_lie_in_intervals_that_miss_no_more() -> None:
    truth = np.array([0.0, 0.5, 9.0])
    before = noisy(truth, 2.0, 2)
    after = [each.non_negative() for each in before]
    assert missed(after, truth) <= missed(before, truth)
    assert binom.sf(missed(after, truth) - 1, 3 * TIMES, 0.05) > 1e-9
    assert all(
        ((t.lower >= 0) & (t.lower <= t.values) & (t.values <= t.upper)).all() for t in after
    )


@pytest.mark.parametrize(("own", "part"), [(1.0, 1.0), (20.0, 1.0), (0.1, 3.0)])
def test_consistent_answers_lie_in_intervals_that_miss_no_more(own: float, part: float) -> None:
    truth = np.array([5.0, 80.0, 400.0, 0.0])
    totals = noisy(np.array([truth.sum()]), own, 3)
    parts = noisy(truth, part, 4)
    pairs = [consistent(*both) for both in zip(totals, parts, strict=True)]
    for place, (before, exact) in enumerate(((totals, truth.sum()), (parts, truth))):
        after = [pair[place] for pair in pairs]
        assert missed(after, exact) <= missed(before, exact)
        assert all(((t.lower <= t.values) & (t.values <= t.upper)).all() for t in after)
    assert all(t.values[0] == pytest.approx(p.values.sum()) for t, p in pairs)


def test_an_interval_that_is_not_about_its_answer_is_not_moved_along() -> None:
    """A group that is shown from 14 on: it may have any number from 1 to 17."""
    total = table(np.array([100.0]), 3.0, 1.0)
    seen = table(np.array([14.0, 80.0]), 3.0, 1.0)
    object.__setattr__(seen, "lower", np.array([1.0, 77.0]))
    _, parts = consistent(total, seen)
    assert parts.values.tolist() == [16.0, 82.0]
    assert parts.lower.tolist() == [1.0, 77.0]
    assert parts.upper.tolist() == [17.0, 83.0]
