"""A verdict is on everything that a certificate says, and repeats nothing that it says itself."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from leastnoise.certificates.certificate import Certificate
from leastnoise.errors import CertificateRejected
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.numeric.cost import OwnCost, TailProbability
from tests.cli.run import run

LIE = "E|error| ≤ 0.000001 for every query: the best noise in the world"
CASES: dict[str, dict[str, Any]] = {
    "dual": {"sensitivity": 2, "epsilon": 1, "delta": "0.05"},
    "rounded": {"sensitivity": 100, "epsilon": 1, "delta": "1e-3"},
    "staircase": {"sensitivity": 4, "epsilon": "0.7"},
    "canonical": {"sensitivity": 1, "epsilon": 1, "delta": "1e-6", "cost": TailProbability("1/3")},
}


@cache
def written(case: str) -> str:
    return optimal_scalar(**CASES[case]).certificate().to_json()


def text_of(case: str) -> dict[str, Any]:
    text: dict[str, Any] = json.loads(written(case))
    return text


def judged(text: Any) -> str:
    try:
        return str(Certificate.from_json(json.dumps(text)).check())
    except CertificateRejected as rejection:
        return f"REJECTED: {rejection}"


@pytest.mark.parametrize("case", CASES)
def test_the_claim_is_written_from_the_numbers(case: str) -> None:
    text = text_of(case)
    check = Certificate.from_json(json.dumps(text)).check()
    assert check
    assert check.claim == text["claim"]
    problem = text["problem"]
    for part in (problem["epsilon"], problem["delta"], str(problem["sensitivity"])):
        assert part in check.claim


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["claim", "reference"])
@pytest.mark.parametrize("word", [LIE, "", "\x1b[2K", "\u202e", 7, None, [LIE]])
def test_other_words_are_refused(case: str, name: str, word: Any) -> None:
    found = judged(text_of(case) | {name: word})
    assert found.startswith("ACCEPTED" if word == "" else "REJECTED"), found
    assert "best noise" not in found
    assert found.isprintable()


@pytest.mark.parametrize("case", CASES)
def test_a_sentence_of_another_certificate_is_refused(case: str) -> None:
    other = text_of("dual" if case != "dual" else "staircase")
    assert judged(text_of(case) | {"claim": other["claim"]}).startswith("REJECTED: its words")
    assert judged(text_of(case) | {"reference": other["reference"]}).startswith("REJECTED")


def test_a_theorem_is_stated_as_it_is() -> None:
    text = text_of("staircase")
    text["witness"]["statement"] = LIE
    assert judged(text).startswith("REJECTED")


def places(value: Any) -> list[dict[str, Any]]:
    """Every object of the text, outermost first."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    below = [place for part in inner for place in places(part)]
    return [value, *below] if isinstance(value, dict) else below


@pytest.mark.parametrize("case", CASES)
def test_unknown_fields_are_refused_everywhere(case: str) -> None:
    for number in range(len(places(text_of(case)))):
        text = text_of(case)
        places(text)[number]["note"] = LIE
        found = judged(text)
        assert found.startswith("REJECTED"), number
        assert "best noise" not in found


def test_a_field_given_twice_is_refused() -> None:
    twice = written("dual").replace('"bound"', '"achieved": "1/1000000", "bound"', 1)
    with pytest.raises(CertificateRejected, match="once"):
        Certificate.from_json(twice)


def test_the_name_of_an_own_cost_does_not_travel() -> None:
    flat = OwnCost(lambda error: error if error < 1 else 1, growth=1, label=LIE)
    made = optimal_scalar(sensitivity=2, epsilon=1, delta="0.05", cost=flat).certificate()
    assert "best noise" not in made.to_json()
    check = Certificate.from_json(made.to_json()).check()
    assert check
    assert "table of" in check.claim


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_command_shows_what_was_verified_only(tmp_path: Path, options: tuple[str]) -> None:
    file = tmp_path / "certificate.json"
    text = text_of("dual")
    file.write_text(json.dumps(text), "utf-8")
    accepted = run("check", file, *options)
    assert accepted.status == 0
    shown = " ".join(accepted.output.split())  # lines break at words
    assert json.dumps(text["claim"])[1:-1] in shown or text["claim"] in shown
    for name in ("claim", "reference"):
        file.write_text(json.dumps(text | {name: LIE}), "utf-8")
        refused = run("check", file, *options)
        assert refused.status == 1
        assert "best noise" not in refused.output + refused.errors


def test_a_refused_certificate_has_no_facts(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(text_of("dual") | {"achieved": "1/7777"}), "utf-8")
    assert set(json.loads(run("check", file, "--json").output)) == {"accepted", "finding"}
    assert len(run("check", file).output.splitlines()) == 1


@pytest.mark.parametrize("digits", [20, 400, 3000])
def test_digits_that_no_float_has_are_rounded_up(digits: int, tmp_path: Path) -> None:
    """Otherwise δ = 10^-3000 would be shown as δ = 0."""
    file = tmp_path / "certificate.json"
    text = text_of("staircase")
    text["problem"]["epsilon"] = f"7{'0' * digits}1/1{'0' * (digits + 2)}"
    text["achieved"], text["bound"] = "1000000", f"1/1{'0' * digits}"
    del text["claim"]
    file.write_text(json.dumps(text), "utf-8")
    told = json.loads(run("check", file, "--json").output)
    assert told["accepted"]
    assert told["epsilon"] > 0.7
    assert told["bound"] <= Fraction(1, 10**digits)
