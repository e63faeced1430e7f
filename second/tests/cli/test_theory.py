"""The commands about noise, prices, certificates and audits."""

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.cli.output import BAD_INPUT, DONE, REFUSED
from leastnoise.noise import Box
from leastnoise.workloads import joint_noise
from tests.cli.terminal import leastnoise


def test_optimal_shows_the_noise_and_writes_a_proof_that_check_believes(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    ran = leastnoise("optimal", "--sensitivity", "3", "--epsilon", "1", "--certificate", str(proof))
    assert ran.status == DONE and "Staircase(period=3" in ran.out and "times the least" in ran.out
    assert all(len(line) <= 80 for line in ran.out.split("\n"))
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


def written(name: str, body: str) -> None:
    Path(name).write_text(body, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


CERTIFICATES: dict[str, Callable[[], Any]] = {
    "least noise": lambda: ln.optimal(sensitivity=2, epsilon=1, delta="0.01"),
    "running totals": lambda: ln.running_totals(8, rho=1),
    "noise of a plan": lambda: joint_noise([Box(0, 1)] * 3, ln.PureDP(epsilon=1)),
    "relative counts": lambda: ln.relative_counts(relative_error="0.3"),
}


@cache
def certificate(kind: str) -> str:
    return str(CERTIFICATES[kind]().certificate().to_json())


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_check_reads_every_kind_of_certificate_and_refuses_a_changed_one(
    kind: str, folder: Path
) -> None:
    written("c.json", certificate(kind))
    ran = leastnoise("check", "c.json")
    assert (ran.status, ran.err) == (DONE, "") and "Proved: " in ran.out
    found = json.loads(leastnoise("check", "c.json", "--json").out)
    proved = " ".join(str(found["proved"]).split())
    assert " ".join(ran.out.split()).endswith(f"Proved: {proved}") and found["claim"]
    assert all(len(line) <= 80 for line in ran.out.split("\n"))
    body = json.loads(certificate(kind))
    body["claim"]["note"] = "checked by us"
    written("c.json", json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    ran = leastnoise("check", "c.json")
    assert (ran.status, ran.out) == (REFUSED, "") and ran.err.startswith("Rejected: ")


def test_check_runs_nothing_that_makes_certificates(folder: Path) -> None:
    seen = set[str]()

    def watch(frame: FrameType, event: str, argument: object) -> None:
        seen.add(str(frame.f_globals.get("__name__")))

    for kind in CERTIFICATES:
        written("c.json", certificate(kind))
        sys.setprofile(watch)
        try:
            status = leastnoise("check", "c.json").status
        finally:
            sys.setprofile(None)
        assert status == DONE
    optima = {name for name in seen if name.startswith("leastnoise.optima")}
    assert optima == {f"leastnoise.optima.{each}" for each in ("checker", "dual")}
    assert not {
        name for name in seen if name.endswith(("maker", "search", "optimal", "joint_design"))
    }


def test_an_endless_price_is_no_number_in_json() -> None:
    ran = leastnoise("account", "--delta", "0", "--noise", "1", "--json")
    assert json.loads(ran.out, parse_constant=pytest.fail)["epsilon"] == [None, None]


LAW = ("audit", "DiscreteLaplace", "rate=0.5", "--sensitivity", "2")


def test_audit_of_a_law_is_a_proof() -> None:
    kept, broken = (leastnoise(*LAW, "--epsilon", each) for each in ("1", "0.99"))
    assert kept.status == DONE and kept.out.startswith("no violation: delta <= 0 at epsilon 1 ")
    assert broken.status == REFUSED and broken.out.startswith("violation: delta >= 0.0")
    assert "(proved)" in broken.out and not broken.err
    found = json.loads(leastnoise(*LAW, "--epsilon", "0.99", "--json").out)
    assert found["violated"] and found["proved"] and found["measure"] == "delta"
    assert 0 < found["found"][0] <= found["found"][1] < 0.01
    assert found["verdict"] == " ".join(broken.out.split())


def test_audit_holds_a_mechanism_against_its_own_promise() -> None:
    mechanism = ("audit", "PermuteAndFlip", "candidates=3", "epsilon=1", "monotone=true")
    assert leastnoise(*mechanism).status == DONE
    assert leastnoise(*mechanism, "--epsilon", "0.9").status == REFUSED
    inputs = ("--neighbours", "[0, 0, 0]", "[1, 0, 0]")
    assert "; 2 pairs of neighbours" in " ".join(leastnoise(*mechanism, *inputs).out.split())


FUNCTIONS = """\
import sys
import numpy as np
rng = np.random.default_rng(1)
def right(x): return x + int(rng.geometric(0.6)) - int(rng.geometric(0.6))
def fast(x, size): return x + rng.geometric(0.6, size) - rng.geometric(0.6, size)
def told(x): return x
def leaves(x): sys.exit(0) if x else None
def fails(x, size): raise KeyError(x)
number = 3
"""


def test_audit_draws_from_a_function_of_a_module_in_this_folder(folder: Path) -> None:
    written("noises.py", FUNCTIONS)
    asked = ("--neighbours", "0", "-1", "--epsilon", "1", "--samples", "2000")
    for name, options, status in (
        ("right", (), DONE), ("fast", ("--vectorised",), DONE), ("told", (), REFUSED),
        ("told", ("--sequential",), REFUSED), ("leaves", (), REFUSED),
    ):  # fmt: skip
        ran = leastnoise("audit", f"noises:{name}", *asked, *options)
        assert ran.status == status, ran
        assert ran.out.startswith("violation" if status else "no violation found") and not ran.err
    found = json.loads(leastnoise("audit", "noises:told", *asked, "--json").out)
    assert found["samples"] == 2000 and found["found"][1] is None and not found["proved"]
    for name, sentence in (
        ("fails", "With size=1000 the function raises KeyError"), ("number", "the type int cannot be audited"),
        ("none", "The module noises has no none"),
    ):  # fmt: skip
        ran = leastnoise("audit", f"noises:{name}", *asked, "--vectorised")
        assert ran.status == BAD_INPUT and sentence in ran.err and not ran.out


def test_a_module_that_ends_the_process_proves_nothing(folder: Path) -> None:
    written("ends.py", "raise SystemExit(0)")
    ran = leastnoise("audit", "ends:f", "--neighbours", "0", "1", "--epsilon", "1")
    assert ran.status == BAD_INPUT and "The module ends cannot be imported. SystemExit" in ran.err


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("optimal --epsilon x", "--epsilon is 'x'"),
        ("optimal --epsilon 1 --cost fun", "tail:10"),
        ("optimal --epsilon 1 --cost tail:x", "--cost tail:x is not known"),
        ("optimal --epsilon 1 --delta 2", "--delta is 2. Give a number from 0 to below 1"),
        ("optimal --epsilon 0", "Give one above 0"),
        ("optimal --epsilon 1 --certificate no/such/place", "cannot be written"),
        ("optimal --epsilon 1 --sensitivity 1.5", "whole number"),
        ("account --delta 1e-5", "Give --noise"),
        ("account --delta 1e-5 --noise 1 --epsilon 1", "Give --noise"),
        ("account --delta 1e-5 --noise 1 --events x.json", "Give --noise"),
        ("account --delta 0 --epsilon 1", "--delta is 0. Give a number between 0 and 1"),
        ("account --delta 1e-5 --noise 1 --steps 0", "from 1 on"),
        ("account --delta 1e-5 --noise 1 --neighbours other", "'add_remove'"),
        ("account --delta 1e-5 --noise 0", "above 0"),
        ("account --delta 1e-5 --noise 1 --rate 2", "from 0 to 1"),
        ("account --delta 1e-5 --events nothing.json", "no file nothing.json"),
        ("check nothing.json", "no file nothing.json"),
        ("check .", ". cannot be read as text. Name another file"),
        ("audit DiscretLaplace rate=1 --epsilon 1", 'Did you mean "DiscreteLaplace"?'),
        ("audit nothing --epsilon 1", "Give a law, as DiscreteLaplace, or module:function"),
        ("audit DiscreteLaplace --epsilon 1 --sensitivity 1", "Write DiscreteLaplace rate=..."),
        ("audit DiscreteLaplace scale=1 --epsilon 1", "Write DiscreteLaplace rate=..."),
        ("audit DiscreteLaplace rate=1 rate=2 --epsilon 1", "Write DiscreteLaplace rate=..."),
        ("audit DiscreteLaplace rate=x --epsilon 1", "rate is 'x'. Give a finite number"),
        ("audit DiscreteLaplace rate=1 --sensitivity 1", "No promise is given. Give --epsilon"),
        ("audit DiscreteLaplace rate=1 --epsilon 1", "Give --sensitivity 1"),
        ("audit DiscreteLaplace rate=1 --epsilon 1 --mu 1 --sensitivity 1", "Give one promise"),
        ("audit DiscreteLaplace rate=1 --epsilon 1 --neighbours 0 x", "--neighbours x is no JSON"),
        (
            "audit nosuch:f --epsilon 1 --neighbours 0 1",
            "nosuch cannot be imported. ModuleNotFound",
        ),
        ("audit json:dumps --epsilon 1", "Give two inputs: --neighbours 0 1"),
        ("audit json:dumps a=1 --epsilon 1", "A function gets no parameters"),
        ("audit json:dumps --epsilon 1 --neighbours 0 1 --samples 10", "from 40 on"),
        ("audit json:dumps --epsilon 1 --neighbours 0 1 --confidence 1", "between 0 and 1"),
    ],
)
def test_a_mistake_gets_one_sentence(command: str, sentence: str) -> None:
    ran = leastnoise(*command.split())
    assert ran.status == BAD_INPUT and sentence in ran.err and not ran.out
