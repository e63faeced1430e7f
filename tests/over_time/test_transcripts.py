"""Audits of whole transcripts: the chances of all that three steps can show, added up.

What is measured comes from the mechanism's own `measure`, without noise; the chances are those of
discrete Gaussians small enough to be listed. Rows to come may answer to what was published.
"""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from leastnoise.certificates.over_time.integer_stream import IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian

STEPS, VARIANCE, WIDTH = 3, 6, 14
MATRIX = np.array([[3, 0, 0], [1, 3, 0], [1, 1, 2]])
Totals = Callable[[Sequence[int]], int]
"""The total of the next step, from what was published so far."""


def sums(noise: StreamNoise, totals: Sequence[int]) -> int:
    """What the next step measures, before noise."""
    return int(noise.measure(np.array(totals).reshape(-1, 1))[0])


@pytest.fixture
def noise(monkeypatch: pytest.MonkeyPatch) -> StreamNoise:
    silent = lambda self, count, _: np.zeros((count, self.groups), object)  # noqa: E731
    monkeypatch.setattr(StreamNoise, "_noise", silent)
    return StreamNoise(stream=IntegerStream.of_matrix(MATRIX), parameter=2**24)


def log_chances() -> dict[int, float]:
    law = DiscreteGaussian(VARIANCE)
    return {k: math.log(float(law.pmf(k).upper)) for k in range(-3 * WIDTH, 3 * WIDTH + 1)}


def divergence(
    noise: StreamNoise, one: Sequence[Totals], other: Sequence[Totals], order: float
) -> float:
    """Of the laws of all transcripts, of an order; what lies outside of the box is nearly 0."""
    chances, whole = log_chances(), 0.0
    for steps in itertools.product(range(-WIDTH, WIDTH + 1), repeat=STEPS):
        logs, told = [0.0, 0.0], list[int]()
        own: tuple[list[int], list[int]] = ([], [])
        for t, drawn in enumerate(steps):
            for place, totals in enumerate((one, other)):
                own[place].append(totals[t](told))
            expected = [sums(noise, each) for each in own]
            told.append(expected[0] + drawn)
            logs[0] += chances[drawn]
            logs[1] += chances[told[-1] - expected[1]]
        whole += math.exp(order * logs[0] + (1 - order) * logs[1])
    return math.log(whole) / (order - 1)


def fixed(*totals: int) -> list[Totals]:
    return [lambda _, total=total: total for total in totals]  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.parametrize("moved", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)])
def test_the_whole_transcript_costs_what_is_charged(
    noise: StreamNoise, moved: tuple[int, ...]
) -> None:
    allowed = Participation(most=sum(moved))
    square = int(((MATRIX @ np.array(moved)) ** 2).sum())
    price = allowed.squared_reach(MATRIX) / (2 * VARIANCE)
    found = divergence(noise, fixed(0, 0, 0), fixed(*moved), 2.0)
    assert found == pytest.approx(2 * square / (2 * VARIANCE), abs=2e-3)
    assert found <= 2 * price + 1e-6


def curious(first: int) -> list[Totals]:
    """Whoever comes next looks at the numbers: after a high one nobody does."""
    return [
        lambda _: first,
        lambda told: 0 if told[0] > 2 else 1,
        lambda told: told[1] % 2,
    ]


def test_rows_that_answer_to_what_was_published_cost_no_more(noise: StreamNoise) -> None:
    found = divergence(noise, curious(0), curious(1), 2.0)
    assert found == pytest.approx(2 * int((MATRIX[:, 0] ** 2).sum()) / (2 * VARIANCE), abs=2e-3)


def test_an_understated_price_is_seen(noise: StreamNoise) -> None:
    """The audit has power: three steps priced as one are not kept, in two steps already."""
    assert Participation(most=1).squared_reach(MATRIX) < int(
        ((MATRIX @ np.ones(3, int)) ** 2).sum()
    )
    one = sums(noise, [1, 1, 1]) - sums(noise, [0, 0, 0])
    assert one == int(MATRIX[2].sum())
