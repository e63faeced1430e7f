"""`leastnoise account`: both directions, rounded outward, and calibration that is sound."""

import json
from fractions import Fraction
from pathlib import Path

from tests.cli.run import run

STEP = ("account", "--rate", "0.01", "--delta", "1e-5")


def test_both_directions_are_shown() -> None:
    shown = run(*STEP, "--noise", "1", "--steps", "1000")
    assert shown.status == 0
    assert "removed       1.82817  1.82827" in shown.output
    assert "added         1.41664  1.41667" in shown.output


def test_json_has_brackets_as_decimals() -> None:
    found = json.loads(run(*STEP, "--noise", "1", "--steps", "10", "--json").output)
    assert set(found["epsilon"]) == {"removed", "added"}
    low, high = (Fraction(end) for end in found["epsilon"]["removed"])
    assert low <= high <= low + Fraction(1, 1000)
    replaced = run(*STEP, "--noise", "1", "--steps", "10", "--neighbours", "replace", "--json")
    assert set(json.loads(replaced.output)["epsilon"]) == {"replaced"}


def test_three_of_four_must_be_given() -> None:
    refused = run(*STEP, "--noise", "1")
    assert refused.status == 2
    assert "three of --noise, --rate, --steps, --epsilon must be given" in refused.errors


def test_a_promise_that_allows_nothing_is_refused() -> None:
    refused = run("account", "--rate", "1", "--delta", "1e-5", "--noise", "0.1", "--epsilon", "0.1")
    assert refused.status == 2
    assert "must allow a step of training" in refused.errors


def test_the_largest_rate_is_told() -> None:
    found = run("account", "--noise", "8", "--steps", "1", "--epsilon", "0.1", "--delta", "1e-3")
    assert found.status == 0
    assert "rate 0.432, 1 steps, poisson batches" in found.output


def test_a_table_by_epoch_and_a_picture(tmp_path: Path) -> None:
    arguments = ("account", "--noise", "2", "--rate", "1/4", "--steps", "9", "--delta", "1e-5")
    picture = tmp_path / "cost.json"
    shown = run(*arguments, "--by-epoch", "--picture", str(picture))
    assert shown.status == 0
    table = shown.output.partition("at most, by epoch")[2].split("\n")
    assert [line.split()[:2] for line in table[2:5]] == [["1", "4"], ["2", "8"], ["2.25", "9"]]
    assert "a record is removed" in picture.read_text("utf-8")
    told = json.loads(run(*arguments, "--by-epoch", "--json").output)
    assert [row["steps"] for row in told["by_epoch"]] == [4, 8, 9]
    assert told["by_epoch"][-1]["epsilon"] == told["epsilon"]
    refused = run(*arguments, "--picture", str(tmp_path / "cost.txt"))
    assert refused.status == 2
    assert "--picture" in refused.errors


def test_other_batches_are_priced_as_what_they_are() -> None:
    arguments = ("account", "--noise", "1", "--rate", "1/4", "--steps", "4", "--delta", "1e-5")
    shuffled = run(*arguments, "--batches", "shuffled", "--neighbours", "zero_out")
    assert "no Poisson samples" in shuffled.output
    assert "zeroed out" in shuffled.output
    assert "'add_remove'" in run(*arguments, "--batches", "shuffled").errors
    fixed = run(*arguments, "--batches", "fixed", "--neighbours", "replace")
    assert "about that pair" in fixed.output
    allocated = run(*arguments, "--batches", "allocated", "--neighbours", "zero_out", "--json")
    assert set(json.loads(allocated.output)["epsilon"]) == {"zeroed out", "put back"}
    sought = run("account", "--rate", "1/4", "--steps", "4", "--delta", "1e-5", "--epsilon", "1",
                 "--batches", "shuffled")  # fmt: skip
    assert "for Poisson samples" in sought.errors


def test_events_in_a_file_are_priced(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    inner = {"event": "Gaussian", "noise_multiplier": 2}
    sampled = {"event": "PoissonSampled", "sampling_probability": "1/4", "of": inner}
    path.write_text(json.dumps({"event": "SelfComposed", "count": 9, "of": sampled}), "utf-8")
    found = run("account", "--events", str(path), "--delta", "1e-5", "--json")
    direct = run("account", "--noise", "2", "--rate", "1/4", "--steps", "9", "--delta", "1e-5",
                 "--json")  # fmt: skip
    assert json.loads(found.output)["epsilon"] == json.loads(direct.output)["epsilon"]
    both = run("account", "--events", str(path), "--noise", "2", "--delta", "1e-5")
    assert both.status == 2
    assert "got both" in both.errors
