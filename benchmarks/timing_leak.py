"""Does the time of a release tell the value? A test in the manner of dudect.

Two classes of secret inputs take turns in random order, each call is timed, and Welch's t compares
the two means after cutting off the slowest calls at several levels. |t| above 4.5 is a leak that
was seen; below it, none was seen with this many calls, which is all one can say.

Usage: python -m benchmarks.timing_leak [calls]
"""

import gc
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms import (
    AdditiveNoise,
    ExponentialMechanism,
    PermuteAndFlip,
    RandomizedResponse,
)
from leastnoise.noise import Canonical, DiscreteGaussian, DiscreteLaplace
from leastnoise.privacy import ApproxDP, PureDP

LEAK = 4.5
CALLS = 20_000
CUTS = (0.5, 0.8, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class Case:
    """A release and two secrets that should take the same time."""

    name: str
    release: Callable[[Any], object]
    one: Any
    other: Any


def cases() -> list[Case]:
    """Mechanisms whose time should not depend on the value, then those that say it does."""
    promise = ApproxDP(epsilon=1, delta="1e-6")
    law = Canonical(epsilon=1, delta="1e-6")
    count = AdditiveNoise(law, sensitivity=1, guarantee=promise)
    real = AdditiveNoise(
        DiscreteLaplace(scale=1024),
        sensitivity=1,
        guarantee=PureDP(epsilon=1),
        granularity="1/1024",
    )
    gaussian = DiscreteGaussian(variance=10**6)
    answers = RandomizedResponse(epsilon=1, categories=4)
    exponential = ExponentialMechanism(candidates=200, epsilon=4, sensitivity=1)
    flips = PermuteAndFlip(candidates=200, epsilon=4, sensitivity=1)
    zeros = np.zeros(1000, dtype=np.int64)
    large = np.full(1000, 2**40, dtype=np.int64)
    alike, apart = np.zeros(200, dtype=np.int64), np.array([1000] + [0] * 199)
    return [
        Case("nothing (the same input twice)", count.release, 7, 7),
        Case("a count: 0 or 10^9", count.release, 0, 10**9),
        Case("a real number: 0.0 or 123456.789", real.release, 0.0, 123456.789),
        Case("a real number: 0.1 or −0.1", real.release, 0.1, -0.1),
        Case("1000 counts: all 0 or all 2^40", count.release, zeros, large),
        Case("1000 counts plus normal noise", lambda v: v + gaussian.sample(1000), zeros, large),
        Case("1000 randomized responses: 0 or 3", answers.release, zeros, zeros + 3),
        Case("permute-and-flip: all alike or one best", flips.release, alike, apart),
        Case("exponential mechanism: all alike or one best", exponential.release, alike, apart),
    ]


def timed(case: Case, calls: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nanoseconds of each call, by class, in random order."""
    times: tuple[list[int], list[int]] = ([], [])
    secrets = case.one, case.other
    order = [0, 1] * (calls // 2)
    random.shuffle(order)
    for which in (*order[:200], *order):
        secret = secrets[which]
        start = perf_counter_ns()
        case.release(secret)
        times[which].append(perf_counter_ns() - start)
    return np.array(times[0][100:], dtype=float), np.array(times[1][100:], dtype=float)


def greatest_t(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Welch's t, greatest in size over the levels at which slow calls are cut off."""
    found = []
    for cut in CUTS:
        limit = np.quantile(np.concatenate([one, other]), cut)
        a, b = one[one <= limit], other[other <= limit]
        spread = np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
        found.append(float((a.mean() - b.mean()) / spread))
    return max(found, key=abs)


def main(calls: int = CALLS) -> None:
    """Print a table."""
    print("| secret inputs | median time | difference of medians | t | seen |")
    print("| --- | --- | --- | --- | --- |")
    for case in cases():
        gc.collect()
        gc.disable()
        one, other = timed(case, calls)
        gc.enable()
        t = greatest_t(one, other)
        middle, apart = np.median(one), abs(np.median(one) - np.median(other))
        seen = "a leak" if abs(t) > LEAK else "none"
        print(f"| {case.name} | {middle / 1e3:.1f} µs | {apart:.0f} ns | {t:.1f} | {seen} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
