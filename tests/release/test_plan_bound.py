"""How many times the least a plan's noise is: in previews and releases, checked by strangers."""

import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.plan import Plan
from leastnoise.release.price.plan_bound import plan_certificate
from leastnoise.release.result.checked_proofs import checked_proofs
from leastnoise.release.result.forecast import shown_ratio
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.report import report_html
from tests.cli.run import run

PURE, ZCDP, APPROX = (
    ln.PureDP(epsilon=1),
    ln.ZCDP(rho="1/2"),
    ln.ApproxDP(epsilon=1, delta="1e-6"),
)
ROWS = pd.DataFrame(
    {
        "who": [1, 2, 3, 4, 5, 6, 7, 8],
        "age": [20, 30, 40, 50, 60, 70, 80, 35],
        "city": ["Oslo", "Bergen"] * 4,
    }
)
CITIES = ["Oslo", "Bergen", "Bodø", "Tromsø"]


def start(unit: str | None = None, neighbours: str = "add_remove", **bounds: int) -> Plan:
    said = {"max_groups": 1, "max_rows": 1} | bounds
    return ln.plan(ln.read(ROWS, unit=unit, neighbours=neighbours), **said)


def counts(number: int) -> Plan:
    asked = start()
    for place in range(number):
        asked = asked.count(where=ln.col("age") > place, name=f"older than {place}")
    return asked


def everything(asked: Plan) -> Plan:
    """Every kind of question that the bound covers."""
    return (
        asked.count(by="city", keys=CITIES)
        .count_units(name="units")
        .sum("age", lower=-10, upper=90)
        .sum("age", lower=-10, upper=90, by="city", keys=CITIES)
        .mean("age", lower=0, upper=90)
        .mean("age", lower=0, upper=90, by="city", keys=CITIES)
        .variance("age", lower=0, upper=90)
        .histogram("age", lower=0, upper=90, parts=9)
        .count(by="city", keys=CITIES, clip=ln.Clip(max_norm=2), name="clipped")
        .marginals(["city", "who"], ways=2, keys={"city": CITIES, "who": [1, 2, 3]})
    )


def outside(asked: Plan) -> Plan:
    """Kinds of questions that it does not cover."""
    return (
        asked.quantiles("age", ["0.5"], lower=0, upper=90)
        .count(by="city", keys="private", name="private")
        .most_common("city", count=2, keys=CITIES)
    )


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("unit", [None, "who"])
@pytest.mark.parametrize("budget", [PURE, ZCDP, APPROX])
def test_every_covered_question_is_in_the_bound(
    budget: Guarantee, unit: str | None, neighbours: str
) -> None:
    asked = everything(start(unit, neighbours, max_groups=2, max_rows=3))
    proof = plan_certificate(asked._priced(budget), budget)
    assert proof is not None
    assert proof.check(), str(proof.check())
    assert proof.outside == ()
    assert proof.questions == set(range(len(asked.questions)))
    assert proof.replaced == (neighbours == "replace")
    assert proof.ratio >= 1


def test_limits_are_those_of_the_plan() -> None:
    asked = everything(start("who", max_groups=2, max_rows=3))
    proof = plan_certificate(asked._priced(ZCDP), ZCDP)
    assert proof is not None
    found = {
        (each.cells, each.low, each.high, each.moved, each.either)
        for each in proof.parts
        if isinstance(each, PlanPart)
    }
    (tables,) = (each for each in proof.parts if isinstance(each, TablesPart))
    assert (tables.sizes, tables.ways, tables.high) == ((4, 3), 2, 3 * 2**20)
    assert (4, 0, 3, 2, 1) in found  # a count by city: two groups, three rows in each
    fine = 3 * 2**13  # three rows in steps of the columns' grids
    assert (4, -10 * fine, 90 * fine, 2, 1) in found  # sums
    assert (8, 0, 90 * fine, 2, 2) in found  # means: for each city two sums, one takes it all
    assert (2, 0, 90 * fine, 1, 1) in found  # one mean
    assert (1, 1, 1, 1, 1) in found  # all units
    assert (9, 0, 3 * 2**20, 1, 1) in found  # the histogram's rows, weighed
    assert (4, 0, 2 * 2**20, 1, 1) in found  # the clip's


def test_questions_outside_are_named() -> None:
    asked = outside(counts(2))
    told = asked.preview(APPROX)
    assert [each.times_least is not None for each in told] == [True, True, False, False, False]
    (line,) = told.about_least
    assert line.endswith("Nothing is proved of: quantiles of age, private, 2 most common by city.")
    proof = plan_certificate(asked._priced(APPROX), APPROX)
    assert proof is not None
    assert proof.outside == (2, 3, 4)


def test_a_plan_of_which_nothing_is_proved() -> None:
    asked = start().quantiles("age", ["0.5"], lower=0, upper=90)
    told = asked.preview(PURE)
    assert told.about_least == ()
    assert plan_certificate(asked._priced(PURE), PURE) is None


def test_one_number_keeps_its_own_proof() -> None:
    asked = start().count()
    (told,) = asked.preview(PURE)
    assert plan_certificate(asked._priced(PURE), PURE) is None
    assert told.times_least == told.ratio
    assert float(told.ratio or 0) == pytest.approx(1, abs=1e-12)
    assert "add noise, independent of the query's value" in told.among


def test_ten_counts_show_what_is_known() -> None:
    told = counts(10).preview(PURE)
    assert 5.0 < told[0].times_least < 5.2  # type: ignore[operator]
    assert told[0].among == Scope.UNBIASED.value
    assert "times the least" in str(told)
    shared = plan_certificate(counts(10)._priced(ZCDP), ZCDP)
    assert shared is not None
    assert [each.scope for each in shared.bounds] == [Scope.GAUSSIAN, Scope.UNBIASED]
    assert float(shared.bounds[0].bound / shared.achieved) * float(shared.ratio) == pytest.approx(1)


def test_what_two_questions_share_is_there_once() -> None:
    asked = counts(2).count(where=ln.col("age") > 0, name="again")
    proof = plan_certificate(asked._priced(PURE), PURE)
    assert proof is not None
    assert sum(part.cells for part in proof.parts) == 2
    assert proof.questions == {0, 1, 2}


@pytest.fixture
def made(tmp_path: Path) -> PlanRelease:
    ledger = ln.Ledger(tmp_path / "budget.db", total=APPROX, begin=True)
    return outside(counts(3)).release(APPROX, ledger=ledger)


def test_a_release_carries_its_certificate(made: PlanRelease, tmp_path: Path) -> None:
    again = PlanRelease.from_json(made.to_json())
    assert again.certificate == made.certificate
    assert again.to_json() == made.to_json()
    assert checked_proofs(again)
    file = tmp_path / "release.json"
    file.write_text(made.to_json(), "utf-8")
    told = json.loads(run("check", file, "--json").output)
    assert told["accepted"] is True
    assert made.certificate is not None
    assert told["ratio"] == pytest.approx(float(made.certificate.ratio))
    page = report_html(made)
    assert "times the least, beside all mechanisms" in page
    assert "Nothing is proved of quantiles of age, private" in page


def forged(path: str, new: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    def forge(said: dict[str, Any]) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        inner: Any = said
        for part in way:
            inner = inner[part]
        inner[last] = new(inner[last])

    return forge


FORGERIES = {
    "another promise": forged("guarantee.epsilon", lambda _: "1/2"),
    "other neighbours": forged("facts.neighbours", lambda _: "replace"),
    "a smaller ratio": forged("facts.questions.0.forecast.times_least", lambda _: "1"),
    "no ratio": forged("facts.questions.0.forecast.times_least", lambda _: None),
    "a ratio of nothing": forged("facts.questions.3.forecast.times_least", lambda _: "2"),
    "another scope": forged("facts.questions.0.forecast.among", lambda _: "everything"),
    "no certificate": forged("plan_proof", lambda _: None),
    "a smaller variance": forged("plan_proof.parts.0.variance", lambda _: "1"),
    "an unknown field": forged("plan_proof", lambda old: old | {"note": "the best"}),
    "a question less": forged("facts.questions", lambda old: old[:-1]),
    "another format": forged("format", lambda _: "leastnoise release 0"),
}  # fmt: skip


@pytest.mark.parametrize("how", FORGERIES)
def test_forged_releases_are_refused(how: str, made: PlanRelease, tmp_path: Path) -> None:
    said = deepcopy(json.loads(made.to_json()))
    FORGERIES[how](said)
    file = tmp_path / "release.json"
    file.write_text(json.dumps(said), "utf-8")
    found = run("check", file)
    assert found.status == 1, how
    assert found.output.startswith("REJECTED")


def test_a_release_of_one_number_is_checked(tmp_path: Path) -> None:
    ledger = ln.Ledger(tmp_path / "budget.db", total=PURE, begin=True)
    one = start().count().release(PURE, ledger=ledger)
    assert checked_proofs(one)
    file = tmp_path / "release.json"
    said = json.loads(one.to_json())
    said["facts"]["questions"][0]["forecast"]["among"] = "everything there is"
    file.write_text(json.dumps(said), "utf-8")
    assert run("check", file).status == 1
    said = json.loads(one.to_json())
    said["tables"][0]["ratio"] = "1/2"
    file.write_text(json.dumps(said), "utf-8")
    assert run("check", file).status == 1


def test_a_release_without_proofs_is_refused(tmp_path: Path) -> None:
    ledger = ln.Ledger(tmp_path / "budget.db", total=PURE, begin=True)
    one = start().quantiles("age", ["0.5"], lower=0, upper=90).release(PURE, ledger=ledger)
    verdict = checked_proofs(one)
    assert not verdict
    assert "no certificate" in verdict.finding


def test_ratios_are_rounded_up() -> None:
    assert shown_ratio(None) == ""
    assert shown_ratio(Fraction(1)) == "1.000"
    assert shown_ratio(Fraction("1.0051")) == "1.006"
    assert shown_ratio(Fraction("20.01")) == "20.1"


@pytest.mark.parametrize("number", [2, 3, 4, 5, 10, 20, 50, 1000])
def test_gaussian_counts_are_near_the_least(number: int) -> None:
    """At small ρ, where the lattice does not matter; at ρ = 1/2 two counts have 1.063."""
    small = ln.ZCDP(rho="1/200")
    proof = plan_certificate(counts(number)._priced(small), small)
    assert proof is not None
    assert proof.check()
    assert proof.ratio < Fraction("1.001")


def test_gaussian_plans_of_many_kinds_are_near_the_least() -> None:
    """Five counts, three group-bys of 20 cells and two sums: 1.0017, as known from floats."""
    asked, small = counts(5), ln.ZCDP(rho="1/200")
    for place in range(3):
        keys = [f"{place} {i}" for i in range(20)]
        where = ln.col("age") > place
        asked = asked.count(by="city", keys=keys, where=where, name=f"by {place}")
    asked = asked.sum("age", lower=0, upper=90).sum("who", lower=0, upper=50)
    proof = plan_certificate(asked._priced(small), small)
    assert proof is not None
    assert proof.check()
    assert float(proof.ratio) == pytest.approx(1.0017, abs=3e-4)
    assert len(proof.parts) == 4  # counts and sums are alike
