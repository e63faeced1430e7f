"""Noise for many queries: how long the choice takes, and what it saves."""

from collections.abc import Iterator

import dp_accounting
from dp_accounting.pld import PLDAccountant

from benchmarks.row import Row
from benchmarks.timing import best
from leastnoise.least_noise.composed.optimal_composed import optimal_composed
from leastnoise.least_noise.optimal_answers import OptimalAnswers

REPETITIONS = 3
COUNTS = (10, 50, 1000, 100_000)
MOST_SECONDS = 3.0


def optimal_many_rows() -> Iterator[Row]:
    """Times for several numbers of queries; the error beside calibrated Gaussian and Laplace."""
    for count in COUNTS:
        yield _time(count)
    for count in (10, 1000):
        yield from _savings(count)


def _time(count: int) -> Row:
    found = _own(count)
    seconds = best({"ours": lambda: _own(count)}, REPETITIONS)["ours"]
    return Row(
        f"Noise for {count} queries under (1, 1e-6), time",
        f"{found.family}, {len(found.tried)} families proved",
        "–",
        seconds,
        "s",
        "at most",
        MOST_SECONDS if count <= 1000 else None,
    )


def _savings(count: int) -> Iterator[Row]:
    """Expected squared error beside what dp-accounting's calibrated mechanisms would have."""
    ours = float(_own(count).expected_cost())
    for name, variance in _peers(count):
        yield Row(
            f"Noise for {count} queries under (1, 1e-6), E error²",
            f"{ours:.6g}",
            f"{name}, calibrated by dp-accounting: {variance:.6g}",
            ours / variance,
            sense="at most",
            target=1.0001,
        )


def _own(count: int) -> OptimalAnswers:
    return optimal_composed(sensitivity=1, epsilon=1, delta="1e-6", count=count, cost="squared")


def _peers(count: int) -> Iterator[tuple[str, float]]:
    def gaussian(sigma: float) -> object:
        return dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(sigma), count)

    def laplace(scale: float) -> object:
        return dp_accounting.SelfComposedDpEvent(dp_accounting.LaplaceDpEvent(scale), count)

    for name, event, factor in (("Gaussian", gaussian, 1.0), ("Laplace", laplace, 2.0)):
        parameter = dp_accounting.calibrate_dp_mechanism(
            PLDAccountant, event, target_epsilon=1, target_delta=1e-6, tol=1e-4
        )
        yield name, factor * float(parameter) ** 2
