"""Running totals over time: how near to the least, how much better than noise apart, how fast.

python -m benchmarks.over_time, and `python -m benchmarks.over_time long` for 10^6 steps, which
takes minutes.
"""

import math
import resource
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.over_time_peers import accounted_tree, open_dp_tree
from benchmarks.row import Row, markdown
from benchmarks.timing import best
from leastnoise.least_noise.over_time.best_tree import best_tree
from leastnoise.least_noise.over_time.long_totals import long_running_totals
from leastnoise.least_noise.over_time.running_totals import running_totals, sums_of_steps
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.privacy.gaussian import gaussian_mu

GROUPS = 100_000
YEAR = 365
MANY = 10**6
REPETITIONS = 3
_MEGABYTE = 1 << 10  # of the kilobytes that Linux counts in


def design_rows() -> Iterator[Row]:
    """Designed and proved, by processor time; then the checker, which knows nothing of it."""
    for steps, seconds_at_most in ((YEAR, 1), (4096, 20)):
        start = process_time()
        found = running_totals(steps)
        seconds = process_time() - start
        yield _timed(
            f"Running totals, {steps} steps: designed and proved", seconds, seconds_at_most
        )
        start = process_time()
        accepted = found.check().accepted
        checked = process_time() - start
        assert accepted
        yield _timed(f"Running totals, {steps} steps: certificate checked", checked, 2)
        yield Row(
            f"Running totals, {steps} steps: error over the proved bound",
            f"{float(found.achieved):.4f}",
            f"bound {float(found.bound):.4f}",
            float(found.ratio),
            unit="×",
            sense="at most",
            target=1.0001,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    yield Row(
        "Running totals, 4096 steps, peak memory", f"{peak:.0f} MB", "whole process", peak,
        unit="MB", sense="at most", target=500,
    )  # fmt: skip


def gain_rows() -> Iterator[Row]:
    """Against noise for each step apart, at the same price for the whole year."""
    for most, target in ((1, 7.0), (7, 2.0), (30, 1.2)):
        start = process_time()
        found = running_totals(YEAR, most=most)
        seconds = process_time() - start
        noise = StreamNoise(stream=found.stream, parameter=2**48, allowed=found.allowed)
        apart = math.sqrt(YEAR * most * 2**48 / noise.squared_reach)
        last = noise.spread(1, YEAR)
        yield Row(
            f"A year of days, a unit in {most}: error of the last total",
            f"{last / (2**48 / noise.squared_reach) ** 0.5:.3f}",
            f"noise apart: {math.sqrt(YEAR * most):.2f}",
            apart / last,
            unit="×",
            sense="at least",
            target=target,
        )
        if most > 1:
            yield Row(
                f"A year of days, a unit in {most}: error over the proved bound",
                f"{float(found.achieved):.3f}",
                f"designed in {seconds:.2g} s",
                float(found.ratio),
                unit="×",
                sense="at most",
                target=1.05,
            )


def tree_rows() -> Iterator[Row]:
    """Pure ε: blocks of steps against noise apart."""
    start = perf_counter()
    tree = best_tree(YEAR)
    seconds = perf_counter() - start
    apart = math.sqrt(2 * (YEAR + 1) / 2)
    yield Row(
        "A year of days at ε = 1, blocks of steps: error of totals",
        f"{tree.error:.2f}",
        f"noise apart: {apart:.2f}; designed in {seconds:.2g} s",
        apart / tree.error,
        unit="×",
        sense="at least",
        target=1.5,
    )


def peer_rows() -> Iterator[Row]:
    """Other libraries' trees: the root mean square of a year's totals, over ours.

    jax-privacy, whose matrices are like ours for several steps of a unit, is not among the peers
    that are installed.
    """
    total = float(running_totals(YEAR, objective="mean square").achieved)
    mu = float(gaussian_mu(1, Fraction(1, 10**6)).lower)
    for case, own, name, other in (
        ("at ρ = 1/2", total, "OpenDP, revises the past", open_dp_tree(YEAR, gaussian=True)),
        (
            "at ε = 1",
            best_tree(YEAR).error,
            "OpenDP, revises the past",
            open_dp_tree(YEAR, gaussian=False),
        ),
        ("at (1, 1e-6)", total / mu, "dp-accounting, binary tree", accounted_tree(YEAR, 1.0, 1e-6)),
    ):
        said = "not installed" if other is None else f"{other:.2f}"
        yield Row(
            f"A year of days {case}: error of totals beside a peer",
            f"{own:.2f}",
            f"{name}: {said}",
            math.nan if other is None else other / own,
            unit="×",
            sense="at least",
            target=1,
        )


def sum_rows() -> Iterator[Row]:
    """Sliding windows; days, weeks, months and totals together; the last total above all."""
    windows = {n: [(max(1, t - n + 1), t, 1) for t in range(1, YEAR + 1)] for n in (7, 30)}
    weeks = [(7 * n + 1, 7 * n + 7, 7 * 48) for n in range(YEAR // 7)]
    months = [(30 * n + 1, 30 * n + 30, 30 * 48) for n in range(YEAR // 30)]
    totals = [(1, t, 1) for t in range(1, YEAR + 1)]
    days = [(t, t, 48) for t in range(1, YEAR + 1)]
    for case, make in (
        ("windows of 7 days", partial(sums_of_steps, YEAR, windows[7])),
        ("windows of 30 days", partial(sums_of_steps, YEAR, windows[30])),
        (
            "days, weeks, months, totals",
            partial(sums_of_steps, YEAR, [*days, *weeks, *months, *totals]),
        ),
        ("the last total", partial(running_totals, YEAR, objective="last")),
    ):
        start = process_time()
        found = make()
        seconds = process_time() - start
        yield Row(
            f"A year of days, {case}: error over the proved bound",
            f"{float(found.achieved):.4f}",
            f"designed in {seconds:.2g} s",
            float(found.ratio),
            unit="×",
            sense="at most",
            target=1.0001,
        )


def long_rows() -> Iterator[Row]:
    """10^6 steps: designed, and the bound proved in linear time."""
    start = process_time()
    found = long_running_totals(MANY)
    seconds = process_time() - start
    yield Row(
        f"Running totals, {MANY:,} steps: error over the proved bound",
        f"{found.achieved:.4f}, {found.stream.buffers} buffers",
        f"bound {float(found.bound):.4f}; designed in {seconds:.0f} s",
        found.ratio,
        unit="×",
        sense="at most",
        target=1.001,
    )


def step_rows() -> Iterator[Row]:
    """The last step of a year for many groups at once: measured, and told."""
    found = running_totals(YEAR)
    noise = StreamNoise(stream=found.stream, parameter=2**48, groups=GROUPS)
    totals = np.random.default_rng(0).integers(0, 50, (YEAR, GROUPS))
    noise.measure(totals[:1])
    seconds = best({"": partial(noise.measure, totals)}, REPETITIONS)[""]
    yield _timed(f"Step {YEAR} of {GROUPS:,} groups: measured with fresh noise", seconds, 0.5)
    measured: Any = np.full((YEAR, GROUPS), 1 << 30, np.int64)
    seconds = best({"": partial(noise.told, measured)}, REPETITIONS)[""]
    yield _timed(f"Step {YEAR} of {GROUPS:,} groups: running totals told", seconds, 0.5)


def _timed(case: str, seconds: float, target: float) -> Row:
    return Row(case, f"{seconds:.3g} s", "", seconds, unit="s", sense="at most", target=target)


def rows() -> Iterator[Row]:
    """Everything, in this order: memory is looked at before many groups are."""
    yield from design_rows()
    yield from gain_rows()
    yield from tree_rows()
    yield from sum_rows()
    yield from peer_rows()
    yield from step_rows()


if __name__ == "__main__":
    print(markdown(list(long_rows() if "long" in sys.argv else rows())))
