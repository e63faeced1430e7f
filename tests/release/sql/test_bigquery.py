"""Statements in the shapes that BigQuery documents: answered, or refused with the reason."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from leastnoise import ApproxDP, PureDP
from leastnoise.errors import InvalidParameter
from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_file import dataset
from tests.release.sql.clinic import HUGE, ledger

ITEMS = ["pencil", "pen", "scissors", "stapler"]
PROFESSORS = pd.DataFrame(
    {
        "id": [1, 1, 1, 2, 2, 3, 3, 4],
        "item": ["pencil", "pencil", "pen", "pencil", "pen", "pencil", "scissors", "pen"],
        "quantity": [24, 16, 30, 72, 10, 18, 3, 40],
    }
)
STUDENTS = pd.DataFrame({"id": [5, 6], "item": ["pen", "pencil"], "quantity": [4, 5]})
CLAUSE = "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 10, delta = .01, privacy_unit_column = id)"


def office(**columns: Any) -> Dataset:
    """Professors and students, who are people, and the public list of what can be asked for."""
    return dataset(
        tables={
            "people": pd.DataFrame({"id": range(1, 7)}),
            "professors": PROFESSORS,
            "students": STUDENTS,
            "items": {"data": pd.DataFrame({"item": ITEMS}), "public": True, "unique": ["item"]},
        },
        unit="people.id",
        refers={"professors.id": "people.id", "students.id": "people.id"},
        columns=columns or {"professors.item": {"values": ITEMS}},
        name="office",
        bounds={"max_groups": 3, "max_rows": 5, "measure_cut": False},
    )


def rows(text: str, folder: Path, data: Dataset | None = None) -> dict[Any, Any]:
    """The result by its first column."""
    made = (data or office()).sql(text).release(HUGE, ledger=ledger(folder))
    return {row[0]: row[1] for row in made.rows}


def test_an_average_is_of_units_averages(tmp_path: Path) -> None:
    found = rows(
        f"SELECT {CLAUSE} item, AVG(quantity, contribution_bounds_per_group => (0, 100)) a"
        " FROM professors GROUP BY item",
        tmp_path,
    )
    assert found["pencil"] == pytest.approx((20 + 72 + 18) / 3, abs=0.01)
    assert found["pen"] == pytest.approx((30 + 10 + 40) / 3, abs=0.01)


def test_a_sum_cuts_what_a_unit_adds_up_to(tmp_path: Path) -> None:
    found = rows(
        f"SELECT {CLAUSE} item, SUM(quantity, contribution_bounds_per_group => (0, 35)) s"
        " FROM professors GROUP BY item",
        tmp_path,
    )
    assert found["pencil"] == pytest.approx(35 + 35 + 18, abs=0.01)
    assert found["scissors"] == pytest.approx(3, abs=0.01)


def test_a_count_of_rows_has_bounds_of_its_own(tmp_path: Path) -> None:
    text = (
        "item, COUNT(*, contribution_bounds_per_group => (0, {})) n FROM professors GROUP BY item"
    )
    assert rows(f"SELECT {CLAUSE} {text.format(1)}", tmp_path)["pencil"] == 3
    (tmp_path / "2").mkdir()
    assert rows(f"SELECT {CLAUSE} {text.format(2)}", tmp_path / "2")["pencil"] == 4


def test_bounds_per_row_are_ours(tmp_path: Path) -> None:
    found = rows(
        f"SELECT {CLAUSE} item, VAR_POP(quantity, contribution_bounds_per_row => (0, 100)) v"
        " FROM professors GROUP BY item",
        tmp_path,
    )
    assert found["pencil"] == pytest.approx(PROFESSORS.quantity[[0, 1, 3, 5]].var(ddof=0), abs=0.1)
    (tmp_path / "2").mkdir()
    median = rows(
        f"SELECT {CLAUSE} item, PERCENTILE_CONT(quantity, 0.5, contribution_bounds_per_row =>"
        " (0, 100)) m FROM professors GROUP BY item ORDER BY item",
        tmp_path / "2",
    )
    assert median["pen"] == pytest.approx(30, abs=1)


@pytest.mark.parametrize(
    "source",
    [
        "(SELECT * FROM professors)",
        "(SELECT * FROM professors UNION ALL SELECT * FROM students)",
        "professors INNER JOIN people USING (id)",
    ],
)
def test_rows_of_subqueries_are_asked(source: str, tmp_path: Path) -> None:
    found = rows(f"SELECT {CLAUSE} item, COUNT(*) n FROM {source} GROUP BY item", tmp_path)
    assert found["pencil"] == (5 if "students" in source else 4)


def test_a_public_list_makes_the_groups(tmp_path: Path) -> None:
    text = (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 10, privacy_unit_column = id,"
        " group_selection_strategy = PUBLIC_GROUPS) item, COUNT(*) n FROM professors"
        " RIGHT OUTER JOIN (SELECT DISTINCT item FROM items) USING (item) GROUP BY item"
    )
    data = office(**{"professors.quantity": {"range": [0, 100]}})
    assert rows(text, tmp_path, data) == {"pen": 3, "pencil": 4, "scissors": 1, "stapler": 0}
    assert any("0 rows" in note for note in data.sql(text).notes)


def test_options_are_budget_and_bounds() -> None:
    text = (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({}) item, COUNT(*) FROM professors GROUP BY item"
    )
    found = office().sql(text.format("epsilon = 2, delta = 1e-6, max_groups_contributed = 1"))
    assert found.budget == ApproxDP(epsilon=2, delta="1e-6")
    assert found.plan.bounds.max_groups == 1
    assert office().sql(text.format("epsilon = 2, delta = 0")).budget == PureDP(epsilon=2)
    assert office().sql(text.format("max_groups_contributed = 1")).budget is None
    private = office(**{"professors.quantity": {"range": [0, 100]}})
    fewest = private.sql(text.format("epsilon = 1, delta = .01, min_privacy_units_per_group = 9"))
    assert fewest.plan.questions[0].groups.fewest == 9
    assert any("not as BigQuery" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT {} item, COUNT(*) FROM students", "GROUP BY it"),
        ("SELECT {} item, SUM(quantity) FROM professors GROUP BY item", "range"),
        ("SELECT {} COUNT(*) FROM professors JOIN students USING (item)", "rows of two units"),
        ("SELECT {} item, AVG(quantity, contribution_bounds_per_group => (0, 9)), MEDIAN(quantity)"
         " FROM professors GROUP BY item", "statement of its own"),
        ("SELECT {} item, AVG(quantity, contribution_bounds_per_group => (9, 0)) FROM professors"
         " GROUP BY item", "lower one first"),
        ("SELECT {} item, COUNT(*, contribution_bounds_per_group => (1, 9)) FROM professors"
         " GROUP BY item", "0 and a whole number"),
        ("SELECT COUNT(*) FROM (SELECT {} * FROM professors)", "outermost SELECT"),
        ("SELECT {} {} COUNT(*) FROM professors", None),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column = item) COUNT(*)"
         " FROM professors", "the dataset names"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0) COUNT(*) FROM professors", None),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, delta = 1) COUNT(*)"
         " FROM professors", "delta"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = -1) COUNT(*) FROM professors", None),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(kappa = 1) COUNT(*) FROM professors", "kappa"),
    ],
)  # fmt: skip
def test_what_is_refused_is_refused_with_the_reason(text: str, words: str | None) -> None:
    with pytest.raises(InvalidParameter, match=r"^line \d+, column \d+: ") as caught:
        office().sql(text.replace("{}", CLAUSE))
    assert words is None or words in str(caught.value)


def test_a_statement_without_noise_costs_what_it_costs(tmp_path: Path) -> None:
    """ε = 1e20 is priced, and no ledger allows it."""
    text = CLAUSE.replace("10", "1e20")
    plan = office().sql(f"SELECT {text} item, COUNT(*) FROM professors GROUP BY item")
    with pytest.raises(Exception, match="no more than remains"):
        plan.release(ledger=ledger(tmp_path))


def test_private_groups_are_chosen_under_one_bound() -> None:
    data = office(**{"professors.quantity": {"range": [0, 100]}})
    text = (
        "item, COUNT(*, contribution_bounds_per_group => (0, 2)), {} FROM professors GROUP BY item"
    )
    mixed = data.sql(f"SELECT {CLAUSE} {text.format('AVG(quantity)')}")
    assert mixed.plan.bounds.max_rows == 5
    assert any("found once" in note for note in mixed.notes)
    alone = data.sql(f"SELECT {CLAUSE} {text.format('COUNT(*) + 1')}".replace("COUNT(*) + 1", "1"))
    assert alone.plan.bounds.max_rows == 2
    assert len({question.groups for question in mixed.plan.questions}) == 1
