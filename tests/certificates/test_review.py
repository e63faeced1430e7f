"""Certificates written to fool the checker, or to keep it busy for ever."""

import json
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.check_stairs import staircase_cost
from leastnoise.certificates.problem import Problem
from leastnoise.errors import CertificateRejected, UnsupportedQuery
from leastnoise.numeric.cost import Moment, OwnCost, TailProbability
from tests.cli.run import run

FRACTIONAL = {"kind": "moment", "order": "3/2"}
HIGH = {"kind": "moment", "order": "64"}
CANONICAL: dict[str, Any] = {
    "law": {"kind": "canonical"},
    "witness": {"kind": "theorem", "name": "CANONICAL"},
}
EMPTY = {"kind": "dual", "level": "0", "bits": 0, "rows": []}
LONG = "1" * 4000 + "/" + "7" * 3999


def written(problem: dict[str, Any] | None = None, **parts: Any) -> str:
    asked = {"sensitivity": 1, "epsilon": "1", "delta": "0", "step": "1"}
    asked["cost"] = {"kind": "moment", "order": "1"}
    whole = {
        "format": "leastnoise certificate, version 1",
        "problem": asked | (problem or {}),
        "achieved": "1" + "0" * 40,
        "bound": "0",
        "law": {"kind": "staircase", "width": 1},
        "witness": {"kind": "theorem", "name": "STAIRCASE"},
        "reference": "",
    }
    return json.dumps(whole | parts)


def test_a_staircase_of_which_few_periods_can_be_summed_is_not_called_cheap() -> None:
    # With a part of the law unseen, its cost was once taken for twice that of the part seen.
    width = 1 << 20
    wide = {"sensitivity": width, "epsilon": "1/1000", "cost": FRACTIONAL}
    law = {"kind": "staircase", "width": width}
    text = written(wide, law=law, achieved=str(width**2))
    assert not Certificate.from_json(text).check()
    with pytest.raises(UnsupportedQuery):
        staircase_cost(Problem(width, Fraction(1, 1000), Fraction(0), Moment("1.5")), width)


def test_a_cost_that_begins_far_out_is_not_called_nothing() -> None:
    far = OwnCost(lambda error: int(error > 70_000), growth=0)
    problem = Problem(10, Fraction(1, 10_000), Fraction(0), far)
    exact = Problem(10, Fraction(1, 10_000), Fraction(0), TailProbability(70_000))
    found = staircase_cost(problem, 5)
    assert found.lower <= staircase_cost(exact, 5).upper
    assert found.upper >= staircase_cost(exact, 5).lower > 0
    nothing = Problem(10, Fraction(1, 100), Fraction(0), OwnCost(lambda error: 0 * error))
    with pytest.raises(UnsupportedQuery):
        staircase_cost(nothing, 5)


@pytest.mark.parametrize("width", [1, 3, 7])
@pytest.mark.parametrize("last", [0, 2, 6, 7, 20, 41])
def test_tails_agree_with_a_sum(width: int, last: int) -> None:
    problem = Problem(7, Fraction(1, 2), Fraction(0), TailProbability(last))
    counted = Problem(7, Fraction(1, 2), Fraction(0), OwnCost(lambda e: int(e > last), growth=0))
    closed, summed = staircase_cost(problem, width), staircase_cost(counted, width)
    assert summed.lower <= closed.upper
    assert closed.lower <= summed.upper
    assert float(closed) == pytest.approx(float(summed), rel=1e-12)


ENDLESS = [
    written({"sensitivity": 2**62, "cost": FRACTIONAL}, law={"kind": "staircase", "width": 2**61}),
    written(**CANONICAL),
    written({"epsilon": "4096"}, **CANONICAL),
    written({"epsilon": "0", "delta": "1/1" + "0" * 3000}, **CANONICAL),
    written({"epsilon": "0", "delta": "1/9", "step": LONG, "cost": HIGH}, **CANONICAL),
    written(
        {"epsilon": "0", "delta": "1/1000", "cost": FRACTIONAL},
        law={"kind": "cut staircase", "width": 1, "radius": 1 << 20},
        witness=EMPTY,
    ),
    written(
        {"step": "1" * 300, "cost": HIGH},
        achieved="1" + "0" * 3999 + "/1",
        witness=EMPTY | {"rows": [{"shift": 1, "first": -(2**22), "values": [], "beyond": "0"}]},
    ),
]


@pytest.mark.parametrize("number", range(len(ENDLESS)))
def test_work_without_end_is_refused(number: int) -> None:
    assert not Certificate.from_json(ENDLESS[number]).check()


def test_a_long_tail_takes_no_loop() -> None:
    far = {"sensitivity": 33, "epsilon": "1/100000"}
    far["cost"] = {"kind": "tail", "threshold": "30000000"}
    text = written(far, law={"kind": "staircase", "width": 17})
    assert Certificate.from_json(text).check()


def test_a_cut_staircase_adds_up_its_prices_once() -> None:
    text = written(
        {"epsilon": "0", "delta": "1/1000", "cost": FRACTIONAL},
        law={"kind": "cut staircase", "width": 1, "radius": 20_000},
        witness=EMPTY,
    )
    assert Certificate.from_json(text).check()


@pytest.mark.parametrize("words", ["\ud800", "x\nACCEPTED: yes", "\x1b[2J", 3, "x" * 1001])
def test_words_that_would_disturb_the_verdict_are_refused(words: object) -> None:
    with pytest.raises(CertificateRejected):
        Certificate.from_json(written(reference=words))


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_numbers_beyond_floats_are_shown(tmp_path: Any, options: list[str]) -> None:
    file = tmp_path / "certificate.json"
    file.write_text(written(achieved="1" + "0" * 400))
    result = run("check", file, *options)
    assert result.status == 0
    certificate = Certificate.from_json(file.read_text())
    assert "inf" in repr(certificate)
    assert Certificate.from_json(certificate.to_json()).check()
    if options:
        json.loads(result.output, parse_constant=pytest.fail)
