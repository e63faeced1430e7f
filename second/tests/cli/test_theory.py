"""The commands about noise, prices and certificates."""

import json
from pathlib import Path

import pytest

from leastnoise.cli.output import BAD_INPUT, DONE, REFUSED
from tests.cli.terminal import leastnoise


def test_optimal_shows_the_noise_and_writes_a_proof_that_check_believes(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    ran = leastnoise("optimal", "--sensitivity", "3", "--epsilon", "1", "--certificate", str(proof))
    assert ran.status == DONE and "Staircase(period=3" in ran.out and "times the least" in ran.out
    checked = leastnoise("check", str(proof))
    assert checked.status == DONE and "Proved: " in checked.out
    again = leastnoise("optimal", "--epsilon", "1", "--certificate", str(proof))
    assert again.status == BAD_INPUT and "there already" in again.err
    forged = proof.read_text(encoding="utf-8").replace('"sensitivity":3', '"sensitivity":4')
    proof.write_text(forged, encoding="utf-8")
    assert leastnoise("check", str(proof)).status == REFUSED


def test_optimal_as_json() -> None:
    found = json.loads(leastnoise("optimal", "--epsilon", "1", "--json").out)
    assert found["cost"] == pytest.approx([0.850918128239322] * 2, rel=1e-12)
    assert found["alternatives"][0]["times_the_least"] == 1


def test_account_prices_a_training_run_and_finds_its_noise() -> None:
    run = ["account", "--delta", "1e-5", "--rate", "0.01", "--steps", "1000"]
    low, high = json.loads(leastnoise(*run, "--noise", "1", "--json").out)["epsilon"]
    assert 1.827 < low < 1.8283 < high < 1.829
    assert "at most 1.828" in leastnoise(*run, "--noise", "1").out
    one = ["account", "--delta", "1e-6"]
    assert "noise 4.2247 keeps epsilon 1" in leastnoise(*one, "--epsilon", "1").out


def test_account_reads_events(tmp_path: Path) -> None:
    file = tmp_path / "events.json"
    step = {"event": "Gaussian", "noise_multiplier": 20}
    file.write_text(json.dumps({"event": "SelfComposed", "count": 1000, "of": step}))
    assert "8.306" in leastnoise("account", "--delta", "1e-6", "--events", str(file)).out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("optimal --epsilon x", "--epsilon is 'x'"),
        ("optimal --epsilon 1 --cost fun", "tail:T"),
        ("optimal --epsilon 1 --sensitivity 1.5", "whole number"),
        ("account --delta 1e-5", "Give --noise"),
        ("account --delta 1e-5 --noise 0", "above 0"),
        ("account --delta 1e-5 --noise 1 --rate 2", "from 0 to 1"),
        ("account --delta 1e-5 --events nothing.json", "no file nothing.json"),
        ("check nothing.json", "no file nothing.json"),
    ],
)
def test_a_mistake_gets_one_sentence(command: str, sentence: str) -> None:
    ran = leastnoise(*command.split())
    assert ran.status == BAD_INPUT and sentence in ran.err and not ran.out
