"""Noise and the number of random bytes behind it do not depend on the value; where they do is said.

The same bytes are played to releases of different values. If the noise is drawn independently of
the value, both ask for the same bytes and add the same noise.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.ledger import Ledger
from leastnoise.mechanisms import (
    AdditiveNoise,
    AdditiveVectorNoise,
    BernoulliMean,
    ExponentialMechanism,
    NameAndShame,
    PermuteAndFlip,
    RandomizedResponse,
)
from leastnoise.noise import Canonical, NormLaplace
from leastnoise.privacy import ApproxDP, PureDP
from leastnoise.release.read import read
from tests.laws.examples import EXAMPLES
from tests.side_channels.counted import RepeatedSource

SEEDS = range(8)
LARGE = 2**40
LAWS = [example.law for example in EXAMPLES]


def drawn(release: Callable[[Any, RepeatedSource], Any], value: Any, seed: int) -> Any:
    """What is released, and which requests for bytes were made."""
    source = RepeatedSource(seed)
    return release(value, source), source.asked


def noise_is_the_same(
    release: Callable[[Any, RepeatedSource], Any], values: list[Any], seeds: range = SEEDS
) -> None:
    for seed in seeds:
        shown = [drawn(release, np.asarray(value), seed) for value in values]
        noises = [
            np.asarray(made) - np.asarray(v) for (made, _), v in zip(shown, values, strict=True)
        ]
        assert all(np.array_equal(noises[0], noise) for noise in noises)
        assert all(asked == shown[0][1] for _, asked in shown)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_additive_noise(law: Any) -> None:
    def release(value: Any, source: RepeatedSource) -> Any:
        return value + law.sample(value.shape, source=source)

    noise_is_the_same(release, [0, 1, -LARGE, LARGE])
    noise_is_the_same(release, [np.zeros(50, int), np.arange(50), np.full(50, LARGE)])


def test_mechanisms_that_add_noise() -> None:
    promise = ApproxDP(epsilon=1, delta="1e-6")
    one = AdditiveNoise(Canonical(epsilon=1, delta="1e-6"), sensitivity=1, guarantee=promise)
    noise_is_the_same(lambda v, s: one.release(v, s).value, [0, 7, LARGE, np.int8(3)])
    vector = AdditiveVectorNoise(
        NormLaplace(3, 4, "l1"), sensitivity=4, guarantee=PureDP(epsilon=1)
    )
    noise_is_the_same(lambda v, s: vector.release(v, s).value, [[0, 0, 0], [1, LARGE, -5]])
    many = ln.optimal(sensitivity=1, epsilon=1, delta="1e-6", count=5)
    noise_is_the_same(lambda v, s: many.release(v, s).value, [[0] * 5, [9] * 5])


@pytest.mark.parametrize(
    ("mechanism", "values"),
    [
        (RandomizedResponse(epsilon=1, categories=3), [[0] * 40, [2] * 40, [0, 1] * 20]),
        (NameAndShame(delta="0.1"), [[0] * 40, [5] * 40]),
        (BernoulliMean(epsilon=1, records=40), [[0] * 40, [1] * 40, [0, 1] * 20]),
    ],
    ids=repr,
)
def test_mechanisms_that_draw_the_same_for_every_value(mechanism: Any, values: list[Any]) -> None:
    for seed in SEEDS:
        asked = [drawn(mechanism.release, np.array(v), seed)[1] for v in values]
        assert all(each == asked[0] for each in asked)


def spread(mechanism: Any, utilities: list[int]) -> set[int]:
    """How many bytes a choice takes, over many runs."""
    return {sum(drawn(mechanism.release, utilities, k)[1]) for k in range(60)}


def test_choices_take_as_long_as_the_data_make_them() -> None:
    """Not independent, and documented: an exponential mechanism proposes until one is accepted."""
    exponential = ExponentialMechanism(candidates=400, epsilon=20, sensitivity=1)
    alike, apart = [0] * 400, [1000] + [0] * 399
    assert max(spread(exponential, apart)) > max(spread(exponential, alike))
    # Permute-and-flip tosses all its coins; only the choice among the heads may be drawn again.
    flips = PermuteAndFlip(candidates=400, epsilon=20, sensitivity=1)
    assert max(spread(flips, apart)) - min(spread(flips, alike)) < 200


ROWS = {
    "young": "who,town,age\n" + "".join(f"{k},Oslo,1\n" for k in range(40)),
    "old": "who,town,age\n" + "".join(f"{k},Bergen,99\n" for k in range(7)),
    "nobody": "who,town,age\n",
    "strange": "who,town,age\n,,\nx,Oslo,NaN\ny,Bergen,1e400\nz,nowhere,text\n",
}


def released(folder: Path, rows: str, seed: int) -> tuple[list[int], Any]:
    (folder / "rows.csv").write_text(rows, "utf-8")
    table = read(folder / "rows.csv", unit="who", types={"age": "number"})
    asked = (
        ln.plan(table, max_groups=1, max_rows=1)
        .count(by="town", keys=["Oslo", "Bergen"])
        .count_units()
        .sum("age", lower=0, upper=100)
        .mean("age", lower=0, upper=100)
    )
    source = RepeatedSource(seed)
    place = folder / f"{len(list(folder.glob('*.db')))}.db"
    ledger = Ledger(place, total=PureDP(epsilon=100), begin=True)
    made = asked.release(PureDP(epsilon=1), ledger=ledger, source=source)
    return source.asked, made


def test_whole_plans_draw_alike_and_refuse_nothing(tmp_path: Path) -> None:
    """Four very different tables: the same bytes, the same noise, no error."""
    for seed in (1, 2):
        found = {name: released(tmp_path, rows, seed) for name, rows in ROWS.items()}
        asked = [each for each, _ in found.values()]
        assert all(each == asked[0] for each in asked)
        counts = {name: made.tables[0].values for name, (_, made) in found.items()}
        assert [Fraction(v) for v in counts["young"] - counts["nobody"]] == [40, 0]
        assert [Fraction(v) for v in counts["old"] - counts["nobody"]] == [0, 7]
