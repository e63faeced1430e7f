"""The first view's answers are the library's own."""

from fractions import Fraction
from itertools import pairwise

import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.planning.attack_risk import attack_risk, percent
from leastnoise.web.ask import Ask
from leastnoise.web.bounds_view import bounds_curve
from leastnoise.web.choose import certify, choose
from leastnoise.web.error_curve import error_curve
from leastnoise.web.noise_view import law_name
from leastnoise.web.sketch import sketch
from tests.web.client import TOKEN, Client

BASE = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1", "cost": "absolute"}


def asked(**changes: str) -> Ask:
    return Ask.read({**BASE, **changes})


@pytest.mark.parametrize("cost", ["absolute", "squared", "tail:4"])
@pytest.mark.parametrize("sensitivity", ["1", "3", "2.5"])
def test_without_delta_the_first_answer_is_the_last(cost: str, sensitivity: str) -> None:
    ask = asked(cost=cost, sensitivity=sensitivity)
    first, last = sketch(ask), choose(ask)
    assert first["final"] is True
    assert first["noise"] == last["noise"]


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "changes",
    [
        {"delta": "1e-6", "sensitivity": "5"},
        {"delta": "0.01", "epsilon": "0.05", "sensitivity": "5"},
        {"delta": "1e-6", "queries": "3"},
        {"delta": "1e-6", "queries": "200"},
    ],
)
def test_a_first_answer_never_promises_less_error_than_there_is(changes: dict[str, str]) -> None:
    ask = asked(**changes)
    first, last = sketch(ask), choose(ask)
    assert first["final"] is False
    assert last["noise"]["cost"]["upper"] <= first["noise"]["cost"]["upper"] * 1.001
    assert first["noise"]["cost"]["upper"] <= 3 * last["noise"]["cost"]["upper"]


def test_the_numbers_are_those_of_optimal() -> None:
    found = choose(asked(delta="1e-6", sensitivity="3", cost="squared"))
    own = ln.optimal(sensitivity=3, epsilon=1, delta="1e-6", cost="squared")
    assert found["noise"]["cost"]["upper"] == float(own.expected_cost().upper)
    assert found["noise"]["error95"] == float(own.error("0.95"))
    assert [rival["ratio"] for rival in found["rivals"]] == [r.ratio for r in own.alternatives()]
    assert found["risk"]["own"].endswith(" %")


def test_the_shape_is_the_law() -> None:
    shape = sketch(asked(epsilon="0.5"))["noise"]["shape"]
    law = ln.optimal(sensitivity=1, epsilon="0.5").law
    assert shape["p"] == [float(law.pmf(int(place))) for place in shape["x"]]
    assert shape["every"] is True
    assert sum(shape["p"]) > 0.98


def test_wide_laws_are_drawn_at_few_places() -> None:
    shape = sketch(asked(epsilon="0.01", sensitivity="1000"))["noise"]["shape"]
    assert len(shape["x"]) == len(shape["p"]) < 200
    assert shape["every"] is False
    assert shape["x"] == [-place for place in reversed(shape["x"])]


def test_many_queries_tell_the_error_of_all_at_once() -> None:
    found = choose(asked(queries="10"))
    own = ln.optimal(sensitivity=1, epsilon=1, count=10)
    assert found["noise"]["name"] == own.family
    assert found["all95"] == float(own.simultaneous("0.95")) > found["noise"]["error95"]


def test_the_risk_is_in_words_and_rounded_up() -> None:
    risk = sketch(asked(epsilon="1"))["risk"]
    assert "at most 73.2 % sure" in risk["words"][0]
    assert "1 % false alarms catches at most 2.72 %" in risk["words"][1]
    assert risk["sure"][2] == {"before": "50 %", "after": "73.2 %"}
    assert sketch(asked(delta="1e-6"))["risk"]["sure"] == []


@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
@pytest.mark.parametrize("delta", ["0", "1e-6", "0.1"])
def test_the_table_of_the_caught_is_that_of_the_library(epsilon: str, delta: str) -> None:
    ask = asked(epsilon=epsilon, delta=delta)
    worst = attack_risk(ask.promise)
    table = {row["alarm"]: row["caught"] for row in sketch(ask)["risk"]["caught"]}
    assert table == {
        "0.1 %": percent(worst.caught("0.001")),
        "1 %": percent(worst.caught("0.01")),
        "5 %": percent(worst.caught("0.05")),
    }


def test_a_certificate_is_checked_and_can_be_downloaded(client: Client) -> None:
    found = client.ask("certify", **BASE | {"delta": "1e-3", "sensitivity": "3"}, page="p")
    assert found["accepted"] is True
    assert 1 <= found["ratio"] < 1 + 1e-6
    assert "text" not in found
    file = client.http.get(f"/{TOKEN}/download/certificate/{found['file']}.json")
    assert file.headers["content-disposition"] == 'attachment; filename="certificate.json"'
    assert ln.Certificate.from_json(file.text).check()
    assert client.http.get(f"/{TOKEN}/download/certificate/none.json").status_code == 404


def test_several_queries_have_no_certificate(client: Client) -> None:
    assert "one query" in client.refused("certify", **BASE | {"queries": "2"})["rule"]
    with pytest.raises(ln.UnsupportedQuery):
        certify(asked(queries="2"))


@pytest.mark.parametrize(
    ("part", "value", "word"),
    [
        ("epsilon", "", "epsilon"),
        ("epsilon", "0", "epsilon"),
        ("epsilon", "-1", "epsilon"),
        ("epsilon", "1e400", "epsilon"),
        ("epsilon", "nan", "epsilon"),
        ("epsilon", "1" * 1000, "epsilon"),
        ("epsilon", [1], "epsilon"),
        ("epsilon", True, "epsilon"),
        ("epsilon", {"a": 1}, "epsilon"),
        ("delta", "1", "delta"),
        ("delta", "-1e-6", "delta"),
        ("delta", "1e-4000", "delta"),
        ("sensitivity", "0", "sensitivity"),
        ("sensitivity", "1e30", "sensitivity"),
        ("queries", "0", "queries"),
        ("queries", "1.5", "queries"),
        ("queries", "1000000000", "queries"),
        ("cost", "tail:-1", "threshold"),
        ("cost", "tail:" + "9" * 100, "cost"),
        ("cost", "__import__('os')", "cost"),
        ("cost", 3, "cost"),
    ],
)
def test_hostile_parameters_are_refused_by_name(
    client: Client, part: str, value: object, word: str
) -> None:
    assert word in client.refused("sketch", **BASE | {part: value})["rule"]


def test_json_numbers_mean_the_decimals_that_were_typed() -> None:
    assert Ask.read(BASE | {"epsilon": 0.1}).epsilon == Fraction(1, 10)


def test_every_law_has_a_name_in_words() -> None:
    from leastnoise.noise import Canonical, DiscreteGaussian, NormLaplace, TruncatedStaircase

    assert law_name(Canonical(epsilon=1, delta="1e-6")) == "canonical"
    assert law_name(DiscreteGaussian(4)) == "discrete Gaussian"
    assert law_name(NormLaplace(2, 1, "linf")) == "norm Laplace"
    stairs = TruncatedStaircase(sensitivity=3, epsilon=1, delta="1e-3", width=1)
    assert law_name(stairs) == "truncated staircase"


@pytest.mark.parametrize("queries", ["2", "10000"])
@pytest.mark.parametrize("delta", ["0", "1e-30", "0.1"])
@pytest.mark.parametrize(("epsilon", "sensitivity"), [("0.001", "1000000000"), ("50", "0.000001")])
def test_the_ends_of_every_dial_are_answered(
    epsilon: str, delta: str, sensitivity: str, queries: str
) -> None:
    ask = asked(epsilon=epsilon, delta=delta, sensitivity=sensitivity, queries=queries)
    assert sketch(ask)["noise"]["error95"] >= 0


def test_the_curve_goes_through_the_chosen_point() -> None:
    points = error_curve(asked(epsilon="3", sensitivity="2"))["points"]
    assert [each["epsilon"] for each in points] == sorted(each["epsilon"] for each in points)
    for each in points:
        own = sketch(asked(epsilon=str(each["epsilon"]), sensitivity="2"))["noise"]["error95"]
        assert each["error95"] == own
    assert all(a["error95"] >= b["error95"] for a, b in pairwise(points))


@pytest.mark.parametrize(("typed", "meant"), [("1,5", Fraction(3, 2)), (" 0,25 ", Fraction(1, 4))])
def test_a_decimal_comma_is_understood(typed: str, meant: Fraction) -> None:
    assert asked(epsilon=typed).epsilon == meant


@pytest.mark.parametrize("typed", ["1,000", "1,5,0", ",5", "1,", "1.000,5"])
def test_what_may_mean_something_else_is_refused(typed: str) -> None:
    with pytest.raises(InvalidParameter):
        asked(epsilon=typed)


PROMISE = {"epsilon": "1", "delta": "0"}


def test_limits_cut_what_is_beyond_them() -> None:
    """100 people with 1 row, 10 with 3 or 4, 5 of each."""
    found = bounds_curve({**PROMISE, "people": [100, 0, "10", 0, 0, 0, 0, 0]})
    assert found["rows"] == 135
    assert found["most"] == 4
    assert [each["limit"] for each in found["limits"]] == [1, 2, 3, 4]
    assert [each["cut"] for each in found["limits"]] == [25, 15, 5, 0]
    for each in found["limits"]:
        own = ln.optimal(sensitivity=each["limit"], epsilon=1)
        assert each["noise"] == float(own.error("0.95"))
        assert each["both"] == each["cut"] + each["noise"]
    least = found["limits"][found["least"]]["both"]
    assert least == min(each["both"] for each in found["limits"])


@pytest.mark.parametrize(
    "people", [None, [], [0] * 8, [1] * 7, ["x"] * 8, [-1] + [0] * 7, [10**11] + [0] * 7]
)
def test_guesses_that_are_none_are_refused(people: object) -> None:
    with pytest.raises(InvalidParameter):
        bounds_curve({**PROMISE, "people": people})
