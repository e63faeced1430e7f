"""`leastnoise preview --within`: what budget a precision takes, in the answer's own unit."""

import json
from pathlib import Path

import pytest

from tests.cli.plans import write_visits
from tests.cli.run import run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A plan that says what it expects."""
    plan = write_visits(tmp_path)
    text = plan.read_text("utf-8")
    text = text.replace('ask = "count"', 'ask = "count"\nexpected = 250')
    text = text.replace('ask = "units"', 'ask = "units"\nexpected = 100')
    text = text.replace('ask = "mean"', 'ask = "mean"\nname = "mean age"\nexpected = 400')
    plan.write_text(text, "utf-8")
    return plan


def test_the_preview_tells_means_as_means(place: Path) -> None:
    shown = run("preview", place)
    assert "mean age: for 400 rows, wherever between its bounds it is." in shown.said
    assert "sum" not in shown.output
    told = json.loads(run("preview", place, "--json").output)["questions"][2]
    assert told["error_of"] == "answer"
    assert told["expected_rows"] == 400
    assert 0 < told["expected_error"] < told["half_interval_95"] <= 110
    assert told["sizes"] == [
        {
            "rows": 400,
            "expected_error": told["expected_error"],
            "half_interval_95": told["half_interval_95"],
        }
    ]


def test_without_rows_there_is_a_formula(place: Path) -> None:
    place.write_text(place.read_text("utf-8").replace("expected = 400", ""), "utf-8")
    shown = run("preview", place).said
    assert "/ rows" in shown
    assert "/ number of rows, wherever between its bounds it is: ±" in shown
    told = json.loads(run("preview", place, "--json").output)["questions"][2]
    assert told["half_interval_95"] is None
    assert [each["rows"] for each in told["sizes"]] == [100, 10**4, 10**6]
    assert told["per_row"]["half_interval_95"] > 110


def test_one_question(place: Path) -> None:
    shown = run("preview", place, "--within", "mean age=5").said
    assert shown.startswith("needed: ")
    assert "mean age: 95 % within ±5, for 400 rows, wherever between its bounds it is." in shown
    told = json.loads(run("preview", place, "--within", "mean age=5", "--json").output)
    assert told["needed"].startswith("ApproxDP(epsilon=")
    assert len(told["assumed"]) == 1
    assert told["warnings"] == []


def test_percentages_for_one_and_for_all(place: Path) -> None:
    one = run("preview", place, "--within", "count by city=2%").said
    assert "±5, 2 % of 250 (250 rows expected)" in one
    every = run("preview", place, "--within", "10%").said
    assert "mean age: 95 % within ±5.5, 10 % of 55 (the middle of its range)" in every
    assert "units: 95 % within ±10, 10 % of 100 (100 units expected)" in every


def test_a_large_epsilon_is_explained(place: Path) -> None:
    shown = run("preview", place, "--within", "mean age=0.1").said
    assert "promises next to nothing" in shown


@pytest.mark.parametrize(
    ("within", "words"),
    [
        (["mean ages=5"], "Did you mean 'mean age'"),
        (["5", "mean age=5"], "one width for all questions"),
        (["mean age=5", "mean age=6"], "one width for all questions"),
        (["=5"], "one width for all questions"),
        (["mean age=0%"], "above 0, or a percentage"),
        (["mean age=-1"], "above 0, or a percentage"),
        (["mean age=nan"], "above 0, or a percentage"),
        (["mean age="], "above 0, or a percentage"),
        (["mean age=0.000001"], "No budget does: values of 'mean age' are rounded"),
    ],
)
def test_widths_that_are_none(place: Path, within: list[str], words: str) -> None:
    options = [part for each in within for part in ("--within", each)]
    outcome = run("preview", place, *options)
    assert outcome.status != 0
    assert words in outcome.errors.replace("\n", " ")


def test_private_groups_have_a_line_and_sizes(place: Path) -> None:
    text = place.read_text("utf-8").replace('keys = ["Oslo", "Bergen"]', 'keys = "private"')
    place.write_text(text.replace('ask = "count"', 'ask = "sum"\ncolumn = "age"\nlower = 0\nupper = 9'), "utf-8")  # fmt: skip # noqa: E501
    shown = run("preview", place).said
    assert "finding groups by city: a group is shown with a chance of 50 % from " in shown
    told = json.loads(run("preview", place, "--json").output)
    (keys,) = told["keys"]
    assert keys["shown_from_50"] < keys["shown_from_95"]
    shares = [each["share"] for each in (*told["questions"], *told["keys"], *told["cuts"])]
    assert sum(shares) == pytest.approx(1, abs=1e-6)
