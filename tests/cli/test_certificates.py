"""The command line for optimal noise and its certificates."""

import json
import re
from pathlib import Path

import pytest

import leastnoise as ln
from tests.cli.run import run


def test_make_and_check_a_certificate(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    made = run(
        "optimal", "--sensitivity", "3", "--epsilon", "1", "--delta", "1e-3", "--certificate", file
    )
    assert made.status == 0, made.errors
    assert re.search(r"\n  law: a table of (\d+) chances, from −\d+ to \d+\n", made.output)
    checked = run("check", file)
    assert checked.status == 0
    assert checked.output.startswith("ACCEPTED")
    told = json.loads(run("check", file, "--json").output)
    assert told["accepted"] is True
    assert told["ratio"] == pytest.approx(1, abs=1e-9)


def test_laws_and_numbers_are_told_in_words() -> None:
    told = run(
        "optimal", "--sensitivity", "1", "--epsilon", "1", "--delta", "1e-6", "--cost", "squared"
    )
    assert told.output.startswith("the least noise for ε = 1, δ = 10⁻⁶: canonical\n")
    assert "  4.526·10¹⁰ ×  8.33333·10¹⁰  uniform" in told.output
    assert "ApproxDP(" not in told.output
    assert "DiscreteLaplace(" not in told.output
    assert "e+" not in told.output


def test_rivals_of_rounded_noise_say_that_rounding_is_not_in_their_cost() -> None:
    asked = ("optimal", "--sensitivity", "2", "--epsilon", "1", "--delta", "1e-3")
    whole, rounded = run(*asked), run(*asked, "--granularity", "0.5")
    assert "alternatives, with their cost\n" in whole.output
    assert "alternatives, with their cost, rounding not counted\n" in rounded.output
    assert "from −14.5 to 14.5\n" in rounded.output


def test_a_false_certificate_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    run("optimal", "--sensitivity", "2", "--epsilon", "1", "--certificate", file)
    data = json.loads(file.read_text("utf-8"))
    data["bound"] = data["achieved"] = "1/1000"
    file.write_text(json.dumps(data), "utf-8")
    checked = run("check", file)
    assert checked.status == 1
    assert checked.output.startswith("REJECTED")
    file.write_text("{}", "utf-8")
    assert run("check", file).status == 1


def test_a_bound_for_many_answers_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "bound.json"
    many = ln.optimal(sensitivity=1, epsilon=1, count=12, cost="squared", one_sided=True)
    certificate = many.certificate()
    assert certificate is not None
    file.write_text(certificate.to_json(), "utf-8")
    checked = run("check", file)
    assert checked.status == 0
    assert "12 answers" in checked.output
    told = json.loads(run("check", file, "--json").output)
    assert told["bound"] <= float(certificate.bound)
    assert "unbiased" in told["scope"]
    data = json.loads(certificate.to_json())
    file.write_text(json.dumps(data | {"bound": "1000"}), "utf-8")
    assert run("check", file).status == 1


def test_bad_input_has_status_two(tmp_path: Path) -> None:
    missing = run("check", tmp_path / "nothing.json")
    assert missing.status == 2
    assert "must be readable" in missing.errors
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert run("check", tmp_path / "binary").status == 2
    bad = run("optimal", "--sensitivity", "0", "--epsilon", "1")
    assert bad.status == 2
    assert "`sensitivity` must be positive" in bad.errors
    assert "Traceback" not in bad.errors
    assert run("optimal", "--sensitivity", "1").status == 2
    assert run("unheard-of").status == 2


@pytest.mark.parametrize("cost", ["absolute", "squared", "3", "tail:4"])
def test_costs(cost: str) -> None:
    told = run("optimal", "--sensitivity", "2", "--epsilon", "1", "--cost", cost, "--json")
    facts = json.loads(told.output)
    assert facts["ratio_to_bound"] == pytest.approx(1, abs=1e-12)
    assert facts["alternatives"][0]["ratio"] >= 1


def test_version() -> None:
    assert run("--version").output.startswith("leastnoise ")
