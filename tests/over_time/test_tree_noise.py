"""Trees for pure ε: errors of the study, unbiased totals, the price by enumeration."""

import itertools
import math

import numpy as np
import pytest

from leastnoise.certificates.over_time.participation import Participation
from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.over_time.best_tree import best_tree
from leastnoise.mechanisms.over_time.tree_noise import TreeNoise
from leastnoise.privacy import PureDP


@pytest.mark.parametrize(
    ("steps", "error", "branching"), [(64, 7.27, (10,)), (365, 11.86, (21,)), (4096, 19.7, None)]
)
def test_errors_are_those_of_the_study(
    steps: int, error: float, branching: tuple[int, ...] | None
) -> None:
    found = best_tree(steps)
    assert found.error == pytest.approx(error, abs=0.03)
    assert branching is None or found.branching == branching
    assert sum(found.shares) == 1


def test_short_schedules_have_no_blocks() -> None:
    assert best_tree(3).branching == ()
    assert best_tree(1).error == pytest.approx(math.sqrt(2))


def incidence(noise: TreeNoise) -> np.ndarray:
    """Which steps each measurement adds up, level by level."""
    rows = []
    for size in noise.sizes:
        for block in range(noise.steps // size):
            row = np.zeros(noise.steps)
            row[block * size : (block + 1) * size] = 1
            rows.append(row)
    return np.array(rows)


TREES = [
    TreeNoise(steps=30, branching=(3, 2), scales=(3, 4, 5)),
    TreeNoise(steps=7, branching=(), scales=(1,)),
    TreeNoise(steps=29, branching=(7,), scales=(2, 1)),
    TreeNoise(steps=3, branching=(5,), scales=(2, 1)),
]


@pytest.mark.parametrize("noise", TREES, ids=repr)
def test_totals_are_unbiased_and_use_no_future(noise: TreeNoise) -> None:
    blocks = incidence(noise)
    ends = np.concatenate([np.arange(1, noise.steps // s + 1) * s for s in noise.sizes])
    for step in range(1, noise.steps + 1):
        weights = noise.weights(step)
        assert weights @ blocks == pytest.approx([1.0] * step + [0.0] * (noise.steps - step))
        assert not weights[ends > step].any()


def test_no_other_unbiased_total_has_less_variance() -> None:
    """Least squares over the blocks that have ended: three levels, noise of three sizes."""
    noise = TreeNoise(steps=30, branching=(3, 2), scales=(3, 4, 5))  # remembers nothing yet
    blocks, variances = incidence(noise), noise._variances
    for step in range(1, noise.steps + 1):
        known = ~blocks[:, step:].any(axis=1)
        rows, weights = blocks[known, :step], 1 / variances[known]
        least = np.ones(step) @ np.linalg.solve(rows.T * weights @ rows, np.ones(step))
        assert noise.spread(1, step) ** 2 == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("noise", TREES, ids=repr)
def test_least_squares_have_the_least_error(noise: TreeNoise) -> None:
    """Against all linear unbiased estimates from complete blocks, by the normal equations."""
    blocks = incidence(noise)
    ends = np.concatenate([np.arange(1, noise.steps // s + 1) * s for s in noise.sizes])
    variances = np.repeat(
        [float(law.moment(2)) for law in noise._laws], [noise.steps // s for s in noise.sizes]
    )
    for step in (1, noise.steps // 2, noise.steps):
        seen = (ends <= step)[:, None] * blocks
        known = seen.T @ (seen / variances[:, None])
        total = np.array([1.0] * step + [0.0] * (noise.steps - step))
        least = math.sqrt(total @ np.linalg.pinv(known) @ total)
        assert noise.spread(1, step) == pytest.approx(least, rel=1e-6)


def test_measurements_are_those_of_blocks() -> None:
    noise = TreeNoise(steps=12, branching=(3, 2), scales=(10**6, 10**6, 10**6), groups=2)
    quiet = TreeNoise(steps=12, branching=(3, 2), scales=("1e-3",) * 3, groups=2)
    exact = np.arange(24).reshape(12, 2)
    measured = [quiet.measure(exact[:t]) for t in range(1, 13)]
    assert [len(each) for each in measured] == [2 * noise.width(t) for t in range(1, 13)]
    assert measured[5].tolist() == [*exact[5], *exact[3:6].sum(axis=0), *exact[:6].sum(axis=0)]
    for t in range(1, 13):
        assert quiet.told(measured[:t]).tolist() == exact[:t].sum(axis=0).tolist()
    loud = [noise.measure(exact[:t]) for t in range(1, 13)]
    assert abs(loud[0].astype(float)).max() > 100  # below with a chance of 10⁻⁸


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_price_is_that_of_the_worst_steps(most: int) -> None:
    noise = TreeNoise(
        steps=6, branching=(2,), scales=(2, 4), allowed=Participation(most=most), reach=3
    )
    rates = np.repeat([1 / 2, 1 / 4], [6, 3])
    blocks = incidence(noise)
    worst = max(
        float(np.abs(blocks @ np.isin(np.arange(6), steps)) @ rates) * 3
        for steps in itertools.combinations(range(6), most)
    )
    assert float(noise.guarantee.epsilon) == pytest.approx(worst)
    assert noise.guarantee == PureDP(epsilon=most * 3 * (1 / 2 + 1 / 4))


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"branching": (1,)},
        {"scales": (1,)},
        {"scales": (0, 1)},
        {"branching": (2,) * 12, "scales": (1,) * 13},
        {"groups": 0},
    ],
)
def test_arguments(wrong: dict[str, object]) -> None:
    right: dict[str, object] = {"steps": 5, "branching": (2,), "scales": (1, 1)}
    with pytest.raises(InvalidParameter):
        TreeNoise(**(right | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("totals", [[1, 2], [[1.5]], [[1, 2]], np.zeros((6, 1), int), [[1 << 61]]])
def test_what_is_refused_is_not_shown(totals: object) -> None:
    with pytest.raises(InvalidParameter, match="a row for each of 1"):
        TreeNoise(steps=5, branching=(), scales=(1,)).measure(totals)  # type: ignore[arg-type]
