"""The least noise of running totals: values from closed forms, and certificates that can fail."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from leastnoise.certificates.over_time.running_bound import running_bound
from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
from leastnoise.errors import CertificateRejected, InvalidParameter
from leastnoise.least_noise.over_time.best_law import best_law
from leastnoise.least_noise.over_time.running_totals import running_totals
from tests.cli.run import run


@pytest.mark.parametrize(
    ("steps", "total", "law"),
    [
        (2, ((1 + math.sqrt(5)) / 2) ** 2, [(5 + math.sqrt(5)) / 10]),
        (3, 4.6078616, [0.575508, 0.272871, 0.151621]),
        (4, 6.8741440, []),
    ],
)
def test_mean_squares_of_few_steps(steps: int, total: float, law: list[float]) -> None:
    best = best_law(steps, worst=False, tolerance=1e-9)
    assert best.root**2 * steps == pytest.approx(total, rel=1e-7)
    assert best.law[: len(law)] == pytest.approx(law, abs=1e-5)


@pytest.mark.parametrize(("steps", "square"), [(2, 4 / 3), (3, 1.5705033), (4, 1.7586013)])
def test_worst_totals_of_few_steps(steps: int, square: float) -> None:
    assert best_law(steps, worst=True, tolerance=1e-9).root ** 2 == pytest.approx(square, rel=1e-7)


def test_the_bound_is_the_nuclear_norm() -> None:
    """Two ways to the same number: integrals in balls, and singular values."""
    law, steps = (5, 3, 2, 2, 1), 5
    chances = np.array(law) / sum(law)
    totals = np.tril(np.ones((steps, steps))) * np.sqrt(chances) / math.sqrt(steps)
    norm = float(np.linalg.svd(totals, compute_uv=False).sum())
    bound = float(running_bound(law, worst=False))
    assert bound <= norm <= bound * (1 + 1e-6)


@pytest.mark.spread(5)
@pytest.mark.parametrize("objective", ["worst", "mean square"])
@pytest.mark.parametrize("steps", [1, 2, 7, 64, 365])
def test_almost_nothing_is_left_to_gain(steps: int, objective: str) -> None:
    made = running_totals(steps, objective=objective)  # type: ignore[arg-type]
    assert made.check().accepted
    assert made.ratio <= Fraction(10001, 10000)


def test_a_year_is_seven_times_better_than_daily_noise() -> None:
    year = running_totals(365)
    assert math.sqrt(365) / float(year.achieved) > 7


def test_units_in_several_steps() -> None:
    made = running_totals(64, most=4)
    assert made.check().accepted
    assert made.ratio < Fraction(104, 100)


def test_a_text_is_read_again() -> None:
    made = running_totals(12, most=2)
    for each in (made, running_totals(12)):
        again = StreamCertificate.from_json(each.to_json())
        assert again.check().accepted
        assert (again.achieved, again.bound) == (each.achieved, each.bound)


def test_false_claims_are_refused() -> None:
    made = running_totals(12)
    slightly = Fraction(1, 10**4)
    assert not replace(made, achieved=made.achieved * (1 - slightly)).check().accepted
    assert not replace(made, bound=made.bound * (1 + slightly)).check().accepted
    assert not replace(made, law=(1, *made.law[1:])).check().accepted
    assert not replace(made, law=made.law[1:]).check().accepted
    assert not replace(made, words=("no mechanism does better",)).check().accepted
    other = replace(made.allowed, most=2)
    assert not replace(made, allowed=other).check().accepted


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"most": 0},
        {"most": True},
        {"worst": 1},
        {"law": []},
        {"law": [0] * 12},
        {"stream": {"rows": [[1], [1]]}},
        {"stream": {"rows": [[2**26]]}},
        {"stream": {"decay": [[1]], "intake": [[1]], "outlet": [[1]]}},
        {"achieved": "0"},
        {"bound": 1},
        {"more": 1},
    ],
)
def test_texts_of_strangers(change: dict[str, object]) -> None:
    values = json.loads(running_totals(12).to_json()) | change
    with pytest.raises(CertificateRejected, match="a certificate must be"):
        StreamCertificate.from_json(json.dumps(values))


@pytest.mark.parametrize(
    ("steps", "asked"),
    [(0, {}), (5000, {}), (2000, {"most": 2}), (5, {"most": 0}), (5, {"objective": "best"})],
)
def test_what_cannot_be_asked(steps: int, asked: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        running_totals(steps, **asked)  # type: ignore[arg-type]


def test_the_command_line_checks_it(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    made = running_totals(12)
    right.write_text(made.to_json(), encoding="utf-8")
    wrong.write_text(replace(made, bound=made.bound * 2).to_json(), encoding="utf-8")
    accepted = run("check", right)
    assert accepted.status == 0
    assert "12 running totals" in accepted.output
    assert run("check", wrong).status == 1
