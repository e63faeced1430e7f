"""The least noise for one query: variance beside the Gaussian's, ratios proved, time to find it."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import opendp.prelude as dp

from benchmarks.row import Row
from benchmarks.timing import best
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.least_noise.optimal import optimal, optimal_scalar
from leastnoise.numeric.cost import Moment

DELTA = "1e-6"
DRAWS = 200_000
REPETITIONS = 5

CLOSED: dict[str, dict[str, Any]] = {
    "geometric": {"sensitivity": 1, "epsilon": 1},
    "staircase, Δ = 50": {"sensitivity": 50, "epsilon": 1, "cost": "squared"},
    "canonical": {"sensitivity": 1, "epsilon": 1, "delta": DELTA, "cost": "squared"},
    "staircase, Δ = 2560": {"sensitivity": "2.5", "epsilon": 4, "granularity": Fraction(1, 1024)},
}
PROGRAMS: dict[str, dict[str, Any]] = {
    f"Δ = {width}, ε = {epsilon}": {"sensitivity": width, "epsilon": epsilon, "delta": DELTA}
    for width in (5, 20)
    for epsilon in ("0.5", "2", "8")
}


def optimal_rows() -> Iterator[Row]:
    """Everything about `optimal`."""
    yield from variance_rows()
    yield from ratio_rows()
    yield from time_rows()


def variance_rows() -> Iterator[Row]:
    """A count at ε = 1, δ = 1e-6: ours, the least Gaussian, and OpenDP's, drawn."""
    chosen = optimal_scalar(sensitivity=1, epsilon=1, delta=DELTA, cost="squared")
    ours = float(chosen.expected_cost())
    gaussian = float(gaussian_sigma(epsilon=1, delta=DELTA, sensitivity=1)) ** 2
    yield Row(
        "variance of a count, ε = 1, δ = 1e-6", f"{ours:.4g}", f"analytic Gaussian {gaussian:.4g}",
        gaussian / ours, "×", "at least", 9,
    )  # fmt: skip
    peer = _opendp_variance()
    yield Row(
        "variance of a count, ε = 1, δ = 1e-6", f"{ours:.4g}", f"OpenDP's Gaussian {peer:.4g}",
        peer / ours, "×", "at least", 9,
    )  # fmt: skip


def _opendp_variance() -> float:
    """OpenDP's integer Gaussian, with the scale that its own (ε, δ) map asks for, drawn."""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int), size=DRAWS), dp.l2_distance(T=float)

    def make(scale: float) -> Any:
        single = dp.atom_domain(T=int), dp.absolute_distance(T=float)
        noise = dp.m.make_gaussian(*single, scale=scale)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noise), delta=float(DELTA))

    scale = dp.binary_search_param(make, d_in=1.0, d_out=(1.0, float(DELTA)))
    drawn = dp.m.make_gaussian(*space, scale=scale)([0] * DRAWS)
    return float(sum(x * x for x in drawn)) / DRAWS


def ratio_rows() -> Iterator[Row]:
    """How far the cost can be from the least possible, at worst over a grid, as certified."""
    worst = max(
        float(
            optimal_scalar(
                sensitivity=width, epsilon=epsilon, delta=delta, cost=Moment(order)
            ).certificate().ratio
            - 1
        )
        for width in (2, 3, 5, 10, 20)
        for epsilon in ("0.5", "1", "4", "8")
        for delta in ("1e-9", "1e-6", "1e-2", "0.1")
        for order in (1, 2)
    )  # fmt: skip
    yield Row(
        "ratio − 1 of the linear program, 160 problems", "certified", "the lower bound",
        worst, "", "at most", 1e-6,
    )  # fmt: skip
    pure = max(
        float(optimal_scalar(sensitivity=w, epsilon=1, cost=Moment(p)).certificate().ratio - 1)
        for w in range(1, 51)
        for p in (1, 2, 3)
    )
    yield Row(
        "ratio − 1 for pure ε, Δ = 1..50", "certified", "the lower bound",
        pure, "", "at most", 1e-12,
    )  # fmt: skip


def time_rows() -> Iterator[Row]:
    """From the question to a mechanism that has proved its privacy."""
    for name, asked in CLOSED.items():
        time = best({"ours": partial(optimal_scalar, **asked)}, REPETITIONS)["ours"]
        yield Row(f"optimal: {name}", "", "", 1e3 * time, "ms", "at most", 20)
    for name, asked in PROGRAMS.items():
        time = best({"ours": partial(optimal_scalar, **asked)}, 2)["ours"]
        yield Row(f"optimal: linear program, {name}", "", "", time, "s", "at most", 2)
    many = partial(optimal, sensitivity=1, epsilon=1, delta=DELTA, count=1000)
    time = best({"ours": many}, 2)["ours"]
    yield Row("optimal: 1000 queries together", "", "", time, "s", "at most", 3)
