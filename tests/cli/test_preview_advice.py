"""The command line's preview gives the advice that Python's gives."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.cli.plan_argument import read_plan
from tests.cli.plans import write_visits
from tests.cli.run import run


def test_advice_is_printed(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    asked = read_plan(place)
    advised = [one for one in asked.plan.preview(asked.spend) if one.advice]
    assert advised
    shown = run("preview", place).said
    told = json.loads(run("preview", place, "--json").output)["questions"]
    for one in advised:
        assert all(f"{one.question}: {hint}." in shown for hint in one.advice)
        assert next(q for q in told if q["question"] == one.question)["advice"] == list(one.advice)


def test_advice_has_numbers_as_people_write_them() -> None:
    data = pa.table({"who": [1, 2], "city": ["Oslo", "Bergen"]})
    table = ln.read(data, unit="who")
    asked = ln.plan(table, max_groups=2, max_rows=20).count(by="city", keys=["Oslo", "Bergen"])
    (told,) = asked.preview(ln.PureDP(epsilon=500))
    assert any("·10⁻" in hint for hint in told.advice)
    assert not any("e-" in hint for hint in told.advice)


@pytest.mark.parametrize(
    ("bounds", "most", "said"),
    [
        ({"max_groups": 1, "max_rows": 20}, 3, "max_rows=3"),
        ({"max_groups": 2, "max_rows": 1}, 1, "max_groups=1"),
        ({"max_groups": 1, "max_rows": 20}, 20, None),
        ({"max_groups": 1, "max_rows": 20}, None, None),
    ],
)
def test_a_bound_above_what_anybody_has_is_told(
    bounds: dict[str, int], most: int | None, said: str | None
) -> None:
    """Only that leaves out nothing; half of a bound may leave out more."""
    data = pa.table({"who": [1, 2], "city": ["Oslo", "Bergen"]})
    table = ln.read(data, unit="who")
    asked = ln.plan(table, **bounds, most_rows=most).count(by="city", keys=["Oslo", "Bergen"])
    told = [hint for hint in asked.preview(ln.PureDP(epsilon=1))[0].advice if "delta" not in hint]
    assert told
    nothing = [hint for hint in told if "leave out nothing: nobody has more rows" in hint]
    assert [hint.split()[0] for hint in nothing] == ([] if said is None else [said])
    assert all("leave out more" in hint for hint in told if hint not in nothing)


def test_a_promise_that_is_worth_next_to_nothing_is_told(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    text = place.read_text("utf-8")
    assert "next to nothing" not in run("preview", place).said
    spent = re.search(r"spend = .*", text)
    assert spent is not None
    place.write_text(text.replace(spent[0], "spend = {epsilon = 1000000}"), "utf-8")
    words = "An epsilon of 1,000,000 promises next to nothing"
    assert words in run("preview", place).said
    (told,) = json.loads(run("preview", place, "--json").output)["warnings"]
    assert told.startswith(words)
