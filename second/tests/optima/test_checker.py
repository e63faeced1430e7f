"""Certificates: true ones are accepted, forged ones refused, whatever is changed in them."""

import ast
import copy
import json
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import leastnoise.optima.checker
from leastnoise.mechanisms.certificate import Certificate
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


MORE, LESS = 1 + F(1, 2**30), 1 - F(1, 2**30)

FORGERIES: list[tuple[str, str, Forgery]] = [
    ("achieved lower", "staircase", moved("achieved", LESS)),
    ("achieved higher", "staircase", moved("achieved", MORE)),
    ("bound higher", "staircase", moved("bound", MORE)),
    ("bound lower", "staircase", moved("bound", LESS)),
    ("bound higher, dual", "dual", moved("bound", MORE)),
    ("bound higher, half-lines", "uniform", moved("bound", MORE)),
    ("bound higher, l1", "l1", moved("bound", MORE)),
    ("bound higher, linf", "linf", moved("bound", MORE)),
    ("bound higher, unsettled", "unsettled", moved("bound", F(2))),
    ("bound and achieved swapped", "large", swapped("bound", "achieved")),
    ("epsilon and delta swapped", "canonical", swapped("epsilon", "delta")),
    ("less epsilon", "staircase", setter("epsilon", "1")),
    ("less epsilon, table", "dual", setter("epsilon", "1/2")),
    ("less delta, table", "dual", setter("delta", "1/1000")),
    ("less delta", "canonical", setter("delta", "1/10000000")),
    ("delta for none", "staircase", setter("delta", "1/1000")),
    ("more sensitivity", "staircase", setter("sensitivity", 6)),
    ("more sensitivity, table", "dual", setter("sensitivity", 3)),
    ("another cost", "staircase", setter("cost", {"moment": 1})),
    ("a cost of its own", "staircase", setter("cost", {"own": 1})),
    ("two costs", "staircase", setter("cost", {"moment": 2, "tail": "1"})),
    ("a half moment", "staircase", setter("cost", {"moment": "3/2"})),
    ("a huge moment", "staircase", setter("cost", {"moment": 10**6})),
    ("another width", "staircase", in_law("width", 3)),
    ("a width beyond", "staircase", in_law("width", 6)),
    ("another law", "staircase", setter("law", {"name": "DiscreteLaplace"})),
    ("a law that promises less", "dual", setter("law", {"name": "RoundedGaussian"})),
    ("a law with too much said", "geometric", in_law("rate", "1/2")),
    ("another norm", "l1", setter("norm", "linf")),
    ("no norm", "l1", setter("norm", "l3")),
    ("more numbers", "independent", setter("dimension", 5)),
    ("independent noise in linf", "independent", setter("norm", "linf")),
    ("other rivals", "staircase", setter("rivals", "all noise there is")),
    ("a better verdict", "unsettled", setter("verdict", "least possible (ratio 1)")),
    ("another proof", "canonical", in_witness("method", "staircase")),
    ("no proof", "staircase", in_witness("method", "none")),
    ("an unknown proof", "staircase", in_witness("method", "trust")),
    ("a proof of another kind", "dual", lambda body: body.__setitem__("witness", {"method": "half-lines"})),
    ("a missing part", "staircase", lambda body: body["claim"].pop("delta")),
    ("a part too many", "staircase", setter("note", "checked by us")),
    ("a missing witness", "dual", lambda body: body.__setitem__("witness", {})),
    ("a heavier outermost weight", "dual", weight(-1, lambda w: 2 * w + 1)),
    ("a lighter middle", "dual", weight(0, lambda w: w * 9 // 10)),
    ("a negative weight", "dual", weight(-1, lambda w: -1)),
    ("no weights", "dual", in_law("weights", [])),
    ("a weight of text", "dual", in_law("weights", ["1", "1"])),
    ("a greater multiplier", "dual", row(lambda r: r[2].__setitem__(0, r[2][0] * 2 + 2**150))),
    ("a negative multiplier", "dual", row(lambda r: r[2].__setitem__(0, -1))),
    ("a shift beyond", "dual", row(lambda r: r.__setitem__(0, 3))),
    ("a place far away", "dual", row(lambda r: r.__setitem__(1, -(10**30)))),
    ("an endless multiplier", "dual", row(lambda r: r.__setitem__(3, 2**200))),
    ("a row twice", "dual", lambda body: body["witness"]["rows"].append(body["witness"]["rows"][-1])),
    ("a higher level", "dual", lambda body: body["witness"].__setitem__("level", "2")),
    ("other bits", "dual", in_witness("bits", 159)),
    ("huge bits", "dual", in_witness("bits", 10**9)),
    ("NaN", "staircase", setter("achieved", "nan")),
    ("infinity", "staircase", setter("achieved", "inf")),
    ("a float", "staircase", setter("achieved", 1.5)),
    ("true", "geometric", setter("sensitivity", True)),
    ("nothing", "staircase", setter("bound", None)),
    ("a huge epsilon", "staircase", setter("epsilon", "1" + "0" * 390)),
    ("a tiny epsilon", "staircase", setter("epsilon", "1/1" + "0" * 390)),
    ("a huge sensitivity", "staircase", setter("sensitivity", 10**300)),
    ("many numbers", "l1", setter("dimension", 10**9)),
    ("a number too long", "staircase", setter("bound", "1" * 5000)),
    ("another spelling", "staircase", setter("epsilon", "2.0")),
    ("deep nesting", "staircase", setter("cost", nested(200))),
    ("deep law", "staircase", setter("law", nested(900))),
    ("another kind", "staircase", lambda body: body.__setitem__("kind", "relative counts")),
    ("another format", "staircase", lambda body: body.__setitem__("format", "leastnoise certificate 3")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "forge"), [(n, f) for _, n, f in FORGERIES], ids=[t for t, _, _ in FORGERIES])  # fmt: skip
def test_a_forged_certificate_is_refused(name: str, forge: Forgery) -> None:
    body = json.loads(text(name))
    true = copy.deepcopy(body)
    forge(body)
    forged = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert forged != text(name)
    with pytest.raises(CertificateRejected):
        Certificate.from_json(forged).check()
    if body["format"] == true["format"]:
        with pytest.raises(CertificateRejected):
            Certificate(body["kind"], body["claim"], body["witness"]).check()


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
