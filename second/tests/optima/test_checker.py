"""Certificates: true ones are accepted, forged ones refused, whatever is changed in them."""

import ast
import json
import re
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import leastnoise.optima.checker
from leastnoise.mechanisms.certificate import Certificate
from leastnoise.noise import Staircase
from leastnoise.numbers.cost import Moment, TailProbability
from leastnoise.numbers.errors import CertificateRejected
from leastnoise.optima import optimal

PROBLEMS: dict[str, dict[str, Any]] = {
    "geometric": {"sensitivity": 1, "epsilon": 1},
    "staircase": {"sensitivity": 5, "epsilon": 2, "cost": "squared"},
    "tail": {"sensitivity": 5, "epsilon": 2, "cost": TailProbability(7)},
    "canonical": {"sensitivity": 1, "epsilon": 1, "delta": "1e-6", "cost": "squared"},
    "uniform": {"sensitivity": 3, "epsilon": 0, "delta": "0.25"},
    "dual": {"sensitivity": 2, "epsilon": 1, "delta": "0.01"},
    "large": {"sensitivity": 70, "epsilon": 1, "delta": "1e-6"},
    "l1": {"sensitivity": 4, "epsilon": 3, "dimension": 3},
    "linf": {"sensitivity": 300, "epsilon": 4, "dimension": 2, "norm": "linf", "cost": Moment(3)},
    "independent": {"sensitivity": 1, "epsilon": 1, "delta": "0.01", "dimension": 4},
    "unsettled": {"sensitivity": 2, "epsilon": 1, "delta": "1e-5", "dimension": 3, "norm": "linf"},
}  # fmt: skip


@cache
def text(name: str) -> str:
    certificate = optimal(**PROBLEMS[name]).certificate()
    assert certificate is not None
    return certificate.to_json()


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_made_is_accepted(name: str) -> None:
    certificate = Certificate.from_json(text(name))
    proved = certificate.check()
    assert certificate.to_json() == text(name)
    assert certificate.claim["verdict"] in proved and certificate.claim["rivals"] in proved
    settled = name not in ("large", "unsettled")
    assert ("least possible" in proved) == settled
    assert ("not known to be least" in proved) == (not settled)


def test_the_checker_imports_nothing_that_makes_certificates() -> None:
    package = Path(leastnoise.optima.checker.__file__).parent
    seen, todo = set[str](), ["checker"]
    while todo:
        name = todo.pop()
        if name in seen or not (package / f"{name}.py").exists():
            continue
        seen.add(name)
        for node in ast.walk(ast.parse((package / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "leastnoise.optima"
            ):
                todo += [str(node.module).rpartition(".")[2], *(each.name for each in node.names)]
            assert "scipy" not in ast.dump(node)[:80]
    assert seen == {"checker", "dual", "half_lines"}


# Forgeries: each takes the body of a true certificate and spoils it

Forgery = Callable[[dict[str, Any]], object]


def setter(part: str, value: Any) -> Forgery:
    return lambda body: body["claim"].__setitem__(part, value)


def moved(part: str, factor: F) -> Forgery:
    return lambda body: body["claim"].__setitem__(part, str(F(body["claim"][part]) * factor))


def in_law(part: str, value: Any) -> Forgery:
    return lambda body: body["claim"]["law"].__setitem__(part, value)


def in_witness(part: str, value: Any) -> Forgery:
    return lambda body: body["witness"].__setitem__(part, value)


def swapped(one: str, other: str) -> Forgery:
    def forge(body: dict[str, Any]) -> None:
        claim = body["claim"]
        claim[one], claim[other] = claim[other], claim[one]

    return forge


def row(change: Callable[[list[Any]], object]) -> Forgery:
    return lambda body: change(body["witness"]["rows"][-1])


def weight(place: int, change: Callable[[int], int]) -> Forgery:
    def forge(body: dict[str, Any]) -> None:
        weights = body["claim"]["law"]["weights"]
        weights[place] = change(weights[place])

    return forge


def nested(depth: int) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found


def of_width(width: int) -> Forgery:
    """A staircase that is not the best, with its own cost, which is claimed to be the least."""

    def forge(body: dict[str, Any]) -> None:
        claim = body["claim"]
        claim["law"]["width"] = width
        cost = Staircase(claim["sensitivity"], claim["epsilon"], width).expected(Moment(2)).upper
        claim["achieved"] = claim["bound"] = str(cost)

    return forge


def raised(level: str) -> Forgery:
    """A greater bound, and a dual point that would prove it if it were feasible."""

    def forge(body: dict[str, Any]) -> None:
        body["witness"]["level"] = body["claim"]["bound"] = level

    return forge


MORE, LESS = 1 + F(1, 2**30), 1 - F(1, 2**30)
DAMAGED = "parts are missing or damaged"
CHANGED = "no certificate, or it was changed"

FORGERIES: dict[str, tuple[str, str, Forgery]] = {
    "the least cost of another width": ("staircase", "the bound", of_width(3)),
    "the least cost of the widest": ("staircase", "the bound", of_width(5)),
    "a level that nothing proves": ("dual", "the dual point", raised("93/50")),
    "rivals with less sensitivity": ("dual", "the dual point", setter("sensitivity", 1)),
    "rivals with more epsilon": ("dual", "the dual point", setter("epsilon", "3/2")),
    "rivals with more delta": ("dual", "the bound", setter("delta", "1/50")),
    "half-lines without delta": ("geometric", "delta above 0", in_witness("method", "half-lines")),
    "a dual point of vectors": ("l1", "for one number", lambda body: body.__setitem__("witness", json.loads(text("dual"))["witness"])),
    "a proof with more to say": ("uniform", "names no proof", in_witness("level", "1")),
    "a negative delta": ("uniform", "the promise", setter("delta", "-1/4")),
    "no promise at all": ("uniform", "the promise", setter("delta", "0")),
    "a sensitivity of 0": ("staircase", "the problem", setter("sensitivity", 0)),
    "the cost of a tail moved": ("tail", "the cost of the law", setter("cost", {"tail": "8"})),
    "noise that ends, for none that may": ("geometric", "not known to keep the promise", setter("law", {"name": "TruncatedLaplace"})),
    "a table that is too long": ("dual", "the size of the table", in_law("weights", [1] * 10**6)),
    "a table of zeros": ("dual", "a weight", in_law("weights", [1, 0])),
    "achieved lower": ("staircase", "the cost of the law", moved("achieved", LESS)),
    "achieved higher": ("staircase", "the cost of the law", moved("achieved", MORE)),
    "bound higher": ("staircase", "the bound", moved("bound", MORE)),
    "bound lower": ("staircase", "the bound", moved("bound", LESS)),
    "bound higher, dual": ("dual", "the bound", moved("bound", MORE)),
    "bound higher, half-lines": ("uniform", "the bound", moved("bound", MORE)),
    "bound higher, l1": ("l1", "the bound", moved("bound", MORE)),
    "bound higher, linf": ("linf", "the bound", moved("bound", MORE)),
    "bound higher, unsettled": ("unsettled", "the bound", moved("bound", F(2))),
    "bound and achieved swapped": ("large", "the cost of the law", swapped("bound", "achieved")),
    "epsilon and delta swapped": ("canonical", "the promise", swapped("epsilon", "delta")),
    "less epsilon": ("staircase", "the cost of the law", setter("epsilon", "1")),
    "less epsilon, table": ("dual", "the promise of the table", setter("epsilon", "1/2")),
    "less delta, table": ("dual", "the promise of the table", setter("delta", "1/1000")),
    "less delta": ("canonical", "the cost of the law", setter("delta", "1/10000000")),
    "delta for none": ("staircase", "the proof, which is for delta 0,", setter("delta", "1/1000")),
    "more sensitivity": ("staircase", "the cost of the law", setter("sensitivity", 6)),
    "more sensitivity, table": ("dual", "the promise of the table", setter("sensitivity", 3)),
    "another cost": ("staircase", "the cost of the law", setter("cost", {"moment": 1})),
    "a cost of its own": ("staircase", "nothing: the cost is wrong", setter("cost", {"own": 1})),
    "two costs": ("staircase", DAMAGED, setter("cost", {"moment": 2, "tail": "1"})),
    "a half moment": ("staircase", "a whole number", setter("cost", {"moment": "3/2"})),
    "a huge moment": ("staircase", DAMAGED, setter("cost", {"moment": 10**6})),
    "another width": ("staircase", "the cost of the law", in_law("width", 3)),
    "a width beyond": ("staircase", DAMAGED, in_law("width", 6)),
    "another law": ("staircase", "the cost of the law", setter("law", {"name": "DiscreteLaplace"})),
    "a law that promises less": ("dual", "not known to keep the promise", setter("law", {"name": "RoundedGaussian"})),
    "a law with too much said": ("geometric", "not known to keep the promise", in_law("rate", "1/2")),
    "another norm": ("l1", "the cost of the law", setter("norm", "linf")),
    "no norm": ("l1", "the norm", setter("norm", "l3")),
    "more numbers": ("independent", "the cost of the law", setter("dimension", 5)),
    "independent noise in linf": ("independent", "independent noise", setter("norm", "linf")),
    "other rivals": ("staircase", "what is said of rivals", setter("rivals", "all noise there is")),
    "a better verdict": ("unsettled", "the verdict", setter("verdict", "least possible (ratio 1)")),
    "another proof": ("canonical", "the proof, which is for delta 0,", in_witness("method", "staircase")),
    "no proof": ("staircase", "the bound", in_witness("method", "none")),
    "an unknown proof": ("staircase", "names no proof", in_witness("method", "trust")),
    "a proof of another kind": ("dual", "the bound", lambda body: body.__setitem__("witness", {"method": "half-lines"})),
    "a missing part": ("staircase", "the list of parts", lambda body: body["claim"].pop("delta")),
    "a part too many": ("staircase", "the list of parts", setter("note", "checked by us")),
    "a missing witness": ("dual", DAMAGED, lambda body: body.__setitem__("witness", {})),
    "a heavier outermost weight": ("dual", "the cost of the law", weight(-1, lambda w: 2 * w + 1)),
    "a lighter middle": ("dual", "the promise of the table", weight(0, lambda w: w * 9 // 10)),
    "a negative weight": ("dual", "a weight", weight(-1, lambda w: -1)),
    "no weights": ("dual", "a weight", in_law("weights", [])),
    "a weight of text": ("dual", "a whole number", in_law("weights", ["1", "1"])),
    "a greater multiplier": ("dual", "the dual point", row(lambda r: r[2].__setitem__(0, r[2][0] * 2 + 2**150))),
    "a negative multiplier": ("dual", "the dual point", row(lambda r: r[2].__setitem__(0, -1))),
    "a shift beyond": ("dual", "the dual point", row(lambda r: r.__setitem__(0, 3))),
    "a place far away": ("dual", "the dual point", row(lambda r: r.__setitem__(1, -(10**30)))),
    "an endless multiplier": ("dual", "the dual point", row(lambda r: r.__setitem__(3, 2**200))),
    "a row twice": ("dual", "the dual point", lambda body: body["witness"]["rows"].append(body["witness"]["rows"][-1])),
    "a higher level": ("dual", "the dual point", lambda body: body["witness"].__setitem__("level", "2")),
    "other bits": ("dual", "the dual point", in_witness("bits", 159)),
    "huge bits": ("dual", "the dual point", in_witness("bits", 10**9)),
    "NaN": ("staircase", DAMAGED, setter("achieved", "nan")),
    "infinity": ("staircase", DAMAGED, setter("achieved", "inf")),
    "a float": ("staircase", CHANGED, setter("achieved", 1.5)),
    "true": ("geometric", "a whole number", setter("sensitivity", True)),
    "nothing": ("staircase", DAMAGED, setter("bound", None)),
    "a huge epsilon": ("staircase", "the promise", setter("epsilon", "1" + "0" * 390)),
    "a tiny epsilon": ("staircase", "the cost of the law", setter("epsilon", "1/1" + "0" * 390)),
    "a huge sensitivity": ("staircase", "the problem", setter("sensitivity", 10**300)),
    "many numbers": ("l1", "the problem", setter("dimension", 10**9)),
    "a number too long": ("staircase", DAMAGED, setter("bound", "1" * 5000)),
    "another spelling": ("staircase", DAMAGED, setter("epsilon", "2.0")),
    "deep nesting": ("staircase", DAMAGED, setter("cost", nested(200))),
    "deep law": ("staircase", DAMAGED, setter("law", nested(900))),
    "another kind": ("staircase", "Nobody can check", lambda body: body.__setitem__("kind", "relative counts")),
    "another format": ("staircase", CHANGED, lambda body: body.__setitem__("format", "leastnoise certificate 3")),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_is_refused_for_what_is_wrong_with_it(name: str) -> None:
    problem, reason, forge = FORGERIES[name]
    body = json.loads(text(problem))
    forge(body)
    forged = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert forged != text(problem)
    with pytest.raises(CertificateRejected, match=re.escape(reason)):
        Certificate.from_json(forged).check()
    if body["format"] in text(problem):  # an object has no format and may hold floats
        expected = DAMAGED if reason == CHANGED else reason
        with pytest.raises(CertificateRejected, match=re.escape(expected)):
            Certificate(body["kind"], body["claim"], body["witness"]).check()


def test_forgeries_are_of_many_kinds() -> None:
    assert len(FORGERIES) >= 45
    assert len({reason for _, reason, _ in FORGERIES.values()}) >= 18
    assert {problem for problem, _, _ in FORGERIES.values()} == set(PROBLEMS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: t.replace('"delta":"0"', '"delta":"0","delta":"0"'),
        lambda t: t.replace('"epsilon":"2"', '"epsilon":NaN'),
        lambda t: t.replace('"epsilon":"2"', '"epsilon":2e0'),
        lambda t: t.replace(":", ": "),
        lambda t: t[:-1],
        lambda t: t + "{}",
        lambda t: "[" * 100_000,
        lambda t: "",
        lambda t: "null",
        lambda t: t.replace('"sensitivity":5', '"sensitivity":' + "5" * 10_000),
    ],
)
def test_a_text_that_is_not_the_canonical_one_is_refused(spoil: Callable[[str], str]) -> None:
    spoiled = spoil(text("staircase"))
    assert spoiled != text("staircase")
    with pytest.raises(CertificateRejected):
        Certificate.from_json(spoiled).check()
