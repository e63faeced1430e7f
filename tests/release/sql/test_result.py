"""Results are made of released numbers alone, after the noise: NULL, order, forms."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leastnoise.ledger.entry import Charge
from leastnoise.release.sql.formula import SAMPLE_FACTOR, AnswerTo, Group, KeyOf, evaluated
from leastnoise.release.sql.text.parsed import expression_of
from leastnoise.release.sql.text.place import START
from leastnoise.release.sql.text.tree import Call, Computed, Literal, Name
from tests.release.sql.clinic import released

N = AnswerTo(START, "n", is_positive=True)
SUM = AnswerTo(START, "s")


def group(**answers: float) -> Group:
    return Group(("Oslo",), {(name, None): value for name, value in answers.items()})


@pytest.mark.parametrize(("n", "expected"), [(4, 2.5), (0, None), (-3, None)])
def test_a_count_that_noise_made_negative_divides_nothing(n: int, expected: float | None) -> None:
    assert evaluated(Computed(START, "/", SUM, N), group(s=10, n=n)) == expected  # type: ignore[arg-type]
    both = Computed(START, "*", N, Literal(START, 2))  # type: ignore[arg-type]
    twice = None if expected is None else expected / 2
    assert evaluated(Computed(START, "/", SUM, both), group(s=10, n=n)) == twice  # type: ignore[arg-type]


def test_what_may_be_negative_divides() -> None:
    assert evaluated(Computed(START, "/", N, SUM), group(s=-4, n=2)) == -0.5  # type: ignore[arg-type]
    assert evaluated(Computed(START, "/", N, SUM), group(s=0, n=2)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "expected"), [(3, 1.5), (1, None), (0, None)])
def test_a_sample_needs_two(n: int, expected: float | None) -> None:
    assert evaluated(Call(START, SAMPLE_FACTOR, (N,)), group(n=n)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1 OR y > 3", True),
        ("x = 1 AND y > 3", None),
        ("NOT (x = 1)", None),
        ("x IS NULL", True),
        ("(x = 1) IS TRUE", False),
        ("y BETWEEN 4 AND 6", True),
        ("y IN (1, x)", None),
        ("CASE WHEN x > 1 THEN 1 ELSE y END", 5),
        ("coalesce(x, y, 1)", 5),
        ("nullif(y, 5)", None),
        ("least(x, y, 3)", 3),
        ("greatest(x, y)", 5),
        ("round(y / 2)", 3),
        ("round(y / 2 + 0.01, 1)", 2.5),
        ("round(y, 400) + round(y, -400)", 5),
        ("y * 1e308 * 1e308 > 1", True),
        ("sqrt(0 - y)", None),
        ("ln(0)", None),
        ("abs(0 - y) + floor(y / 2) + ceil(y / 2)", 10),
        ("y % 3", 2),
        ("y % 0", None),
        ("x + 1", None),
    ],
)
def test_formulas_have_three_values(text: str, expected: Any) -> None:
    """X is NULL, y is 5."""

    def put(node: Any) -> Any:
        from leastnoise.release.sql.shape import rebuilt

        if isinstance(node, Name):
            return AnswerTo(START, node.name)
        return rebuilt(node, put)

    assert evaluated(put(expression_of(text)), group(y=5)) == expected


def test_keys_are_keys() -> None:
    assert evaluated(KeyOf(START, 0), group()) == "Oslo"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("x", ["Oslo", "Bergen", "Voss"]),
        ("x DESC", ["Bergen", "Oslo", "Voss"]),
        ("x NULLS FIRST", ["Voss", "Oslo", "Bergen"]),
    ],
)
def test_null_comes_last_unless_it_is_to_come_first(
    order: str, expected: list[str], tmp_path: Path
) -> None:
    number = "CASE WHEN city = 'Voss' THEN NULL WHEN city = 'Oslo' THEN 1 ELSE 2 END"
    text = f"SELECT city, {number} AS x, COUNT(*) FROM visits GROUP BY city ORDER BY {order}"
    assert [row[0] for row in released(text, tmp_path).rows] == expected


def test_ends_of_intervals_take_no_name_that_is_there(tmp_path: Path) -> None:
    made = released(
        "SELECT city AS N_lower, COUNT(*) n, COUNT(*) / 2 AS half FROM visits GROUP BY city",
        tmp_path,
    )
    head, *rows = csv.reader(made.to_csv().splitlines())
    assert head == ["N_lower", "n", "n_lower_", "n_upper", "half"]
    assert all(float(row[2]) <= float(row[1]) <= float(row[3]) for row in rows)
    (tmp_path / "other").mkdir()
    asked = "SELECT COUNT(*) n FROM visits HAVING COUNT(*) > 1000000"
    none = released(asked, tmp_path / "other")
    assert none.to_csv() == "n\r\n"


def test_the_ledger_remembers_the_columns_of_a_result(tmp_path: Path) -> None:
    made = released("SELECT city, COUNT(*) AS n FROM visits GROUP BY city", tmp_path)
    assert isinstance(made.release.entry.event, Charge)
    assert made.release.entry.event.purpose == "a statement in SQL: city, n"
    (tmp_path / "other").mkdir()
    several = ", ".join(f"COUNT(*) AS number_{i}" for i in range(20))
    asked = f"SELECT city, {several} FROM visits GROUP BY city"
    far = released(asked, tmp_path / "other").release.entry.event
    assert isinstance(far, Charge)
    assert len(far.purpose) <= 121
    assert far.purpose.startswith("a statement in SQL: city, number_0, number_1, ")


def test_the_forms_of_a_result(tmp_path: Path) -> None:
    made = released(
        "SELECT '=1+1' AS f, city, COUNT(*) n, COUNT(*) / 0 AS none FROM visits GROUP BY city"
        " ORDER BY city",
        tmp_path,
    )
    assert made.columns == ("f", "city", "n", "none")
    lower, upper = json.loads(made.to_json())["intervals_95"][0][2]
    assert made.to_csv().splitlines()[:2] == [
        "f,city,n,n_lower,n_upper,none",
        f"'=1+1,Bergen,{made.rows[0][2]},{lower},{upper},",
    ]
    made.to_csv(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes().decode() == made.to_csv()
    told = json.loads(made.to_json())
    assert told["rows"][0][3] is None
    assert told["intervals_95"][0][0] is None
    low, high = told["intervals_95"][0][2]
    assert low <= made.rows[0][2] <= high
    assert list(made.to_pandas().columns) == list(made.columns)
    assert made.to_polars().shape == (3, 4)
    assert made.to_arrow().num_rows == 3
    assert made.records()[0]["city"] == "Bergen"
    made.to_excel(tmp_path / "r.xlsx")
    assert (tmp_path / "r.xlsx").stat().st_size > 1000
    assert "NULL" in str(made)
    assert "Groups are found in the data" in str(made)
    assert repr(made) == "SqlRelease(f, city, n, none; 3 rows)"


def test_one_choice_of_groups_serves_all_columns(tmp_path: Path) -> None:
    """With little budget groups are few, and every column has the same ones."""
    made = released(
        "SELECT minutes, COUNT(*), SUM(cost), COUNT(*) FILTER (WHERE cost > 9), COUNT(cost),"
        " AVG(cost) FILTER (WHERE cost > 9) FROM visits GROUP BY minutes",
        tmp_path,
    )
    assert {len(table.rows) for table in made.release.tables} == {len(made.rows)}
    assert len({table.rows for table in made.release.tables}) == 1


def test_numbers_are_shown_as_people_write_them(tmp_path: Path) -> None:
    """1,000,000 has no exponent, and the ends of a count are whole."""
    found = replace(
        released("SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits", tmp_path),
        rows=((1234567, 7654321.25),),
        ends=(((1234560.25, 1234580.75), (7.5e6, 7.75e6)),),
    )
    assert found.lines(9) == [
        ["n", "95 %", "s", "95 %"],
        ["1,234,567", "1,234,560 – 1,234,581", "7,650,000", "7,500,000 – 7,750,000"],
    ]
