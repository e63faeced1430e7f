"""The benchmark of intervals, in small: it counts right, and would notice wrong intervals."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.held import BUDGETS, HEADINGS, Case, Held
from benchmarks.truth import TOPICS
from benchmarks.truth_tables import CITIES, MOST_VISITS, groups_of, places, visits
from leastnoise.privacy.guarantee import PureDP
from leastnoise.release.plan import plan
from leastnoise.release.read import read

WITH_INTERVALS = ("totals", "keys")


def _mean(shift: float = 0.0) -> Case:
    frame = places(20, 300, 0.5)
    means = frame.groupby("group").x.mean()
    asked = plan(read(frame, unit=None))
    asked = asked.mean("x", lower=0, upper=100, by="group", keys=list(range(20)))
    known = {(key,): float(value) + shift for key, value in means.items()}
    return Case("mean", asked, PureDP(epsilon=1), known)


def test_right_intervals_are_found_right() -> None:
    held = Held.of(_mean(), 20)
    assert held.seen == 400
    assert binom.sf(held.seen - held.right - 1, held.seen, 0.06) > 1e-9
    assert 1.9 < held.half_width < 2.3


def test_wrong_truths_are_noticed() -> None:
    held = Held.of(_mean(shift=0.8), 20)
    assert not held.met
    assert held.rate < 90


def test_intervals_that_are_too_wide_are_noticed() -> None:
    held = Held(_mean(), right=1000, seen=1000, halves=[2.0])
    assert not held.met
    assert Held(replace(held.case, most=None), 1000, 1000, [2.0]).met
    assert not Held(replace(held.case, most=None), 1000, 1000, [2.5]).met
    assert Held(replace(held.case, most=None, width=None), 1000, 1000, [2.5]).met


@pytest.mark.parametrize(("right", "met"), [(960, True), (940, True), (925, True), (900, False)])
def test_chance_is_not_called_a_miss(right: int, met: bool) -> None:
    assert Held(_mean(), right, 1000, [2.0]).met is met


def test_where_no_interval_is_told_the_table_says_so() -> None:
    held = Held(_mean(), 0, 10, [float("nan")] * 10)
    assert "none is told" in held.cells()
    assert not held.met


def _first_cases(topic: str) -> Iterator[Case]:
    return islice(TOPICS[topic](), 2)


@pytest.mark.parametrize("topic", WITH_INTERVALS)
def test_topics_run(topic: str) -> None:
    for case in _first_cases(topic):
        held = Held.of(case, 15)
        if held.seen:
            assert binom.sf(held.seen - held.right - 1, held.seen, 0.06) > 1e-9
        assert len(held.cells()) == len(HEADINGS)


def test_made_tables_have_the_shapes_that_are_said() -> None:
    frame = visits(5000)
    rows = frame.who.value_counts()
    assert rows.max() > 100 and rows.max() <= MOST_VISITS  # noqa: PT018 - one thought
    assert 0.5 < (rows == 1).mean() < 0.7
    assert 0.03 < frame.cost.isna().mean() < 0.07
    assert 0 < frame.who.isna().mean() < 0.02
    assert (frame.groupby("who").city.nunique() == 1).all()
    assert set(frame.city) == set(CITIES)
    assert frame.cost.quantile(0.99) > 5 * frame.cost.median()
    assert (groups_of({"of 3": 3}, 2).group.value_counts() == 3).all()
    assert np.isclose(places(1, 10**4, 0.1).x.mean(), 10, atol=1)


def test_both_kinds_of_noise_are_looked_at() -> None:
    assert set(BUDGETS) == {"Laplace", "Gaussian"}
    for name, budget in BUDGETS.items():
        frame = places(1, 50, 0.5)
        asked = plan(read(frame, unit=None)).count()
        (step,) = asked.admitted(budget).steps
        assert ("Gaussian" in repr(step.mechanism)) is (name == "Gaussian")
