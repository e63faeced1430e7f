"""The questions of a plan, as Choose and Bounds speak of them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.client import Client, client_of
from tests.web.visits import CITIES, SECRET, plan, write_visits

PROMISE = {"epsilon": "1", "delta": "0"}


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("forecast")
    write_visits(folder)
    with client_of(folder) as opened:
        yield opened


def said(**changes: object) -> dict[str, Any]:
    count = {"ask": "count", "by": "city", "keys": list(CITIES), "expected": 200}
    mean = {"ask": "mean", "column": "age", "lower": "0", "upper": "100"}
    return {**plan(question=[count, mean]), **PROMISE, **changes}


def test_the_errors_are_those_of_the_preview(visits: Client) -> None:
    told = visits.ask("forecast", **said())["questions"]
    known = visits.ask("preview", **said())["questions"]
    names = "question answers error interval error95 about part grade share"
    kept = names.split()
    assert [[each[name] for name in kept] for each in told] == [
        [each[name] for name in kept] for each in known
    ]
    count, mean = told
    assert count["about"] == 200
    assert count["part"] == count["error95"] / 200
    assert count["grade"] == "A"
    assert (mean["about"], mean["part"], mean["grade"]) == (None, None, "")
    assert not (visits.folder / "budget.db").exists()


def test_a_question_has_a_curve_and_its_point_lies_on_it(visits: Client) -> None:
    points = visits.ask("plan_curve", number=0, **said())["points"]
    errors = [each["error95"] for each in points]
    assert errors == sorted(errors, reverse=True)
    here = next(each["error95"] for each in points if each["epsilon"] == 1)
    assert here == visits.ask("forecast", **said())["questions"][0]["error95"]


def test_noise_grows_with_the_limit_of_the_plan_or_of_the_question(visits: Client) -> None:
    def noise(**changes: object) -> dict[int, float]:
        found = visits.ask("plan_limits", number=0, limits=[1, 2, 4], **said(**changes))["limits"]
        return {each["limit"]: each["noise"] for each in found}

    known = visits.ask("forecast", **said())["questions"][0]["error95"]
    shared = noise()
    assert shared[1] < shared[2] == known < shared[4]
    first, second = said()["question"]
    own = noise(question=[first | {"max_rows": 3}, second])
    assert own[1] < own[2] < own[4]


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("forecast", {"question": []}, "question"),
        ("forecast", {"data": {"path": "none.csv", "unit": "a"}}, "no file there"),
        ("forecast", {"bounds": {}}, "question 1: "),
        ("forecast", {"epsilon": "0"}, "epsilon"),
        ("plan_curve", {"number": 2}, "number"),
        ("plan_limits", {"number": 0, "limits": "all"}, "limits"),
        ("plan_limits", {"number": 0, "limits": list(range(50))}, "limits"),
    ],
)
def test_what_is_not_whole_is_told(
    visits: Client, name: str, changes: dict[str, object], words: str
) -> None:
    parts = visits.refused(name, **said(**changes))
    assert words in parts["rule"] + parts["finding"]
    assert SECRET not in str(parts)
