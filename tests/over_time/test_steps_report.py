"""The page of a schedule, and its chart of running totals."""

from datetime import date
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.release.result.step_release import StepRelease
from leastnoise.release.result.step_series import StepSeries
from leastnoise.reports.steps import series_chart, steps_html
from tests.over_time.tables import Visit, arrow

LOUD = ln.ZCDP(rho=10**4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[StepRelease, tuple[StepSeries, ...]]:
    folder: Path = tmp_path_factory.mktemp("steps")
    rows = [Visit(n, date(2026, 1, 1 + n % 4), "ab"[n % 2]) for n in range(40)]
    table = ln.read(arrow(rows), unit="person", dataset="visits")
    asked = ln.plan(table, max_groups=1, max_rows=1).count(name="rows <b>")
    asked = asked.count_units(by="town", keys=["a", "b"], name="people")
    plan = asked.every("day", start="2026-01-01", steps=4, column="day")
    ledger = ln.Ledger(folder / "b.db", total=LOUD, dataset="visits", begin=True)
    plan.begin(LOUD, ledger=ledger)
    step = plan.release_step("2026-01-03", ledger=ledger, today=date(2026, 2, 1))
    return step, plan.released_steps(ledger=ledger)


def test_the_page_has_numbers_chart_and_promise(
    made: tuple[StepRelease, tuple[StepSeries, ...]],
) -> None:
    page = steps_html(*made)
    assert page.count("<figure>") == 2
    assert "rows &lt;b&gt;" in page
    assert "<b>" not in page
    assert "never revised" in page
    assert made[0].seal in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<td>2026-01-03</td>" in page
    for each in made[1][0].values:
        assert f">{each}<" in page


def test_lines_have_their_bands(made: tuple[StepRelease, tuple[StepSeries, ...]]) -> None:
    one, groups = (series_chart(table) for table in made[1])
    assert one.count("polyline") == 2  # opened and closed
    assert one.count('class="band"') == 1
    assert groups.count('class="band"') == 2
    assert "running totals of 3 steps; the last number is 30, between" in one


def test_nothing_is_drawn_before_the_first_step(
    made: tuple[StepRelease, tuple[StepSeries, ...]],
) -> None:
    table = made[1][0]
    empty = StepSeries(
        name=table.name,
        columns=table.columns,
        rows=(),
        values=table.values[:0],
        standard_error=table.standard_error[:0],
        lower=table.lower[:0],
        upper=table.upper[:0],
        mechanism="",
    )
    assert series_chart(empty) == ""
