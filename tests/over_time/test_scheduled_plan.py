"""Plans with a schedule, from the question to the numbers of every step."""

from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter, LedgerError, UnsupportedQuery
from leastnoise.ledger import Charge, Kept, Ledger
from leastnoise.privacy.gaussian import gaussian_mu
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.scheduled_plan import ScheduledPlan
from tests.over_time.tables import Visit, arrow

START = date(2026, 1, 1)
LATER = date(2026, 6, 1)
LOUD = ln.ZCDP(rho=10**4)  # noise of about 1/50: totals are told exactly, save once in 10^9
STEPS = 12


def visits(last: int = STEPS) -> list[Visit]:
    """Person p comes first on day p % 12, and again on the two days after."""
    found = [
        Visit(person, START + timedelta(days=(person % STEPS) + again), "ab"[person % 2])
        for person in range(60)
        for again in range(3)
    ]
    edge = START + timedelta(days=last)
    return [each for each in found if each.day is not None and each.day < edge]


def plan(rows: list[Visit] | None = None, **changes: object) -> ScheduledPlan:
    parts: dict[str, object] = {"start": START, "steps": STEPS, "column": "day"} | changes
    table = ln.read(arrow(visits() if rows is None else rows), unit="person", dataset="visits")
    asked = ln.plan(table, max_groups=1, max_rows=1)
    asked = asked.count(name="rows").count_units(by="town", keys=["a", "b"], name="people")
    return asked.sum("person", lower=0, upper=64, name="sum").every("day", **parts)  # type: ignore[arg-type]


def stored(rows: list[Visit], path: Path, **named: str) -> ScheduledPlan:
    """The same rows in a file."""
    pq.write_table(arrow(rows), path)
    asked = ln.plan(ln.read(path, unit="person", **named), max_rows=1).count(name="rows")  # type: ignore[arg-type]
    return asked.every("day", start=START, steps=STEPS, column="day")


def test_data_with_a_name_may_move(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "b.db", total=LOUD, dataset="visits", begin=True)
    stored(visits(), tmp_path / "one.parquet", dataset="visits").begin(LOUD, ledger=ledger)
    moved = stored(visits(), tmp_path / "two.parquet", dataset="visits")
    made = moved.release_step("2026-01-03", ledger=ledger, today=LATER)
    assert made["rows"].values[0] == 15


def test_data_without_a_name_may_not(tmp_path: Path) -> None:
    ledger = book(tmp_path)
    stored(visits(), tmp_path / "one.parquet").begin(LOUD, ledger=ledger)
    with pytest.raises(LedgerError, match="must be begun"):
        stored(visits(), tmp_path / "two.parquet").release_step(ledger=ledger, today=LATER)


def book(folder: Path, rho: int = 10**5) -> Ledger:
    return Ledger(folder / "budget.db", total=ln.ZCDP(rho=rho), begin=True)


def test_numbers_are_those_of_the_rows(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    asked.begin(LOUD, ledger=ledger)
    for number in range(1, STEPS + 1):
        day = START + timedelta(days=number - 1)
        made = asked.release_step(day, ledger=ledger, today=LATER)
        assert made.step == day.isoformat()
        assert made["rows"].values.tolist() == [5 * number]
        assert made.alone("rows").values.tolist() == [5]
        assert made["people"].values.sum() == 5 * number
        people = [p for p in range(60) if p % STEPS < number]
        assert made["sum"].values[0] == pytest.approx(sum(people), abs=12)


@pytest.mark.parametrize("most", [2, 3])
def test_units_may_count_in_several_steps(tmp_path: Path, most: int) -> None:
    asked, ledger = plan(contributes=most), book(tmp_path)
    asked.begin(LOUD, ledger=ledger)
    made = asked.release_step("2026-01-06", ledger=ledger, today=LATER)
    expected = sum(min(most, 6 - p % STEPS) for p in range(60) if p % STEPS < 6)
    assert made["rows"].values.tolist() == [expected]


def test_one_line_is_charged_and_one_kept_for_each_step(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    entry = asked.begin(LOUD, ledger=ledger)
    spent = ledger.spent
    assert isinstance(spent, ln.ZCDP)
    assert 0.999 * 10**4 < spent.rho <= 10**4
    assert asked.begin(LOUD, ledger=ledger) == entry
    asked.release_step("2026-01-05", ledger=ledger, today=LATER)
    kinds = [type(each.event) for each in ledger.history()]
    assert kinds == [Charge, *[Kept] * 6]  # the design, and five steps
    assert ledger.spent == spent


def test_a_step_is_served_again_without_the_data(tmp_path: Path) -> None:
    ledger, path = book(tmp_path), tmp_path / "visits.parquet"
    asked = stored(visits(), path)
    asked.begin(ln.ZCDP(rho="0.01"), ledger=ledger)  # loud enough to tell two draws apart
    one = asked.release_step("2026-01-07", ledger=ledger, today=LATER)
    path.unlink()
    two = asked.release_step("2026-01-07", ledger=Ledger(tmp_path / "budget.db"), today=LATER)
    assert one.to_json() == two.to_json()
    earlier = asked.release_step("2026-01-03", ledger=ledger, today=LATER)
    (series,) = asked.released_steps(ledger=ledger)
    assert series.values.tolist()[2] == earlier["rows"].values[0]
    assert series.values.tolist()[6] == one["rows"].values[0]
    assert len(series) == 7


def test_days_weeks_and_totals_agree_for_ever(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    asked.begin(ln.ZCDP(rho="0.1"), ledger=ledger)
    alone = 0
    for number in range(1, 8):
        made = asked.release_step(START + timedelta(days=number - 1), ledger=ledger, today=LATER)
        alone += int(made.alone("rows").values[0])
        assert made["rows"].values[0] == alone
        series = asked.released_steps(ledger=ledger)[0]
        assert series.values[number - 1] == alone


def test_windows_are_sums_of_what_was_published(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    asked.begin(ln.ZCDP(rho="0.1"), ledger=ledger)
    asked.release_step(ledger=ledger, today=LATER)
    totals = asked.released_steps(ledger=ledger)[1].values.reshape(STEPS, 2)
    before = np.vstack([np.zeros((1, 2), int), totals])
    three = asked.released_windows(3, ledger=ledger)[1]
    assert np.array_equal(three.values.reshape(-1, 2), before[3:] - before[:-3])
    assert three.rows[0][0] == "2026-01-03"
    weeks = asked.released_windows("week", ledger=ledger)[1]
    assert np.array_equal(weeks.values, totals[6])  # one whole week
    assert weeks.standard_error[0] == asked.released_steps(ledger=ledger)[1].standard_error[12]
    assert len(asked.released_windows("month", ledger=ledger)[0]) == 0
    for wrong in ("day", "decade", 0, STEPS + 1):
        with pytest.raises(InvalidParameter):
            asked.released_windows(wrong, ledger=ledger)


def test_months_are_those_of_the_calendar() -> None:
    schedule = Schedule("day", start="2026-01-15", steps=90, contributes=1, column="day")
    assert schedule.spans("month", 90) == [(18, 45), (46, 76)]
    quarters = Schedule("month", start="2026-02-01", steps=9, contributes=1, column="day")
    assert quarters.spans("quarter", 9) == [(3, 5), (6, 8)]
    with pytest.raises(InvalidParameter, match="do not fill"):
        Schedule("week", start="2026-02-01", steps=9, contributes=1, column="day").spans("month", 9)


def test_missed_steps_are_caught_up_and_the_last_is_the_default(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    asked.begin(LOUD, ledger=ledger)
    made = asked.release_step(ledger=ledger, today=date(2026, 1, 9))
    assert made.number == 8
    assert asked.release_step(ledger=ledger, today=date(2026, 1, 9)).number == 8
    assert len(asked.released_steps(ledger=ledger)[0]) == 8


def test_a_step_that_is_not_over_is_refused(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    asked.begin(LOUD, ledger=ledger)
    with pytest.raises(InvalidParameter, match="must be over"):
        asked.release_step("2026-01-09", ledger=ledger, today=date(2026, 1, 9))
    with pytest.raises(InvalidParameter, match="must be over"):
        asked.release_step(ledger=ledger, today=START)
    assert len(ledger.history()) == 2


def test_steps_need_a_beginning(tmp_path: Path) -> None:
    asked, ledger = plan(), book(tmp_path)
    with pytest.raises(LedgerError, match="must be begun"):
        asked.release_step("2026-01-01", ledger=ledger, today=LATER)
    asked.begin(LOUD, ledger=ledger)
    with pytest.raises(LedgerError, match="must be begun"):
        plan(contributes=2).release_step("2026-01-01", ledger=ledger, today=LATER)
    with pytest.raises(InvalidParameter, match="one budget"):
        asked.begin(ln.ZCDP(rho=1), ledger=ledger)


def test_late_rows_count_nowhere_in_closed_steps(tmp_path: Path) -> None:
    """Person 5 comes first on day 5; a row of day 0 that comes late must not move it there."""
    ledger, closed = book(tmp_path), tmp_path / "closed.db"
    path = tmp_path / "visits.parquet"

    def asked(rows: list[Visit]) -> ScheduledPlan:
        return stored(rows, path)

    asked(visits(6)).begin(LOUD, ledger=ledger)
    one = asked(visits(6)).release_step("2026-01-06", ledger=ledger, closed=closed, today=LATER)
    assert one["rows"].values[0] == 30
    late = [*visits(), Visit(5, START, "a"), Visit(1000, START, "a")]
    two = asked(late).release_step("2026-01-07", ledger=ledger, closed=closed, today=LATER)
    assert two["rows"].values[0] == 35
    assert closed.stat().st_mode & 0o077 == 0
    assert asked(visits(7)).changed_steps(closed=closed) == ()
    # The late row of person 1000, and that of person 5, who counted on day 6 before.
    assert asked(late).changed_steps(closed=closed) == ("2026-01-01", "2026-01-06")
    erased = [each for each in visits(7) if each.person != 14]
    assert asked(erased).changed_steps(closed=closed) == ("2026-01-03",)
    closed.unlink()
    with pytest.raises(InvalidParameter, match="closed steps"):
        asked(late).release_step("2026-01-08", ledger=ledger, closed=closed, today=LATER)


def test_noise_is_as_large_as_it_is_said(tmp_path: Path) -> None:
    """1000 groups of nobody: what is told is noise alone."""
    keys = [f"town {n}" for n in range(1000)]
    table = ln.read(arrow(visits()), unit="person", dataset="visits")
    counted = ln.plan(table, max_groups=1, max_rows=1).count(by="town", keys=keys, name="rows")
    asked = counted.every("day", start=START, steps=STEPS, column="day")
    ledger = book(tmp_path)
    asked.begin(ln.ZCDP(rho="0.005"), ledger=ledger)
    made = asked.release_step(ledger=ledger, today=LATER)
    for told in (made["rows"], made.alone("rows")):
        spread = float(np.sqrt((told.values.astype(float) ** 2).mean()))
        # Of 1000 normal numbers: beyond a sixth once in 10^13 runs.
        assert spread == pytest.approx(float(told.standard_error[0]), rel=1 / 6)
        inside = np.mean((told.lower <= 0) & (told.upper >= 0))
        assert 0.91 < inside < 0.99


def test_other_budgets() -> None:
    with pytest.raises(InvalidParameter, match="PureDP, ApproxDP or ZCDP"):
        plan().preview(ln.GDP(mu=1))
    with pytest.raises(InvalidParameter, match="above 0"):
        plan().preview(ln.PureDP(epsilon=0))


def test_pure_budgets_have_noise_on_blocks(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=10**5), begin=True)
    asked = plan(steps=40)
    told = asked.preview(ln.PureDP(epsilon=10**4))
    assert "blocks of steps" in str(told)
    asked.begin(ln.PureDP(epsilon=10**4), ledger=ledger)
    for number in (1, 5, 11, 12):
        day = START + timedelta(days=number - 1)
        made = asked.release_step(day, ledger=ledger, today=LATER)
        assert made["rows"].values.tolist() == [5 * number]
        assert "TreeNoise" in made["rows"].mechanism
    spent = ledger.spent
    assert isinstance(spent, ln.PureDP | ln.ApproxDP)
    assert spent.epsilon <= 10**4


def test_the_better_of_both_is_taken() -> None:
    """At ε = 1 a year of Gaussian noise has 11.13 at δ = 10⁻⁶ and a tree 11.86 at any δ."""
    asked = ln.plan(ln.read(arrow(visits()), unit=None, dataset="visits")).count(name="rows")
    year = asked.every("day", start=START, steps=365, column="day", matters="mean square")
    one = year.preview(ln.ApproxDP(epsilon=1, delta="1e-6"))
    assert one.ratio is not None
    other = year.preview(ln.ApproxDP(epsilon=1, delta="1e-9"))
    assert other.ratio is None
    assert other.of("rows", "the steps to date").standard_error == pytest.approx(11.75, abs=0.15)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda p: p.mean("person", lower=0, upper=9), "of another kind"),
        (lambda p: p.median("person", lower=0, upper=9), "of another kind"),
        (lambda p: p.count(by="town", keys="private", name="x"), "public keys"),
        (
            lambda p: p.count(by="town", keys=["a"], clip=ln.Clip(max_norm=2), name="x"),
            "has a clip",
        ),
        (lambda p: p.sum("person", lower=0, upper="auto", name="x"), "'auto'"),
    ],
)
def test_other_questions_are_refused_with_words(ask: object, words: str) -> None:
    with pytest.raises((UnsupportedQuery, InvalidParameter), match=words):
        ask(plan()).preview(LOUD)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("bounds", "own", "words"),
    [
        ({"max_rows": "auto", "max_groups": 1}, {}, r"`max_rows` of 'x'.*Write max_rows = 2, say"),
        ({"max_rows": 1, "max_groups": "auto"}, {}, r"no number for `max_groups` of 'x'"),
        ({"max_rows": 1, "max_groups": 1}, {"max_rows": "auto"}, r"`max_rows` of 'x'"),
    ],
)
def test_bounds_of_a_schedule_are_numbers(bounds: Any, own: Any, words: str) -> None:
    table = ln.read(arrow(visits()), unit="person", dataset="visits")
    asked = ln.plan(table, **bounds).count(by="town", keys=["a", "b"], name="x", **own)
    with pytest.raises(InvalidParameter, match=words):
        asked.every("day", start=START, steps=3, column="day").preview(LOUD)


def test_a_bound_that_no_question_needs_may_be_open() -> None:
    table = ln.read(arrow(visits()), unit="person", dataset="visits")
    asked = ln.plan(table, max_rows=1, max_groups="auto").count(name="x")
    assert asked.every("day", start=START, steps=3, column="day").preview(LOUD)


@pytest.mark.parametrize(("steps", "said"), [(1, False), (2, True)])
def test_which_error_is_made_small_is_said(steps: int, said: bool) -> None:
    asked = ln.plan(ln.read(arrow(visits()), unit="person", dataset="visits"), max_rows=1).count()
    told = asked.every("day", start=START, steps=30, column="day", contributes=steps).preview(LOUD)
    assert ("not the worst one" in str(told)) is said


def test_what_a_schedule_is_not() -> None:
    table = ln.read(arrow(visits()), unit="person", dataset="visits")
    empty = ln.plan(table, max_rows=1)
    with pytest.raises(InvalidParameter, match="holds values of type"):
        empty.every("day", start=START, steps=3, column="town")
    with pytest.raises(InvalidParameter, match="needs a question"):
        empty.every("day", start=START, steps=3, column="day").preview(LOUD)
    unnamed = ln.plan(ln.read(arrow(visits()), unit="person"), max_rows=1).count()
    with pytest.raises(InvalidParameter, match="dataset='visits'"):
        unnamed.every("day", start=START, steps=3, column="day").preview(LOUD)


def test_plans_without_a_schedule_keep_their_fingerprint() -> None:
    asked = ln.plan(ln.read(arrow(visits()), unit="person"), max_rows=1).count()
    assert "schedule" not in repr(asked)
    assert asked.digest != asked.every("day", start=START, steps=3, column="day").digest


def test_budgets_with_delta_are_priced_on_the_line(tmp_path: Path) -> None:
    asked, ledger = (
        plan(),
        Ledger(tmp_path / "b.db", total=ln.ApproxDP(epsilon=1, delta="1e-2"), begin=True),
    )
    told = asked.preview(ln.ApproxDP(epsilon=1, delta="1e-2"))
    asked.begin(ln.ApproxDP(epsilon=1, delta="1e-2"), ledger=ledger)
    # Of three questions each has a third of μ².
    mu = float(gaussian_mu(Fraction(1), Fraction(1, 100)).lower)
    first = told.of("rows", "the steps to date")
    worst = float(ln.running_totals(STEPS).achieved)
    assert first.standard_error == pytest.approx(worst / mu * 3**0.5, rel=2e-3)


def test_previews_say_what_is_gained() -> None:
    one = plan().preview(LOUD)
    assert "Because a unit counts in one step" in str(one)
    assert one.of("rows", "a day").gain < 1 < one.of("rows", "the steps to date").gain
    many = plan(contributes=8).preview(LOUD)
    assert "little is gained" in str(many)
    some = plan(contributes=2).preview(LOUD)
    assert "up to 2 steps" in str(some)
