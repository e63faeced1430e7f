"""Plans: one price, noise that totals share, and what the gate makes of it."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.ledger.meters import Family, Price
from leastnoise.noise.joint_pure import KNormNoise
from leastnoise.noise.source import Source
from leastnoise.release.choose_noise import proposal
from leastnoise.release.gate import NotAdmitted, admit
from leastnoise.release.measurement import Drawn, JointLaw, Proposal, Shared
from leastnoise.release.shared_draws import of_json, to_json
from leastnoise.release.shared_noise import SharedNoise
from leastnoise.tables.contributions import ONE

TABLE = pa.table({"u": [*"ppqqqr"], "x": [0, 1, 2, 3, 4, 5], "y": [1.0, 2, 3, 4, 5, 6]})
ROWS = ln.read(TABLE, privacy_unit=ln.ROW, data_version="1")


def counts(k: int) -> dict[str, Any]:
    return {f"q{i}": ROWS.agg(n=ln.count(where=f"x <= {i}")) for i in range(k)}


def mean_variance(preview: Any) -> float:
    return float(np.mean([each["standard_deviation"] ** 2 for each in preview.mechanisms]))


@pytest.mark.parametrize(
    ("k", "delta", "most"), [(10, "0", 20.5), (20, "1e-6", 60), (100, "1e-6", 548)]
)
def test_counts_of_one_plan_share_their_noise(
    k: int, delta: str, most: float, tmp_path: Path
) -> None:
    ledger = ln.Ledger.create(tmp_path / "l", privacy_unit="row", epsilon=1, delta=delta)
    found = ln.plan(**counts(k)).preview(ledger, epsilon=1)
    assert mean_variance(found) <= most
    columns: dict[str, Any] = {f"n{i}": ln.count(where=f"x <= {i}") for i in range(k)}
    one = ROWS.agg(**columns)
    assert mean_variance(one.preview(ledger, epsilon=1)) == mean_variance(found)


def test_a_mean_costs_a_count_nothing_under_laplace_noise(tmp_path: Path) -> None:
    """Rows and sum are measured as h + y and h - y: half the variance of two measurements."""
    ledger = ln.Ledger.create(tmp_path / "l", privacy_unit="row", epsilon=8, delta=0)
    groups = ROWS.group_by("u", groups=["p", "q", "r"])
    present = ln.count(where="y IS NOT NULL")
    alone: Any = groups.agg(n=present).preview(ledger, epsilon=1)
    with_mean: Any = groups.agg(n=present, m=ln.mean("y", lower=1, upper=6)).preview(
        ledger, epsilon=1
    )
    _, above, below = with_mean.mechanisms
    assert above["total"] == "sum of the steps of y above 1"
    assert above["scale"] == below["scale"]
    # Two measurements would have half of the price each: a margin of 2 instead of 1, and the square
    # root of a half of that is left. A tenth of the price sees values outside of the range.
    assert with_mean.margin("n") < 1.06 * (2 * 0.5**0.5) * alone.margin("n") / 0.9


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_answers_of_a_plan_are_about_right_and_are_shown_again(noise: Any, tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "l", privacy_unit="row", epsilon=10**7, delta="1e-6")
    queries = counts(6) | {
        "about": ROWS.agg(m=ln.mean("y", lower=0, upper=10), s=ln.sum("x", lower=-9, upper=9))
    }
    plan = ln.plan(**queries)
    amount = 10**6 if noise == "laplace" else 10**3
    first = plan.release(ledger, epsilon=amount, noise=noise)
    for i in range(6):
        answer = first[f"q{i}"]["n"]
        assert abs(answer.value - (i + 1)) < 1
        assert answer.low <= answer.value <= answer.high
    assert abs(first["about"]["m"].value - 3.5) < 0.5
    assert abs(first["about"]["s"].value - 15) < 5
    again = plan.release(ledger, epsilon=amount, noise=noise)
    assert [r["n"] for n, r in again.items() if n != "about"] == [
        r["n"] for n, r in first.items() if n != "about"
    ]
    assert len(ledger.entries) == 1


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_intervals_of_shared_noise_cover(family: Family) -> None:
    """Coverage by the law of the noise itself, of totals and of a difference of two answers."""
    made = shared(family)
    (law,) = made.draws
    assert isinstance(law, JointLaw)
    source = Source()
    totals = [total for part in made.parts for total in part.measurement.totals]
    noise = SharedNoise((law,), {t: (0, place, 0) for place, t in enumerate(totals)})
    drawn = np.array([[each[0] for each in law.draw(source)] for _ in range(3000)]) / ONE
    for coefficients in ({totals[0]: 1.0}, {totals[0]: 1.0, totals[1]: -1.0}):
        beyond = noise.sum(coefficients).quantile(0.025)
        values = sum(c * drawn[:, totals.index(t)] for t, c in coefficients.items())
        outside = int((np.abs(values) > beyond).sum())
        assert 78 < outside < 222  # 150 expected, and six standard deviations


def shared(family: Family, amount: Fraction = Fraction(1)) -> Proposal:
    price = Price.pure(amount) if family == "laplace" else Price.gaussian(amount)
    selects: list[Any] = list(counts(5).values())
    made = proposal(selects, family, price)
    assert len(made.draws) == 1
    admit(made)
    return made


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_the_gate_proves_what_shared_noise_costs(family: Family) -> None:
    made = shared(family)
    law: Any = made.draws[0]
    if isinstance(law, KNormNoise):
        first: Any = law.blocks[0]
        narrow = replace(first, high=first.high - 1)
        worse = [
            replace(law, rate=law.rate + Fraction(1, 10**9)),
            replace(law, blocks=(narrow, *law.blocks[1:])),
        ]
    else:
        worse = [
            replace(law, variance=law.variance - law.variance // 1000),
            replace(law, common=2 * law.common),
            replace(law, weights=(2 * law.weights[0], *law.weights[1:])),
        ]
    for other in worse:
        with pytest.raises(NotAdmitted):
            admit(replace(made, draws=(other,)))


def test_shared_noise_is_given_to_every_total_once() -> None:
    made = shared("laplace")
    (law,) = made.draws

    def with_noise(place: int, *noise: Any) -> Proposal:
        parts = list(made.parts)
        parts[place] = replace(parts[place], noise=noise)
        return replace(made, parts=tuple(parts))

    wrong = [
        with_noise(1, Shared(0, 0)),  # taken twice
        with_noise(1, 10**30),  # left over
        with_noise(1, Shared(1, 0)),
        with_noise(1, Shared(0, 5)),
        replace(made, draws=()),
        replace(made, draws=(law, law)),
    ]
    for each in wrong:
        with pytest.raises(NotAdmitted):
            admit(each)


def test_shared_noise_is_for_one_group_with_a_known_limit() -> None:
    made = shared("gaussian")
    grouped: Any = ROWS.group_by("u", groups=["p", "q"]).agg(n=ln.count())
    for measurement in (
        replace(made.parts[0].measurement, groups=grouped.groups),
        replace(
            ln.read(TABLE, privacy_unit="u")
            .agg(n=ln.count())
            .measurements("gaussian", over_limit=False)[0][0],
            limit=Drawn(),
        ),
    ):
        parts = (replace(made.parts[0], measurement=measurement), *made.parts[1:])
        with pytest.raises(NotAdmitted):
            admit(replace(made, parts=parts))


@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_laws_are_stored_and_read_back(family: Family) -> None:
    (law,) = shared(family).draws
    assert of_json(to_json(law)) == law
