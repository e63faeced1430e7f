"""Plans' certificates: what is true is accepted, what was changed is not; no word is believed."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.certificates import plan_text
from leastnoise.certificates.make_plan import make_plan_certificate
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.errors import CertificateRejected
from leastnoise.privacy.guarantee import Guarantee
from tests.certificates.plans import ONE, count, groups
from tests.cli.run import run

LIE = "the best noise in the world"
MIXED: list[PlanPart | TablesPart] = [
    count(0),
    count(1, low=-3, high=4),
    groups(2, 6, 2),
    groups(3, 8, 2, either=2),
    TablesPart((4,), (2, 3, 4), 2, 1, ONE, Fraction(10**6)),
]
BUDGETS: list[Guarantee] = [
    ln.PureDP(epsilon=1),
    ln.ApproxDP(epsilon="1/2", delta="1e-6"),
    ln.ZCDP(rho="1/2"),
    ln.GDP(mu=1),
]


def made(budget: Guarantee = BUDGETS[2], *, replaced: bool = False) -> PlanCertificate:
    found = make_plan_certificate(MIXED, budget, replaced=replaced, outside=[5, 6])
    assert found is not None
    return found


def judged(text: Any) -> str:
    try:
        return str(PlanCertificate.from_json(json.dumps(text)).check())
    except CertificateRejected as rejection:
        return f"REJECTED: {rejection}"


def values(**more: Any) -> dict[str, Any]:
    return made().to_values() | more


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("budget", BUDGETS)
def test_true_certificates_are_accepted(budget: Guarantee, replaced: bool) -> None:
    one = made(budget, replaced=replaced)
    check = one.check()
    assert check, str(check)
    assert check.claim == one.sentence == one.to_values()["claim"]
    assert PlanCertificate.from_json(one.to_json()) == one
    assert one.questions == {0, 1, 2, 3, 4}
    assert "questions 6, 7" in one.sentence
    assert "times the least" in repr(one)


def change(path: str, new: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    """What a forger does to the value at a path."""

    def forge(data: dict[str, Any]) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        inner: Any = data
        for part in way:
            inner = inner[part]
        inner[last] = new(inner[last])

    return forge


def times(factor: str) -> Callable[[Any], Any]:
    return lambda old: str(Fraction(old) * Fraction(factor))


def to(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


FORGED = {
    "a greater bound": change("bounds.0.bound", times("1.00001")),
    "a much greater bound": change("bounds.1.bound", times("2")),
    "a smaller bound": change("bounds.0.bound", times("0.99")),
    "no bound": change("bounds.0.bound", to("0")),
    "a negative bound": change("bounds.0.bound", times("-1")),
    "no bounds": change("bounds", to([])),
    "a bound twice": change("bounds", lambda old: [old[0], old[0]]),
    "scopes exchanged": change("bounds", lambda old: [
        {"scope": old[0]["scope"], "bound": old[1]["bound"]},
        {"scope": old[1]["scope"], "bound": old[0]["bound"]},
    ]),
    "a scope nobody knows": change("bounds.0.scope", to("EVERYTHING")),
    "a scope in other words": change("bounds.0.scope", to(LIE)),
    "less achieved": change("achieved", times("0.99")),
    "more achieved": change("achieved", times("1.01")),
    "a smaller budget": change("budget.rho", times("0.99")),
    "a larger budget": change("budget.rho", times("1.01")),
    "a budget beyond all": change("budget.rho", to("100000")),
    "a negative budget": change("budget.rho", to("-1")),
    "another kind of budget": change("budget", to({"kind": "gaussian", "mu": "2"})),
    "a budget nobody knows": change("budget", to({"kind": "perfect", "rho": "1/2"})),
    "a pure budget": change("budget", to({"kind": "pure", "epsilon": "1"})),
    "other neighbours": change("neighbours", to("replace")),
    "neighbours nobody knows": change("neighbours", to("nobody")),
    "no parts": change("parts", to([])),
    "a part less": change("parts", lambda old: old[1:]),
    "a part twice": change("parts", lambda old: [old[0], *old]),
    "a smaller variance": change("parts.0.variance", times("0.5")),
    "a negative variance": change("parts.0.variance", times("-1")),
    "a greater weight": change("parts.0.weight", times("2")),
    "a negative weight": change("parts.1.weight", times("-1")),
    "more numbers": change("parts.2.cells", lambda old: old + 2),
    "fewer numbers": change("parts.2.cells", lambda old: old - 2),
    "numbers that make no rows": change("parts.3.cells", lambda old: old + 1),
    "a greater reach": change("parts.1.high", lambda old: old + 1),
    "a lower reach": change("parts.1.low", lambda old: old - 1),
    "ends exchanged": change("parts.1.high", to(-9)),
    "a group that nobody can leave": change("parts.2.low", to(1)),
    "more rows moved": change("parts.2.moved", lambda old: old + 1),
    "more rows than there are": change("parts.2.moved", to(100)),
    "no row moved": change("parts.2.moved", to(0)),
    "more rows taken than may move": change("parts.2.more", to(3)),
    "fewer than none": change("parts.2.fewer", to(-1)),
    "more and fewer exchanged": change("parts.2.fewer", to(3)),
    "another chance": change("parts.1.chance", times("1/2")),
    "a chance above 1": change("parts.1.chance", to("3/2")),
    "a chance below 0": change("parts.1.chance", to("-1/2")),
    "another upper chance": change("parts.2.upper", to("1/2")),
    "an upper chance in a box": change("parts.1.upper", to("1/2")),
    "drawn alone": change("parts.2.alone", to(True)),
    "not drawn alone": change("parts.1.alone", to(False)),
    "rows of none": change("parts.3.either", to(0)),
    "rows of one": change("parts.3.either", to(1)),
    "more values in a column": change("parts.4.sizes", lambda old: [*old[:-1], old[-1] + 1]),
    "a column of one value": change("parts.4.sizes", lambda old: [*old[:-1], 1]),
    "a column less": change("parts.4.sizes", lambda old: old[:-1]),
    "other tables": change("parts.4.ways", to(1)),
    "tables of more columns than there are": change("parts.4.ways", to(4)),
    "more tables than can be checked": change("parts.4.sizes", lambda _: [2] * 1000),
    "a greater share of the rows": change("parts.4.high", to(2)),
    "another chance of tables": change("parts.4.chance", to("1/2")),
    "no such chance of tables": change("parts.4.chance", to("2")),
    "a question inside and outside": change("outside", to([4, 5, 6])),
    "a question nowhere": change("outside", to([6])),
    "a question twice outside": change("outside", to([5, 5, 6])),
    "other words": change("claim", to(LIE)),
    "words to a terminal": change("claim", to("\x1b[2K")),
    "another reference": change("reference", to(LIE)),
    "an unknown field": change("format", to("leastnoise plan certificate, version 2")),
}  # fmt: skip


@pytest.mark.parametrize("how", FORGED)
def test_forged_certificates_are_refused(how: str) -> None:
    data = deepcopy(values())
    FORGED[how](data)
    found = judged(data)
    assert found.startswith("REJECTED"), how
    assert LIE not in found
    assert found.isprintable()


@pytest.mark.parametrize("place", ["", "budget", "parts.0", "parts.4", "bounds.0"])
def test_unknown_fields_are_refused(place: str) -> None:
    data = deepcopy(values())
    inner: Any = data
    for part in filter(None, place.split(".")):
        inner = inner[int(part) if part.isdigit() else part]
    inner["note"] = LIE
    assert judged(data).startswith("REJECTED")


@pytest.mark.parametrize("name", list(values()))
@pytest.mark.parametrize("junk", [None, 7, "7/0", [], {}, [[]], True, "x" * 10])
def test_fields_of_another_type_are_refused(name: str, junk: Any) -> None:
    if (name, junk) == ("outside", []):
        return  # refused too, but as a question that is nowhere
    assert judged(values(**{name: junk})).startswith("REJECTED")


names = st.sampled_from(list(values()))
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner),
    max_leaves=6,
)


@given(anything)
@settings(max_examples=100, deadline=None)
def test_anything_gets_a_verdict(junk: Any) -> None:
    assert judged(junk).startswith("REJECTED")


def test_long_numbers_and_long_lists_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = deepcopy(values())
    data["parts"][0]["weight"] = f"1/{2**5000}"
    assert judged(data).startswith("REJECTED")
    monkeypatch.setattr(plan_text, "_MOST_PARTS", 2)
    assert judged(values()).startswith("REJECTED")


def test_many_sets_of_tables_are_refused() -> None:
    small = [replace(MIXED[4], questions=(place,)) for place in range(17)]
    one = make_plan_certificate(small[:16], BUDGETS[2], replaced=False)
    assert one is not None
    assert one.check()
    many = make_plan_certificate(small, BUDGETS[2], replaced=False)
    assert many is not None
    assert "too many" in many.check().finding


def test_noise_below_the_bound_is_refused() -> None:
    quiet = [replace(part, variance=part.variance / 10**9) for part in MIXED]
    assert make_plan_certificate(quiet, BUDGETS[2], replaced=False) is None


def test_everyone_counts_in_the_bound() -> None:
    everyone = PlanPart((0,), 1, 1, 1, 1, ONE, Fraction(5))
    one = make_plan_certificate(
        [everyone, replace(count(1), variance=Fraction(5))], BUDGETS[2], replaced=False
    )
    assert one is not None
    assert one.check()
    # n and 2x − n with precisions that add up to 1: (√(5/4) + 1/2)².
    assert float(one.bounds[0].bound) == pytest.approx(((1 + 5**0.5) / 2) ** 2, rel=1e-6)


def test_the_command_line_checks_plans(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(made().to_json(), "utf-8")
    checked = run("check", file)
    assert checked.status == 0
    assert made().sentence in " ".join(checked.output.split())
    told = json.loads(run("check", file, "--json").output)
    assert told["accepted"] is True
    assert told["scope"] == made().scope
    data = values()
    data["achieved"] = "1"
    file.write_text(json.dumps(data), "utf-8")
    assert run("check", file).status == 1


def test_the_sentence_names_every_bound() -> None:
    found = made(BUDGETS[1])
    assert len(found.bounds) > 1
    assert found.sentence.count("times the least") == len(found.bounds)


def test_tables_have_a_weight_a_variance_and_a_reach_that_can_be() -> None:
    honest = TablesPart((4,), (2, 3, 4), 2, 1, ONE, ONE)
    assert honest.is_possible
    for odd in ({"weight": -ONE}, {"variance": -ONE}, {"high": -1}):
        assert not replace(honest, **odd).is_possible
