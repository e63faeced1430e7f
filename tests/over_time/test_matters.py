"""Which errors of a schedule are made small, and by what a schedule is known again."""

from datetime import date
from enum import Enum
from fractions import Fraction
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.csv_form import CsvForm
from leastnoise.release.ask.location import PostgresTable
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.over_time.fingerprint import fingerprint
from leastnoise.release.over_time.stream_design import asked_spans
from leastnoise.release.scheduled_plan import ScheduledPlan
from tests.over_time.tables import Visit, arrow

RHO = ln.ZCDP(rho=Fraction(1, 2))
START = date(2026, 1, 1)


def schedule(**changes: object) -> Schedule:
    parts = {"start": START, "steps": 40, "contributes": 1, "column": "day"} | changes
    return Schedule("day", **parts)  # type: ignore[arg-type]


def plan(matters: object = "worst", **changes: object) -> ScheduledPlan:
    table = ln.read(arrow([Visit(1, START, "a")]), unit="person", dataset="visits")
    asked = ln.plan(table, max_rows=1).count(name="rows")
    parts = {"start": START, "steps": 21, "column": "day", "matters": matters} | changes
    return asked.every("day", **parts)  # type: ignore[arg-type]


def test_what_matters_is_better() -> None:
    length = {
        "day": "a day",
        "7": "7 days",
        "to date": "the steps to date",
        "last": "all steps, to 2026-01-21",
    }
    made = {name: plan("last" if name == "last" else {name: 1}).preview(RHO) for name in length}
    for name, words in length.items():
        errors = {other: each.of("rows", words).standard_error for other, each in made.items()}
        assert min(errors, key=errors.__getitem__) == name
        assert made[name].ratio is not None
        assert made[name].ratio < 1.001  # type: ignore[operator]
    assert made["day"].of("rows", "a day").gain == pytest.approx(1, rel=1e-6)


def test_sums_that_matter_and_their_weights() -> None:
    found = asked_spans(schedule(steps=14, matters={"day": 1, "week": "0.5", 3: 2, "to date": 1}))
    assert found[0] == (1, 1, found[13][2])
    weeks = [each for each in found if each[1] - each[0] == 6 and each[0] % 7 == 1][:2]
    assert [each[:2] for each in weeks] == [(1, 7), (8, 14)]
    lengths = {"day": found[:14], "week": found[14:16], "3": found[16:28], "to date": found[28:]}
    total = {name: sum(weight for *_, weight in each) for name, each in lengths.items()}
    assert total["3"] / total["day"] == pytest.approx(2, rel=1e-4)
    assert total["week"] / total["day"] == pytest.approx(0.5, rel=1e-4)
    assert asked_spans(schedule()) == ()


def test_months_that_matter() -> None:
    found = asked_spans(schedule(steps=60, matters={"month": 1}))
    assert [each[:2] for each in found] == [(1, 31), (32, 59)]


@pytest.mark.parametrize(
    "wrong", ["best", {}, {"year": 1}, {"hour": 1}, {41: 1}, {"day": 0}, {"day": "x"}, 7, None]
)
def test_what_cannot_matter(wrong: object) -> None:
    with pytest.raises(InvalidParameter):
        schedule(matters=wrong)


def test_a_plan_file_says_it(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("person,day\n1,2026-01-01\n", encoding="utf-8")
    found = plan_file(
        """[data]
path = "visits.csv"
unit = "person"
types = {person = "integer", day = "date"}

[budget]
ledger = "budget.db"
total = {rho = 1}
spend = {rho = "0.5"}

[bounds]
max_rows = 1

[schedule]
every = "day"
from = 2026-01-01
steps = 40
column = "day"
matters = {day = 1, 7 = 0.5, "to date" = 2}

[[question]]
ask = "count"
""",
        tmp_path,
    ).steps
    assert found is not None
    assert dict(found.schedule.matters) == {"day": 1, 7: Fraction(1, 2), "to date": 2}  # type: ignore[arg-type]


def test_windows_are_released(tmp_path: Path) -> None:
    """By integers with signs, from the beginning to the numbers."""
    loud = ln.ZCDP(rho=10**4)
    ledger = ln.Ledger(tmp_path / "b.db", total=loud, dataset="visits", begin=True)
    rows = [Visit(n, date(2026, 1, 1 + n % 9), "a") for n in range(90)]
    table = ln.read(arrow(rows), unit="person", dataset="visits")
    asked = ln.plan(table, max_rows=1).count(name="rows")
    weekly = asked.every("day", start=START, steps=9, column="day", matters={3: 1})
    weekly.begin(loud, ledger=ledger)
    weekly.release_step(ledger=ledger, today=date(2026, 2, 1))
    assert weekly.released_windows(3, ledger=ledger)[0].values.tolist() == [30] * 7


def test_another_form_of_the_same_files_is_another_schedule(tmp_path: Path) -> None:
    """Dates that are read otherwise put rows into other steps."""
    place = tmp_path / "visits.csv"
    place.write_text("person,day\n1,2026-01-02\n", encoding="utf-8")

    def digest(**form: object) -> str:
        table = ln.read(
            place,
            unit="person",
            types={"person": "integer", "day": "date"},
            dataset="visits",
            csv=CsvForm(**form),  # type: ignore[arg-type]
        )
        asked = ln.plan(table, max_rows=1).count(name="rows")
        return asked.every("day", start=START, steps=3, column="day")._schedule_digest()

    assert digest() == digest(delimiter=",")
    assert len({digest(), digest(dates="%Y-%d-%m"), digest(null=["1"])}) == 3


def test_fingerprints_are_those_of_the_first_version() -> None:
    """Schedules that were begun are found by them: if this fails, begun ones are lost."""
    assert plan()._schedule_digest() == GOLDEN
    assert plan({"day": 1, "to date": 2})._schedule_digest() == GOLDEN_MATTERS


def test_fingerprints_tell_apart() -> None:
    class Kind(Enum):
        ONE = "1"

    values: list[object] = [
        None, True, 1, "1", 1.0, Fraction(1), (1,), ((1,),), ("1",), date(2026, 1, 1), Kind.ONE,
        frozenset({1}), PostgresTable("postgresql://a:b@host/base", ("t",)), "None", (), (1, 2),
    ]  # fmt: skip
    assert len({fingerprint(each) for each in values}) == len(values)
    other = PostgresTable("postgresql://c:d@host/base", ("t",))
    assert fingerprint(other) == fingerprint(values[12])
    with pytest.raises(TypeError, match="no words of its own"):
        fingerprint(object())


GOLDEN = "ccb56519072c0317c2149e96fac8474c26ba6da8ebea9be0aae728490917d0e5"
GOLDEN_MATTERS = "0261f4a810e75969bc53ba4d446369543ba8942155a86941d7e25b55574e4db2"
