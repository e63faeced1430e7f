"""The command `sample-size`: two of three are given, the third is found."""

import json
from pathlib import Path

import pytest

from leastnoise.bounds import least_epsilon, least_error, sample_size
from leastnoise.cli.output import BAD_INPUT, DONE
from tests.cli.terminal import leastnoise


def test_it_prints_what_the_functions_print() -> None:
    plan = ["sample-size", "--dimension", "100"]
    size = leastnoise(*plan, "--error", "0.1", "--epsilon", "1")
    known = sample_size(dimension=100, error="0.1", epsilon=1, objective="max")
    assert size.status == DONE and size.out == f"{known!r}\n" and "published rule" in size.out
    error = leastnoise(*plan, "--records", "10000", "--epsilon", "1")
    assert (
        error.out == f"{least_error(dimension=100, records=10_000, epsilon=1, objective='max')!r}\n"
    )
    level = leastnoise(*plan, "--records", "10000", "--error", "0.05", "--confidence", "0.99")
    asked = least_epsilon(
        dimension=100, records=10_000, error="0.05", objective="max", confidence="0.99"
    )
    assert level.out == f"{asked!r}\n"


def test_bits_and_json() -> None:
    run = leastnoise(
        "sample-size", "--dimension", "100", "--error", "0.05", "--epsilon", "1", "--delta", "1e-6",
        "--objective", "squared", "--bits", "--json",
    )  # fmt: skip
    found = json.loads(run.out)
    known = sample_size(dimension=100, error="0.1", epsilon=1, delta="1e-6", objective="squared")
    assert found == {"options": dict(known.options), "impossible_below": known.impossible_below}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--error 0.1", "Give two of --error, --epsilon and --records"),
        ("--error 0.1 --epsilon 1 --records 5", "Give two of"),
        ("--error 2 --epsilon 1", "error is 2: to publish the middle"),
        ("--error 0.1 --epsilon 0", "epsilon is 0"),
        ("--error 0.1 --epsilon 1 --objective worst", "'worst'"),
    ],
)
def test_bad_input(line: str, message: str, tmp_path: Path) -> None:
    run = leastnoise("sample-size", "--dimension", "10", *line.split())
    assert run.status == BAD_INPUT and message in run.err and not run.out
