"""Running totals of very many steps: the bound, the price and the law of buffers."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from leastnoise.certificates.over_time import long_bound as module
from leastnoise.certificates.over_time.buffered_stream import (
    FINE,
    GUARD,
    POINT,
    BufferedStream,
)
from leastnoise.certificates.over_time.long_bound import long_bound, long_diagonal
from leastnoise.certificates.over_time.running_bound import running_bound
from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.over_time.best_law import best_law
from leastnoise.least_noise.over_time.long_totals import long_running_totals
from leastnoise.mechanisms.over_time.buffered_noise import BufferedNoise
from leastnoise.randomness.source import Source


def small(steps: int = 6, seed: int = 1) -> BufferedStream:
    """Any generators will do for the price."""
    chance = np.random.default_rng(seed)
    return BufferedStream(
        chance.integers(1 << FINE - 2, 1 << FINE, (steps, 3)),
        chance.integers(1 << POINT - 2, 1 << POINT, (steps, 3)),
        chance.integers(1 << FINE - 3, 1 << FINE - 1, (steps, 3)),
        chance.integers(1 << POINT - 1, 1 << POINT, steps),
    )


def matrix_of(stream: BufferedStream) -> np.ndarray:
    decay, intake, outlet, direct = stream.floats
    found = np.diag(direct)
    for s in range(stream.steps):
        state = intake[s]
        for t in range(s + 1, stream.steps):
            state = decay[t] * state
            found[t, s] = outlet[t] @ state
    return found


def measured(stream: BufferedStream, totals: np.ndarray) -> np.ndarray:
    state, found = stream.start(1), []
    for step, each in enumerate(totals, 1):
        one, state = stream.measured(step, state, np.array([int(each)], np.object_))
        found.append(int(one[0]))
    return np.array(found, np.object_)


@pytest.mark.parametrize("worst", [True, False])
def test_doubles_prove_what_balls_do(worst: bool) -> None:
    law = (9, 3, 2, 2, 1, 1, 1, 5)
    chances = np.array(law) / sum(law)
    weights = 1 / chances[::-1] if worst else np.full(len(law), float(len(law)))
    exact = float(running_bound(law, worst=worst))
    found = float(long_bound(chances, weights))
    assert found == pytest.approx(exact, rel=1e-6)
    # Twice the chances, or half the weights, are the same laws.
    assert float(long_bound(2 * chances, weights / 3)) == pytest.approx(found, rel=1e-7)


def test_the_bound_is_below_the_nuclear_norm() -> None:
    chances = np.array([0.5, 0.25, 0.125, 0.125])
    totals = np.tril(np.ones((4, 4))) * np.sqrt(chances) / 2
    norm = float(np.linalg.svd(totals, compute_uv=False).sum())
    bound = float(long_bound(chances, np.full(4, 4.0)))
    assert bound <= norm <= bound * (1 + 1e-7)


def test_steps_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many steps some are kept at a time: nothing changes at the seams."""
    law = np.random.default_rng(7).uniform(1, 3, 60)
    weights = np.random.default_rng(8).uniform(1, 3, 60)
    whole = long_diagonal(weights, law)
    for part in (1, 7, 20):
        monkeypatch.setattr(module, "_AT_ONCE", part)
        assert long_diagonal(weights, law) == pytest.approx(whole, rel=1e-13)
    root = np.sqrt(law)
    ones = np.tril(np.ones((60, 60)))
    values, turned = np.linalg.eigh(root[:, None] * (ones.T / weights @ ones) * root)
    wanted = np.diagonal(turned * np.sqrt(values) @ turned.T) / law
    assert whole == pytest.approx(wanted, rel=1e-6)


def test_neighbours_differ_by_no_more_than_is_paid_for() -> None:
    stream = small()
    most = math.sqrt(stream.squared_reach)
    chance = np.random.default_rng(2)
    for step, move in product(range(6), (1, -1, 5)):
        totals = chance.integers(-(1 << 20), 1 << 20, 6)
        other = totals.copy()
        other[step] += move
        moved = (measured(stream, other) - measured(stream, totals)).astype(float)
        assert math.sqrt(float((moved**2).sum())) <= most * abs(move)
    columns = np.sqrt((matrix_of(stream) ** 2).sum(axis=0))
    # Rounding costs √T units of 2^−30 and no more.
    assert float(columns.max()) < most / 2**POINT < float(columns.max()) + 3 * 2.0**-POINT


def test_rounding_of_the_state_is_paid_for() -> None:
    """Outlets so large that what the state loses is seen: E_t = 1 + 2^−30·T·Σh."""
    stream = small()
    loud = replace(stream, outlet=np.full((6, 3), 1 << 60))
    column = math.sqrt((matrix_of(loud) ** 2).sum(axis=0).max()) * 2**POINT
    wanted = column + math.sqrt(6) * (1 + 6 * 3 * 2.0 ** (60 - FINE - GUARD))
    assert math.sqrt(loud.squared_reach) == pytest.approx(wanted, rel=1e-12)


def test_errors_are_those_of_the_matrix() -> None:
    stream = small()
    inverse = np.linalg.inv(matrix_of(stream))
    wanted = np.sqrt((np.cumsum(inverse, axis=0) ** 2).sum(axis=1))
    assert stream.errors() == pytest.approx(wanted, rel=1e-9)


def test_what_is_told_is_right_but_for_the_noise() -> None:
    stream = small(40, seed=4)
    noise = BufferedNoise(stream=stream, parameter=2**60, groups=300)
    chance = np.random.default_rng(5)
    kept, told, exact = noise.start(), noise.untold(), np.zeros(300)
    for _ in range(40):
        totals = chance.integers(0, 50, 300)
        exact += totals
        one, kept = noise.measure(kept, totals, Source())
        told = noise.told(told, one)
    # Of 300 normal numbers: beyond a quarter once in 10^9 runs.
    spread = float(np.sqrt(((told.exact - exact) ** 2).mean()))
    assert spread == pytest.approx(float(noise.errors[-1]), rel=0.25)
    assert (told.totals == np.rint(told.exact)).all()
    assert float(noise.guarantee.rho) == pytest.approx(stream.squared_reach / 2**61)
    assert noise.privacy().renyi(2).upper <= 2 * noise.guarantee.rho
    with pytest.raises(InvalidParameter):
        noise.measure(kept, totals)  # no step is left
    assert "state" not in repr(kept)


@pytest.mark.parametrize("objective", ["worst", "mean square"])
def test_little_is_left_to_gain(objective: str) -> None:
    made = long_running_totals(1100, objective=objective)  # type: ignore[arg-type]
    assert made.ratio < 1.001
    assert made.stream.buffers <= 12
    best = best_law(1100, worst=objective == "worst")
    assert made.bound <= best.root * (1 + 1e-9)


def test_reach_is_a_square() -> None:
    one = BufferedNoise(stream=small(), parameter=2**60)
    assert BufferedNoise(stream=small(), parameter=2**60, reach=9).squared_reach == (
        9 * one.squared_reach
    )
    assert one.gaussians.coordinates == 6


@pytest.mark.parametrize("wrong", [[1.5], ["x"], [1, 2], [2**61]])
def test_totals_that_are_none(wrong: list[object]) -> None:
    noise = BufferedNoise(stream=small(), parameter=2**60)
    with pytest.raises(InvalidParameter, match="not shown"):
        noise.measure(noise.start(), wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"decay": np.full((6, 3), (1 << FINE) + 1)},
        {"intake": np.full((6, 3), -1)},
        {"outlet": np.zeros((5, 3), np.int64)},
        {"direct": np.zeros(6, np.int64)},
        {"direct": np.ones(6)},
    ],
    ids=["growing", "negative", "short", "blind", "floats"],
)
def test_generators_that_are_none(change: dict[str, np.ndarray]) -> None:
    with pytest.raises(InvalidParameter, match="a stream with buffers"):
        replace(small(), **change)


def test_what_cannot_be_asked() -> None:
    for steps, objective in ((1, "worst"), (1 << 21, "worst"), (9, "best")):
        with pytest.raises(InvalidParameter):
            long_running_totals(steps, objective=objective)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="BufferedStream"):
        BufferedNoise(stream=Fraction(1), parameter=2**60)  # type: ignore[arg-type]
