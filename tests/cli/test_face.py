"""What people see in a terminal: no reprs, no long fractions, 80 columns, and nothing unasked."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from leastnoise.cli.screen import table_lines
from leastnoise.ledger import Ledger
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import Outcome, run

BUDGETS = {
    "approximate": ('{epsilon = 3, delta = "1e-6"}', '{epsilon = 1, delta = "1e-7"}'),
    "pure": ("{epsilon = 3}", '{epsilon = "1/3"}'),
    "zcdp": ('{rho = "1/7"}', '{rho = "1/60"}'),
}
UNFIT = {
    "a repr": r"\b(?:ApproxDP|PureDP|ZCDP|RDP|GDP|Discrete\w+|CentredGaussian|TwoCounterNoise)\b",
    "an exponent": r"\d[eE][-+]?\d",
    "a fraction": r"\d+/\d+",
    "a long number": r"\d\.\d{5,}|\d{8,}",
}


def written(folder: Path, budget: str) -> Path:
    plan = write_visits(folder, begun=False)
    total, spend = BUDGETS[budget]
    text = PLAN.replace('{epsilon = 3, delta = "1e-6"}', total)
    plan.write_text(text.replace('{epsilon = 1, delta = "1e-7"}', spend), "utf-8")
    return plan


def shown(outcome: Outcome) -> str:
    """What people see, but for seals, which are noted and not read."""
    return re.sub(r"\b[0-9a-f]{64}\b", "seal", outcome.errors + outcome.output)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """All that is printed from the first look at a plan to its second release."""
    plan = written(tmp_path_factory.mktemp("first"), "approximate")
    seen: list[Outcome] = [
        run("preview", plan),
        run("release", plan, "--begin"),
        run("preview", plan),
        run("release", plan, "--replace"),
        run("budget", plan.parent / "budget.db"),
        run("bounds", plan, "--spend", "0.001"),
        run("preview", plan, "--within", "count by city=9"),
    ]
    assert [each.status for each in seen] == [0] * len(seen), [each.errors for each in seen]
    return [shown(each) for each in seen]


@pytest.fixture(scope="module")
def screens(first: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The same, and some of it for budgets whose numbers have no end."""
    found = list(first)
    for budget in ("pure", "zcdp"):
        plan = written(tmp_path_factory.mktemp(budget), budget)
        seen = [run("release", plan, "--begin"), run("budget", plan.parent / "budget.db")]
        assert [each.status for each in seen] == [0, 0], [each.errors for each in seen]
        found += [shown(each) for each in seen]
    return found


def test_nothing_is_shown_that_people_do_not_read(screens: list[str]) -> None:
    for screen in screens:
        for what, pattern in UNFIT.items():
            found = re.search(pattern, screen)
            assert found is None, (what, found, screen)


def test_every_line_fits_a_screen(screens: list[str]) -> None:
    for screen in screens:
        lines = [each for each in screen.splitlines() if not each.startswith("leastnoise: ")]
        assert max(map(len, lines)) <= 80, screen


def test_no_column_is_empty(screens: list[str]) -> None:
    heads = [line for screen in screens for line in screen.splitlines() if "95 %" in line]
    assert heads
    for head in heads:
        assert "labels" not in head
    assert not any("labels" in screen for screen in screens)


def test_sums_are_on_every_screen_about_a_budget(screens: list[str]) -> None:
    for screen in [*screens[:5], *screens[7:]]:
        assert re.search(r"total − .* spent .*= \S+\s+left", screen.replace("\n", " ")), screen


def test_a_release_says_what_it_would_spend(first: list[str]) -> None:
    begun, second = first[1], first[3]
    assert "Publish 3 tables about visits.csv in" in begun
    assert "A new ledger, budget.db, is begun." in begun
    assert "Release? [y/N] y" in begun
    assert "This plan was already released: line 1 of budget.db" in " ".join(second.split())
    assert "Done in " in second
    assert "By reliability: " in second


def test_a_preview_says_that_a_plan_was_released(first: list[str]) -> None:
    assert "already released" not in first[0]
    assert "This plan was already released: line 1 of budget.db" in " ".join(first[2].split())


@pytest.mark.parametrize(
    ("name", "people"), [("", "patients"), ("client", "clients"), ("x-1", "units")]
)
def test_people_are_called_what_the_plan_calls_them(tmp_path: Path, name: str, people: str) -> None:
    plan = write_visits(tmp_path)
    text = PLAN.replace('by = "city"\nkeys = ["Oslo", "Bergen"]', 'by = "city"\nkeys = "private"')
    named = f'\n[publication]\nunit_name = "{name}"\n' if name else ""
    plan.write_text(f"{text}{named}", "utf-8")
    for seen in (run("preview", plan), run("release", plan)):
        assert seen.status == 0, seen.errors
        words = " ".join(seen.output.split())
        assert set(re.findall(r"(?:\d|how many|% of) (units|patients|clients)", words)) == {
            people
        }, words


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [("n\n", 1, "Nothing was charged."), ("\n", 1, "Nothing was charged."),
     ("", 2, "Answer y, or give --yes.")],
    ids=["no", "enter", "nobody"],
)  # fmt: skip
def test_nothing_is_spent_unasked(tmp_path: Path, answer: str, status: int, said: str) -> None:
    plan = write_visits(tmp_path)
    for command in (["release"], ["bounds", "--spend", "0.1"]):
        outcome = run(*command, plan, answer=answer)
        assert outcome.status == status
        assert said in outcome.errors
    assert Ledger(tmp_path / "budget.db").history() == []
    assert not (tmp_path / "out" / "release.json").exists()


def test_a_ledger_is_not_begun_by_a_release_that_is_declined(tmp_path: Path) -> None:
    plan = write_visits(tmp_path, begun=False)
    assert run("release", plan, "--begin", answer="n\n").status == 1
    assert not (tmp_path / "budget.db").exists()


def test_a_plan_that_does_not_fit_is_told_before_there_is_a_ledger(tmp_path: Path) -> None:
    plan = write_visits(tmp_path, begun=False)
    plan.write_text(PLAN.replace("spend = {epsilon = 1,", "spend = {epsilon = 4,"), "utf-8")
    told = run("preview", plan)
    assert "! This plan does not fit: it needs ε = 4, δ = 10⁻⁷, and" in " ".join(
        told.output.split()
    )
    assert "With ε = 3, δ = 10⁻⁶ it fits: count by city gets noise of ±" in told.output
    assert run("release", plan, "--begin", "--dry-run").status == 1


def test_wide_tables_are_folded_or_divided() -> None:
    rows = [["a name of several words that goes on and on and on", "1,234", "5 – 6", "said twice"]]
    lines = table_lines(["name", "value", "interval", ""], rows, 40)
    assert max(map(len, lines)) <= 40
    assert "a name of" in lines[1]
    assert "1,234" in lines[1]
    many = table_lines([f"c{i}" for i in range(9)], [[str(10**9 + i) for i in range(9)]], 40)
    assert max(map(len, many)) <= 40
    assert sum("1000000000" in line for line in many) > 1  # the first column is in every block


def test_columns_without_cells_are_left_out() -> None:
    assert table_lines(["a", "b", "c"], [["1", "", "x"], ["2", "", "y"]], 80)[0].split() == [
        "a",
        "c",
    ]


def test_letters_that_take_two_columns_are_counted_twice() -> None:
    lines = table_lines(["city", "n"], [["東京", "1"], ["Oslo", "2"]], 80)
    assert lines[1:] == ["  東京  1", "  Oslo  2"]


def test_the_module_is_the_command() -> None:
    """Where scripts are not on the path; its status is the command's own."""
    asked = [sys.executable, "-m", "leastnoise"]
    told = subprocess.run([*asked, "--help"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("Usage: python -m leastnoise [OPTIONS] COMMAND")
    wrong = subprocess.run([*asked, "preview", "none.toml"], capture_output=True, check=False)
    assert wrong.returncode == 2
