"""The numbers in a picture are those of the library."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.auditing.audit import audit
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.least_noise.scalar.law_choice import quick_bound
from leastnoise.noise import DiscreteLaplace
from leastnoise.pictures import Picture, error_by_epsilon, error_by_questions
from leastnoise.pictures.palette import INK, MIDDLING
from leastnoise.planning.tradeoff_view import tradeoff_points
from tests.pictures.test_picture import contrast
from tests.release.drawn_again import drawn_again
from tests.reports.releases import release, single, table


def rows(layer: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = layer["data"]["values"]
    return found


def test_optimal_noise_names_rivals_that_differ() -> None:
    mechanism = ln.optimal(sensitivity=8, epsilon=1, delta="1e-6")
    names = {row["series"] for row in mechanism.plot().spec["data"]["values"]}
    assert names == {
        "Optimum of a linear program (chosen)",
        "Truncated Laplace: average error larger by 4 %",
        "Discrete Gaussian: 3.5 times the average error",
    }


def test_error_by_epsilon_draws_costs_and_the_bound() -> None:
    mechanism = ln.optimal(sensitivity=10, epsilon=3, cost="squared")
    spec = error_by_epsilon(mechanism, ["0.5", 3, 6]).spec
    forbidden, lines = spec["layer"][0], next(x for x in spec["layer"] if "color" in x["encoding"])
    chosen = {
        row["epsilon"]: row["cost"] for row in rows(lines) if row["series"].startswith("Least")
    }
    assert chosen[3.0] == pytest.approx(float(mechanism.expected_cost()))
    bounds = {row["epsilon"]: row["cost"] for row in rows(forbidden)}
    assert bounds[3.0] == pytest.approx(float(mechanism.certificate().bound))
    assert all(bounds[level] <= chosen[level] * (1 + 1e-9) for level in bounds)
    laplace = {row["epsilon"]: row["cost"] for row in rows(lines) if "Laplace" in row["series"]}
    assert laplace[6.0] > 2 * chosen[6.0]


def test_error_by_epsilon_refuses_odd_levels() -> None:
    mechanism = ln.optimal(sensitivity=1, epsilon=1)
    with pytest.raises(InvalidParameter, match="must not be empty"):
        error_by_epsilon(mechanism, [])
    with pytest.raises(InvalidParameter, match="`an epsilon` must be positive"):
        error_by_epsilon(mechanism, [0])


def test_error_by_epsilon_is_for_one_query() -> None:
    vector = ln.optimal(sensitivity=5, epsilon=1, dimension=3)
    for other in (vector, ln.PureDP(epsilon=1)):
        with pytest.raises(InvalidParameter, match="one query"):
            error_by_epsilon(other)  # type: ignore[arg-type]


def test_shared_noise_is_that_of_plans_and_above_the_bound() -> None:
    """The best of the four lines is what a plan of so many counts gets."""
    spec = error_by_questions(counts=[4, 60]).spec
    forbidden, lines = spec["layer"][:2]
    least = {row["counts"]: row["deviation"] for row in rows(forbidden)}
    for number in (4, 60):
        own = {row["series"]: row["deviation"] for row in rows(lines) if row["counts"] == number}
        assert len(own) == 4
        assert min(own.values()) > least[number] > 0
        assert own["Noise apart, δ = 0"] == pytest.approx(math.sqrt(2) * number, rel=0.02)
        asked = ln.plan(ln.read(pa.table({"x": [1]}), unit=None))
        for place in range(number):
            asked = asked.count(where=ln.col("x") > place, name=f"over {place}")
        (given,) = asked._priced(ln.ApproxDP(epsilon=1, delta="1e-6")).grants[0]
        assert min(own.values()) == pytest.approx(math.sqrt(given.law.moment(2).upper), rel=0.01)


def test_shared_noise_refuses_odd_numbers() -> None:
    with pytest.raises(InvalidParameter, match="must not be empty"):
        error_by_questions(counts=[])
    with pytest.raises(InvalidParameter, match="`a count` must"):
        error_by_questions(counts=[0])
    with pytest.raises(InvalidParameter, match="`delta` must be positive"):
        error_by_questions(delta=0)


def test_the_sentence_about_one_percent_is_sound_and_sharp() -> None:
    loss = ln.PrivacyLoss.gaussian(mu=1)
    true = 1 - loss.tradeoff("0.01").lower
    said = loss.plot().words
    assert said.endswith("An attacker who accepts 1 % false alarms catches at most 9.24 %.")
    assert Fraction("0.0923") < true <= Fraction("0.0924")
    view = tradeoff_points(loss, epsilon=1, delta="0.127", false_alarms=["0.005", "0.02", "0.5"])
    assert "at most 14.6 %" in view.plot().words  # what is known to its right: larger, and true


def test_a_broken_promise_is_shown_as_broken() -> None:
    loss = ln.PrivacyLoss.gaussian(mu=1)
    kept = loss.plot(epsilon=1, delta="0.127").spec
    broken = loss.plot(epsilon=1, delta="0.1").spec
    assert "exceeded" not in str(kept)
    assert "Most that ε = 1, δ = 0.1 allows (exceeded)" in str(broken)
    with pytest.raises(InvalidParameter, match="given together"):
        loss.plot(epsilon=1)


def test_budget_adds_up(tmp_path: Path) -> None:
    ledger = ln.Ledger(
        tmp_path / "budget.db", total=ln.PureDP(epsilon=4), dataset="visits", begin=True
    )
    assert "nothing" in ledger.plot().words
    for cost in ("1", "0.5", "2"):
        ledger.charge(ln.PureDP(epsilon=cost), purpose="<b>table</b>")
    ledger.cap("analyst", "ann", ln.PureDP(epsilon=3))
    spec = ledger.plot().spec
    spent = [row["spent"] for row in rows(spec["layer"][0])]
    assert spent == [0.25, 0.375, 0.875]
    assert "Spent by 3 charges: 87.5 %." in ledger.plot().words
    assert "<b>" not in ledger._repr_html_()


def test_budget_with_two_ways_of_adding_up_agrees_with_the_ledger(tmp_path: Path) -> None:
    total = ln.ApproxDP(epsilon=1, delta="1e-6")
    ledger = ln.Ledger(tmp_path / "budget.db", total=total, begin=True)
    costs = ln.ApproxDP(epsilon="0.0142", delta=0), ln.ZCDP(rho="0.0001")
    for _ in range(70):
        ledger.charge(costs, purpose="a Gaussian")
    (layer, _) = ledger.plot().spec["layer"]  # too many charges for bars
    spent = [row["spent"] for row in rows(layer)]
    by_epsilon, by_rho = ledger.accounts[0].ways(costs)  # as the first charge has settled
    assert isinstance(by_epsilon, ln.ApproxDP)
    assert isinstance(by_rho, ln.ZCDP)
    shares = 70 * Fraction("0.0142") / by_epsilon.epsilon, Fraction(70, 10_000) / by_rho.rho
    assert shares[0] != pytest.approx(shares[1])
    assert spent[-1] == pytest.approx(float(min(shares)))
    assert spent == sorted(spent)


def test_budget_of_a_plan_shows_its_envelopes(tmp_path: Path) -> None:
    envelopes = {"spring": ln.PureDP(epsilon=1), "autumn": ln.PureDP(epsilon=1)}
    ledger = ln.Ledger(
        tmp_path / "b.db", total=ln.PureDP(epsilon=2), envelopes=envelopes, begin=True
    )
    ledger.charge(ln.PureDP(epsilon="0.5"), purpose="a", labels={"envelope": "autumn"})
    assert "50 % of envelope autumn" in ledger.plot().words


def test_sample_size_scales_and_shades() -> None:
    found = ln.sample_size(
        dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95"
    )
    forbidden, lines, _, dot = found.plot().spec["layer"]
    assert rows(dot) == [{"x": 0.05, "y": found.records}]
    bounds = {row["error"]: row["records"] for row in rows(forbidden)}
    assert bounds[0.05] == found.impossible_below
    other = ln.sample_size(
        dimension=100, error="0.1", epsilon=1, objective="max", confidence="0.95"
    )
    best = {row["error"]: row["records"] for row in rows(lines) if row["series"] == "Cube noise"}
    assert best[0.1] == pytest.approx(other.records, abs=1)
    assert all(bounds[error] < best[error] for error in bounds)


def test_least_error_scales_and_shades() -> None:
    question = {"dimension": 100, "epsilon": 1, "objective": "max", "confidence": "0.95"}
    found = ln.least_error(records=10_000, **question)  # type: ignore[arg-type]
    forbidden, lines, _, dot = found.plot().spec["layer"]
    assert rows(dot) == [{"x": 10_000, "y": float(found.error.upper)}]
    bounds = {row["records"]: row["error"] for row in rows(forbidden)}
    assert bounds[10_000] == pytest.approx(float(found.impossible_below))
    other = ln.least_error(records=20_000, **question)  # type: ignore[arg-type]
    best = {row["records"]: row["error"] for row in rows(lines) if row["series"] == "Cube noise"}
    assert best[20_000] == pytest.approx(float(other.error.upper))
    assert all(bounds[people] < best[people] for people in bounds)
    assert "without data" not in str(found.plot().spec)  # no line for what uses no data
    assert found.plot().words.endswith(
        "with 10,000 records cube noise reaches an error of 0.0234; below 0.0072 no mechanism does."
    )
    assert found.plot().chart is not None


@pytest.mark.parametrize("records", [1, 3])
def test_few_records_are_drawn(records: int) -> None:
    found = ln.least_error(dimension=1, records=records, epsilon=1, objective="average")
    assert "NaN" not in found.plot().svg()


def test_group_curve_is_drawn_as_it_is() -> None:
    curve = ln.relative_counts(relative_error="0.05", smallest=1).curve([1, 10, 1000])
    left, right = curve.plot().spec["hconcat"]
    assert [row["v"] for row in rows(left)] == list(curve.columns()["v"])
    assert [row["size"] for row in rows(right)] == [1, 10, 1000]


def test_released_values_are_bars_by_value_with_their_noise() -> None:
    shown = table("count by city", ["b", "a", "a", "c" * 60]).plot()
    drawn = rows(shown.spec)
    assert [row["key"] for row in drawn] == ["c" * 39 + "…", "a (2)", "a", "b"]
    assert len({row["key"] for row in drawn}) == 4  # equal names are not drawn on one line
    ends = {"noise_low": 91.0, "noise_high": 111.0, "lower": 91.0, "upper": 111.0}
    assert drawn[2] == {"key": "a", "value": 101.0, **ends}
    bars, cut, noise = shown.spec["layer"]
    assert [row["key"] for row in drawn] == bars["encoding"]["y"]["sort"]
    assert (bars["mark"]["type"], cut["mark"]["strokeDash"]) == ("bar", [4, 3])
    assert noise["encoding"]["x"]["field"], noise["encoding"]["x2"] == (
        "noise_low",
        {"field": "noise_high"},
    )
    assert bars["encoding"]["x"]["title"] == "Rows"
    assert shown.words == (
        f"Count by city: 4 values with 95 % intervals; the largest is 103 ({'c' * 60}), "
        "the smallest 100 (b)."
    )
    assert single().plot().words == "Units: 1,836, with a 95 % interval of 1,830 to 1,842."
    assert shown.chart is not None


def kinds_of_marks(spec: Mapping[str, Any]) -> list[str]:
    layers = spec.get("layer") or spec["spec"]["layer"]
    return [
        each["mark"] if isinstance(each["mark"], str) else each["mark"]["type"] for each in layers
    ]


def test_each_kind_of_table_has_its_marks() -> None:
    """Histograms are columns, time is a line in its band, two keys are heat, means are points."""
    ages = tuple((10.0 * n, 10.0 * n + 10) for n in range(4))
    histogram = replace(table("by age", list("abcd")), columns=("age_from", "age_to"), rows=ages)
    assert kinds_of_marks(histogram.plot().spec) == ["bar", "rule", "rule"]
    assert histogram.plot().spec["layer"][0]["encoding"]["y2"] == {"datum": 0}
    groups = replace(histogram, columns=("sex", "age_from", "age_to"),
                     rows=tuple((sex, *end) for sex in "fm" for end in ages[:2]))  # fmt: skip
    assert groups.plot().spec["facet"]["field"] == "group"
    months = table("by month", ["2026-01", "2026-02", "2026-03"])
    assert kinds_of_marks(months.plot().spec) == ["area", "line"]
    both = replace(table("both", list("abcdef")), columns=("month", "sex"),
                   rows=tuple((f"2026-0{m}", s) for m in (1, 2, 3) for s in "fm"))  # fmt: skip
    assert kinds_of_marks(both.plot().spec) == ["area", "line"]
    assert {row["series"] for row in rows(both.plot().spec)} == {"f", "m"}
    heat = replace(both, rows=tuple((city, s) for city in ("x", "y", "z") for s in "fm"))
    assert kinds_of_marks(heat.plot().spec) == ["rect", "text"]
    means = replace(table("mean", ["a", "b"]), kind="Mean", measure="kr")
    assert kinds_of_marks(means.plot().spec) == ["rule", "rule", "point"]
    assert means.plot().spec["layer"][2]["encoding"]["x"]["title"] == "Mean, kr"
    days = replace(
        histogram, rows=tuple((date(2026, 1, n), date(2026, 1, n + 1)) for n in range(1, 5))
    )
    for each in (histogram, groups, months, both, heat, means, days):
        assert each.plot().chart is not None
        assert "NaN" not in each.plot().svg()


def test_control_characters_do_not_end_the_process() -> None:
    odd = [chr(1), chr(0), chr(0xD800), chr(0xFFFE), "\\", chr(27) + "[31m"]
    shown = table("a" + chr(1), odd, column="b" + chr(1)).plot()
    assert "&lt;U+0001&gt;" in shown.svg()
    assert shown.png()


def test_pictures_can_be_read_in_light_and_dark_notebooks() -> None:
    """No ground, and text in the colour of the text around; files keep theirs."""
    shown = table("by city", ["a", "b"]).plot()
    assert isinstance(shown, Picture)
    inline = shown._repr_html_()
    assert 'fill="white"' not in inline
    assert INK not in inline
    assert "currentColor" in inline
    assert INK in shown.svg()
    for other in MIDDLING.values():
        assert min(contrast(other, ground) for ground in ("#FFFFFF", "#10161d")) >= 3


def test_a_distribution_function_is_a_line_in_its_band() -> None:
    frame = pd.DataFrame({"age": range(100), "city": list("abcdefgh") * 12 + list("abcd")})
    start = ln.plan(ln.read(frame, unit=None))
    asked = start.cumulative("age", lower=0, upper=100, parts=5)
    asked = asked.cumulative("age", lower=0, upper=100, parts=4, by="city", keys=list("abcdefgh"))
    ((whole, groups),) = drawn_again(asked, ln.PureDP(epsilon=100), 1)
    shown = whole.plot()
    assert [row["end"] for row in rows(shown.spec)] == [20, 40, 60, 80]
    assert all(row["lower"] <= row["value"] <= row["upper"] for row in rows(shown.spec))
    area, line = shown.spec["layer"]
    assert (area["mark"]["type"], line["mark"]["type"]) == ("area", "line")
    assert area["encoding"]["y2"] == {"field": "upper"}
    assert shown.chart is not None
    days = tuple((date(2024, 1, day),) for day in range(1, 5))
    dated = replace(whole, rows=days).plot()
    assert [row["end"] for row in rows(dated.spec)] == [f"2024-01-0{day}" for day in range(1, 5)]
    assert dated.spec["layer"][0]["encoding"]["x"]["type"] == "temporal"
    assert dated.chart is not None
    several = groups.plot()
    assert list(dict.fromkeys(row["series"] for row in rows(several.spec))) == list("abcdef")
    assert "the first 6 of 8 groups" in several.spec["title"]["subtitle"]
    assert several.chart is not None
    assert "NaN" not in several.svg()


def test_keys_that_are_no_text() -> None:
    whole = replace(table("count", ["a", "b"]), rows=((None,), (0.5,)))
    assert {row["key"] for row in rows(whole.plot().spec)} == {"all", "0.5"}
    unknown = np.full(2, np.nan)
    bare = replace(whole, lower=unknown, upper=unknown)
    assert bare.plot().words.startswith("Count: 2 values with")


def test_long_tables_and_releases_say_what_is_left_out() -> None:
    long = table("count", [str(n) for n in range(51)])
    assert "the first 50 of 51 rows" in long.plot().spec["title"]["subtitle"]
    many = release([table(f"count {n}", ["a"]) for n in range(13)])
    spec = many.plot().spec
    assert "the first 12 of 13 tables" in spec["title"]["subtitle"]
    assert len(spec["vconcat"]) == 12
    assert "NaN" not in many.plot().svg()


def test_hostile_names_stay_names() -> None:
    bad = "</svg><script>alert(1)</script>"
    for value in (table(bad, [bad], column=bad), release([table(bad, [bad])], dataset=bad)):
        assert "<script" not in value._repr_html_()
        assert bad in str(value.plot().spec)
        page = value.plot().html()
        assert page.count("<script") == page.count("</script") == 2
        assert "alert(1)<" not in page


def test_numbers_that_cannot_be_drawn_are_left_out() -> None:
    found = single()
    odd = replace(found, lower=np.array([-np.inf]), upper=np.array([np.nan]))
    json.dumps(odd.plot().spec, allow_nan=False)
    assert "not known" in odd.plot().words
    assert "NaN" not in odd.plot().svg()


@pytest.mark.parametrize(("scale", "guilty"), [("1/2", True), (1, False)])
def test_audits_show_every_event_against_the_promise(scale: str | int, guilty: bool) -> None:
    found = audit(DiscreteLaplace(scale=scale), neighbours=(0, 1), epsilon=1, samples=40_000)
    shown = found.plot()
    bars, rule, _ = shown.spec["layer"]
    assert rows(rule) == [{"shown": 1.0}]
    assert max(row["shown"] for row in rows(bars)) == pytest.approx(float(found.epsilon_lower))
    assert any(row["over"] for row in rows(bars)) is guilty
    assert ("A violation" in shown.words) is guilty
    assert shown.chart is not None


def test_sequential_audits_show_the_evidence_as_it_grew() -> None:
    law = DiscreteLaplace(scale="1/2")
    found = audit(law, neighbours=(0, 1), epsilon=1, samples=10**5, sequential=True)
    line, rule, _ = found.plot().spec["layer"]
    assert rows(rule) == [{"evidence": pytest.approx(6)}]
    assert rows(line)[-1]["evidence"] >= 6
    assert found.plot().chart is not None


def test_the_bound_that_is_drawn_is_quick_and_a_little_below_the_certificates() -> None:
    mechanism = ln.optimal(sensitivity=50, epsilon=1, delta="1e-6")
    drawn, proved = quick_bound(mechanism.problem, mechanism.choice), mechanism.certificate().bound
    assert proved * Fraction(95, 100) < drawn <= proved
    program = ln.optimal(sensitivity=3, epsilon=1, delta="1e-6")
    assert quick_bound(program.problem, program.choice) == program.certificate().bound
    extreme = ln.optimal(sensitivity=50, epsilon=1, delta="1e-60")
    with pytest.raises(UnsupportedQuery):
        quick_bound(extreme.problem, extreme.choice)
