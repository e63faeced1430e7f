"""Forecasts in the answer's own unit: releases spread as foretold, and budgets follow from widths.

Observed spreads are those of 4 000 groups of the same rows, drawn four times: the share of answers
within the 95 % that was foretold lies in 93.4..96.6 %, some eight standard errors from what it is
on average. Of covariances 94.1 % are within: they are drawn twelve times, and are 6.5 standard
errors from the limit. A forecast that is wrong by an eighth to either side is noticed.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy import ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.plan import Plan, plan
from leastnoise.release.questions.moved_answer import Moved
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.read import read
from leastnoise.release.result.forecast import Forecast, shown_error
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.grant import Grant
from tests.release.drawn_again import drawn_again

GROUPS, ROWS = 4000, 100
BUDGETS: list[Guarantee] = [PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6")]
BOTH: dict[str, Any] = {"lower": 0, "upper": 10, "other_lower": 0, "other_upper": 10}
PLACES = np.arange(ROWS)
COLUMNS = {
    "edge": np.where(PLACES < 90, 10.0, 0.0),  # at the bounds: as far from the middle as can be
    "even": PLACES % 10 + 0.5,
    "other": PLACES // 10 + 0.5,
    "five": np.full(ROWS, 5.0),
}


@pytest.fixture(scope="module")
def many() -> Plan:
    """4 000 groups of the same 100 rows, each row a person."""
    table = {name: np.tile(values, GROUPS) for name, values in COLUMNS.items()}
    table["g"] = np.repeat(np.arange(GROUPS), ROWS)
    return plan(read(pd.DataFrame(table), unit=None))


HOW: dict[str, Any] = {"by": "g", "keys": range(GROUPS), "expected": ROWS, "name": "it"}
Ask = Callable[[Plan], Plan]
KINDS: dict[str, tuple[Ask, float]] = {
    "mean": (lambda p: p.mean("edge", lower=0, upper=10, expected_answer=9, **HOW), 9),
    "middle": (
        lambda p: p.mean("edge", lower=0, upper=10, missing="middle", expected_answer=9, **HOW),
        9,
    ),
    "share": (lambda p: p.share(col("edge") > 5, expected_answer="0.9", **HOW), 0.9),
    "share_units": (lambda p: p.share_units(col("edge") > 5, expected_answer="0.9", **HOW), 0.9),
    "variance": (lambda p: p.variance("edge", lower=0, upper=10, expected_answer=9, **HOW), 9),
    "std": (lambda p: p.std("edge", lower=0, upper=10, expected_answer=3, **HOW), 3),
    "covariance": (lambda p: p.covariance("edge", "edge", expected_answer=9, **BOTH, **HOW), 9),
    "correlation": (lambda p: p.correlation("even", "other", **BOTH, **HOW), 0),
    "ratio": (
        lambda p: p.ratio(
            "edge", "five", lower=0, upper=10, over_lower=0, over_upper=10,
            expected_answer="1.8", **HOW,
        ),
        1.8,
    ),
    "weighted_mean": (
        lambda p: p.weighted_mean(
            "edge", "five", lower=0, upper=10, most_weight=10, expected_answer=9, **HOW
        ),
        9,
    ),
    "sum": (lambda p: p.sum("edge", lower=0, upper=10, **HOW), 900),
    "count": (lambda p: p.count(**HOW), 100),
}  # fmt: skip


@pytest.mark.spread(12)
@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "approximate"])
@pytest.mark.parametrize("kind", KINDS)
def test_answers_spread_as_foretold(many: Plan, kind: str, budget: Guarantee) -> None:
    ask, truth = KINDS[kind]
    asked = ask(many)
    (told,) = asked.preview(budget)
    assert told.of == "answer"
    assert told.interval is not None
    assert told.expected_error is not None
    times = 12 if kind == "covariance" else 4
    errors = np.abs([found.values - truth for (found,) in drawn_again(asked, budget, times)])
    half, mean = float(told.interval), told.expected_error
    assert np.mean(errors) == pytest.approx(mean, rel=0.1)
    # Whole numbers lie on the limit itself: more than said are within it, fewer inside.
    assert np.mean(errors <= 1.01 * half) > 0.934
    assert np.mean(errors < 0.99 * half) < 0.966


@pytest.mark.parametrize("factor", [0.8, 1.3])
def test_a_wrong_forecast_would_be_noticed(many: Plan, factor: float) -> None:
    ask, truth = KINDS["mean"]
    (told,) = ask(many).preview(BUDGETS[1])
    ((found,),) = drawn_again(ask(many), BUDGETS[1], 1)
    assert told.interval is not None
    within = np.mean(np.abs(found.values - truth) <= factor * float(told.interval))
    assert not 0.934 < within < 0.966


@pytest.mark.parametrize(
    ("place", "exact"), [(0, 2.995732), (0.1, 2.707339), (0.25, 2.334972), (0.5, 2.056502)]
)
def test_means_of_many_rows_have_the_known_widths(place: float, exact: float) -> None:
    """Laplace noise of scale 1 on both sums, 95 %."""
    grant = Grant(PureDP(epsilon=1), Fraction(1), noise=DiscreteLaplace(scale=1000))
    noise = NoiseTogether.of((grant, grant), (1000.0, 1000.0))
    case = Moved((1 - place, -place), (1.0, 1.0), most=1.0)
    blank = Forecast("mean", 1, "", 0.0, Fraction(0), Fraction(1))
    told = in_own_unit(blank, noise, [case], 1.0, None, Fraction(95, 100))
    assert told.per_row is not None
    assert told.per_row.interval is not None
    assert exact < told.per_row.interval < 1.005 * exact
    assert [each.rows for each in told.sizes] == [100, 10**4, 10**6]
    assert told.sizes[1].interval == pytest.approx(exact / 10**4, rel=0.01)


TABLE = pd.DataFrame({"who": [1, 2], "city": ["a", "b"], "x": [1.0, 2.0]})


def _people() -> Plan:
    """Of whom rows may be left out, which is measured."""
    return plan(read(TABLE, unit="who"), max_groups=1, max_rows=1)


def _rows() -> Plan:
    """Each a person: nothing is left out."""
    return plan(read(TABLE, unit=None))


def test_without_rows_there_is_a_formula_and_some_sizes() -> None:
    asked = _rows().mean("x", lower=0, upper=500)
    preview = asked.preview(PureDP(epsilon=1))
    (told,) = preview
    assert told.interval is None
    assert told.expected_error is None
    assert told.interval_words == "±1,500 / rows"  # 3.0 · 500 up to what points are in doubt by
    assert "±1,500 / number of rows" in " ".join(str(preview).split())
    assert "±0.15 for 10,000" in " ".join(str(preview).split())
    assert "sum" not in str(preview)
    assert "e+" not in str(preview)


def test_more_rows_mean_less_error_and_a_guess_makes_it_smaller() -> None:
    def half(**expected: Any) -> float:
        (told,) = _people().mean("x", lower=0, upper=500, **expected).preview(PureDP(epsilon=1))
        assert told.interval is not None
        return float(told.interval)

    assert half(expected=10**6) == pytest.approx(half(expected=10**4) / 100, rel=0.01)
    assert half(expected=1) == 500  # no mean is farther off than the range
    ratio = half(expected=10**5, expected_answer=250) / half(expected=10**5)
    assert ratio == pytest.approx(2.0565 / 2.9957, rel=0.01)


def test_a_divisor_within_its_noise_is_not_known() -> None:
    asked = _people().ratio(
        "x", "x", lower=0, upper=9, over_lower=0, over_upper=9, expected=2, name="it"
    )
    (told,) = asked.preview(PureDP(epsilon=1))
    assert told.interval is None
    assert "not known" in told.interval_words or "/ rows" in told.interval_words
    with pytest.raises(InvalidParameter, match="within its noise"):
        asked.needed({"it": 1})


def test_a_clipped_mean_is_foretold_in_its_own_unit() -> None:
    def half(**how: Any) -> float:
        asked = _people().mean(
            "x", lower=0, upper=500, by="city", keys=["a", "b"], expected=10**4, **how
        )
        (told,) = asked.preview(PureDP(epsilon=1))
        assert told.interval is not None
        return float(told.interval)

    assert half(clip=Clip(max_total=1)) == pytest.approx(half(), rel=0.1)


def test_what_is_expected_changes_neither_noise_nor_fingerprint() -> None:
    asked = _people().count()
    plain = asked.mean("x", lower=0, upper=500)
    guessed = asked.mean("x", lower=0, upper=500, expected=7, expected_answer=3)
    assert plain.digest == guessed.digest
    told = [
        [each.mechanism for each in asked.preview(PureDP(epsilon=1))] for asked in (plain, guessed)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "bad", [{"expected": 0}, {"expected": -3}, {"expected": 2.5}, {"expected_answer": "nan"}]
)
def test_bad_guesses(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match="expected"):
        _people().mean("x", lower=0, upper=500, **bad)


# Private groups.


def test_an_earlier_release_tells_what_to_expect(tmp_path: Path) -> None:
    """The middle one of its counts; a plan that says the same number is foretold the same."""
    from leastnoise.ledger import Ledger

    counted = _people().count(by="city", keys=["Oslo"], name="rows")
    ledger = Ledger(tmp_path / "b.db", total=PureDP(epsilon=9), begin=True)
    table = counted.release(PureDP(epsilon=1), ledger=ledger)["rows"]

    def counts(*values: int) -> ReleasedTable:
        zeros = np.zeros(len(values))
        return replace(
            table,
            rows=tuple((str(key),) for key in range(len(values))),
            values=np.array(values, dtype=np.int64),
            standard_error=zeros,
            lower=zeros,
            upper=zeros,
        )

    some = counts(7, 5000, 90000)
    asked = _people().mean("x", lower=0, upper=500, expected=some)
    same = _people().mean("x", lower=0, upper=500, expected=5000)
    assert asked.preview(PureDP(epsilon=1)) == same.preview(PureDP(epsilon=1))
    few = counts(-3)  # noise may be below 0; rows are not
    assert _people().mean("x", lower=0, upper=5, expected=few).expected[-1][1].rows == 1
    nothing: list[Any] = [{}, counts()]
    for wrong in nothing:
        with pytest.raises(InvalidParameter, match="`expected` must be"):
            _people().mean("x", lower=0, upper=500, expected=wrong)


def test_finding_groups_has_its_share_and_its_sizes() -> None:
    asked = _people().mean("x", lower=0, upper=9, by="city", keys="private").count_units()
    preview = asked.preview(ApproxDP(epsilon=1, delta="1e-6"))
    (keys,) = preview.keys
    assert keys.questions == ("mean of x by city",)
    assert keys.share > 0
    shares = [each.share for each in (*preview, *preview.keys, *preview.cuts)]
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert 1 < keys.shown_half < keys.shown_from == preview[0].shown_from
    assert preview[0].shown_half == keys.shown_half
    assert preview[1].shown_half is None
    lines = str(preview).splitlines()
    line = next(each for each in lines if each.startswith("finding groups by city"))
    assert f"{100 * float(keys.share):.0f} %" in line
    told = " ".join(str(preview).split())
    assert f"50 % from {keys.shown_half} units on, of 95 % from {keys.shown_from}." in told


def test_counts_that_find_groups_bear_the_cost() -> None:
    budget = ApproxDP(epsilon=1, delta="1e-6")
    preview = _rows().count_units(by="city", keys="private").preview(budget)
    (keys,) = preview.keys
    chance = CountedPartitions(budget).keep_probability
    assert chance(keys.shown_half - 1) < Fraction(1, 2) <= chance(keys.shown_half)
    assert chance(keys.shown_from - 1) < Fraction(95, 100) <= chance(keys.shown_from)
    assert keys.share == 0
    assert preview[0].share == 1


# The budget that is needed.


def _asked() -> Plan:
    return (
        _people()
        .count(expected=1000)
        .mean("x", lower=0, upper=500, expected=5000, expected_answer=20, name="delay")
        .std("x", lower=0, upper=500, expected=10**5, expected_answer=40)
    )


@pytest.mark.spread(4)
@pytest.mark.parametrize("delta", [0, "1e-6"])
@pytest.mark.parametrize("within", [{"delay": 5}, {"delay": "2%", "count": 30}, "5 %", 40])
def test_the_needed_budget_is_enough_and_the_least(within: Any, delta: Any) -> None:
    asked = _asked()
    found = asked.needed(within, delta=delta)

    def excess(epsilon: Fraction) -> float:
        budget = ApproxDP(epsilon=epsilon, delta=delta) if delta else PureDP(epsilon=epsilon)
        sizes = {"count": 1000, "delay": 20, "std of x": 40}
        ratios = []
        for each in asked.preview(budget):
            wanted = within.get(each.question) if isinstance(within, dict) else within
            if wanted is None:
                continue
            width = (
                float(wanted.rstrip(" %")) / 100 * sizes[each.question]
                if isinstance(wanted, str)
                else wanted
            )
            ratios.append(float(each.interval or 0) / width)
        return max(ratios)

    assert excess(found.epsilon) <= 1
    assert excess(found.epsilon * Fraction(97, 100)) > 1


def test_it_says_what_it_assumed() -> None:
    found = _asked().needed_with_notes({"delay": "2%", "count": "1%"})
    assert found.warnings == ()
    assert found.assumed == (
        "count: 95 % within ±10, 1 % of 1,000 (1,000 rows expected), for 1,000 rows.",
        "delay: 95 % within ±0.4, 2 % of 20 (as expected), for 5,000 rows, at about 20.",
    )


def test_no_epsilon_above_20_without_a_word() -> None:
    asked = _people().mean("x", lower=0, upper=500, expected=100, name="delay")
    with pytest.warns(UserWarning, match=r"promises next to nothing: .* 1 of 10\^"):
        found = asked.needed({"delay": "0.5"})
    assert found.epsilon > 20
    assert not asked.needed_with_notes({"delay": 20}).warnings


@pytest.mark.parametrize(
    ("within", "words"),
    [
        ({}, "nothing"),
        ({"dely": 3}, "Did you mean 'delay'"),
        ({"zzzz": 3}, "One of: 'count'"),
        ({"delay": 0}, "above 0, or a percentage"),
        ({"delay": "0%"}, "above 0, or a percentage"),
        ({"delay": -1}, "above 0, or a percentage"),
        ({"delay": "nan"}, "above 0, or a percentage"),
        ({"delay": "%"}, "above 0, or a percentage"),
        ({"delay": "2%%"}, "above 0, or a percentage"),
        ("-2%", "above 0, or a percentage"),
        (float("inf"), "above 0, or a percentage"),
    ],
)
def test_widths_that_are_none(within: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        _asked().needed(within)


@pytest.mark.parametrize(
    ("ask", "within", "words"),
    [
        (lambda p: p.mean("x", lower=0, upper=9), 1, "`expected` in the question"),
        (lambda p: p.count(), "2%", "`expected` in the question"),
        (lambda p: p.mean("x", lower=-9, upper=9, expected=50), "2%", "expected_answer"),
        (lambda p: p.correlation("x", "x", **BOTH, expected=50), "2%", "expected_answer"),
    ],
)
def test_what_cannot_be_judged_without_a_guess(ask: Ask, within: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        ask(_people()).needed(within)


def test_no_budget_shows_a_group_of_one() -> None:
    asked = _people().count_units(by="city", keys="private", expected=1, name="few")
    with pytest.raises(UnsupportedQuery, match="No budget does: groups of 1 units"):
        asked.needed({"few": 5}, delta="1e-6")


def test_small_private_groups_need_more_than_their_noise_does() -> None:
    def needed(rows: int) -> Fraction:
        asked = _people().count_units(by="city", keys="private", expected=rows, name="few")
        return asked.needed({"few": 50}, delta="1e-6").epsilon

    assert needed(4) > 3 * needed(1000)


def test_values_are_rounded_more_coarsely_than_asked() -> None:
    asked = _people().mean("x", lower=0, upper=500, expected=10**12, name="delay")
    with pytest.raises(UnsupportedQuery, match="No budget does: values of 'delay' are rounded"):
        asked.needed({"delay": "1e-5"})


def test_forecasts_are_read_again_with_a_release(tmp_path: Path) -> None:
    from leastnoise.ledger import Ledger

    asked = _asked().mean("x", lower=0, upper=9)
    ledger = Ledger(tmp_path / "b.db", total=PureDP(epsilon=9), begin=True)
    made = asked.release(PureDP(epsilon=1), ledger=ledger)
    again = PlanRelease.from_json(made.to_json())
    assert again.facts == made.facts
    assert again.facts.questions[3].forecast.interval is None
    assert again.facts.questions[1].forecast.expected == 5000


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (66012.3, "66,000"),
        (0.25, "0.25"),
        (1.64e-5, "1.6·10⁻⁵"),
        (32e8, "3.2·10⁹"),
        (0, "0"),
    ],
)
def test_errors_are_written_as_people_write_them(number: float, words: str) -> None:
    assert shown_error(number) == words
