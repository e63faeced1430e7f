"""Running totals of a schedule on the page: from the ledger alone."""

from datetime import date
from pathlib import Path

from leastnoise.release.file.plan_file import plan_file
from tests.web.client import client_of

PLAN = """[data]
path = "visits.csv"
unit = "person"
types = {person = "integer", day = "date"}

[budget]
ledger = "budget.db"
total = {rho = 20000}
spend = {rho = 10000}

[bounds]
max_groups = 1
max_rows = 1

[[question]]
ask = "count"
name = "visits"

[[question]]
ask = "count"
name = "by town"
by = "town"
keys = ["a", "b"]
"""
SCHEDULE = """
[schedule]
every = "day"
from = 2026-01-01
steps = 4
column = "day"
"""


def test_running_totals_are_shown_as_they_were_published(tmp_path: Path) -> None:
    rows = [f"{n},2026-01-0{1 + n % 4},{'ab'[n % 2]}" for n in range(40)]
    (tmp_path / "visits.csv").write_text("\n".join(["person,day,town", *rows]), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN + SCHEDULE, encoding="utf-8")
    (tmp_path / "once.toml").write_text(PLAN, encoding="utf-8")
    asked = plan_file(PLAN + SCHEDULE, tmp_path)
    assert asked.steps is not None
    with client_of(tmp_path) as page:
        assert page.refused("steps", plan="plan.toml")["rule"]  # not begun
        ledger = asked.opened(begin=True)
        asked.steps.begin(asked.spend, ledger=ledger)
        empty = page.ask("steps", plan="plan.toml")["questions"]
        assert [each["lines"] for each in empty] == [[], []]
        asked.steps.release_step("2026-01-03", ledger=ledger, today=date(2026, 2, 1))
        one, two = page.ask("steps", plan="plan.toml")["questions"]
        for wrong in ("once.toml", "none.toml", "", "\0"):
            assert page.refused("steps", plan=wrong)["remedy"]
    assert one["steps"] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert [mark[0] for mark in one["lines"][0]["marks"]] == [10, 20, 30]
    assert all(low < value < high for value, low, high in one["lines"][0]["marks"])
    assert [each["name"] for each in two["lines"]] == ["a", "b"]
    assert "running totals of 3 steps" in one["words"]
