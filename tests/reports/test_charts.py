"""Charts of a report: to scale, with round ticks, noise and cut told apart."""

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leastnoise.people import said_interval, said_value
from leastnoise.release.result.cut import Cut
from leastnoise.release.result.flag import Flag, FlagKind
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import BAND, ReleasedTable
from leastnoise.reports.chart_of import chart_of, finding
from leastnoise.reports.charts.frame import axis_of
from leastnoise.reports.charts.heat import SHADES, shade, swatches
from leastnoise.reports.charts.rows import Mark, row_chart
from leastnoise.reports.charts.upright import Series, lines
from leastnoise.reports.digits import interval_texts, value_texts
from leastnoise.reports.question import question_section
from leastnoise.reports.view import QuestionView
from tests.reports.page import Node, read
from tests.reports.releases import question, release, table

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
SIZES = st.floats(1e-9, 1e9)


@settings(max_examples=300, deadline=None)
@given(FLOATS, FLOATS, SIZES, st.booleans())
def test_quick_digits_are_those_of_people(
    value: float, other: float, error: float, whole: bool
) -> None:
    low, high = sorted((value, other)) if value == value and other == other else (value, other)  # noqa: PLR0124
    assert value_texts([value], [error], whole=whole) == [said_value(value, error, whole=whole)]
    told = interval_texts([low], [high], [error], whole=whole)
    assert told == [said_interval(low, high, error, whole=whole)]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5), st.booleans())
@example(values=[5e-324], zero=True)
@example(values=[1e12, 1e12 - 1e-4], zero=False)
def test_axes_hold_all_values_and_have_few_round_ticks(values: list[float], zero: bool) -> None:
    axis = axis_of(values, zero=zero)
    assert axis.low <= min(values)
    assert max(values) <= axis.high
    assert len(axis.ticks) <= 7
    assert all(axis.low <= tick <= axis.high or abs(tick) < 1e-6 * axis.high for tick in axis.ticks)
    assert axis.begins_at_0 or not zero


def view(made: ReleasedTable, kind: str = "Count", **more: Any) -> QuestionView:
    asked = replace(question(made.name, "The number of rows."), kind=kind, **more)
    found = release([made], [asked])
    return QuestionView(found.tables[0], 1, found)


def drawn(found: QuestionView) -> Node:
    return read(f"<!DOCTYPE html>\n{chart_of(found)}")


def percents(node: Node, *names: str) -> list[float]:
    return [float((node.attributes[name] or "").rstrip("%")) for name in names]


def looks(page: Node, name: str, look: str) -> list[Node]:
    return [n for n in page.all(name) if look in (n.attributes.get("class") or "").split()]


def test_bars_are_to_scale_and_sorted() -> None:
    page = drawn(view(table("by city", ["Oslo", "Bergen", "Bodø"])))
    assert [node.text for node in looks(page, "text", "lab")] == ["Bodø", "Bergen", "Oslo"]
    widths = [percents(bar, "width")[0] for bar in looks(page, "rect", "bar")]
    assert widths[0] / widths[2] == pytest.approx(102 / 100, rel=0.01)
    assert [percents(bar, "x") for bar in looks(page, "rect", "bar")] == [[0]] * 3
    noise = [percents(n, "x1", "x2") for n in looks(page, "line", "noise")][::3]
    assert noise[0][0] < widths[0] < noise[0][1]
    assert not looks(page, "line", "cut")


def cut(made: ReleasedTable, *, surely: bool) -> ReleasedTable:
    """The same, with rows left out: the interval reaches up by 300."""
    told = Cut(
        what="rows", lost=(200.0, 300.0), kept=(0.5, 0.6), whole=(0.4, 0.5),
        noise=(10.0,) * len(made), surely_more=surely, cap=None, most=3, beyond=None,
    )  # fmt: skip
    kind = FlagKind.CUT if surely else FlagKind.CUT_NOT_KNOWN
    flags = (Flag(kind, kind.value, tuple(range(len(made)))),)
    return replace(made, cut=told, upper=made.upper + 290, flags=flags)


def test_the_room_for_what_was_cut_is_orange_and_joined_to_the_noise() -> None:
    page = drawn(view(cut(table("by city", ["Oslo"] * 2), surely=False)))
    dashed = [percents(n, "x1", "x2") for n in looks(page, "line", "cut")]
    noise = [percents(n, "x1", "x2") for n in looks(page, "line", "noise")][::3]
    assert dashed[0][0] == noise[0][1] < dashed[0][1]
    assert (dashed[0][1] - noise[0][1]) / (noise[0][1] - noise[0][0]) == pytest.approx(
        14.5, rel=0.1
    )
    hatched = drawn(view(cut(table("by city", ["Oslo"] * 2), surely=True)))
    assert len(looks(hatched, "rect", "hatched")) == 2


def test_what_was_cut_is_said_first_and_drawn_as_a_bar() -> None:
    page = read(
        f"<!DOCTYPE html>\n{question_section(view(cut(table('c', ['a']), surely=True)), {})}"
    )
    (note,) = looks(page, "p", "note")
    assert note.text.startswith("The limits cut more than the noise adds. Intervals hold")
    (kept,) = looks(page, "rect", "kept")
    assert percents(kept, "width") == [50]
    assert "50 – 60 % of rows" in page.text
    unknown = replace(table("c", ["a"]), notes=("what the bounds left out is not measured here",))
    assert "is not measured for this question" in question_section(view(unknown), {})


def test_means_are_points_on_an_axis_of_their_own() -> None:
    found = view(table("mean", ["a", "b"]), "Mean", measure="kr")
    page = drawn(found)
    assert len(looks(page, "circle", "dot")) == 2
    assert "Mean, kr; the axis does not begin at 0" in page.text


def test_many_keys_show_the_ten_largest() -> None:
    page = drawn(view(table("by key", [f"k{n}" for n in range(30)])))
    assert [n.text for n in looks(page, "text", "lab")] == [f"k{n}" for n in range(29, 19, -1)]
    assert "the ten largest of 30" in page.text


def test_histograms_are_columns_without_gaps() -> None:
    made = replace(table("by age", ["a", "b", "c"]), columns=("age_from", "age_to"),
                   rows=((0.0, 10.0), (10.0, 20.0), (20.0, 40.0)))  # fmt: skip
    bars = [
        percents(bar, "x", "width") for bar in looks(drawn(view(made, "Histogram")), "rect", "bar")
    ]
    assert bars == [[0, 25], [25, 25], [50, 50]]
    days = replace(made, rows=tuple((date(2026, 1, d), date(2026, 1, d + 1)) for d in (1, 2, 3)))
    assert len(looks(drawn(view(days, "Histogram")), "rect", "bar")) == 3


@pytest.mark.parametrize(
    "keys", [["2026-01", "2026-02", "2026-03"], [2020, 2021, 2022],
             [date(2026, month, 1) for month in (1, 2, 3)], ["2026Q1", "2026Q2", "2026Q3"]],
    ids=["months", "years", "days", "quarters"],
)  # fmt: skip
def test_time_is_a_line_in_its_band(keys: list[Any]) -> None:
    page = drawn(view(table("over time", keys)))
    assert len(list(page.all("polyline"))) == len(list(page.all("polygon"))) == 1
    (line,) = page.all("polyline")
    assert len((line.attributes["points"] or "").split()) == 3


def test_numbers_that_are_no_years_are_no_time() -> None:
    assert not list(drawn(view(table("by size", [1, 2, 3]))).all("polyline"))


def test_names_at_the_ends_of_lines_stand_apart() -> None:
    marks = [Mark("", 10.0, (9.0, 11.0), (9.0, 11.0))] * 3
    chart, _ = lines([Series(name, marks) for name in "abc"], [0, 50, 100], list("xyz"), label="")
    page = read(f"<!DOCTYPE html>\n{chart}")
    places = [float(n.attributes["y"] or 0) for n in looks(page, "text", "name")]
    assert all(b - a >= 15 for a, b in pairwise(places))


def test_two_keys_are_heat_on_one_scale() -> None:
    rows = tuple((a, b) for a in ("x", "y") for b in ("p", "q"))
    made = replace(
        table("both", list("abcd")), columns=("one", "two"), rows=(*rows[:3], ("y", "r"))
    )
    page = drawn(view(made))
    cells = [(n.attributes["class"], n.text) for n in page.all("td")]
    assert cells[0] == ("h12", "100±10 · B")
    assert ("none", "–") in cells
    assert swatches(79_830, "rows").count("<span") == 3  # 20,000, 40,000, 60,000
    assert "<span" not in swatches(0, "rows")
    assert shade(0, 5) == shade(-1, 5) == shade(float("nan"), 5) == 0
    assert shade(5, 5) == SHADES > shade(2, 5) > shade(1, 5) > 0
    large = replace(table("both", ["k"] * 900), columns=("one", "two"),
                    rows=tuple((a, b) for a in range(30) for b in range(30)))  # fmt: skip
    plain = next(iter(drawn(view(large)).all("td")))
    assert [child.attributes["class"] for child in plain.children if isinstance(child, Node)] == [
        "hidden"
    ]


def test_two_keys_with_time_are_lines() -> None:
    rows = tuple((month, sex) for month in ("2026-01", "2026-02", "2026-03") for sex in "fm")
    made = replace(table("both", ["k"] * 6), columns=("month", "sex"), rows=rows)
    assert len(list(drawn(view(made)).all("polyline"))) == 2
    short = replace(table("both", ["k"] * 5), columns=("month", "sex"), rows=rows[:5])
    assert not list(drawn(view(short)).all("polyline"))  # one is missing: no line


def test_pairs_of_columns_are_small_tables() -> None:
    rows: tuple[tuple[Any, ...], ...] = (
        (True, False, None), (True, True, None), (True, None, False), (None, True, False),
    )  # fmt: skip
    made = replace(table("pairs", list("abcd")), columns=("a", "b", "c"), rows=rows)
    assert len(list(drawn(view(made, "Marginals")).all("table"))) == 3
    singles = replace(made, rows=((True, None, None), (None, True, None), (None, None, False),
                                  (False, None, None)))  # fmt: skip
    assert looks(drawn(view(singles, "Marginals")), "rect", "bar")


def test_quantiles_are_a_box() -> None:
    made = replace(
        table("age", list("abc")), columns=("quantile",), rows=((0.25,), (0.5,), (0.75,))
    )
    page = drawn(view(made, "ColumnQuantiles"))
    assert len(looks(page, "rect", "box")) == 1
    assert len(looks(page, "line", "quantile")) == 3
    (svg,) = page.all("svg")
    assert svg.attributes["aria-label"] == "Age: 25 % below 100, 50 % below 101, 75 % below 102."


def test_a_distribution_function_is_steps_in_a_band() -> None:
    made = replace(
        table("share", list("abcd")), columns=("age_below",), notes=(BAND,),
        rows=((10.0,), (20.0,), (30.0,), (40.0,)), values=np.array([0.1, 0.4, 0.7, 0.9]),
        lower=np.array([0.05, 0.35, 0.65, 0.85]), upper=np.array([0.15, 0.45, 0.75, 0.95]),
    )  # fmt: skip
    page = drawn(view(made, "Cumulative"))
    (line,) = page.all("polyline")
    assert len((line.attributes["points"] or "").split()) == 7  # two for each step up
    assert view(made, "Cumulative").rows(1)[0].value == "10.0 %"
    assert view(made, "Cumulative").rows(1)[0].interval == "5.0 % – 15.0 %"


def test_numbers_that_cannot_be_drawn_have_no_chart() -> None:
    odd = replace(table("odd", ["a", "b"]), values=np.array([np.nan, 1.0]))
    assert chart_of(view(odd)) == ""
    none = replace(table("none", ["a"]), rows=(), values=np.array([]), standard_error=np.array([]),
                   lower=np.array([]), upper=np.array([]))  # fmt: skip
    assert chart_of(view(none)) == ""
    assert "No group is large enough" in question_section(view(none), {})


def test_the_main_finding_is_said() -> None:
    assert finding(view(table("by city", ["Oslo", "Bergen"]))) == (
        "By city: largest for Bergen, 101; smallest for Oslo, 100."
    )


def test_grades_are_as_official_statistics_print_them() -> None:
    made = replace(
        table("graded", list("abcdef")),
        values=np.array([1000.0, 1000.0, 1000.0, 1000.0, 10.0, 1000.0]),
        lower=np.array([950.0, 850.0, 750.0, 700.0, -1.0, np.nan]),
        upper=np.array([1050.0, 1150.0, 1250.0, 1300.0, 11.0, np.nan]),
    )
    assert view(made).grades == ["A", "B", "C", "D", "D", "D"]
    bound = replace(made, flags=(Flag(FlagKind.WHOLE_RANGE, "nothing known", (0,)),))
    assert view(bound).grades[0] == "D"
    lost = Flag(FlagKind.CUT, "cut, not all of it in the interval", (1,))
    assert view(replace(made, flags=(lost,))).grades[1] == "D"


def test_long_labels_are_cut_and_told_whole() -> None:
    long = "a very long name of a municipality somewhere"
    chart, _ = row_chart([Mark(long, 1.0, (0, 2), (0, 2))], lengths=True, label="")
    assert re.search(r">a very long name of a municip…<title>a very long name of a mun", chart)


def test_links_lead_to_files_whose_names_hold_any_letter() -> None:
    html = question_section(view(table("a", ["x"])), {"csv": "01_a#b?c%.csv"})
    assert 'href="./01_a%23b%3Fc%25.csv"' in html


def test_sections_are_headings_in_order_and_the_rest_follows() -> None:
    from leastnoise.release.ask.publication import publication
    from leastnoise.reports import report_html

    made: PlanRelease = release([table(name, ["x"]) for name in ("one", "two", "three")])
    words = publication(sections={"Who comes": ["three"], "When": ["one"]})
    told = replace(made, facts=replace(made.facts, publication=words))
    heads = [n.text for n in read(report_html(told)).every() if n.name in {"h2", "h3"}]
    assert heads[2:8] == ["Who comes", "1. Three", "When", "2. One", "Others", "3. Two"]
